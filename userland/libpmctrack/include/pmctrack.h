/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interface of PMCTrack 4.0, for programs that were written for it: they
 * recompile unchanged. New programs use <pmctrack/libpmctrack.h>, on which this
 * stands, and which can do more.
 *
 * Functions that return int return 0 on success; those that return a pointer
 * return NULL on failure. The reason is printed to the standard error, as it
 * always was, and is what pmctrack_error() says.
 */
#ifndef PMCTRACK_H
#define PMCTRACK_H

#include <stdio.h>
#include <pmc_user.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Most event sets of a configuration. */
#define MAX_COUNTER_CONFIGS	5

typedef struct pmctrack_desc pmctrack_desc_t;

/**
 * struct counter_mapping - which events a counter is used for
 * @nr_counter: the counter
 * @events: for each event set, the event; NULL: the set does not use it
 * @experiment_mask: mask of the sets that use it
 */
typedef struct counter_mapping {
	int nr_counter;
	char *events[MAX_COUNTER_CONFIGS];
	unsigned int experiment_mask;
} counter_mapping_t;

/**
 * pmctrack_init() - connect to the kernel module
 * @max_nr_samples: how many samples to expect; 0: a page full. More are kept, too.
 */
pmctrack_desc_t *pmctrack_init(unsigned int max_nr_samples);
/** pmctrack_destroy() - free a descriptor, and what it gave out */
int pmctrack_destroy(pmctrack_desc_t *desc);
/** pmctrack_clone_descriptor() - the same configuration for another thread */
pmctrack_desc_t *pmctrack_clone_descriptor(pmctrack_desc_t *orig);

/**
 * pmctrack_config_counters() - what to count
 * @desc: descriptor
 * @strcfg: raw strings (see pmc-events(1)), one an event set, then NULL. NULL: the
 *	sets of the monitoring module
 * @virtcfg: virtual counters, for example "virt0,virt2"; NULL: none
 * @mux_timeout_ms: sampling period, and turn of an event set; 0: a day
 */
int pmctrack_config_counters(pmctrack_desc_t *desc, const char *strcfg[], const char *virtcfg,
			     int mux_timeout_ms);
/**
 * pmctrack_config_counters_mnemonic() - the same, by names
 * @desc: descriptor
 * @strcfg: as for pmctrack -c, one or more event sets each, then NULL. "instr:ebs"
 *	takes a sample each 500,000,000 events, as it did in PMCTrack 4.0.
 * @virtcfg: names of virtual counters
 * @mux_timeout_ms: as above
 * @pmu_id: PMU (type of core) that is meant, from 0
 */
int pmctrack_config_counters_mnemonic(pmctrack_desc_t *desc, const char *strcfg[],
				      const char *virtcfg, int mux_timeout_ms, int pmu_id);

/** pmctrack_start_counters() - count the calling thread from here */
int pmctrack_start_counters(pmctrack_desc_t *desc);
/** pmctrack_stop_counters() - count it up to here, and collect the samples */
int pmctrack_stop_counters(pmctrack_desc_t *desc);
/** pmctrack_start_counters_syswide() - count all CPUs from here; needs CAP_PERFMON */
int pmctrack_start_counters_syswide(pmctrack_desc_t *desc);
/** pmctrack_stop_counters_syswide() - count them up to here, and collect the samples */
int pmctrack_stop_counters_syswide(pmctrack_desc_t *desc);

/**
 * pmctrack_print_counts() - print the samples collected last, as pmctrack does
 * @desc: descriptor
 * @outfile: where to
 * @extended_output: 1: with the event set of each sample
 */
void pmctrack_print_counts(pmctrack_desc_t *desc, FILE *outfile, int extended_output);
/**
 * pmctrack_get_samples() - the samples collected last
 * @desc: descriptor, which owns them until it is started or destroyed
 * @nr_samples: their number
 */
pmc_sample_t *pmctrack_get_samples(pmctrack_desc_t *desc, int *nr_samples);
/**
 * pmctrack_get_event_mapping() - which counter counts what
 * @desc: descriptor, configured by names; it owns the strings
 * @mapping: result, MAX_PERFORMANCE_COUNTERS elements, indexed by counter
 * @nr_experiments: result, number of event sets
 * @used_pmcmask: result, mask of the counters used
 *
 * Return: 0, or 1 if it was configured by raw strings.
 */
int pmctrack_get_event_mapping(pmctrack_desc_t *desc, counter_mapping_t *mapping,
			       unsigned int *nr_experiments, unsigned int *used_pmcmask);

#ifdef __cplusplus
}
#endif

#endif /* PMCTRACK_H */
