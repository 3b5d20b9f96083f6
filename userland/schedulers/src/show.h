/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of what a policy does, for people and for programs. */
#ifndef SCHEDULERS_SHOW_H
#define SCHEDULERS_SHOW_H

#include <stdbool.h>

#include "core_types.h"
#include "policy.h"

/**
 * struct show - what is reported, and how
 * @json: a line of JSON each time, rather than a table
 * @kind: the policy
 * @machine: its core types
 * @simulated: the CPUs are simulated, and every output says so
 * @seconds: time since the policy began first; restarts (CPUs came or went) do not change it
 * @active: the policy goes on
 */
struct show {
	bool json;
	const struct policy_kind *kind;
	const struct core_types *machine;
	bool simulated;
	double seconds;
	bool active;
};

/* Print what the policy has done so far to standard output. @last: this is the last report. */
void show(const struct show *s, const struct policy *policy, bool last);

#endif /* SCHEDULERS_SHOW_H */
