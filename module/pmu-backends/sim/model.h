/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of a multicore: how fast a thread runs on a CPU beside other threads, and what threads do
 * to counters, caches, memory and energy meters. Documentation/simulation.md has the equations.
 * Everything here is pure: the caller provides the time, and serialises calls.
 *
 * Units, unless a name says otherwise: rates are per million instructions, ratios in thousandths,
 * caches in lines of 64 bytes, energy in pJ (mW times ns), time in ns, or in ps where a remainder
 * is carried.
 */
#ifndef _PMCT_SIM_MODEL_H
#define _PMCT_SIM_MODEL_H

#include <linux/types.h>
#include <uapi/linux/pmctrack_sim.h>

#define PMCT_SIM_CLUSTERS	8
#define PMCT_SIM_NODES		2
#define PMCT_SIM_THREADS	128
/* Number of RMIDs of the cache monitor. CPUs that have none use 0. */
#define PMCT_SIM_RMIDS		16
/* Counters of a CPU: instructions, cycles, and counters of any event. */
#define PMCT_SIM_FIXED		2
#define PMCT_SIM_GENERAL	6
#define PMCT_SIM_COUNTERS	(PMCT_SIM_FIXED + PMCT_SIM_GENERAL)

/*
 * A user's own machine, for request_firmware(). "simapp --compile" writes PMCT_SIM_MAGIC, followed
 * by a struct pmct_sim_machine. The number changes with the structure.
 */
#define PMCT_SIM_FIRMWARE	"pmctrack/%s.machine"
#define PMCT_SIM_MAGIC		"PMCTSIM1"

/* Longest step of the model, so that caches move in small steps. Shortest step of meters. */
#define PMCT_SIM_STEP_NS	1000000

/**
 * struct pmct_sim_core_type - a kind of core
 * @name: for people
 * @mhz: frequency
 * @width: most instructions per cycle that can be issued, in thousandths
 * @ilp_used: part of a phase's parallelism that it finds
 * @overlap: part of a phase's overlap of misses that it reaches
 * @front_end: part of a phase's front-end stalls that it suffers
 * @branch_cycles: cycles of a mispredicted branch
 * @walk_cycles: cycles of a TLB miss
 * @l2_cycles: cycles of an access that hits the L2 cache, as far as they are not hidden
 * @l2_kib: size of its private cache
 * @counters: counters of any event, beside those of instructions and of cycles
 * @instr_pj: energy of an instruction
 * @active_mw: power while a thread runs, beside that of its instructions
 * @idle_mw: power while no thread runs
 */
struct pmct_sim_core_type {
	char name[PMCT_SIM_NAME];
	u32 mhz;
	u32 width;
	u32 ilp_used;
	u32 overlap;
	u32 front_end;
	u32 branch_cycles;
	u32 walk_cycles;
	u32 l2_cycles;
	u32 l2_kib;
	u32 counters;
	u32 instr_pj;
	u32 active_mw;
	u32 idle_mw;
};

/**
 * struct pmct_sim_cluster - cores that share a last-level cache
 * @llc_kib: its size
 * @llc_ps: latency of a hit
 * @node: node of its memory
 */
struct pmct_sim_cluster {
	u32 llc_kib;
	u32 llc_ps;
	u32 node;
};

/**
 * struct pmct_sim_node - a memory controller
 * @mem_ps: latency without load
 * @mem_mbs: bandwidth in 10^6 bytes per second
 * @mem_mw: power without accesses
 */
struct pmct_sim_node {
	u32 mem_ps;
	u32 mem_mbs;
	u32 mem_mw;
};

/**
 * struct pmct_sim_machine - a topology
 * @name: for people ("2B-2S")
 * @nr_types: number of core types
 * @nr_clusters: number of last-level caches
 * @nr_nodes: number of memory controllers
 * @nr_cpus: number of CPUs
 * @type: core types, the fastest first
 * @cluster: last-level caches
 * @node: memory controllers
 * @cpu_type: core type of each CPU
 * @cpu_cluster: cluster of each CPU
 * @llc_pj: energy of an access to a last-level cache
 * @mem_pj: energy of a line from or to memory
 * @uncore_mw: power of parts that belong to no core
 */
struct pmct_sim_machine {
	char name[PMCT_SIM_NAME];
	u8 nr_types;
	u8 nr_clusters;
	u8 nr_nodes;
	u8 nr_cpus;
	struct pmct_sim_core_type type[PMCT_SIM_TYPES];
	struct pmct_sim_cluster cluster[PMCT_SIM_CLUSTERS];
	struct pmct_sim_node node[PMCT_SIM_NODES];
	u8 cpu_type[PMCT_SIM_CPUS];
	u8 cpu_cluster[PMCT_SIM_CPUS];
	u32 llc_pj;
	u32 mem_pj;
	u32 uncore_mw;
};

/**
 * struct pmct_sim_rates - present costs of a million instructions of a thread
 * @core_ps: their time without waiting for memory
 * @mem_waits: misses that are waited for, in thousandths: times the memory's latency
 * @ps: both times together
 * @event: their events
 * @pj: their energy, without that of time
 * @mem_pj: the part of @pj that the memory takes
 */
