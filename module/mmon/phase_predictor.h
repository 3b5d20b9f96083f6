/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Predicts which phase comes next. It is a Markov predictor of second order: it knows what followed
 * a phase and the phase before it. It falls back on what followed the phase alone. Phases last
 * longer than a window, so it predicts what comes after a change. The other possibility is that the
 * phase goes on. Pure.
 */
#ifndef _PMCT_PHASE_PREDICTOR_H
#define _PMCT_PHASE_PREDICTOR_H

#include <linux/types.h>

#include "phases.h"

#define PMCT_PREDICTOR_PLACES	PMCTRACK_FOLLOWERS
#define PMCT_PREDICTOR_NEXT	PMCTRACK_NEXT

/* What followed each phase of a program. Zero bytes: nothing is known. */
struct pmct_predictor {
	struct pmctrack_followers of[PMCT_PREDICTOR_PLACES];
};

void pmct_predictor_learn(struct pmct_predictor *p, u8 before, u8 phase, u8 next);
unsigned int pmct_predictor_next(const struct pmct_predictor *p, u8 before, u8 phase, u8 *next,
				 unsigned int most);
void pmct_predictor_put(struct pmct_predictor *p, const struct pmctrack_followers *f);
void pmct_predictor_forget(struct pmct_predictor *p, u8 phase);

#endif /* _PMCT_PHASE_PREDICTOR_H */
