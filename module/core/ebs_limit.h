/* SPDX-License-Identifier: GPL-2.0-only */
/* How much of a CPU's time samples by events may take. Pure but for ebs_limit_init(). */
#ifndef _PMCT_EBS_LIMIT_H
#define _PMCT_EBS_LIMIT_H

#include <linux/types.h>

/**
 * struct pmct_ebs_limit - time that samples on a CPU may take, in clock ticks
 * @left: what they may take now; negative: what they took too much
 * @since: clock when @left was brought up to date
 * @took: by the last sample, with its interrupts
 *
 * Belongs to its CPU, with interrupts disabled.
 */
struct pmct_ebs_limit {
	s64 left;
	u64 since;
	u32 took;
};

/**
 * struct pmct_ebs_machine - what is found out about the machine, in clock ticks
 * @interrupts: what a sample takes beside its handler
 * @burst: time that passed without samples counts for so long
 */
struct pmct_ebs_machine {
	u32 interrupts;
	u32 burst;
};

extern struct pmct_ebs_machine pmct_ebs_machine;

void pmct_ebs_limit_init(unsigned int interrupts);
void pmct_ebs_limit_charge(struct pmct_ebs_limit *limit, u64 begin, u64 end, u32 percent);
u64 pmct_ebs_limit_window(struct pmct_ebs_limit *limit, u64 now, u32 percent, u64 events,
			  u64 ticks);

#endif /* _PMCT_EBS_LIMIT_H */