struct pmct_sim_rates {
	u64 core_ps;
	u64 mem_waits;
	u64 ps;
	u64 event[PMCT_SIM_NR_EVENTS];
	u64 pj;
	u64 mem_pj;
};

/**
 * struct pmct_sim_alone - a thread's work, if done alone on a core type
 * @ps: time
 * @l2: lines in its private cache, times 256
 * @llc: lines in the last-level cache, times 256
 */
struct pmct_sim_alone {
	u64 ps;
	u64 l2;
	u64 llc;
};

/* Values that vary independently. */
enum pmct_sim_channel {
	PMCT_SIM_VARY_ILP,
	PMCT_SIM_VARY_BRANCH,
	PMCT_SIM_VARY_DATA,
	PMCT_SIM_VARY_LLC,
	PMCT_SIM_VARY_TLB,
	PMCT_SIM_NR_CHANNELS
};

/* Each of them is a sum of this many values, which bend at different distances. */
#define PMCT_SIM_BENDS		3

/**
 * struct pmct_sim_bend - a value between two bends, where it is linear
 * @number: number of the second bend; 0: nothing is known yet
 * @from: value at the first bend
 * @to: value at the second bend
 *
 * The ends are remembered, because finding them takes much longer than what follows.
 */
struct pmct_sim_bend {
	u64 number;
	s32 from;
	s32 to;
};

/**
 * struct pmct_sim_thread - a simulated thread
 * @profile: what it does; NULL: the slot is free
 * @seed: seed of its variation
 * @bend: what varies, where the thread is now
 * @goal: it stops when it has done this many instructions
 * @phase: its present phase
 * @left: instructions until the next phase
 * @count: events since its beginning
 * @part: part of the next event of each kind, in millionths
 * @ran_ps: time on CPUs, without the time after its goal
 * @spare_ps: time that was too short for another instruction
 * @pj: energy that it took
 * @alone: the same work alone, for each core type
 * @alone_due: instructions that are not in @alone yet
 * @rates: rates where it runs now
 * @llc_left: its lines in all last-level caches when it last left a CPU, times 256
 */
struct pmct_sim_thread {
	const struct pmct_sim_profile *profile;
	u64 seed;
	struct pmct_sim_bend bend[PMCT_SIM_NR_CHANNELS][PMCT_SIM_BENDS];
	u64 goal;
	u32 phase;
	u64 left;
	u64 count[PMCT_SIM_NR_EVENTS];
	u32 part[PMCT_SIM_NR_EVENTS];
	u64 ran_ps;
	u64 spare_ps;
	u64 pj;
	struct pmct_sim_alone alone[PMCT_SIM_TYPES];
	u64 alone_due;
	struct pmct_sim_rates rates;
	u64 llc_left;
};

/**
 * struct pmct_sim_cache - the lines of threads in a cache
 * @size: lines, times 256
 * @has: lines of each thread, times 256, at the last step
 * @filled: lines that each thread has brought in since, times 256
 * @changed: a thread has brought lines in
 */
struct pmct_sim_cache {
	u64 size;
	u64 has[PMCT_SIM_THREADS];
	u64 filled[PMCT_SIM_THREADS];
	bool changed;
};

/**
 * struct pmct_sim_tags - what the monitor of a last-level cache knows
 * @has: lines of each thread by RMID, times 256; their sum is what the thread has
 * @last: RMID with which each thread brought lines in last
 * @shown: lines by RMID, at the last step
 * @moved: lines from and to memory, by RMID
 */
struct pmct_sim_tags {
	u64 has[PMCT_SIM_THREADS][PMCT_SIM_RMIDS];
	u8 last[PMCT_SIM_THREADS];
	u64 shown[PMCT_SIM_RMIDS];
	u64 moved[PMCT_SIM_RMIDS];
};

/**
 * struct pmct_sim_pmu - the counters of a CPU; all of them count always
 * @event: event of each counter
 * @start: pmct_sim_cpu::count of its event at which the counter was 0, modulo 2^64
 * @full: pmct_sim_cpu::count of its event at which the counter overflows
 * @overflowed: mask of the counters that have overflowed
 */
struct pmct_sim_pmu {
	u8 event[PMCT_SIM_COUNTERS];
	u64 start[PMCT_SIM_COUNTERS];
	u64 full[PMCT_SIM_COUNTERS];
	u32 overflowed;
};

/**
 * struct pmct_sim_cpu - a CPU
 * @thread: the thread that runs there, or -1
 * @paused: @thread does nothing at present, because the CPU handles an interrupt
 * @left: the last thread left, and no other thread followed
 * @rmid: its RMID for the cache monitor
 * @since: up to this time, @thread's work is done, and the CPU's energy is counted
 * @count: events of all threads that ran there
 * @pmu: its counters
 * @l2: its private cache
 */
