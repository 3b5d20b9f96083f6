/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contract between a scheduler in the kernel and the monitoring modules: the metrics of
 * pmcs_get_current_metric_value() (<linux/pmctrack.h>).
 *
 * A scheduling class turns monitoring on for its threads by a flag in the thread's descriptor:
 *
 *	pmcs_set_prof(task, PMCS_PROF_SCHED, true);
 *
 * From its next tick on, the thread is counted with the event sets of the active monitoring module,
 * unless a user monitors it with other sets.
 *
 * The source of a value depends on the module. If the module has no get_metric()
 * (<pmctrack/mmon.h>), the scheduler gets the value that the module published last. Before the
 * first one the error is -ENODATA. The error -EAGAIN is very rare: the metric was published several
 * times while it was read. If the module has get_metric(), each request calls it instead.
 *
 * This header describes keys and units only. A scheduler is part of the kernel, and pmcs_set_prof()
 * and pmcs_get_current_metric_value() exist only in a kernel with the project's patch
 * (kernel-patch/).
 */
#ifndef _PMCTRACK_SCHED_H
#define _PMCTRACK_SCHED_H

#include <linux/types.h>

/**
 * enum pmct_metric - keys of pmcs_get_current_metric_value()
 * @PMCT_METRIC_IPC: 1000 times IPC (instructions per cycle): 1500 is an IPC of 1.5.
 *	Interval: the last sample
 * @PMCT_METRIC_LLC_MPKI: 1000 times MPKI (misses of the last-level cache per 1000 instructions),
 *	which is misses per 1,000,000 instructions: 2500 is an MPKI of 2.5. 0 to 1,000,000,000.
 *	Interval: the last sample
 * @PMCT_METRIC_SPEEDUP_FACTOR: SF, 1000 times the instructions per second of a big core divided by
 *	those of a small one; 1000: equally fast. Interval: a round of the model, which may be
 *	several samples
 * @PMCT_METRIC_EF: energy-efficiency factor, 1000 times the EDP of a small core divided by that of
 *	a big one; above 1000 the big core is better. Interval: as SF
 * @PMCT_METRIC_EDP: energy per instruction times time per instruction, in 10^-24 J s, which is pJ
 *	times ps. It does not depend on the length of the interval. Interval: the last sample
 * @PMCT_METRIC_POWER: mW, the energy of an interval divided by the time that the thread ran in it.
 *	Interval: the last sample
 * @PMCT_METRIC_ENERGY: uJ, the sum since the module first saw the thread; wraps after 500,000 years
 *	at 1 W
 * @PMCT_METRIC_LLC_OCCUPANCY: bytes of the last-level cache, at the end of the last sample
 * @PMCT_METRIC_MEM_BW_TOTAL: bytes per second from and to all memory. Interval: the last
 *	sample
 * @PMCT_METRIC_MEM_BW_LOCAL: bytes per second from and to the memory of the CPU's own node.
 *	Interval: the last sample
 * @PMCT_METRIC_QUALITY: %Quality in tenths of a percent, 0 to 1000: Quality Time divided by CPU
 *	time. Interval: the last sample
 * @PMCT_METRIC_QUALITY_TIME: ns that the thread would have needed alone for its work since the
 *	module first saw it
 * @PMCT_METRIC_PROGRESS: ns of CPU time that the thread would have needed alone for its work since
 *	the module first saw it. It does not decrease, unless the module sees the thread as a new
 *	one
 * @PMCT_METRIC_SLOWDOWN: 1000 times the CPU time that the thread took, divided by the CPU time that
 *	it would have taken alone; 1000: not slowed down. Interval: since the module first saw it
 * @PMCT_METRIC_SPEEDUP_FACTOR_2: SF of a machine with more core types: the fastest type divided by
 *	the second of the others
 * @PMCT_METRIC_SPEEDUP_FACTOR_3: the same, divided by the third of the others
 * @PMCT_METRIC_EF_2: EF of a machine with more core types: the second of the others divided by the
 *	fastest type
 * @PMCT_METRIC_EF_3: the same, for the third of the others
 * @PMCT_METRIC_PHASE: number of the program's phase in which the thread was last, from 1; 0: none
 *	yet. A phase has the same number in all threads of a process. If a phase was not seen for a
 *	long time, its number may later belong to another phase
 * @PMCT_METRIC_TRAFFIC: lines that the thread moved from and to memory, in thousandths of the
 *	memory's maximum. Interval: the last window, or the elapsed part of the present one
 * @PMCT_METRIC_TRAINING: 1: the thread is likely to enter a phase whose speed alone is not known.
 *	This speed would be known after some time without others that use cache and memory. 0: it is
 *	not likely
 * @PMCT_METRIC_PRIVATE: the first of eight private keys. One scheduler and one monitoring module
 *	agree on their meaning
 * @PMCT_NR_METRICS: keys are smaller than this
 *
 * The number of a key never changes. All values are u64. Ratios are in thousandths, because the
 * kernel has no floating point: 1000 is 1. A module does not publish a value that would be negative
 * or infinite. SF and EF compare core types of a hybrid machine: the fastest type is "big", each
 * other one "small". Keys without a number in their name are for the first small type, in the order
 * of /proc/pmc/info.
 */
