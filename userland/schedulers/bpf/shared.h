/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the policies (BPF) and pmctrack-sched both know. No includes: vmlinux.h comes before. */
#ifndef SCHEDULERS_SHARED_H
#define SCHEDULERS_SHARED_H

#define AMP_RANKS	4	/* core types, the fastest is rank 0 */
#define AMP_CPUS	1024
#define AMP_THREADS	16384	/* with a rank of their own; others stay where they are */
#define AMP_GROUPS	4096	/* control groups whose limits are respected */
#define AMP_COMM	16
#define AMP_REASON	256
/* SCX_ECODE_ACT_RESTART: CPUs came or went. */
#define AMP_RESTART	(1ULL << 48)

enum amp_state {
	AMP_FREE,
	AMP_BLOCKED,
	AMP_RUNNABLE,
	AMP_HELD,	/* it could run, but its control group has had its time */
};

/**
 * struct amp_config - what pmctrack-sched has decided before the policy begins
 * @slice_ns: how long a thread runs while others wait
 * @period_ns: how often threads may change ranks
 * @band: by how much a thread has to deserve a better rank more than the one that has it, in the
 *	unit of the policy
 * @training: the part of the time that may be given to training, in thousandths
 * @tolerance: how far slowdowns may be apart for the speed of all, in thousandths
 * @ranks: number of core types
 * @metric: enum pmct_metric of a thread's factor on rank r against rank 0, [0] is not used
 * @ratio: speed of rank 0 over that of each rank, in thousandths, for policies that do not ask
 * @cpus: CPUs of each rank
 * @rank_of: of each CPU
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
 * struct amp_thread - a thread under the policy
 * @pid: of the thread; @tgid: of its process
 * @state: enum amp_state
 * @rank: the core type that it should run on
 * @weight: of its nice value, 100 for nice 0, times its control groups' cpu.weight over 100
 * @cpu: where it runs, or -1
 * @confidence: of @factor: enum pmct_confidence, or -1 without a value
 * @fixed: it may not run everywhere, and keeps to the core type where it is
 * @factor: what the module says, in thousandths; [0] is 1000
 * @quality: of its speed without others, how much it has beside them, in thousandths; 0: not known
 * @credit: so much progress counts as 1000, for who gains more from fast cores than others
 * @traffic: lines that it moves from and to memory, in thousandths of what that can do
 * @phase: of its program, from 1; 0: not known
 * @wants_training: its speed alone would be known after some time without others that move many
 * @rate: progress that its time on CPUs is worth, in thousandths
 * @pays_ns: progress that it was charged with since @seen_ns
 * @ran_ns: its CPU time since @seen_ns
 * @seen_ns: its progress, by the module, when it was looked at last
 * @asked_ns: when that was asked for last
 * @time_ns: that it ran on each core type
 * @progress_ns: what these made, as the policy counts; see policy_ran()
 * @score: how much it deserves fast cores: see policy_score()
 * @looked_ns: when it was looked at last
 * @slept_ns: when it went to sleep, or was held, last
 * @known_ns: when a metric of it had a value last
 * @demand: how often it wants to run, of 1024
 * @takes_part: that is often enough for a rank of its own
 * @counted: amp_stats.ticks when it was runnable last
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
	unsigned long long known_ns;
	unsigned int demand;
	unsigned int takes_part;
	unsigned long long counted;
	char comm[AMP_COMM];
};

/**
 * struct amp_stats - what happened since the policy began
 * @ticks: how often ranks were looked at
 * @moves: threads that were given a better rank, or a worse one, because of a place to fill
 * @swaps: pairs that changed ranks
 * @unmanaged: threads that found no place, AMP_THREADS being taken
 * @asked: metrics that were asked for
 * @unknown: of these, without a value
 * @low: of these, with a value that is stale or extrapolated
 * @held: how often a thread had to wait because of cpu.max
 * @groups_without_slot: control groups that found no place: of these, only what groups above them
 *	have counts
 * @quanta: of training and others
 * @trained: of these, quanta of training
 * @runnable: threads that ran or waited when ranks were looked at last
 * @exited: the policy has ended: enum scx_exit_kind
 * @exit_code: with AMP_RESTART it is to begin again
 * @reason: why
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
