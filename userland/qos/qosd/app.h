/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that is managed: what it delivers, what it should, and what it is given. */
#ifndef QOSD_APP_H
#define QOSD_APP_H

#include "allocator.h"
#include "group.h"
#include "manager.h"
#include "settings.h"
#include "throughput.h"

/* A goal is held if the rate is within this part of it. */
#define APP_HELD 0.1

/**
 * struct app - a program
 * @info: as it says
 * @reader: of its ticks
 * @goal: in force
 * @weight: likewise
 * @goal_asked: the goal was set by qosctl: what the program says does not count any more
 * @weight_asked: likewise
 * @paused: it is left as it is, with what it has
 * @left: why it is not managed any more; NULL: it is
 * @rate: units/s, as the manager has it
 * @window_s: of that
 * @shown: units/s of a second, or of 20 units: what people see
 * @used: CPUs that it used in the last step
 * @us: CPU time so far
 * @threads: that it has
 * @manager: asks for CPUs
 * @share: and what became of it
 * @group: its control group; path "": it has none
 * @cpus: its CPUs, if these are given
 */
struct app {
	struct throughput_info info;
	struct throughput_reader *reader;
	struct qos_goal goal;
	unsigned int weight;
	bool goal_asked;
	bool weight_asked;
	bool paused;
	const char *left;
	double rate;
	double window_s;
	double shown;
	double used;
	uint64_t us;
	unsigned int threads;
	struct qos_manager manager;
	struct qos_share share;
	struct group group;
	cpu_set_t cpus;
};

/* NULL: it has no goal, or is not there. @cpus: of the machine. */
struct app *app_open(const struct settings *s, pid_t pid, double cpus, bool dry);
/* Move it to its group. Where its processes were is written down before that. */
void app_take(struct app *a);
/* False: not all of its processes are back, and it can be tried again. */
bool app_close(struct app *a);
/* Rates are looked at. */
void app_look(struct app *a);
/* A step is over, after @seconds: ask for CPUs. False: the program has ended. */
bool app_step(struct app *a, const struct settings *s, double cpus, double seconds);
/* It was given share.granted CPUs. */
void app_give(struct app *a, const struct settings *s);
bool app_is_managed(const struct app *a);
/* For people: "held", "short", … */
const char *app_state(const struct app *a);
/* One sentence or two, allocated. */
char *app_why(const struct app *a);

#endif /* QOSD_APP_H */