enum pmct_metric {
	PMCT_METRIC_IPC,
	PMCT_METRIC_LLC_MPKI,
	PMCT_METRIC_SPEEDUP_FACTOR,
	PMCT_METRIC_EF,
	PMCT_METRIC_EDP,
	PMCT_METRIC_POWER,
	PMCT_METRIC_ENERGY,
	PMCT_METRIC_LLC_OCCUPANCY,
	PMCT_METRIC_MEM_BW_TOTAL,
	PMCT_METRIC_MEM_BW_LOCAL,
	PMCT_METRIC_QUALITY,
	PMCT_METRIC_QUALITY_TIME,
	PMCT_METRIC_PROGRESS,
	PMCT_METRIC_SLOWDOWN,
	PMCT_METRIC_SPEEDUP_FACTOR_2,
	PMCT_METRIC_SPEEDUP_FACTOR_3,
	PMCT_METRIC_PRIVATE = 16,
	PMCT_METRIC_EF_2 = 24,
	PMCT_METRIC_EF_3,
	PMCT_METRIC_PHASE,
	PMCT_METRIC_TRAFFIC,
	PMCT_METRIC_TRAINING,
	PMCT_NR_METRICS,
};

/**
 * enum pmct_confidence - how a module obtained a value
 * @PMCT_STALE: from an earlier interval. The last one gave no new value, for example
 *	because the thread hardly ran, or changed its phase.
 * @PMCT_EXTRAPOLATED: from a model that was trained with other programs; some count is outside the
 *	range of the training
 * @PMCT_ESTIMATED: from a model, or from events that did not all count at the same time
 * @PMCT_MEASURED: counted in the interval, exactly
 *
 * The constants are in ascending order, so a scheduler can require a minimum:
 * "confidence >= PMCT_ESTIMATED". The confidence is not a percentage, because a module knows
 * where a number comes from, but not how probable it is.
 */
enum pmct_confidence {
	PMCT_STALE,
	PMCT_EXTRAPOLATED,
	PMCT_ESTIMATED,
	PMCT_MEASURED,
};

/**
 * struct pmct_metric_value - a metric of a thread, with its age and confidence
 * @value: in the unit of the metric
 * @age_ms: time since the value was published, in steps of a clock tick
 * @confidence: how it was obtained
 * @error: of pmct_client_metrics(): 0, or the reason why this metric has no value; all other
 *	members are 0 then
 *
 * The members belong together: value and time are from the same pmct_mmon_publish(), and
 * pmct_mmon_mark_stale() changes the confidence only. pmcs_get_current_metric_value() gives a
 * scheduler only @value.
 */
struct pmct_metric_value {
	u64 value;
	u64 age_ms;
	enum pmct_confidence confidence;
	int error;
};

#endif /* _PMCTRACK_SCHED_H */
