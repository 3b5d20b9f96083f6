/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of qosd: all programs, and the CPUs to divide. */
#ifndef QOSD_DAEMON_H
#define QOSD_DAEMON_H

#include <time.h>

#include "app.h"
#include "place.h"

#define DAEMON_FOLDER "/run/qosd"
#define DAEMON_STATE DAEMON_FOLDER "/state"

/**
 * struct daemon - the state of qosd
 * @app: programs, @nr of them
 * @machine: the CPUs to divide
 * @cpus: which CPUs these are
 * @topology: where they are
 * @types: their core types
 * @has_pmctrack: PMCTrack's kernel module says the core types
 * @actuator: actuator in force: that of the settings, unless the scheduler would ignore it
 * @refused: an actuator that was wanted and is not possible; otherwise the same as @actuator
 * @dry: nothing is changed
 * @first: number of the program file with which the next look begins
 * @vain: number of files that this look has opened, and that came to nothing
 * @takes: number of programs that this look has taken over
 * @changed: when the folder of these files changed last
 * @left: sum of the PIDs of the programs that are left alone
 * @last_ns: time of the last step, CLOCK_MONOTONIC
 * @steps: number of steps so far
 * @verbose: print what each program is given
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

/* Returns 0 or a negative errno; the reason has been printed. */
int daemon_begin(struct daemon *d);
void daemon_look(struct daemon *d);
void daemon_step(struct daemon *d);
/* Put all programs back as they were before. */
void daemon_end(struct daemon *d);
struct app *daemon_find(const struct daemon *d, pid_t pid);

#endif /* QOSD_DAEMON_H */
