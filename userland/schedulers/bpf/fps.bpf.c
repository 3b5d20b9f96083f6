// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * FPS: fair progress. The thread that has made the smallest progress, in proportion to its weight,
 * runs next, for a quantum. Progress is what the monitoring module "fair_progress" says: CPU time
 * that the thread would have needed alone. So threads that others slow down get more time.
 *
 * In the queue, progress takes the place of CPU time. A thread that slept is not compensated for
 * that, and a thread that begins has made as much progress as those that run. If nothing is known
 * of a thread, its CPU time counts in full; for a moment, it counts as it counted last. The module
 * meets a thread anew when a user begins to watch it with the user's own session. The user gains
 * nothing by that.
 */
#define POLICY_PAYS
#define POLICY_TRAINS
#include "state.bpf.h"

/* A higher rate is a mistake; with a lower one, programs could have CPU time for nothing. */
#define RATE_MOST	1000
#define RATE_LEAST	250
/* Largest correction of earlier charges at a time. The rest of a correction is lost. */
#define CORRECTION_NS	(200 * NSEC_PER_MSEC)

static s64 policy_pays(struct task_struct *p, struct amp_thread *t, u64 ns, u64 now);

#include "layer.bpf.h"

static const bool policy_asks = true;

/* Read all metrics beside progress. */
static void look_at_rest(struct task_struct *p, struct amp_thread *t)
{
	struct pmcs_value value;

	t->traffic = pmcs_metric(p, PMCS_TRAFFIC, &value) ? 0 : value.value;
	t->wants_training = !pmcs_metric(p, PMCS_TRAINING, &value) && value.value;
	t->phase = pmcs_metric(p, PMCS_PHASE, &value) ? 0 : value.value;
	if (!pmcs_metric(p, PMCS_SLOWDOWN, &value)) {
		t->factor[1] = value.value > 100000 ? 100000 : value.value ?: 1;
		t->confidence = value.confidence;
	}
}

static s64 bounded_correction(s64 by)
{
	if (by > (s64)CORRECTION_NS)
		return CORRECTION_NS;
	if (by < -(s64)CORRECTION_NS)
		return -(s64)CORRECTION_NS;
	return by;
}

/* Returns the correction: @t made @made ns, and was charged for @pays_ns by its rate. */
static s64 correct(struct amp_thread *t, u64 made)
{
	s64 by;

	if (made < t->ran_ns * RATE_LEAST / 1000)
		made = t->ran_ns * RATE_LEAST / 1000;
	by = bounded_correction((s64)(made - t->pays_ns));
	if (t->pays_ns && t->rate)
		t->rate = (3 * t->rate + t->rate * made / t->pays_ns) / 4;
	if (t->rate > RATE_MOST)
		t->rate = RATE_MOST;
	if (t->rate < RATE_LEAST)
		t->rate = RATE_LEAST;
	return by;
}

/* A thread with hidden progress gains nothing by how it looked before, or what it did meanwhile. */
static void count_in_full(struct amp_thread *t, u64 now)
{
	t->wants_training = false;
	t->traffic = 0;
	t->confidence = -1;
	if (now - t->known_ns[0] <= FORGET_NS)
		return;
	t->rate = RATE_MOST;
	t->seen_ns = 0;
}

/*
 * Returns what @ns of CPU time are charged with: progress by the last rate. If the module has a new
 * value, the difference to what was charged since the last value is added.
 */
static s64 policy_pays(struct task_struct *p, struct amp_thread *t, u64 ns, u64 now)
{
	struct pmcs_value value;
	u64 pays;
	s64 by = 0;

	if (!t)
		return ns;
	pays = ns * t->rate / 1000;
	t->pays_ns += pays;
	t->ran_ns += ns;
	if (now - t->asked_ns < LOOK_NS || !bpf_ksym_exists(pmcs_metric))
		goto out;
	t->asked_ns = now;
	__sync_fetch_and_add(&stats.asked, 1);
	if (pmcs_metric(p, PMCS_PROGRESS, &value)) {
		__sync_fetch_and_add(&stats.unknown, 1);
		count_in_full(t, now);
		goto out;
	}
	t->known_ns[0] = now;
	if (value.confidence < PMCS_ESTIMATED)
		__sync_fetch_and_add(&stats.low, 1);
	/* Do not correct if the module met the thread for the first time, or anew. */
	if (t->seen_ns && value.value >= t->seen_ns && value.value - t->seen_ns < 10 * CORRECTION_NS)
		by = correct(t, value.value - t->seen_ns);
	t->seen_ns = value.value;
	t->pays_ns = 0;
	t->ran_ns = 0;
	look_at_rest(p, t);
out:
	t->progress_ns += pays + by;
	return pays + by;
}

static void policy_ran(struct amp_thread *t, unsigned int rank, u64 ns)
{
}

/* On a machine with several core types, the fast ones are for threads that are behind. */
static s64 policy_score(struct amp_thread *t, u32 rank)
{
	return -(s64)t->progress_ns;
}

POLICY("fps");
