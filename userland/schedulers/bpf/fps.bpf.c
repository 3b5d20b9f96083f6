// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * FPS: fair progress. Who has made the smallest progress, in proportion to his weight, runs next,
 * for a quantum. Progress is what the monitoring module "fair_progress" says: CPU time that the
 * thread would have needed alone. So those whom others slow down get more time.
 *
 * In the queue, progress takes the place of CPU time: whoever slept is not paid for that, and
 * whoever begins has made as much as those who run. Of whom nothing is known, CPU time counts in
 * full; for a moment, as it counted last. The module meets a thread anew when a user begins to
 * watch it with his own session: that is worth nothing.
 */
#define POLICY_PAYS
#define POLICY_TRAINS
#include "state.bpf.h"

/* More is a mistake; and nobody's time counts for less, or programs could have it for nothing. */
#define RATE_MOST	1000
#define RATE_LEAST	250
/* A correction of what was charged before is at most so much at a time. */
#define CORRECTION_NS	(200 * NSEC_PER_MSEC)

static s64 policy_pays(struct task_struct *p, struct amp_thread *t, u64 ns, u64 now);

#include "layer.bpf.h"

static const bool policy_asks = true;

/* Beside progress: all at once. */
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

/* @t has made so much since it was charged with what it would make: the difference. */
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

/* Whoever hides his progress is not paid for what he looked like before, or did meanwhile. */
static void count_in_full(struct amp_thread *t, u64 now)
{
	t->wants_training = false;
	t->traffic = 0;
	t->confidence = -1;
	if (now - t->known_ns <= FORGET_NS)
		return;
	t->rate = RATE_MOST;
	t->seen_ns = 0;
}

/*
 * What @ns on a CPU are to be charged with: by the last rate, and when the module has something
 * new, the difference to what was charged since then.
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
	stats.asked++;
	if (pmcs_metric(p, PMCS_PROGRESS, &value)) {
		stats.unknown++;
		count_in_full(t, now);
		goto out;
	}
	t->known_ns = now;
	if (value.confidence < PMCS_ESTIMATED)
		stats.low++;
	/* Not if it was met for the first time, or anew. */
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

/* On a machine with several core types, the fast ones are for who is behind. */
static s64 policy_score(struct amp_thread *t, u32 rank)
{
	return -(s64)t->progress_ns;
}

POLICY("fps");
