/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types and constants that <pmctrack/pmcs.bpf.h> and the kernel module behind it share. There are
 * no includes, because a BPF program has the kernel's types from vmlinux.h.
 */
#ifndef _PMCTRACK_PMCS_TYPES_H
#define _PMCTRACK_PMCS_TYPES_H

/* Keys of enum pmct_metric in <pmctrack/sched.h>, which describes units and intervals. */
enum pmcs_metric_key {
	PMCS_IPC = 0,
	PMCS_LLC_MPKI = 1,
	PMCS_SPEEDUP_FACTOR = 2,
	PMCS_EF = 3,
	PMCS_EDP = 4,
	PMCS_POWER = 5,
	PMCS_ENERGY = 6,
	PMCS_LLC_OCCUPANCY = 7,
	PMCS_MEM_BW_TOTAL = 8,
	PMCS_MEM_BW_LOCAL = 9,
	PMCS_QUALITY = 10,
	PMCS_QUALITY_TIME = 11,
	PMCS_PROGRESS = 12,
	PMCS_SLOWDOWN = 13,
	PMCS_SPEEDUP_FACTOR_2 = 14,
	PMCS_SPEEDUP_FACTOR_3 = 15,
	PMCS_EF_2 = 24,
	PMCS_EF_3 = 25,
	PMCS_PHASE = 26,
	PMCS_TRAFFIC = 27,
	PMCS_TRAINING = 28,
};

/* As enum pmct_confidence, ascending. */
enum pmcs_confidence {
	PMCS_STALE = 0,
	PMCS_EXTRAPOLATED = 1,
	PMCS_ESTIMATED = 2,
	PMCS_MEASURED = 3,
};

#define PMCS_BATCH	8	/* metrics that pmcs_metrics() gives at once */
#define PMCS_NAME	32	/* bytes of a name */

/**
 * struct pmcs_value - a metric of a thread
 * @value: in the unit of the metric
 * @age_ms: time since the monitoring module published it
 * @confidence: enum pmcs_confidence
 * @error: of pmcs_metrics(): 0, or the reason why this metric has no value; all other members are 0
 *	then
 */
struct pmcs_value {
	unsigned long long value;
	unsigned long long age_ms;
	unsigned int confidence;
	int error;
};

#endif /* _PMCTRACK_PMCS_TYPES_H */
