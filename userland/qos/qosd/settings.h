/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an administrator decides: a file of JSON, see qosd(8). */
#ifndef QOSD_SETTINGS_H
#define QOSD_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "throughput.h"

enum actuator { ACTUATOR_BANDWIDTH, ACTUATOR_CPUS, ACTUATOR_BOTH };

/**
 * struct rule - for programs of a name
 * @uid: whose programs; a name is what a program calls itself
 * @min: goal, in a second; 0: what the program says
 * @weight: likewise
 * @ignore: they are not managed
 */
struct rule {
	char name[THROUGHPUT_NAME];
	uid_t uid;
	double min;
	double max;
	unsigned int weight;
	bool ignore;
};

/**
 * struct settings - all
 * @tick_s: rates are looked at
 * @step_s: CPUs are given
 * @pole: p; 0: the smallest one that is safe, but 0.6 at least
 * @most_weight: that a program can give itself
 * @most_programs: of a user, but root's
 * @most_cpus: of all programs of a user, but root's; 0: all there are
 * @speedup_factor: ask a monitoring module what CPUs of other types are worth for a program
 * @group: where groups are made, see home_begin()
 */
struct settings {
	double tick_s;
	double step_s;
	double pole;
	unsigned int most_weight;
	unsigned int most_programs;
	double most_cpus;
	enum actuator actuator;
	bool speedup_factor;
	char group[64];
	struct rule *rule;
	size_t rules;
};

void settings_begin(struct settings *s);
/* 0 or -EINVAL: what is wrong has been said. */
int settings_read(struct settings *s, const char *path);
/* What seldom changes is looked at each so many steps: about a second. */
unsigned long settings_rarely(const struct settings *s);
const struct rule *settings_rule(const struct settings *s, const char *name, uid_t uid);
void settings_end(struct settings *s);

#endif /* QOSD_SETTINGS_H */
