// SPDX-License-Identifier: GPL-2.0-or-later
/* A program for the library of PMCTrack 4.0, with known counts. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <pmctrack.h>

#include "spin.h"
#include "timing.h"

/* Cycles and instructions: what to write, and which counter is which. */
#ifdef __aarch64__
enum { CYCLES, INSTR };
#define RAW	"pmc0,pmc1=0x8"
#define RAW_EBS	RAW ",ebs1"
#else
enum { INSTR, CYCLES };
#define RAW	"pmc0,pmc1"
#define RAW_EBS	RAW ",ebs0"
#endif

#define CHECK(cond) do {						\
	if (!(cond)) {							\
		fprintf(stderr, "old_api:%d: " #cond "\n", __LINE__);	\
		exit(1);						\
	}								\
} while (0)

static uint64_t measure(pmctrack_desc_t *desc, unsigned long rounds)
{
	long long start = now();
	pmc_sample_t *samples;
	int nr;

	CHECK(!pmctrack_start_counters(desc));
	spin(rounds);
	CHECK(!pmctrack_stop_counters(desc));
	samples = pmctrack_get_samples(desc, &nr);
	CHECK(samples && nr == 1);
	CHECK(samples->type == PMC_SELF_SAMPLE && samples->exp_idx == 0);
	CHECK(samples->pmc_mask == 0x3 && samples->nr_counts == 2);
	CHECK(samples->elapsed_time > 0 && samples->elapsed_time <= (uint64_t)(now() - start));
	return samples->pmc_counts[INSTR];
}

static void exact(pmctrack_desc_t *desc)
{
	measure(desc, 1);
	CHECK(measure(desc, 20000) - measure(desc, 10000) == 2 * 10000);
}

static void *thread(void *desc)
{
	exact(desc);
	return NULL;
}

static void several_sets(pmctrack_desc_t *desc)
{
	const char *sets[] = { "instr,cycles", "instr:uk", NULL };
	counter_mapping_t mapping[MAX_PERFORMANCE_COUNTERS];
	unsigned int nr_experiments, mask, in_set[2] = { 0, 0 };
	pmc_sample_t *samples;
	int nr;

	CHECK(!pmctrack_config_counters_mnemonic(desc, sets, NULL, 8, 0));
	CHECK(!pmctrack_get_event_mapping(desc, mapping, &nr_experiments, &mask));
	CHECK(nr_experiments == 2 && mask == 0x3);
	CHECK(mapping[INSTR].nr_counter == INSTR && mapping[INSTR].experiment_mask == 0x3);
	CHECK(!strcmp(mapping[CYCLES].events[0], "cycles") && !mapping[CYCLES].events[1]);
	CHECK(!strcmp(mapping[INSTR].events[0], "instr") && !strcmp(mapping[INSTR].events[1], "instr:uk"));
	CHECK(!pmctrack_start_counters(desc));
	spin(20000000);
	CHECK(!pmctrack_stop_counters(desc));
	samples = pmctrack_get_samples(desc, &nr);
	CHECK(nr > 2);
	for (int i = 0; i < nr; i++)
		in_set[samples[i].exp_idx]++;
	CHECK(in_set[0] && in_set[1]);
	CHECK(samples[nr - 1].type == PMC_SELF_SAMPLE);
	pmctrack_print_counts(desc, stdout, 1);
}

/* As in the sample programs of 4.0, there is no number of events, and a period beside it. */
static void samples_by_events(pmctrack_desc_t *desc)
{
	const char *sets[] = { "instr:ebs,cycles", NULL }, *raw[] = { RAW_EBS, NULL };
	pmc_sample_t *samples;
	int nr;

	CHECK(!pmctrack_config_counters_mnemonic(desc, sets, NULL, 250, 0));
	CHECK(!pmctrack_start_counters(desc));
	spin(260000000);
	CHECK(!pmctrack_stop_counters(desc));
	samples = pmctrack_get_samples(desc, &nr);
	CHECK(nr == 2 && samples[0].type == PMC_EBS_SAMPLE && samples[1].type == PMC_SELF_SAMPLE);
	CHECK(samples[0].pmc_counts[INSTR] >= 500000000 && samples[0].pmc_counts[INSTR] < 500100000);
	CHECK(samples[0].pmc_counts[INSTR] + samples[1].pmc_counts[INSTR] >= 520000000);

	CHECK(!pmctrack_config_counters(desc, raw, NULL, 250));
	CHECK(!pmctrack_start_counters(desc));
	spin(1000);
	CHECK(!pmctrack_stop_counters(desc));
}

int main(void)
{
	const char *raw[] = { RAW, NULL };
	const char *wrong[] = { "nonsense", NULL };
	counter_mapping_t mapping[MAX_PERFORMANCE_COUNTERS];
	unsigned int nr_experiments, mask;
	pmctrack_desc_t *desc = pmctrack_init(0), *clone;
	pmc_sample_t *samples;
	pthread_t other;
	uint64_t all = 0;
	int nr;

	CHECK(desc);
	CHECK(pmctrack_start_counters(desc));
	CHECK(!pmctrack_config_counters(desc, raw, NULL, 0));
	CHECK(pmctrack_stop_counters(desc));
	CHECK(pmctrack_get_event_mapping(desc, mapping, &nr_experiments, &mask) == 1);
	exact(desc);
	clone = pmctrack_clone_descriptor(desc);
	CHECK(clone);
	pthread_create(&other, NULL, thread, clone);
	exact(desc);
	pthread_join(other, NULL);
	pmctrack_destroy(clone);
	pmctrack_print_counts(desc, stdout, 0);
	several_sets(desc);
	samples_by_events(desc);
	CHECK(pmctrack_config_counters_mnemonic(desc, wrong, NULL, 0, 0));
	CHECK(!pmctrack_config_counters(desc, raw, NULL, 0));
	CHECK(!pmctrack_start_counters_syswide(desc));
	spin(1000000);
	CHECK(!pmctrack_stop_counters_syswide(desc));
	samples = pmctrack_get_samples(desc, &nr);
	CHECK(nr >= 2);
	for (int i = 0; i < nr; i++)
		all += samples[i].pmc_counts[INSTR];
	CHECK(all > 2 * 1000000);
	CHECK(!pmctrack_destroy(desc));
	return 0;
}
