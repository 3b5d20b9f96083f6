/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A policy in the kernel. */
#ifndef SCHEDULERS_POLICY_H
#define SCHEDULERS_POLICY_H

#include <stdbool.h>

#include "core_types.h"
#include "policies.h"
#include "shared.h"

struct policy;

/**
 * struct policy_options - how it is to run
 * @slice_ns, @period_ns, @band, @tolerance, @training: of struct amp_config; a slice or a band of 0
 *	is the policy's own
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

/* How often CPUs came or went so far: to be asked before core_types_read(). */
unsigned long long policy_hotplugs(void);

/*
 * Begin; if CPUs came or went since @hotplugs, it ends at once, to begin again. The user is told
 * what is wrong. *@policy is to be ended with policy_end().
 * Returns 0 or a negative errno: EBUSY: another scheduler has the machine.
 */
int policy_begin(struct policy **policy, const struct policy_kind *kind, const struct core_types *m,
		 const struct policy_options *o, unsigned long long hotplugs);

/* All threads go back to the kernel's scheduler. NULL is allowed. */
void policy_end(struct policy *policy);

/* Does the kernel tell policies of cpu.max? */
bool policy_knows_limits(const struct policy *policy);

/* As they are now; they change all the time. Valid until policy_end(). */
const volatile struct amp_stats *policy_stats(const struct policy *policy);

/* The first of *@nr places for threads, some of them free. */
const volatile struct amp_thread *policy_threads(const struct policy *policy, unsigned int *nr);

#endif /* SCHEDULERS_POLICY_H */
