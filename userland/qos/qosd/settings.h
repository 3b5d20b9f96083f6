/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of the administrator: a JSON file, see qosd(8). */
#ifndef QOSD_SETTINGS_H
#define QOSD_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "throughput.h"

enum actuator { ACTUATOR_BANDWIDTH, ACTUATOR_CPUS, ACTUATOR_BOTH };

/**
 * struct rule - settings for the programs of one name
 * @uid: user of these programs, because a name is only what a program calls itself
 * @min: goal in units/s; 0: what the program says counts
 * @weight: likewise
 * @ignore: these programs are not managed
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
 * struct settings - all settings
 * @tick_s: seconds between two looks at rates
 * @step_s: seconds between two changes of CPUs
 * @pole: p; 0: the smallest p that is safe, but at least 0.6
 * @most_weight: largest weight that a program can give itself
 * @most_programs: programs of a user that are managed; root has no limit
 * @most_cpus: CPUs of all programs of a user together; root has no limit; 0: all there are
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
/* Returns 0, -EINVAL (the reason has been printed), or -ENOMEM. */
int settings_read(struct settings *s, const char *path);
/* Number of steps (about a second) after which things that seldom change are looked at. */
unsigned long settings_rarely(const struct settings *s);
const struct rule *settings_rule(const struct settings *s, const char *name, uid_t uid);
void settings_end(struct settings *s);

#endif /* QOSD_SETTINGS_H */
