/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A policy in the kernel: begin it, read its state, end it. */
#ifndef SCHEDULERS_POLICY_H
#define SCHEDULERS_POLICY_H

#include <stdbool.h>

#include "core_types.h"
#include "policies.h"
#include "shared.h"

struct policy;

/**
 * struct policy_options - how a policy is to run
 * @slice_ns, @period_ns, @band, @tolerance, @training: as in struct amp_config; a slice or a band
 *	of 0 means the policy's own
 * @ratio: speed of the fastest core type over that of each, in thousandths, for policies that do
 *	not ask, and for threads of which nothing is known yet
 */
struct policy_options {
	unsigned long long slice_ns;
	unsigned long long period_ns;
	unsigned long long band;
	unsigned int tolerance;
	unsigned int training;
	unsigned int ratio[AMP_RANKS];
};

/* How often CPUs came or went so far. Call this before core_types_read(). */
unsigned long long policy_hotplugs(void);

/*
 * Begin a policy. If CPUs came or went since @hotplugs, the policy ends at once, to begin again.
 * The user is told what is wrong. End *@policy with policy_end().
 * Returns 0 or a negative errno. -EBUSY: another scheduler has the machine.
 */
int policy_begin(struct policy **policy, const struct policy_kind *kind, const struct core_types *m,
		 const struct policy_options *o, unsigned long long hotplugs);

/* End a policy: all threads go back to the kernel's scheduler. NULL is allowed. */
void policy_end(struct policy *policy);

/* Does the kernel tell policies of cpu.max? */
bool policy_knows_limits(const struct policy *policy);

/* The present counts of the policy, which change all the time. Valid until policy_end(). */
const volatile struct amp_stats *policy_stats(const struct policy *policy);

/* The array of *@nr slots for threads, some of them free. */
const volatile struct amp_thread *policy_threads(const struct policy *policy, unsigned int *nr);

#endif /* SCHEDULERS_POLICY_H */
