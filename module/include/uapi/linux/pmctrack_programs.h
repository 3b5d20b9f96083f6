/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /proc/pmc/programs: what the monitoring module "fair_progress" has learnt about programs, for
 * tools that store it (phasedb(1)). The file has a place for each process that the module can
 * store. Each place is a struct pmctrack_program_record in the byte order of the machine. A read
 * must begin at a multiple of the record size. It returns one record, or the beginning of one if
 * the buffer has room for at least struct pmctrack_program. Writing a whole record, at any
 * position, gives what was learnt to a running process.
 */
#ifndef _UAPI_LINUX_PMCTRACK_PROGRAMS_H
#define _UAPI_LINUX_PMCTRACK_PROGRAMS_H

#include <linux/types.h>
#include "pmctrack.h"

/* Version of this file, and of the way in which addresses become vectors. */
#define PMCTRACK_PROGRAMS_VERSION	1
#define PMCTRACK_PHASES			24
#define PMCTRACK_PHASE_BUCKETS		512
#define PMCTRACK_FOLLOWERS		64
#define PMCTRACK_NEXT			3
/* Means "no phase" where phases are counted from 0. */
#define PMCTRACK_NO_PHASE		255

/**
 * struct pmctrack_phase_speed - how fast a phase is on CPUs of one type
 * @valid: number of windows in @alone
 * @other: number of windows in @beside
 * @pressure: least pressure of other threads on the windows in @alone, in thousandths of the
 *	memory's maximum
 * @ignored: number of windows with more pressure since the last window in @alone
 * @alone: mean cycles for 2^20 instructions of the valid windows with the least pressure
 * @beside: mean of the windows that are not valid
 * @variance: variance of @alone: mean square of the difference, in thousandths of @alone
 *
 * A mean is of about the last 32 windows, at most.
 */
struct pmctrack_phase_speed {
	__u16 valid;
	__u16 other;
	__u16 pressure;
	__u16 ignored;
	__u32 alone;
	__u32 beside;
	__u32 variance;
};

/**
 * struct pmctrack_phase - a phase of a program
 * @seen: number of its windows; 0: there is no such phase
 * @age: number of the program's windows since the last one of this phase
 * @speed: by core type
 * @mean: part of the addresses that is in each bucket of code, in 2^-16
 */
struct pmctrack_phase {
	__u32 seen;
	__u32 age;
	struct pmctrack_phase_speed speed[PMCTRACK_MAX_CORE_TYPES];
	__u16 mean[PMCTRACK_PHASE_BUCKETS];
};

/**
 * struct pmctrack_followers - the phases that followed a phase
 * @before: the phase before; PMCTRACK_NO_PHASE: any
 * @phase: the phase
 * @next: the phases that followed
 * @times: how often each of @next followed; 0: none
 *
 * Phases are counted from 0 here.
 */
struct pmctrack_followers {
	__u8 before;
	__u8 phase;
	__u8 next[PMCTRACK_NEXT];
	__u8 times[PMCTRACK_NEXT];
};

/**
 * struct pmctrack_program - a process, or what is stored of one that has ended
 * @version: PMCTRACK_PROGRAMS_VERSION
 * @bytes: size of a struct pmctrack_program_record
 * @table: a random number, new each time that the module becomes active and has learnt nothing yet
 * @content: a number for the file that the process executes; 0: this place is empty
 * @uid: owner of the process, as in the initial user namespace
 * @process: PID of the process, as in the initial PID namespace; 0: it has ended
 * @threads: number of its threads that have a place
 * @address_instr: instructions between two addresses; windows depend on it
 * @core_types: number of core types of the machine
 * @windows: number of windows of the program, in all processes
 * @forgotten: number of phases that had to make room
 * @run_windows: number of windows of this process. Members whose names begin with run_ are ignored
 *	when a record is written
 * @run_valid: number of these windows that were hardly disturbed
 * @run_changes: number of phase changes
 * @run_foreseen: number of these changes that were predicted
 * @run_ns: CPU time of these windows
 * @run_alone: CPU time that these windows would have taken alone, in ns
 * @run_phase: phase of the last window, from 1; 0: none
 * @run_known: the speed alone of this phase is known
 * @run_wanted: a phase that is likely next should run with few others
 * @reserved: 0
 */
struct pmctrack_program {
	__u32 version;
	__u32 bytes;
	__u64 table;
	__u64 content;
	__u32 uid;
	__s32 process;
	__u32 threads;
	__u32 address_instr;
	__u32 core_types;
	__u32 windows;
	__u32 forgotten;
	__u32 run_windows;
	__u32 run_valid;
	__u32 run_changes;
	__u32 run_foreseen;
	__u8 run_phase;
	__u8 run_known;
	__u8 run_wanted;
	__u8 reserved;
	__u64 run_ns;
	__u64 run_alone;
};

struct pmctrack_program_record {
	struct pmctrack_program program;
	struct pmctrack_phase phase[PMCTRACK_PHASES];
	struct pmctrack_followers followers[PMCTRACK_FOLLOWERS];
};

#endif /* _UAPI_LINUX_PMCTRACK_PROGRAMS_H */
