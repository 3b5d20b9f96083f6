/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types and limits that the policies (BPF) and pmctrack-sched share. It includes nothing, because
 * BPF programs include vmlinux.h before it.
 */
#ifndef SCHEDULERS_SHARED_H
#define SCHEDULERS_SHARED_H

#define AMP_RANKS	4	/* core types, the fastest is rank 0 */
#define AMP_CPUS	1024
#define AMP_THREADS	16384	/* threads with a rank; others stay on their core type */
#define AMP_GROUPS	4096	/* control groups whose limits are respected */
#define AMP_COMM	16
#define AMP_REASON	256
/* SCX_ECODE_ACT_RESTART, in an exit code: CPUs came or went. */
#define AMP_RESTART	(1ULL << 48)

enum amp_state {
	AMP_FREE,
	AMP_BLOCKED,
	AMP_RUNNABLE,
	AMP_HELD,	/* throttled: runnable, but its control group has used its time */
};

/**
 * struct amp_config - settings that pmctrack-sched makes before the policy begins
 * @slice_ns: time slice of a thread while other threads wait
 * @period_ns: period of the timer that changes the ranks of threads
 * @band: a thread gets the better rank of another one if its score is greater by more than this, in
 *	the unit of the policy
 * @training: the part of the time that may be given to training, in thousandths
 * @tolerance: how far apart slowdowns may be if this raises the aggregate speedup, in thousandths
 * @ranks: number of core types
 * @metric: for each rank, the enum pmct_metric of a thread's factor against rank 0; [0] is not used
 * @ratio: speed of rank 0 over that of each rank, in thousandths, for policies that do not ask for
 *	metrics, and for threads without a value
 * @cpus: number of CPUs of each rank
 * @rank_of: rank of each CPU
 */
struct amp_config {
	unsigned long long slice_ns;
	unsigned long long period_ns;
	unsigned long long band;
	unsigned int training;
	unsigned int tolerance;
	unsigned int ranks;
	unsigned int metric[AMP_RANKS];
	unsigned int ratio[AMP_RANKS];
	unsigned int cpus[AMP_RANKS];
	unsigned char rank_of[AMP_CPUS];
};

/**
 * struct amp_thread - a thread that the policy schedules
 * @pid: of the thread; @tgid: of its process
 * @state: enum amp_state
 * @rank: the core type that the thread should run on
 * @weight: weight of its nice value (100 for nice 0), times its control groups' cpu.weight over 100
 * @cpu: CPU where it runs, or -1
 * @confidence: enum pmct_confidence of @factor, or -1 without a value
 * @fixed: the thread may not run on all CPUs, and stays on the core type where it is
 * @factor: the monitoring module's factor of each rank, in thousandths; [0] is 1000
 * @quality: its speed beside others over its speed without them, in thousandths; 0: not known
 * @credit: progress that counts as 1000; more than 1000 for threads that gain more from fast cores
 *	than others
 * @traffic: cache lines that it moves from and to memory, in thousandths of what memory can move
 * @phase: number of its program's phase, from 1; 0: not known
 * @wants_training: some time without others that move many lines would show its speed alone
 * @rate: progress that its CPU time is worth, in thousandths
 * @pays_ns: progress that was charged to it since @seen_ns was read
 * @ran_ns: its CPU time since @seen_ns was read
 * @seen_ns: its progress, as last read from the module
 * @asked_ns: when the policy last asked for that progress
 * @time_ns: time that it ran on each core type
 * @progress_ns: progress made in that time, as the policy counts it; see policy_ran()
 * @score: how much it deserves fast cores: see policy_score()
 * @looked_ns: when its name and metrics were last read; see look_at()
 * @slept_ns: when it last went to sleep, or was throttled
 * @known_ns: by rank: when its factor there last had a value
 * @demand: how often it wants to run, of 1024
 * @takes_part: @demand is high enough to compete for ranks
 * @counted: amp_stats.ticks when it was last found runnable
 */
struct amp_thread {
	unsigned int pid;
	unsigned int tgid;
	unsigned int state;
	unsigned int rank;
	unsigned int weight;
	int cpu;
	int confidence;
	unsigned int fixed;
	unsigned int factor[AMP_RANKS];
	unsigned int quality;
	unsigned int credit;
	unsigned int traffic;
	unsigned int phase;
	unsigned int wants_training;
	unsigned int rate;
	unsigned long long pays_ns;
	unsigned long long ran_ns;
	unsigned long long seen_ns;
	unsigned long long asked_ns;
	unsigned long long time_ns[AMP_RANKS];
	unsigned long long progress_ns;
	long long score;
	unsigned long long looked_ns;
	unsigned long long slept_ns;
	unsigned long long known_ns[AMP_RANKS];
	unsigned int demand;
	unsigned int takes_part;
	unsigned long long counted;
	char comm[AMP_COMM];
};

/**
 * struct amp_stats - counts since the policy began
 * @ticks: how often the timer looked at the ranks
 * @moves: threads that were given a better or a worse rank to fill a place
 * @swaps: pairs of threads that swapped ranks
 * @unmanaged: threads without a slot, because all AMP_THREADS were taken
 * @asked: metrics that were asked for
 * @unknown: of these, metrics without a value
 * @low: of these, metrics whose value was stale or extrapolated
 * @held: how often a thread was throttled because of cpu.max
 * @groups_without_slot: control groups without a slot; only the settings of groups above them count
 * @quanta: quanta, with training and without
 * @trained: of these, quanta of training
 * @runnable: threads that the timer last found running or waiting
 * @exited: enum scx_exit_kind if the policy has ended
 * @exit_code: if AMP_RESTART is set, the policy must begin again
 * @reason: why the policy ended
 */
struct amp_stats {
	unsigned long long ticks;
	unsigned long long moves;
	unsigned long long swaps;
	unsigned long long unmanaged;
	unsigned long long asked;
	unsigned long long unknown;
	unsigned long long low;
	unsigned long long held;
	unsigned long long groups_without_slot;
	unsigned long long quanta;
	unsigned long long trained;
	unsigned int runnable;
	unsigned int exited;
	unsigned long long exit_code;
	char reason[AMP_REASON];
};

#endif /* SCHEDULERS_SHARED_H */