struct pmct_sim_cpu {
	int thread;
	bool paused;
	bool left;
	u8 rmid;
	u64 since;
	u64 count[PMCT_SIM_NR_EVENTS];
	struct pmct_sim_pmu pmu;
	struct pmct_sim_cache l2;
};

/**
 * struct pmct_sim_energy - energy that the parts of a machine took, in pJ
 * @cores: cores and cache of each cluster
 * @memory: memory of each node
 * @uncore: all other parts
 */
struct pmct_sim_energy {
	u64 cores[PMCT_SIM_CLUSTERS];
	u64 memory[PMCT_SIM_NODES];
	u64 uncore;
};

/**
 * struct pmct_sim_pace - when caches, rates and meters are updated, see pace.c
 * @next: time of the next step, ns
 * @length: time from @next to the step after it, ns
 * @meters: when meters are updated, ns
 * @paid: changes are paid for until then, ns
 * @settled: steps are short until then, ns
 */
struct pmct_sim_pace {
	u64 next;
	u64 length;
	u64 meters;
	u64 paid;
	u64 settled;
};

/**
 * struct pmct_sim - a simulated machine and its threads
 * @machine: the topology
 * @pace: when the next step is due
 * @stepped: when caches and rates were updated
 * @cpu: its CPUs
 * @llc: last-level caches
 * @tags: what the monitors of @llc know
 * @mem_ps: present latency of each memory controller
 * @thread: threads
 * @energy: energy that it took, up to pmct_sim_cpu::since
 * @metered: @energy at the last step with meters, which is what meters show
 */
struct pmct_sim {
	struct pmct_sim_machine machine;
	struct pmct_sim_pace pace;
	u64 stepped;
	struct pmct_sim_cpu cpu[PMCT_SIM_CPUS];
	struct pmct_sim_cache llc[PMCT_SIM_CLUSTERS];
	struct pmct_sim_tags tags[PMCT_SIM_CLUSTERS];
	u32 mem_ps[PMCT_SIM_NODES];
	struct pmct_sim_thread thread[PMCT_SIM_THREADS];
	struct pmct_sim_energy energy;
	struct pmct_sim_energy metered;
};

/* A machine that could take more power is refused. */
#define PMCT_SIM_WATTS		10000
/* Largest pmct_sim_phase::energy. */
#define PMCT_SIM_ENERGY_MAX	10000
/* Most characters of a machine's and a core type's name together. The PMU's name has both. */
#define PMCT_SIM_NAMES		20

int pmct_sim_machine_check(const struct pmct_sim_machine *m, const char **why);
u64 pmct_sim_machine_watts(const struct pmct_sim_machine *m);
int pmct_sim_profile_check(const struct pmct_sim_profile *profile, const char **why);
const struct pmct_sim_machine *pmct_sim_topology(unsigned int i);

void pmct_sim_init(struct pmct_sim *sim, const struct pmct_sim_machine *machine, u64 now);
void pmct_sim_begin(struct pmct_sim *sim, unsigned int thread,
		    const struct pmct_sim_profile *profile, u64 seed);
void pmct_sim_end(struct pmct_sim *sim, unsigned int thread);
void pmct_sim_enter(struct pmct_sim *sim, unsigned int cpu, unsigned int thread, u64 now);
void pmct_sim_leave(struct pmct_sim *sim, unsigned int cpu, bool replaced, u64 now);
void pmct_sim_pause(struct pmct_sim *sim, unsigned int cpu, u64 now);
void pmct_sim_resume(struct pmct_sim *sim, unsigned int cpu, u64 now);
void pmct_sim_sync(struct pmct_sim *sim, unsigned int cpu, u64 now);
bool pmct_sim_busy(const struct pmct_sim *sim);
void pmct_sim_step(struct pmct_sim *sim, u64 now);
u64 pmct_sim_time_for(const struct pmct_sim *sim, unsigned int cpu, u64 instr);
u64 pmct_sim_machine_pj(const struct pmct_sim *sim);
void pmct_sim_settle_alone(struct pmct_sim *sim, unsigned int thread);

void pmct_sim_pace_init(struct pmct_sim_pace *pace, u64 now);
void pmct_sim_pace_changed(struct pmct_sim_pace *pace, u64 now);
bool pmct_sim_pace_stepped(struct pmct_sim_pace *pace, u64 now);

void pmct_sim_pmu_init(struct pmct_sim_pmu *pmu);
void pmct_sim_pmu_select(struct pmct_sim_cpu *cpu, unsigned int counter, unsigned int event);
u64 pmct_sim_pmu_read(const struct pmct_sim_cpu *cpu, unsigned int counter);
void pmct_sim_pmu_write(struct pmct_sim_cpu *cpu, unsigned int counter, u64 value);
u32 pmct_sim_pmu_overflowed(struct pmct_sim_cpu *cpu);
void pmct_sim_pmu_clear(struct pmct_sim_cpu *cpu, u32 counters);
u64 pmct_sim_pmu_due(const struct pmct_sim *sim, unsigned int cpu);

#endif /* _PMCT_SIM_MODEL_H */
