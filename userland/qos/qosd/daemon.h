/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All programs, and what there is to give. */
#ifndef QOSD_DAEMON_H
#define QOSD_DAEMON_H

#include <time.h>

#include "app.h"
#include "place.h"

#define DAEMON_FOLDER "/run/qosd"
#define DAEMON_STATE DAEMON_FOLDER "/state"

/**
 * struct daemon - qosd
 * @app: programs, @nr of them
 * @machine: what there is to give
 * @cpus: likewise, which
 * @topology: where these are
 * @types: and of which core types
 * @has_pmctrack: its kernel module has said that
 * @actuator: in force: that of the settings, unless the scheduler would ignore it
 * @refused: one that was wanted, in vain; otherwise as @actuator
 * @dry: nothing is changed
 * @first: of the files of programs, by number: those that the next look begins with
 * @vain: so many were opened in this look, and came to nothing
 * @takes: so many programs were taken in it
 * @changed: when something was added to the folder of these files
 * @left: which programs are left alone: the sum of their PIDs
 * @last_ns: the last step
 * @steps: so many
 * @verbose: say what is given to whom
 */
struct daemon {
	struct settings settings;
	struct app **app;
	size_t nr;
	struct qos_machine machine;
	cpu_set_t cpus;
	struct topology topology;
	struct core_types types;
	bool has_pmctrack;
	enum actuator actuator;
	enum actuator refused;
	bool dry;
	unsigned long first;
	unsigned int vain;
	unsigned int takes;
	struct timespec changed;
	unsigned long left;
	bool verbose;
	uint64_t last_ns;
	unsigned long steps;
};

/* 0 or a negative errno; why has been said. */
int daemon_begin(struct daemon *d);
void daemon_look(struct daemon *d);
void daemon_step(struct daemon *d);
/* All programs are as they were before. */
void daemon_end(struct daemon *d);
struct app *daemon_find(const struct daemon *d, pid_t pid);

#endif /* QOSD_DAEMON_H */
