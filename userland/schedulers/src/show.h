/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a policy does, for people and for programs. */
#ifndef SCHEDULERS_SHOW_H
#define SCHEDULERS_SHOW_H

#include <stdbool.h>

#include "core_types.h"
#include "policy.h"

/**
 * struct show - how and where
 * @json: a line of JSON each time, rather than a table
 * @kind: the policy
 * @machine: its core types
 * @simulated: the CPUs are simulated, and every output says so
 * @seconds: since the policy began
 * @active: it goes on
 */
struct show {
	bool json;
	const struct policy_kind *kind;
	const struct core_types *machine;
	bool simulated;
	double seconds;
	bool active;
};

/* What the policy has done so far, on standard output. @last: it has ended. */
void show(const struct show *s, const struct policy *policy, bool last);

#endif /* SCHEDULERS_SHOW_H */
