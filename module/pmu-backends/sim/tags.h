/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts the lines of threads in a last-level cache, by number (RMID). */
#ifndef _PMCT_SIM_TAGS_H
#define _PMCT_SIM_TAGS_H

#include "model.h"

void pmct_sim_tags_fill(struct pmct_sim_tags *tags, unsigned int thread, unsigned int rmid,
			u64 own, u64 more);
void pmct_sim_tags_fit(struct pmct_sim_tags *tags, unsigned int thread, u64 lines);
void pmct_sim_tags_forget(struct pmct_sim_tags *tags, unsigned int thread);
void pmct_sim_tags_show(struct pmct_sim_tags *tags, unsigned int nr);

#endif /* _PMCT_SIM_TAGS_H */
