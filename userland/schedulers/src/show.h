/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of what a policy does, for people and for programs. */
#ifndef SCHEDULERS_SHOW_H
#define SCHEDULERS_SHOW_H

#include <signal.h>
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
 * @signals: signals that end the policy; they are blocked
 * @out: where reports are written
 * @cut: the last report was cut off in the middle
 * @until: a report that is not read until then is dropped, as monotonic_s() says
 * @error: errno of a failure to write; 0: none. No report is written after it
 */
struct show {
	bool json;
	const struct policy_kind *kind;
	const struct core_types *machine;
	bool simulated;
	double seconds;
	bool active;
	const sigset_t *signals;
	int out;
	bool cut;
	double until;
	int error;
};

/* Prepare standard output. */
void show_begin(struct show *s);

/*
 * Print what the policy has done so far. @last: this is the last report. If the reader is slow, a
 * signal, the end of the policy or show::until cuts the report off.
 */
void show(struct show *s, const struct policy *policy, bool last);

/* Returns 0, or a negative errno: a report could not be written. */
int show_end(struct show *s);

#endif /* SCHEDULERS_SHOW_H */
