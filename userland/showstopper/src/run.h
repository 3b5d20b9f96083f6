/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What guardian, master and executors of a run share: a file that all map, so that it outlives them
 * and showstopper-rescue can read it. There are no locks: each field has one writer, unless its
 * description says otherwise.
 */
#ifndef SHOWSTOPPER_RUN_H
#define SHOWSTOPPER_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "feedback.h"

#define RUN_MAGIC	0x53484f5753544f50ULL
#define RUN_VERSION	6
#define RUN_MAX_UNITS	1024
#define RUN_MAX_PROCS	64
/* The guardian continues a unit that is stopped for so long after it was due. */
#define RUN_PATIENCE	300000000LL	/* ns */
#define RUN_MOST_QUANTUM	500000000LL	/* ns: with patience, less than a second */
/* Guardian, master and warden report so often that they live, and are silent after RUN_SILENCE. */
#define RUN_BEAT	100000000LL	/* ns */
#define RUN_SILENCE	500000000LL	/* ns */

/* What is stopped and continued as one. */
enum unit_kind {
	UNIT_GROUP,	/* a program started here: its process group, and processes that left it */
	UNIT_TREE,	/* a process that was there before, and its descendants */
	UNIT_CGROUP,	/* a control group that was there before, by its freezer */
	UNIT_FREEZER,	/* a program started here, in its own control group, by its freezer */
};

enum unit_state { UNIT_NEW, UNIT_RUNNING, UNIT_ENDED, UNIT_FAILED };

/**
 * struct run_proc - a process that belongs to a unit
 * @pid: 0: none. Written after @start
 * @start: as struct proc has it
 */
struct run_proc {
	_Atomic int32_t pid;
	_Atomic uint64_t start;
};

/**
 * struct run_unit - what an executor controls; written by it
 * @kind: of the unit
 * @group: process group of a program that showstopper started, 0: none now. Its leader is not
 *	reaped before this is 0, so that the number is not another group's
 * @group_start: when its leader began
 * @stopped: the unit may be stopped: set before the signal is sent, reset after it has been
 *	continued by the executor, or by the process that reaps the executor
 * @due: until when it is stopped at most, ns of the monotonic clock
 * @state: for the master
 * @status: of waitpid(), when it has ended
 * @executor: process
 * @iterations: how often the program has ended well
 * @duty: its duty cycle
 * @own: CPU time of the executor itself, ns
 * @error: negative errno of what went wrong, 0: nothing
 * @kept_out: the error was that the program could not enter its control group
 * @stopped_itself: once at least
 * @nr_procs: of @proc, in use
 * @proc: of UNIT_TREE all; of UNIT_GROUP those outside of the group, which the
 *	master finds
 * @path: of UNIT_CGROUP and UNIT_FREEZER: the folder
 */
struct run_unit {
	_Atomic int kind;
	_Atomic int32_t group;
	_Atomic uint64_t group_start;
	_Atomic int stopped;
	_Atomic int64_t due;
	_Atomic int state;
	_Atomic int status;
	_Atomic int32_t executor;
	_Atomic uint64_t iterations;
	_Atomic double duty;
	_Atomic int64_t own;
	_Atomic int error;
	_Atomic bool kept_out;
	_Atomic bool stopped_itself;
	_Atomic int nr_procs;
	struct run_proc proc[RUN_MAX_PROCS];
	char path[256];
};

/**
 * struct run - a run of showstopper
 * @magic: RUN_MAGIC, when all is set up
 * @version: RUN_VERSION
 * @nr: units
 * @guardian: process that looks after it
 * @guardian_start: when that began
 * @guardian_at: when the guardian last reported, ns of the monotonic clock; 0: not yet
 * @master_at: the same of the master
 * @warden_at: the same of the warden
 * @master_hung: the master is silent, and does not just wait for a CPU. Guardian
 * @guardian_hung: the same of the guardian; set by the warden, reset by the guardian itself
 * @deadline: when the run is to end, ns of the monotonic clock, 0: not by time. Guardian; the
 *	master, when the trace begins
 * @begin: ns of the monotonic clock when the trace began, 0: not yet. Master
 * @own: CPU time of the guardian itself, ns
 * @own_warden: the same of the warden, and of those before it
 * @warden_error: negative errno: a killed warden could not be started again. Guardian
 * @paused: nothing may be stopped (Ctrl-Z). Guardian
 * @end: executors end their programs, and themselves. Master
 * @load_error: negative errno: the load could not be read. All executors
 * @iterations_error: negative errno: their log could not be written. All executors
 * @estimate: of the load; all executors
 * @outputs: of the executors' controllers
 * @unit: the units
 */
struct run {
	uint64_t magic;
	uint32_t version;
	uint32_t nr;
	int32_t guardian;
	uint64_t guardian_start;
	_Atomic int64_t guardian_at;
	_Atomic int64_t master_at;
	_Atomic int64_t warden_at;
	_Atomic bool master_hung;
	_Atomic bool guardian_hung;
	_Atomic int64_t deadline;
	_Atomic int64_t begin;
	_Atomic int64_t own;
	_Atomic int64_t own_warden;
	_Atomic int warden_error;
	_Atomic int paused;
	_Atomic int end;
	_Atomic int load_error;
	_Atomic int iterations_error;
	struct feedback_estimate estimate;
	_Atomic double outputs[RUN_MAX_UNITS];
	struct run_unit unit[RUN_MAX_UNITS];
};

/* ns of the monotonic clock, which stands still while the machine sleeps */
int64_t run_now(void);
/* CPU time of this process, ns. */
int64_t run_own_time(void);

/* True if a process that last reported @at is silent for @patience ns; false if @at is 0. */
bool run_is_silent(int64_t at, int64_t patience);
/* The same, but false if @pid only waits for a CPU because the machine is too busy. */
bool run_is_hung(pid_t pid, int64_t at, int64_t patience);
/*
 * True if programs may be stopped: guardian and master live, and the run is not suspended.
 * Otherwise executors stop nothing, and guardian and warden continue everything.
 */
bool run_is_attended(const struct run *run);

/*
 * Folders for the files of runs, the best first. Returns false if there is no folder @i. If
 * SHOWSTOPPER_RUNS is set, its folder is the only one.
 */
bool run_folder_name(unsigned int i, char *path, size_t size);
/*
 * Write the first folder that can be used to @path, made if need be. Returns 0, or the negative
 * errno of the last one.
 */
int run_folder(char *path, size_t size);
/* Create a run of @nr units, and write the path of its file to @path. Returns NULL with errno. */
struct run *run_create(uint32_t nr, char *path, size_t size);
/* Open the run of a file, for rescue. Returns NULL if it is no run. */
struct run *run_open(const char *path);

#endif /* SHOWSTOPPER_RUN_H */
