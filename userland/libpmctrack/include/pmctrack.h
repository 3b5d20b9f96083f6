/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interface of PMCTrack 4.0. Programs that were written for PMCTrack 4.0 can be
 * recompiled without changes. New programs should use <pmctrack/libpmctrack.h>: this
 * interface is built on it, and it can do more.
 *
 * Functions that return int return 0 on success. Functions that return a pointer
 * return NULL on failure. The reason is printed to the standard error, as in
 * PMCTrack 4.0, and pmctrack_error() returns it.
 */
#ifndef PMCTRACK_H
#define PMCTRACK_H

#include <stdio.h>
#include <pmc_user.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Maximum number of event sets in a configuration. */
#define MAX_COUNTER_CONFIGS	5

typedef struct pmctrack_desc pmctrack_desc_t;

/**
 * struct counter_mapping - the events that a counter is used for
 * @nr_counter: the counter
 * @events: for each event set, its event on the counter; NULL: the set does not use it
 * @experiment_mask: mask of the sets that use the counter
 */
typedef struct counter_mapping {
	int nr_counter;
	char *events[MAX_COUNTER_CONFIGS];
	unsigned int experiment_mask;
} counter_mapping_t;

/**
 * pmctrack_init() - connect to the kernel module
 * @max_nr_samples: expected number of samples; 0: as many as fill a page. If there
 *	are more samples, they are kept, too.
 */
pmctrack_desc_t *pmctrack_init(unsigned int max_nr_samples);
/** pmctrack_destroy() - free a descriptor, and what its functions returned */
int pmctrack_destroy(pmctrack_desc_t *desc);
/** pmctrack_clone_descriptor() - copy the configuration to a descriptor for another thread */
pmctrack_desc_t *pmctrack_clone_descriptor(pmctrack_desc_t *orig);

/**
 * pmctrack_config_counters() - choose what to count, by raw strings
 * @desc: descriptor
 * @strcfg: raw strings (see pmc-events(1)), one for each event set, then NULL. If
 *	@strcfg itself is NULL, the sets of the monitoring module are counted.
 * @virtcfg: virtual counters, for example "virt0,virt2"; NULL: none
 * @mux_timeout_ms: sampling period in milliseconds, which is also how long the turn of
 *	an event set lasts; 0: one day
 */
int pmctrack_config_counters(pmctrack_desc_t *desc, const char *strcfg[], const char *virtcfg,
			     int mux_timeout_ms);
/**
 * pmctrack_config_counters_mnemonic() - choose what to count, by names of events
 * @desc: descriptor
 * @strcfg: strings as for pmctrack -c, then NULL. Each string makes one or more event
 *	sets. "instr:ebs" takes a sample every 500,000,000 events, as in PMCTrack 4.0.
 * @virtcfg: names of virtual counters
 * @mux_timeout_ms: as for pmctrack_config_counters()
 * @pmu_id: PMU (core type) to count on, from 0
 */
int pmctrack_config_counters_mnemonic(pmctrack_desc_t *desc, const char *strcfg[],
				      const char *virtcfg, int mux_timeout_ms, int pmu_id);

/** pmctrack_start_counters() - begin to count the calling thread */
int pmctrack_start_counters(pmctrack_desc_t *desc);
/** pmctrack_stop_counters() - end counting the calling thread, and collect the samples */
int pmctrack_stop_counters(pmctrack_desc_t *desc);
/** pmctrack_start_counters_syswide() - begin to count all CPUs; needs CAP_PERFMON */
int pmctrack_start_counters_syswide(pmctrack_desc_t *desc);
/** pmctrack_stop_counters_syswide() - end counting all CPUs, and collect the samples */
int pmctrack_stop_counters_syswide(pmctrack_desc_t *desc);

/**
 * pmctrack_print_counts() - print the samples that were collected last, as pmctrack does
 * @desc: descriptor
 * @outfile: file to print to
 * @extended_output: 1: with the event set of each sample
 */
void pmctrack_print_counts(pmctrack_desc_t *desc, FILE *outfile, int extended_output);
/**
 * pmctrack_get_samples() - get the samples that were collected last
 * @desc: descriptor. It owns the samples; they are valid until counting is started
 *	again or @desc is destroyed.
 * @nr_samples: result, number of samples
 */
pmc_sample_t *pmctrack_get_samples(pmctrack_desc_t *desc, int *nr_samples);
/**
 * pmctrack_get_event_mapping() - find out which events each counter counts
 * @desc: descriptor, configured by names; it owns the strings in @mapping
 * @mapping: result, MAX_PERFORMANCE_COUNTERS elements, indexed by counter
 * @nr_experiments: result, number of event sets
 * @used_pmcmask: result, mask of the counters used
 *
 * Return: 0, or 1 if @desc was configured by raw strings.
 */
int pmctrack_get_event_mapping(pmctrack_desc_t *desc, counter_mapping_t *mapping,
			       unsigned int *nr_experiments, unsigned int *used_pmcmask);

#ifdef __cplusplus
}
#endif

#endif /* PMCTRACK_H */
