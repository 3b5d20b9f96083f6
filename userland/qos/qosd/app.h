/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A managed program: what it delivers, what it should deliver, and the CPUs that it is given. */
#ifndef QOSD_APP_H
#define QOSD_APP_H

#include "allocator.h"
#include "group.h"
#include "manager.h"
#include "core_types.h"
#include "settings.h"
#include "speed.h"
#include "throughput.h"

/* A goal is held if the rate differs from it by at most this part. */
#define APP_HELD_PART 0.1

/**
 * enum app_state - the state of a program, as people see it
 * @APP_LEFT: it is not managed, see struct app
 * @APP_PAUSED: it is not managed, because qosctl has asked for that
 * @APP_NEW: nothing is known of it yet
 * @APP_SILENT: it computes, and delivers nothing that is seen
 * @APP_HELD: its goal is held
 * @APP_ABOVE: it delivers more than its goal, with the least CPUs that it can have
 * @APP_SETTLING: its rate is on its way to the goal
 * @APP_SHORT: it has fewer CPUs than it asks for, because other programs ask, too
 * @APP_IDLE: it does not use the CPUs that it has
 * @APP_OUT_OF_REACH: more CPUs do not help, or there are none
 */
enum app_state {
	APP_LEFT,
	APP_PAUSED,
	APP_NEW,
	APP_SILENT,
	APP_HELD,
	APP_ABOVE,
	APP_SETTLING,
	APP_SHORT,
	APP_IDLE,
	APP_OUT_OF_REACH,
};

/**
 * struct app - a program that qosd has found
 * @info: what it says of itself
 * @reader: reads its ticks
 * @goal: goal in force
 * @weight: weight in force
 * @goal_asked: the goal was set by qosctl: what the program says does not count any more
 * @weight_asked: likewise for the weight
 * @paused: it keeps the CPUs that it has
 * @left: why it is not managed any more; NULL: it is managed
 * @rate: units/s, as the manager uses it
 * @window_s: seconds over which @rate is measured
 * @late_s: the window may be shorter by so many seconds
 * @shown: units/s over a second, or over 20 units: what people see
 * @used: CPUs that it used in the last step
 * @usage_known: @used is known
 * @usage_began: its CPU time was read in the last step
 * @unused: number of steps in a row in which @used was much less than it had
 * @us: CPU time so far, microseconds
 * @steps: number of steps since it came
 * @threads: number of its threads
 * @manager: controller, which asks for CPUs
 * @share: what it asks for, and what it is granted
 * @group: its control group; path "": it has none
 * @cpus: its CPUs, if the actuator chooses them
 * @worth: worth of a CPU of each core type, the fastest first: 1, and less
 * @speed: estimates @worth; NULL: nothing does
 * @is_known: @worth was estimated
 * @asked: step in which an estimate was last tried, from 1; 0: it was not tried
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
	double late_s;
	double shown;
	double used;
	bool usage_known;
	bool usage_began;
	unsigned int unused;
	uint64_t us;
	unsigned long steps;
	unsigned int threads;
	struct qos_manager manager;
	struct qos_share share;
	struct group group;
	cpu_set_t cpus;
	double worth[CORE_TYPES_MOST];
	struct speed *speed;
	bool is_known;
	unsigned long asked;
};

/*
 * Take over a program. @reader is its reader afterwards, or closed; @info is what it says of
 * itself. @cpus: CPUs of the machine. Returns NULL if it has no goal, or is not there.
 */
struct app *app_open(const struct settings *s, struct throughput_reader *reader,
		     const struct throughput_info *info, double cpus, bool dry);
/* Move the program to its group. Where its processes were must have been written down before. */
void app_take(struct app *a);
/*
 * Determine what CPUs of these types are worth for the program: by the kernel's capacities or, if
 * @ask, by the estimates of a monitoring module. Beginning an estimate takes long, and is done only
 * if @may_open. Returns true if it was done.
 */
bool app_weigh(struct app *a, const struct core_types *types, bool ask, bool may_open);
/* The CPUs that it used in the last step, and those that it was given; NAN: not known. */
double app_used(const struct app *a);
double app_granted(const struct app *a);
/* Returns the worth of a CPU of the slowest type; 1: all are alike, as far as is known. */
double app_worth_of_slow(const struct app *a);
/* Forget what CPUs are worth, because the machine has other core types now. */
void app_weigh_anew(struct app *a);
/* Returns false if not all of its processes are back: it can be tried again. */
bool app_close(struct app *a);
/* Measure the rate of the program. */
void app_look(struct app *a);
/*
 * End a step of @seconds, and ask for CPUs. Returns false if the program has ended, or has no goal
 * any more.
 */
bool app_step(struct app *a, const struct settings *s, double cpus, double seconds);
/* Give the program share.granted CPUs. */
void app_give(struct app *a, enum actuator actuator);
/* Remove the limit of this kind (bandwidth, cpuset), also if the program is paused. */
void app_free(struct app *a, enum actuator actuator);
bool app_is_alive(const struct app *a);
bool app_is_managed(const struct app *a);
enum app_state app_state(const struct app *a);
/* Name of the state for people: "held", "too few CPUs", … */
const char *app_state_name(const struct app *a);
/* Explains the state in one or two sentences; the caller frees the text. */
char *app_why(const struct app *a);

#endif /* QOSD_APP_H */
