/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes how fast a thread is, and how often events happen. */
#ifndef _PMCT_SIM_RATES_H
#define _PMCT_SIM_RATES_H

#include "model.h"

#define PMCT_SIM_LINE		64	/* bytes */
#define PMCT_SIM_LINES_PER_KIB	(1024 / PMCT_SIM_LINE)
/* Lines of caches are counted in units of 1 / PMCT_SIM_PART. */
#define PMCT_SIM_PART		256

/* Address and size of programs, and size of a block of code, in bytes. */
#define PMCT_SIM_TEXT		0x400000
#define PMCT_SIM_TEXT_SIZE	0x4000000
#define PMCT_SIM_BLOCK		64

static inline const struct pmct_sim_phase *pmct_sim_phase_of(const struct pmct_sim_thread *t)
{
	return &t->profile->phase[t->phase];
}

void pmct_sim_rates(const struct pmct_sim_machine *m, unsigned int type, unsigned int cluster,
		    struct pmct_sim_thread *t, u64 l2, u64 llc, struct pmct_sim_rates *r);
void pmct_sim_rates_memory(const struct pmct_sim_core_type *core, u64 mem_ps,
			   struct pmct_sim_rates *r);
u64 pmct_sim_ip(const struct pmct_sim_thread *t);
u64 pmct_sim_latency(const struct pmct_sim_node *node,
		     const struct pmct_sim_rates *const *rates, unsigned int nr);

#endif /* _PMCT_SIM_RATES_H */
