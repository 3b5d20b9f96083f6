// SPDX-License-Identifier: GPL-2.0-only
/* Computes the progress of a thread, see progress.h. */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "mmon-common.h"
#include "progress.h"

/* Part of looks, in percent, that may find others that move many lines, or are unknown. */
#define TOLERATED	10
/* A phase is trained if it was seen this often (section 3.3 of the paper). */
#define SEEN_OFTEN	2

/*
 * Pressure of others is in thousandths of the memory's peak. A line of a process that shares the
 * cache counts for itself and for the line that it replaces. The replaced line is fetched again,
 * often with more lines.
 */
#define SHARERS_WEIGHT	3
/* Pressure that is added if caches are cold. */
#define COLD		200

/* Fixed-point unit of ns per cycle, which are at most 255. */
#define NS_SCALE	BIT(24)
/* Longer windows, of a day and more, cannot be real. */
#define WINDOW_MOST	BIT_ULL(48)

/* From now on the thread executes another program. Nothing is known of its phases. */
void pmct_progress_forget(struct pmct_progress *p)
{
	p->phase = PMCT_NO_PHASE;
	p->before = PMCT_NO_PHASE;
	p->ratio = PMCT_PHASE_ONE;
	p->pressure = COLD;
	p->known = false;
	p->wanted = false;
}
EXPORT_SYMBOL_GPL(pmct_progress_forget);

/* Initialise, before the first window. */
void pmct_progress_begin(struct pmct_progress *p)
{
	memset(p, 0, sizeof(*p));
	pmct_progress_forget(p);
}
EXPORT_SYMBOL_GPL(pmct_progress_begin);

/**
 * pmct_progress_open() - time alone of an open window, if it goes on like the last window
 * @p: the thread
 * @ns: the window's time so far
 *
 * Return: ns.
 */
u64 pmct_progress_open(const struct pmct_progress *p, u64 ns)
{
	return mul_u64_u32_shr(ns, p->ratio, ilog2(PMCT_PHASE_ONE));
}
EXPORT_SYMBOL_GPL(pmct_progress_open);

/* Add time that belongs to no window. It counts like the last window. */
void pmct_progress_charge(struct pmct_progress *p, u64 ns)
{
	p->ns += ns;
	p->alone += pmct_progress_open(p, ns);
}
EXPORT_SYMBOL_GPL(pmct_progress_charge);

static bool rarely(u32 times, u32 looks)
{
	return (u64)times * 100 <= (u64)looks * TOLERATED;
}

/* Lines per time, in thousandths of the peak, which must be known. */
static u64 part_of_peak(u64 lines, u64 ns, const struct pmct_traffic *t)
{
	u64 rate;

	if (!pmct_ratio(lines, ns, NSEC_PER_MSEC, &rate))
		return U32_MAX;
	return div64_u64(rate * 1000, t->peak);
}

/* Returns the thread's lines per time in an open window, in thousandths of the peak; 0: unknown. */
u32 pmct_progress_traffic(const struct pmct_window *w, const struct pmct_traffic *t)
{
	return t->peak && w->ns ? min_t(u64, part_of_peak(w->lines, w->ns, t), U32_MAX) : 0;
}
EXPORT_SYMBOL_GPL(pmct_progress_traffic);

/**
 * pmct_progress_judge() - was a window hardly disturbed?
 * @w: the window
 * @t: limits of low traffic
 *
 * Return: the reason why it was, or was not.
 */
enum pmct_contention pmct_progress_judge(const struct pmct_window *w, const struct pmct_traffic *t)
{
	if (!t->peak || !w->looks || !rarely(w->unknown, w->looks))
		return PMCT_UNKNOWN;
	if (part_of_peak(w->lines + w->others, w->ns, t) < t->system &&
	    part_of_peak(w->sharers, w->ns, t) < t->own)
		return PMCT_SYSTEM_LOW;
	if (part_of_peak(w->lines, w->ns, t) < t->own)
		return PMCT_OWN_LOW;
	return rarely(w->intensive, w->looks) ? PMCT_ONLY_ONE : PMCT_DISTURBED;
}
EXPORT_SYMBOL_GPL(pmct_progress_judge);

/* Pressure of others in this window. */
static u32 pressure_now(const struct pmct_window *w, const struct pmct_traffic *t)
{
	u64 pressure;

	if (!t->peak)
		return U16_MAX;
	pressure = part_of_peak(w->others + SHARERS_WEIGHT * w->sharers, w->ns, t);
	return min_t(u64, pressure + (w->resumed ? COLD : 0), U16_MAX);
}

static bool is_known(const struct pmct_program *program, u8 phase, unsigned int core_type)
{
	return program->phases.phase[phase].speed[core_type].valid;
}

static void look_ahead(struct pmct_progress *p, const struct pmct_program *program,
		       unsigned int core_type)
{
	u8 likely[PMCT_PROGRESS_LIKELY];
	unsigned int i, nr;

	likely[0] = p->phase;
	nr = 1 + pmct_predictor_next(&program->predictor, p->before, p->phase, likely + 1,
				     PMCT_PROGRESS_LIKELY - 1);
	p->wanted = false;
	for (i = 0; i < nr; i++) {
		if (program->phases.phase[likely[i]].seen >= SEEN_OFTEN &&
		    !is_known(program, likely[i], core_type))
			p->wanted = true;
	}
}

