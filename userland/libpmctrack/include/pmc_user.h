/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The samples of the interface of PMCTrack 4.0; see <pmctrack.h>. */
#ifndef PMC_USER_H
#define PMC_USER_H

#include <stdint.h>
#include <sys/types.h>
#include <linux/pmctrack.h>

#define MAX_PERFORMANCE_COUNTERS	PMCTRACK_MAX_COUNTERS
#define MAX_VIRTUAL_COUNTERS		PMCTRACK_MAX_VIRT

/** enum sample_type_t - why a sample was taken */
typedef enum {
	PMC_TICK_SAMPLE = 0,	/* the sampling period, or the monitoring of a CPU, ended */
	PMC_EBS_SAMPLE,		/* an event count was reached */
	PMC_EXIT_SAMPLE,	/* the thread ended */
	PMC_MIGRATION_SAMPLE,	/* the thread moved to another core type */
	PMC_SELF_SAMPLE,	/* the thread stopped counting itself */
	PMC_NR_SAMPLE_TYPES
} sample_type_t;

/**
 * struct pmc_sample - what was counted in an interval
 * @type: why the interval ended
 * @coretype: core type of the CPU on which the interval ended
 * @exp_idx: index of the event set that was counted
 * @pid: thread, or CPU in system-wide mode
 * @elapsed_time: nanoseconds since the previous sample of @pid, or since the start
 * @pmc_mask: mask of the counters that were used
 * @nr_counts: number of counts
 * @pmc_counts: counts, by ascending counter
 * @virt_mask: mask of the virtual counters that have a value
 * @nr_virt_counts: number of these virtual counters
 * @virtual_counts: their values, by ascending number of the virtual counter
 */
typedef struct pmc_sample {
	sample_type_t type;
	int coretype;
	int exp_idx;
	pid_t pid;
	uint64_t elapsed_time;
	unsigned int pmc_mask;
	unsigned int nr_counts;
	uint64_t pmc_counts[MAX_PERFORMANCE_COUNTERS];
	unsigned int virt_mask;
	unsigned int nr_virt_counts;
	uint64_t virtual_counts[MAX_VIRTUAL_COUNTERS];
} pmc_sample_t;

#endif /* PMC_USER_H */
