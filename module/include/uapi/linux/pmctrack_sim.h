/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/pmctrack_sim: programs for the simulated machine (Documentation/simulation.md).
 *
 * Each open file is one simulated thread. PROGRAM says what it does; a real thread that
 * calls RUN is busy for the scheduler until so many simulated instructions are done. How
 * long that takes depends on the CPUs that the scheduler gives it, and on who runs beside
 * it. Rates are per million instructions, ratios in thousandths.
 */
#ifndef _UAPI_LINUX_PMCTRACK_SIM_H
#define _UAPI_LINUX_PMCTRACK_SIM_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define PMCT_SIM_PHASES		16
#define PMCT_SIM_POINTS		6	/* of a miss-rate curve */
#define PMCT_SIM_NAME		24
#define PMCT_SIM_TYPES		4	/* core types */
#define PMCT_SIM_CPUS		16

/**
 * enum pmct_sim_event - what counters of the simulated machine count; the
 *	codes of raw strings
 * @PMCT_SIM_INSTR: instructions
 * @PMCT_SIM_CYCLES: cycles of the core
 * @PMCT_SIM_BRANCHES: branches
 * @PMCT_SIM_COND_BRANCHES: conditional ones
 * @PMCT_SIM_BRANCH_MISSES: mispredicted branches
 * @PMCT_SIM_L1D: data accesses
 * @PMCT_SIM_L1D_MISSES: of these; they access the L2 cache
 * @PMCT_SIM_L2_MISSES: these access the last-level cache
 * @PMCT_SIM_LLC_MISSES: these access memory
 * @PMCT_SIM_ITLB_MISSES: of instructions
 * @PMCT_SIM_DTLB_MISSES: of data
 * @PMCT_SIM_STALLS_DATA: cycles in which data of a cache or of memory were waited for
 * @PMCT_SIM_STALLS_FETCH: cycles in which mispredicted branches and the ITLB left no work
 * @PMCT_SIM_MEM_LINES: lines that were read from memory, or written back
 */
enum pmct_sim_event {
	PMCT_SIM_INSTR,
	PMCT_SIM_CYCLES,
	PMCT_SIM_BRANCHES,
	PMCT_SIM_COND_BRANCHES,
	PMCT_SIM_BRANCH_MISSES,
	PMCT_SIM_L1D,
	PMCT_SIM_L1D_MISSES,
	PMCT_SIM_L2_MISSES,
	PMCT_SIM_LLC_MISSES,
	PMCT_SIM_ITLB_MISSES,
	PMCT_SIM_DTLB_MISSES,
	PMCT_SIM_STALLS_DATA,
	PMCT_SIM_STALLS_FETCH,
	PMCT_SIM_MEM_LINES,
	PMCT_SIM_NR_EVENTS,
};

/**
 * struct pmct_sim_curve - misses of a cache, by how much of it the thread has
 * @nr: number of points, at least one
 * @kib: ascending from 0; the last one is the footprint
 * @ppm: misses per million accesses, not ascending
 */
struct pmct_sim_curve {
	__u32 nr;
	__u32 kib[PMCT_SIM_POINTS];
	__u32 ppm[PMCT_SIM_POINTS];
};

/**
 * struct pmct_sim_phase - how a program behaves for some time
 * @instr: length
 * @ilp: instructions per cycle of a core without limits, in thousandths. No event shows it.
 * @mlp: misses that are waited for together, in thousandths. No event shows it.
 * @front_end: cycles that decoding loses. Part of the event of front-end stalls.
 * @branches: rates of events
 * @cond_branches: of these
 * @branch_misses: of these
 * @l1d: of these
 * @l1d_misses: of these
 * @itlb_misses: of these
 * @dtlb_misses: of these
 * @write_backs: lines that are written back, in thousandths of misses
 * @energy: of an instruction, in thousandths of the core type's
 * @wander: how far rates go from their mean, in thousandths
 * @code: number of its first basic block; programs and phases share what has one number
 * @blocks: number of basic blocks that it executes
 * @l2: curve of the private cache
 * @llc: curve of the last-level cache
 */
struct pmct_sim_phase {
	__u64 instr;
	__u32 ilp;
	__u32 mlp;
	__u32 front_end;
	__u32 branches;
	__u32 cond_branches;
	__u32 branch_misses;
	__u32 l1d;
	__u32 l1d_misses;
	__u32 itlb_misses;
	__u32 dtlb_misses;
	__u32 write_backs;
	__u32 energy;
	__u32 wander;
	__u32 code;
	__u32 blocks;
	struct pmct_sim_curve l2;
	struct pmct_sim_curve llc;
};

/**
 * struct pmct_sim_profile - a program: phases, one after the other, and from the beginning
 * @name: for people
 * @nr_phases: at least one
 * @phase: the phases
 */
struct pmct_sim_profile {
	char name[PMCT_SIM_NAME];
	__u32 nr_phases;
	struct pmct_sim_phase phase[PMCT_SIM_PHASES];
};

/**
 * struct pmct_sim_program - the argument of PMCT_SIM_IOC_PROGRAM
 * @seed: of the thread's variation; the same seed makes the same program
 * @profile: what the thread does
 * @why: on -EINVAL, what is wrong with @profile
 */
struct pmct_sim_program {
	__u64 seed;
	struct pmct_sim_profile profile;
	char why[128];
};

/**
 * struct pmct_sim_truth - the argument of PMCT_SIM_IOC_TRUTH: what no counter knows
 * @count: events, by enum pmct_sim_event
 * @ran_ps: CPU time that they took
 * @pj: energy of the thread
 * @machine_pj: energy of the machine since it began to exist
 * @llc_bytes: of last-level caches, all together
 * @nr_types: core types, the fastest first
 * @__reserved: 0
 * @alone_ps: what the same work takes alone on each
 */
struct pmct_sim_truth {
	__u64 count[PMCT_SIM_NR_EVENTS];
	__u64 ran_ps;
	__u64 pj;
	__u64 machine_pj;
	__u64 llc_bytes;
	__u32 nr_types;
	__u32 __reserved;
	__u64 alone_ps[PMCT_SIM_TYPES];
};

/**
 * struct pmct_sim_info - the argument of PMCT_SIM_IOC_INFO: the simulated machine
 * @name: of its topology
 * @nr_types: core types, the fastest first
 * @nr_cpus: CPUs
 * @type: names of core types
 * @cpu_type: of each CPU
 */
struct pmct_sim_info {
	char name[PMCT_SIM_NAME];
	__u32 nr_types;
	__u32 nr_cpus;
	char type[PMCT_SIM_TYPES][PMCT_SIM_NAME];
	__u8 cpu_type[PMCT_SIM_CPUS];
};

/*
 * PROGRAM: once for an open file, before RUN. -EINVAL with @why, -EBUSY: the file has a
 * program, -ENOSPC: too many simulated threads.
 */
#define PMCT_SIM_IOC_PROGRAM	_IOWR('q', 0x80, struct pmct_sim_program)
/*
 * RUN: the number of instructions that are to be done, and afterwards of those that are
 * left. -EAGAIN and -EINTR: call again with what is left. -EBUSY: another thread runs this
 * file. -ENODATA: no program.
 */
#define PMCT_SIM_IOC_RUN	_IOWR('q', 0x81, __u64)
#define PMCT_SIM_IOC_TRUTH	_IOR('q', 0x82, struct pmct_sim_truth)
#define PMCT_SIM_IOC_INFO	_IOR('q', 0x83, struct pmct_sim_info)

#endif /* _UAPI_LINUX_PMCTRACK_SIM_H */