static void go_to_phase(struct pmct_progress *p, struct pmct_program *program, u8 next)
{
	u8 likely[PMCT_PROGRESS_LIKELY - 1];
	unsigned int i, nr;

	if (p->phase != PMCT_NO_PHASE && next != p->phase) {
		nr = pmct_predictor_next(&program->predictor, p->before, p->phase, likely,
					 ARRAY_SIZE(likely));
		p->changes++;
		for (i = 0; i < nr; i++)
			p->foreseen += likely[i] == next;
		pmct_predictor_learn(&program->predictor, p->before, p->phase, next);
		p->before = p->phase;
	}
	p->phase = next;
}

/* Find the phase of a window. */
static u8 classify(struct pmct_progress *p, struct pmct_program *program,
		   const struct pmct_phase_vector *v)
{
	u8 i, forgotten;

	i = pmct_phases_classify(&program->phases, v, p->phase, &forgotten);
	if (forgotten == PMCT_NO_PHASE)
		return i;
	pmct_predictor_forget(&program->predictor, forgotten);
	if (p->before == forgotten)
		p->before = PMCT_NO_PHASE;
	if (p->phase == forgotten)
		p->phase = PMCT_NO_PHASE;
	return i;
}

/* Convert cycles at the window's frequency. Absurd numbers give an absurd result, but no trap. */
static u64 to_ns(u64 cycles, const struct pmct_window *w)
{
	u64 per_cycle;

	if (cycles == w->cycles)
		return w->ns;
	if (!pmct_ratio(w->ns, w->cycles, NS_SCALE, &per_cycle))
		return 0;
	return mul_u64_u32_shr(cycles, min_t(u64, per_cycle, U32_MAX), ilog2(NS_SCALE));
}

/**
 * pmct_progress_window() - evaluate a window that is over
 * @p: the thread
 * @program: its program, which learns from the window
 * @w: the window
 * @t: limits of low traffic
 *
 * Return: pmct_progress_judge()
 */
enum pmct_contention pmct_progress_window(struct pmct_progress *p, struct pmct_program *program,
					  const struct pmct_window *w,
					  const struct pmct_traffic *t)
{
	enum pmct_contention kind = pmct_progress_judge(w, t);
	u32 pressure = pressure_now(w, t);
	struct pmct_phase_run run = {
		.core_type = w->core_type,
		.instr = w->instr,
		.cycles = w->cycles,
		.ns = w->ns,
		.valid = pmct_contention_is_valid(kind),
		/* Caches still hold what was there in the window before. */
		.typical = READ_ONCE(t->typical) ?: PMCT_PHASE_ONE,
		.pressure = min(pressure + (w->resumed ? 0 : p->pressure / 2), (u32)U16_MAX),
	};
	u64 alone = w->cycles, ratio;
	s64 corrected = 0;
	u8 i;

	if (w->instr > WINDOW_MOST || w->cycles > WINDOW_MOST || w->ns > WINDOW_MOST) {
		pmct_progress_charge(p, min(w->ns, WINDOW_MOST));
		return PMCT_UNKNOWN;
	}
	p->windows++;
	p->kinds[kind]++;
	p->pressure = pressure;
	i = classify(p, program, w->v);
	if (i != PMCT_NO_PHASE) {
		alone = pmct_phase_run(&program->phases.phase[i], &run,
				       &w->unsure[w->core_type][i], &corrected);
		go_to_phase(p, program, i);
		p->known = is_known(program, i, w->core_type);
		/* If it is unknown who disturbs the thread, training has no use. */
		if (kind == PMCT_UNKNOWN)
			p->wanted = false;
		else
			look_ahead(p, program, w->core_type);
	}
	p->ns += w->ns;
	p->alone += to_ns(alone, w);
	if (corrected < 0)
		p->alone -= min_t(u64, -corrected, p->alone);
	else
		p->alone += corrected;
	if (pmct_ratio(alone, w->cycles, PMCT_PHASE_ONE, &ratio))
		p->ratio = min_t(u64, ratio, PMCT_PHASE_ONE);
	return kind;
}
EXPORT_SYMBOL_GPL(pmct_progress_window);

/**
 * pmct_progress_note_typical() - update how much disturbed threads are disturbed
 * @t: where this is stored; if several CPUs store at once, one update is lost
 * @p: a thread, after pmct_progress_window()
 * @kind: what pmct_progress_window() returned
 *
 * A phase whose speed alone is unknown is taken to be disturbed as much as others are. If its time
 * counted in full, threads of unknown speed would be behind all threads of known speed.
 */
void pmct_progress_note_typical(struct pmct_traffic *t, const struct pmct_progress *p,
				enum pmct_contention kind)
{
	u32 typical = READ_ONCE(t->typical);

	u32 ratio = max(p->ratio, PMCT_PHASE_ONE / 4);

	if (kind == PMCT_DISTURBED && p->known)
		WRITE_ONCE(t->typical, typical ? (31 * typical + ratio) / 32 : ratio);
}
EXPORT_SYMBOL_GPL(pmct_progress_note_typical);
