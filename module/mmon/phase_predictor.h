/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which phase comes next: a Markov predictor of second order, which knows what followed on a phase
 * and the one before it, and falls back on what followed on the phase. Phases last longer than a
 * window, so it predicts what comes after a change; that nothing changes is the other
 * possibility. Pure.
 */
#ifndef _PMCT_PHASE_PREDICTOR_H
#define _PMCT_PHASE_PREDICTOR_H

#include <linux/types.h>

#include "phases.h"

#define PMCT_PREDICTOR_PLACES	PMCTRACK_FOLLOWERS
#define PMCT_PREDICTOR_NEXT	PMCTRACK_NEXT

/* What a program's phases were followed by. Zero bytes: nothing is known. */
struct pmct_predictor {
	struct pmctrack_followers of[PMCT_PREDICTOR_PLACES];
};

void pmct_predictor_learn(struct pmct_predictor *p, u8 before, u8 phase, u8 next);
unsigned int pmct_predictor_next(const struct pmct_predictor *p, u8 before, u8 phase, u8 *next,
				 unsigned int most);
void pmct_predictor_put(struct pmct_predictor *p, const struct pmctrack_followers *f);
void pmct_predictor_forget(struct pmct_predictor *p, u8 phase);

#endif /* _PMCT_PHASE_PREDICTOR_H */
