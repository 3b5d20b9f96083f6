/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that is managed: what it delivers, what it should, and what it is given. */
#ifndef QOSD_APP_H
#define QOSD_APP_H

#include "allocator.h"
#include "group.h"
#include "manager.h"
#include "core_types.h"
#include "settings.h"
#include "speed.h"
#include "throughput.h"

/* A goal is held if the rate is within this part of it. */
#define APP_HELD_PART 0.1

/**
 * enum app_state - what there is to say of a program
 * @APP_LEFT: it is not managed, see struct app
 * @APP_PAUSED: likewise, as qosctl has asked for that
 * @APP_NEW: nothing is known of it yet
 * @APP_SILENT: it computes, and says of nothing that it has delivered it
 * @APP_HELD: its goal is
 * @APP_ABOVE: it delivers more, with the least that it can have
 * @APP_SETTLING: it is on its way to its goal
 * @APP_SHORT: it has less than it asks for, because others ask, too
 * @APP_IDLE: it does not use what it has
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
 * @late_s: it may be so much shorter
 * @shown: units/s of a second, or of 20 units: what people see
 * @used: CPUs that it used in the last step
 * @usage_known: that is so
 * @usage_began: its CPU time was looked at in the last step
 * @unused: steps in a row in which that was much less than it had
 * @us: CPU time so far
 * @steps: since it came
 * @threads: that it has
 * @manager: asks for CPUs
 * @share: and what became of it
 * @group: its control group; path "": it has none
 * @cpus: its CPUs, if these are given
 * @worth: of a CPU of each core type, the fastest first: 1, and less
 * @speed: who estimates @worth; NULL: nobody
 * @is_known: somebody has
 * @asked: step in which that was tried last, from 1; 0: it was not
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
 * NULL: it has no goal, or is not there. @reader is its, or closed; @info is what it says. @cpus:
 * of the machine.
 */
struct app *app_open(const struct settings *s, struct throughput_reader *reader,
		     const struct throughput_info *info, double cpus, bool dry);
/* Move it to its group. Where its processes were is written down before that. */
void app_take(struct app *a);
/*
 * What CPUs are worth for it on a machine of these types: by the kernel's capacities, or, if @ask,
 * of a monitoring module. To begin with that takes long: only if @may_open, and then it is true.
 */
bool app_weigh(struct app *a, const struct core_types *types, bool ask, bool may_open);
/* Of a CPU of the slowest type; 1: all are alike, as far as is known. */
double app_worth_of_slow(const struct app *a);
/* The machine has other types now. */
void app_weigh_anew(struct app *a);
/* False: not all of its processes are back, and it can be tried again. */
bool app_close(struct app *a);
/* Rates are looked at. */
void app_look(struct app *a);
/* A step is over, after @seconds: ask for CPUs. False: the program has ended. */
bool app_step(struct app *a, const struct settings *s, double cpus, double seconds);
/* It was given share.granted CPUs. */
void app_give(struct app *a, enum actuator actuator);
/* Nothing of this kind (bandwidth, cpuset) holds it back any more, also if it is paused. */
void app_free(struct app *a, enum actuator actuator);
bool app_is_alive(const struct app *a);
bool app_is_managed(const struct app *a);
enum app_state app_state(const struct app *a);
/* For people: "held", "too few CPUs", … */
const char *app_state_name(const struct app *a);
/* One sentence or two, allocated. */
char *app_why(const struct app *a);

#endif /* QOSD_APP_H */
