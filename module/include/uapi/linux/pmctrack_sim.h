/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * /dev/pmctrack_sim: programs for the simulated machine (Documentation/simulation.md).
 *
 * Each open file is one simulated thread. PROGRAM sets its program. A real thread that calls RUN is
 * busy for the scheduler until the given number of simulated instructions is done. How long that
 * takes depends on the CPUs that the scheduler gives it, and on the threads that run beside it.
 * Rates are per million instructions, ratios in thousandths.
 */
#ifndef _UAPI_LINUX_PMCTRACK_SIM_H
#define _UAPI_LINUX_PMCTRACK_SIM_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define PMCT_SIM_PHASES		16
#define PMCT_SIM_POINTS		6	/* points of a miss-rate curve */
#define PMCT_SIM_NAME		24
#define PMCT_SIM_TYPES		4	/* core types */
#define PMCT_SIM_CPUS		16

/**
 * enum pmct_sim_event - events of the simulated machine; the codes of raw strings
 * @PMCT_SIM_INSTR: instructions
 * @PMCT_SIM_CYCLES: cycles of the core
 * @PMCT_SIM_BRANCHES: branches
 * @PMCT_SIM_COND_BRANCHES: conditional branches
 * @PMCT_SIM_BRANCH_MISSES: mispredicted branches
 * @PMCT_SIM_L1D: data accesses
 * @PMCT_SIM_L1D_MISSES: data accesses that miss the L1 cache, and access the L2 cache
 * @PMCT_SIM_L2_MISSES: data accesses that miss the L2 cache, and access the last-level cache
 * @PMCT_SIM_LLC_MISSES: data accesses that miss the last-level cache, and access memory
 * @PMCT_SIM_ITLB_MISSES: TLB misses of instructions
 * @PMCT_SIM_DTLB_MISSES: TLB misses of data
 * @PMCT_SIM_STALLS_DATA: cycles in which the core waited for data of a cache or of memory
 * @PMCT_SIM_STALLS_FETCH: cycles without work because of mispredicted branches and the ITLB
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
 * struct pmct_sim_curve - misses of a cache, as a function of the thread's part of the cache
 * @nr: number of points, at least one
 * @kib: size of that part, ascending from 0; the last one is the footprint
 * @ppm: misses per million accesses, not ascending
 */
struct pmct_sim_curve {
	__u32 nr;
	__u32 kib[PMCT_SIM_POINTS];
	__u32 ppm[PMCT_SIM_POINTS];
};

/**
 * struct pmct_sim_phase - how a program behaves for some time
 * @instr: length of the phase, in instructions
 * @ilp: instructions per cycle of a core without limits, in thousandths. No event shows it.
 * @mlp: number of misses that overlap, in thousandths. No event shows it.
 * @front_end: cycles that are lost in decoding. A part of the event of front-end stalls.
 * @branches: rate of branches
 * @cond_branches: rate of conditional branches
 * @branch_misses: rate of mispredicted branches
 * @l1d: rate of data accesses
 * @l1d_misses: rate of L1 data misses
 * @itlb_misses: rate of ITLB misses
 * @dtlb_misses: rate of DTLB misses
 * @write_backs: lines that are written back, in thousandths of misses
 * @energy: energy of an instruction, in thousandths of the core type's
 * @wander: how far rates go from their mean, in thousandths
 * @code: number of the first basic block; the same number in another program or phase is the same
 *	code
 * @blocks: number of basic blocks that the phase executes
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
 * struct pmct_sim_profile - a program: phases, one after the other, then again from the first
 * @name: for people
 * @nr_phases: number of phases, at least one
 * @phase: the phases
 */
struct pmct_sim_profile {
	char name[PMCT_SIM_NAME];
	__u32 nr_phases;
	struct pmct_sim_phase phase[PMCT_SIM_PHASES];
};

/**
 * struct pmct_sim_program - the argument of PMCT_SIM_IOC_PROGRAM
 * @seed: seed of the thread's variation; with the same seed a program varies in the same way
 * @profile: the program of the thread
 * @why: on -EINVAL, what is wrong with @profile
 */
struct pmct_sim_program {
	__u64 seed;
	struct pmct_sim_profile profile;
	char why[128];
};

/**
 * struct pmct_sim_truth - the argument of PMCT_SIM_IOC_TRUTH: values that no counter knows
 * @count: events, by enum pmct_sim_event
 * @ran_ps: CPU time of the thread
 * @pj: energy of the thread
 * @machine_pj: energy of the machine since it was created
 * @llc_bytes: bytes of the thread in all last-level caches together, when it last left a CPU
 * @nr_types: number of core types, the fastest first
 * @__reserved: 0
 * @alone_ps: time that the same work takes alone on each core type
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
 * @name: name of its topology
 * @nr_types: number of core types, the fastest first
 * @nr_cpus: number of CPUs
 * @type: names of core types
 * @cpu_type: core type of each CPU
 */
struct pmct_sim_info {
	char name[PMCT_SIM_NAME];
	__u32 nr_types;
	__u32 nr_cpus;
	char type[PMCT_SIM_TYPES][PMCT_SIM_NAME];
	__u8 cpu_type[PMCT_SIM_CPUS];
};

/*
 * PROGRAM: set the program of an open file, once, before RUN. -EINVAL with @why, -EBUSY: the file
 * has a program, -ENOSPC: too many simulated threads.
 */
#define PMCT_SIM_IOC_PROGRAM	_IOWR('q', 0x80, struct pmct_sim_program)
/*
 * RUN: the argument is the number of instructions to do, and afterwards the number that is left.
 * -EAGAIN and -EINTR: call again with the number that is left. -EBUSY: another thread runs this
 * file. -ENODATA: no program.
 */
#define PMCT_SIM_IOC_RUN	_IOWR('q', 0x81, __u64)
#define PMCT_SIM_IOC_TRUTH	_IOR('q', 0x82, struct pmct_sim_truth)
#define PMCT_SIM_IOC_INFO	_IOR('q', 0x83, struct pmct_sim_info)

#endif /* _UAPI_LINUX_PMCTRACK_SIM_H */
