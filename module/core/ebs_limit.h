/* SPDX-License-Identifier: GPL-2.0-only */
/* Limit of the CPU time that samples by events may take. Pure but for pmct_ebs_limit_init(). */
#ifndef _PMCT_EBS_LIMIT_H
#define _PMCT_EBS_LIMIT_H

#include <linux/types.h>

/**
 * struct pmct_ebs_limit - time that samples may take on a CPU, in clock ticks
 * @left: time that samples may take now; negative: time that they took too much
 * @since: clock at the last update of @left
 * @took: time of the last sample, with its interrupts
 *
 * Belongs to its CPU, with interrupts disabled.
 */
struct pmct_ebs_limit {
	s64 left;
	u64 since;
	u32 took;
};

/**
 * struct pmct_ebs_machine - properties of the machine, in clock ticks
 * @interrupts: time that a sample takes in addition to its handler
 * @burst: at most so much time without samples is credited
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
