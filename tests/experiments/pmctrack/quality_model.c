// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quality_model MACHINE TOGETHER MIXES SEED SECONDS STEP_S HOLD_US BUDGET PROFILE…
 *
 * Compute the Quality Time of mixes of simulated programs (see model_run.h). MIXES is their number,
 * or "pairs". Prints "machine,seed,mix,at_s,program,quality_ms,explained_ms,cpu_ms,alone_ms" at
 * each step or, if STEP_S is 0, at the end. Times are since the beginning.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_run.h"
#include "topology.h"

static void report(const struct pmct_sim_machine *m, const struct program *pool,
		   const unsigned int *mix, uint64_t seed, unsigned int number, double at_s)
{
	for (unsigned int i = 0; i < model_nr; i++)
		printf("%s,%llu,%u,%.1f,%s,%.3f,%.3f,%.3f,%.3f\n", m->name, (unsigned long long)seed, number, at_s,
		       pool[mix[i]].profile.name, (double)model_threads[i].a.q.quality_ns / 1e6,
		       (double)model_threads[i].a.q.cpu_ns / 1e6, (double)model_cpu_ns(i) / 1e6, model_alone_ns(i) / 1e6);
}

int main(int argc, char **argv)
{
	const struct pmct_sim_machine *m = argc > 9 ? topology_find(argv[1]) : NULL;
	uint64_t seed, end, step, hold_ns, period_ns;
	bool pairs;
	unsigned int mix[PMCT_SIM_CPUS], mixes, number;
	struct program *pool;
	int i, profiles = argc - 9;

	model_nr = m ? (unsigned int)atoi(argv[2]) : 0;
	if (!model_nr || model_nr > m->nr_cpus) {
		fprintf(stderr, "quality_model MACHINE TOGETHER MIXES SEED SECONDS STEP_S HOLD_US BUDGET PROFILE…\n");
		return 2;
	}
	pairs = strcmp(argv[3], "pairs") == 0;
	mixes = pairs ? model_pairs((unsigned int)profiles) : (unsigned int)atoi(argv[3]);
	seed = (uint64_t)atoll(argv[4]);
	end = (uint64_t)(atof(argv[5]) * 1e9);
	step = (uint64_t)(atof(argv[6]) * 1e9);
	hold_ns = (uint64_t)atoll(argv[7]) * 1000;
	period_ns = hold_ns * 1000 / (uint64_t)atoll(argv[8]);
	pool = calloc((size_t)profiles, sizeof(*pool));
	if (!pool)
		return 1;
	for (i = 0; i < profiles; i++) {
		if (program_read(&pool[i], argv[9 + i]))
			return 1;
	}
	srandom((unsigned int)seed);
	for (number = 0; number < mixes; number++) {
		model_mix(mix, number, (unsigned int)profiles, pairs);
		model_begin(m, pool, mix, NULL, seed * mixes + number);
		while (model_now() < end) {
			model_run(step && model_now() + step < end ? model_now() + step : end, hold_ns, period_ns);
			if (step || model_now() >= end)
				report(m, pool, mix, seed, number, (double)model_now() / 1e9);
		}
	}
	free(pool);
	return 0;
}
