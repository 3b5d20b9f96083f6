// SPDX-License-Identifier: GPL-2.0-only
/* Predicts which phase comes next, see phase_predictor.h. */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "phase_predictor.h"

/* Places that are tried for a key. */
#define PROBES	4

static bool is_free(const struct pmctrack_followers *f)
{
	return !f->times[0];
}

static u32 often(const struct pmctrack_followers *f)
{
	u32 i, sum = 0;

	for (i = 0; i < PMCT_PREDICTOR_NEXT; i++)
		sum += f->times[i];
	return sum;
}

/* Returns the place of a key, or NULL if it has none. Then it can take the place @weakest. */
static const struct pmctrack_followers *find(const struct pmct_predictor *p, u8 before, u8 phase,
					     unsigned int *weakest)
{
	u32 first = ((before << 8 | phase) * 0x9e3779b1U) >> 26;
	u32 least = U32_MAX;
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		unsigned int place = (first + i) % PMCT_PREDICTOR_PLACES;
		const struct pmctrack_followers *f = &p->of[place];

		if (!is_free(f) && f->before == before && f->phase == phase)
			return f;
		if (often(f) < least) {
			least = often(f);
			*weakest = place;
		}
	}
	return NULL;
}

static void swap_with_more_frequent(struct pmctrack_followers *f, unsigned int i)
{
	for (; i && f->times[i] > f->times[i - 1]; i--) {
		u8 next = f->next[i], times = f->times[i];

		f->next[i] = f->next[i - 1];
		f->times[i] = f->times[i - 1];
		f->next[i - 1] = next;
		f->times[i - 1] = times;
	}
}

static void count(struct pmctrack_followers *f, u8 next)
{
	unsigned int i, k;

	for (i = 0; i < PMCT_PREDICTOR_NEXT - 1; i++) {
		if (!f->times[i] || f->next[i] == next)
			break;
	}
	/* The last follower makes room for a new one. */
	if (f->next[i] != next)
		f->times[i] = 0;
	f->next[i] = next;
	if (f->times[i] == U8_MAX) {
		for (k = 0; k < PMCT_PREDICTOR_NEXT; k++)
			f->times[k] /= 2;
	}
	f->times[i]++;
	swap_with_more_frequent(f, i);
}

static void learn(struct pmct_predictor *p, u8 before, u8 phase, u8 next)
{
	unsigned int weakest = 0;
	const struct pmctrack_followers *known = find(p, before, phase, &weakest);
	struct pmctrack_followers *f = known ? &p->of[known - p->of] : &p->of[weakest];

	if (!known) {
		memset(f, 0, sizeof(*f));
		f->before = before;
		f->phase = phase;
		f->next[0] = next;
	}
	count(f, next);
}

/**
 * pmct_predictor_learn() - learn from a change of the phase
 * @p: predictor of the program
 * @before: the phase before @phase, or PMCT_NO_PHASE
 * @phase: the phase that has ended
 * @next: the phase that followed, not @phase
 */
void pmct_predictor_learn(struct pmct_predictor *p, u8 before, u8 phase, u8 next)
{
	learn(p, PMCT_NO_PHASE, phase, next);
	if (before != PMCT_NO_PHASE)
		learn(p, before, phase, next);
}
EXPORT_SYMBOL_GPL(pmct_predictor_learn);

static unsigned int add_followers(const struct pmctrack_followers *f, u8 *next, unsigned int nr,
				  unsigned int most)
{
	unsigned int i, k;

	for (i = 0; i < PMCT_PREDICTOR_NEXT && nr < most && f->times[i]; i++) {
		for (k = 0; k < nr && next[k] != f->next[i]; k++)
			;
		if (k == nr)
			next[nr++] = f->next[i];
	}
	return nr;
}

/**
 * pmct_predictor_next() - predict what follows a phase
 * @p: predictor of the program
 * @before: the phase before @phase, or PMCT_NO_PHASE
 * @phase: the phase
 * @next: the likely phases are stored here, the likeliest one first
 * @most: largest number of phases
 *
 * Return: the number of phases.
 */
unsigned int pmct_predictor_next(const struct pmct_predictor *p, u8 before, u8 phase, u8 *next,
				 unsigned int most)
{
	unsigned int nr = 0, unused;
	const struct pmctrack_followers *f;

	f = before != PMCT_NO_PHASE ? find(p, before, phase, &unused) : NULL;
	if (f)
		nr = add_followers(f, next, nr, most);
	f = find(p, PMCT_NO_PHASE, phase, &unused);
	if (f)
		nr = add_followers(f, next, nr, most);
	return nr;
}
EXPORT_SYMBOL_GPL(pmct_predictor_next);

/* Store what another predictor has learnt of a key. It can replace a weaker key. */
void pmct_predictor_put(struct pmct_predictor *p, const struct pmctrack_followers *f)
{
	unsigned int weakest = 0;
	const struct pmctrack_followers *known = find(p, f->before, f->phase, &weakest);

	p->of[known ? known - p->of : weakest] = *f;
}

static bool names(const struct pmctrack_followers *f, u8 phase)
{
	unsigned int i;

	for (i = 0; i < PMCT_PREDICTOR_NEXT; i++) {
		if (f->times[i] && f->next[i] == phase)
			return true;
	}
	return f->phase == phase || f->before == phase;
}

/* Forget a phase, because its number becomes the number of another phase. */
void pmct_predictor_forget(struct pmct_predictor *p, u8 phase)
{
	unsigned int i;

	for (i = 0; i < PMCT_PREDICTOR_PLACES; i++) {
		if (names(&p->of[i], phase))
			memset(&p->of[i], 0, sizeof(p->of[i]));
	}
}
EXPORT_SYMBOL_GPL(pmct_predictor_forget);
