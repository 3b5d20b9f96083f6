// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>

#include "feedback.h"
#include "trace.h"

/*
 * An executor that is killed in the middle of an update leaves an odd @seq. After this time, which
 * no update takes, another executor goes on from the estimate as it is.
 */
#define ABANDONED	(1 * NS_PER_S)

struct snapshot {
	uint32_t seq;
	int64_t at;
	struct load_time times;
	double load;
};

/* Read the estimate. It is consistent unless an update is in progress: then @seq is odd. */
static struct snapshot look(struct feedback_estimate *e)
{
	struct snapshot s;

	do {
		s.seq = atomic_load_explicit(&e->seq, memory_order_acquire);
		s.at = atomic_load_explicit(&e->at, memory_order_relaxed);
		s.times.work = atomic_load_explicit(&e->work, memory_order_relaxed);
		s.times.idle = atomic_load_explicit(&e->idle, memory_order_relaxed);
		s.load = atomic_load_explicit(&e->load, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
	} while (!(s.seq & 1) && s.seq != atomic_load_explicit(&e->seq, memory_order_relaxed));
	return s;
}

static void result(const struct snapshot *s, struct feedback_load *load)
{
	load->load = s->load;
	load->work = s->times.work;
	load->idle = s->times.idle;
}

/* Equations 1 and 2. Times of a source can decrease: a CPU went offline, or was accounted anew. */
static double next_load(const struct feedback *f, const struct snapshot *old,
			const struct load_time *now)
{
	double work = now->work - old->times.work;
	double idle = now->idle - old->times.idle;
	double weight;

	if (work < 0 || idle < 0 || work + idle <= 0)
		return old->load;
	weight = 1 - f->delta / (f->delta + work + idle);
	return (1 - weight) * old->load + weight * work / (work + idle);
}

int feedback_get(const struct feedback *f, int64_t now, struct feedback_load *load)
{
	struct feedback_estimate *e = f->estimate;
	int64_t share = FEEDBACK_SHARE / f->source->nr_cpus;
	struct snapshot s = look(e);
	struct load_time times;
	uint32_t mine;
	bool first;
	int err;

	first = !s.at;
	if (now - s.at < (s.seq & 1 ? ABANDONED : share)) {
		result(&s, load);
		return 0;
	}
	mine = (s.seq | 1) + (s.seq & 1 ? 2 : 0);
	if (!atomic_compare_exchange_strong(&e->seq, &s.seq, mine)) {
		/* Another executor makes a new estimate now. */
		result(&s, load);
		return 0;
	}
	atomic_thread_fence(memory_order_release);
	err = f->source->read(f->source->data, &times);
	if (!err) {
		s.load = first ? 0 : next_load(f, &s, &times);
		s.times = times;
		atomic_store_explicit(&e->at, now, memory_order_relaxed);
		atomic_store_explicit(&e->work, times.work, memory_order_relaxed);
		atomic_store_explicit(&e->idle, times.idle, memory_order_relaxed);
		atomic_store_explicit(&e->load, s.load, memory_order_relaxed);
	}
	atomic_store_explicit(&e->seq, mine + 1, memory_order_release);
	result(&s, load);
	return err;
}
