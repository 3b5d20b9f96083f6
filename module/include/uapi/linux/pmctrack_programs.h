/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /proc/pmc/programs: what the monitoring module "fair_progress" has learnt of programs, for tools
 * that keep it (phasedb(1)). The file is as long as the module has places for processes, each a
 * struct pmctrack_program_record in the byte order of the machine. Reads begin at a multiple of its
 * size and give one record, or the beginning of one that has place for struct pmctrack_program at
 * least. Writing a whole record, at any position, gives what was learnt to a running process.
 */
#ifndef _UAPI_LINUX_PMCTRACK_PROGRAMS_H
#define _UAPI_LINUX_PMCTRACK_PROGRAMS_H

#include <linux/types.h>
#include "pmctrack.h"

/* Of this file, and of how addresses become vectors. */
#define PMCTRACK_PROGRAMS_VERSION	1
#define PMCTRACK_PHASES			24
#define PMCTRACK_PHASE_BUCKETS		512
#define PMCTRACK_FOLLOWERS		64
#define PMCTRACK_NEXT			3
/* A phase that is none, as phases are counted from 0. */
#define PMCTRACK_NO_PHASE		255

/**
 * struct pmctrack_phase_speed - how fast a phase is on CPUs of some type
 * @valid: windows in @alone
 * @other: windows in @beside
 * @pressure: of others on the windows in @alone, at least; in thousandths of what memory can
 * @ignored: windows since the last one in @alone that others pressed more
 * @alone: mean cycles for 2^20 instructions of the valid windows with the least pressure
 * @beside: of windows that are not valid
 * @variance: of @alone: mean square of the difference, in thousandths of @alone
 *
 * Means are of at most the last 32 windows, or so.
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
 * @seen: windows; 0: there is no such phase
 * @age: windows of the program since the last one of this phase
 * @speed: by core type
 * @mean: part of the addresses in each bucket of code, in 2^-16
 */
struct pmctrack_phase {
	__u32 seen;
	__u32 age;
	struct pmctrack_phase_speed speed[PMCTRACK_MAX_CORE_TYPES];
	__u16 mean[PMCTRACK_PHASE_BUCKETS];
};

/**
 * struct pmctrack_followers - what followed on a phase
 * @before: the phase before; PMCTRACK_NO_PHASE: any
 * @phase: the phase
 * @next: what followed
 * @times: how often; 0: none
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
 * struct pmctrack_program - a process, or what is left of one
 * @version: PMCTRACK_PROGRAMS_VERSION
 * @bytes: of a struct pmctrack_program_record
 * @table: another number each time that the module becomes active, and has learnt nothing yet
 * @content: a number for the file that it executes; 0: this place is empty
 * @uid: whose process it was, as in the initial user namespace
 * @process: its number, as in the initial PID namespace; 0: it has ended
 * @threads: of it that have a place
 * @address_instr: an address for each so many instructions; windows depend on it
 * @core_types: of the machine
 * @windows: of the program, of all processes
 * @forgotten: phases that had to make room
 * @run_windows: of this process. Like all that begins with run_, not looked at when it is written
 * @run_valid: of these, hardly disturbed ones
 * @run_changes: of the phase
 * @run_foreseen: of these, foreseen ones
 * @run_ns: CPU time of these windows
 * @run_alone: and what they would have taken alone, in ns
 * @run_phase: of the last window, from 1; 0: none
 * @run_known: its speed alone is known
 * @run_wanted: a phase that is likely next is to be seen with few others
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
