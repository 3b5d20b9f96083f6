// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * placer_model MACHINE MIXES SEED SECONDS INTERVAL_MS LAMBDA DAMPING STAY_MS PLACEMENTS PROFILE…
 *
 * Run qplacer's annealing on mixes of programs, one on each CPU (see model_run.h), beside static
 * placements: all of them, or PLACEMENTS random ones. MIXES is the number of mixes, or "pairs".
 * Prints "machine,seed,mix,policy,progress,moves", where progress is the time that the work of all
 * programs takes alone, per time. Policies: in-order (the first program on the first CPU),
 * static-N, qplacer, oracle (qplacer with the true quality), random (moves without looking).
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_run.h"
#include "qplacer/anneal.h"
#include "topology.h"

#define HOLD_NS		5000000ULL
#define PERIOD_NS	500000000ULL

static const struct pmct_sim_machine *machine;
static struct program *pool;
static unsigned int mix[PMCT_SIM_CPUS];
static uint64_t seed_of_mix, seconds_ns, interval_ns;
static struct anneal_params params;
static unsigned int mix_number;
static unsigned long long seed;

enum source { ESTIMATED, TRUE_QUALITY, NOTHING };

static void print(const char *policy, unsigned int moves)
{
	double alone = 0;

	for (unsigned int i = 0; i < model_nr; i++)
		alone += model_alone_ns(i);
	printf("%s,%llu,%u,%s,%.5f,%u\n", machine->name, seed, mix_number, policy, alone / (double)seconds_ns,
	       moves);
}

/* Choose a CPU for each program of a placement. Programs that stay in their cache keep theirs. */
static void cpus_of(const struct placement *where, unsigned int *cpus)
{
	bool used[PMCT_SIM_CPUS] = { false };

	for (unsigned int i = 0; i < model_nr; i++) {
		if (machine->cpu_cluster[cpus[i]] == where->cache[i] && !used[cpus[i]])
			used[cpus[i]] = true;
		else
			cpus[i] = PMCT_SIM_CPUS;
	}
	for (unsigned int i = 0; i < model_nr; i++) {
		for (unsigned int c = 0; cpus[i] == PMCT_SIM_CPUS && c < machine->nr_cpus; c++) {
			if (!used[c] && machine->cpu_cluster[c] == where->cache[i]) {
				used[c] = true;
				cpus[i] = c;
			}
		}
	}
}

static void run_static(const char *policy, const struct placement *where)
{
	unsigned int cpus[PMCT_SIM_CPUS];

	for (unsigned int i = 0; i < model_nr; i++)
		cpus[i] = i;
	cpus_of(where, cpus);
	model_begin(machine, pool, mix, cpus, seed_of_mix);
	model_run(model_now() + seconds_ns, 0, 0);
	print(policy, 0);
}

static unsigned int cluster_sizes(unsigned int *room)
{
	for (unsigned int i = 0; i < machine->nr_cpus; i++)
		room[machine->cpu_cluster[i]]++;
	return machine->nr_clusters;
}

static struct anneal *new_anneal(const struct anneal_params *p)
{
	unsigned int room[ANNEAL_CACHES] = { 0 }, nr = cluster_sizes(room);
	struct anneal *a = anneal_new(p, room, nr);

	for (unsigned int i = 0; a && i < model_nr; i++)
		anneal_add(a, i, 1, 1);
	return a;
}

/* Returns the quality of the last interval in percent; negative: no sample explains it. */
static double quality_of(unsigned int i, enum source source, struct pmct_quality *before, double *alone_before,
			 uint64_t *cpu_before)
{
	const struct pmct_quality *q = &model_threads[i].a.q;
	double alone = model_alone_ns(i), percent = -1;
	uint64_t cpu = model_cpu_ns(i);

	if (source == TRUE_QUALITY)
		percent = 100 * (alone - *alone_before) / (double)(cpu - *cpu_before);
	else if (source == ESTIMATED && q->cpu_ns > before->cpu_ns)
		percent = 100 * (double)(q->quality_ns - before->quality_ns) / (double)(q->cpu_ns - before->cpu_ns);
	*before = *q;
	*alone_before = alone;
	*cpu_before = cpu;
	return percent;
}

/* As in qplacer/run.c, the first interval after a move is not used. */
static void run_annealing(const char *policy, enum source source)
{
	struct anneal_params p = params;
	struct pmct_quality before[PMCT_SIM_CPUS] = { { 0 } };
	double alone_before[PMCT_SIM_CPUS] = { 0 };
	uint64_t cpu_before[PMCT_SIM_CPUS] = { 0 };
	unsigned int cpus[PMCT_SIM_CPUS], moves = 0, settling = 0;
	static struct decision d;
	struct placement now = { .cache = { 0 } };
	struct anneal *a;
	uint64_t end, moved;

	p.seed += seed_of_mix;
	a = new_anneal(&p);
	if (!a)
		exit(1);
	for (unsigned int i = 0; i < model_nr; i++) {
		cpus[i] = i;
		now.cache[i] = machine->cpu_cluster[i];
	}
	model_begin(machine, pool, mix, NULL, seed_of_mix);
	moved = model_now();
	end = moved + seconds_ns;
	while (model_now() < end) {
		model_run(model_now() + interval_ns, source == NOTHING ? 0 : HOLD_NS, PERIOD_NS);
		for (unsigned int i = 0; i < model_nr; i++) {
			double percent = quality_of(i, source, &before[i], &alone_before[i], &cpu_before[i]);

			if (!settling && percent >= 0)
				anneal_learn(a, &now, i, percent);
		}
		if (settling) {
			settling--;
			continue;
		}
		anneal_decide(a, &now, (double)(model_now() - moved) / 1e6, &d);
		if (!d.chosen)
			continue;
		now = d.candidate[d.chosen].where;
		cpus_of(&now, cpus);
		for (unsigned int i = 0; i < model_nr; i++) {
			if (cpus[i] != model_threads[i].cpu)
				moves++;
		}
		/* All programs leave before one enters. */
		for (unsigned int i = 0; i < model_nr; i++)
			model_leave(i);
		for (unsigned int i = 0; i < model_nr; i++)
			model_enter(i, cpus[i]);
		moved = model_now();
		settling = 1;
	}
	anneal_free(a);
	print(policy, moves);
}

/* Run all distinct placements, or @most random ones. */
static void run_all_static(unsigned int most)
{
	static struct decision d;
	struct placement now = { .cache = { 0 } };
	struct anneal *a = new_anneal(&params);
	char name[32];
	unsigned int i, k;

	if (!a)
		exit(1);
	for (i = 0; i < model_nr; i++)
		now.cache[i] = machine->cpu_cluster[i];
	run_static("in-order", &now);
	anneal_decide(a, &now, 1, &d);
	if (d.all) {
		for (i = 0; i < d.nr; i++) {
			snprintf(name, sizeof(name), "static-%u", i);
			run_static(name, &d.candidate[i].where);
		}
	}
	for (i = 0; !d.all && i < most; i++) {
		for (k = model_nr - 1; k > 0; k--) {
			unsigned int other = (unsigned int)(random() % (k + 1));
			uint8_t cache = now.cache[k];

			now.cache[k] = now.cache[other];
			now.cache[other] = cache;
		}
		snprintf(name, sizeof(name), "static-%u", i);
		run_static(name, &now);
	}
	anneal_free(a);
}

int main(int argc, char **argv)
{
	unsigned int mixes, most;
	int profiles = argc - 10;
	bool pairs;

	machine = argc > 10 ? topology_find(argv[1]) : NULL;
	if (!machine) {
		fprintf(stderr, "placer_model MACHINE MIXES SEED SECONDS INTERVAL_MS LAMBDA DAMPING STAY_MS PLACEMENTS PROFILE…\n");
		return 2;
	}
	model_nr = machine->nr_cpus;
	pairs = strcmp(argv[2], "pairs") == 0;
	mixes = pairs ? model_pairs((unsigned int)profiles) : (unsigned int)atoi(argv[2]);
	seed = (unsigned long long)atoll(argv[3]);
	seconds_ns = (uint64_t)(atof(argv[4]) * 1e9);
	interval_ns = (uint64_t)(atof(argv[5]) * 1e6);
	params = (struct anneal_params){ .lambda = atof(argv[6]), .damping = atof(argv[7]), .stay = atof(argv[8]), .seed = seed };
	most = (unsigned int)atoi(argv[9]);
	pool = calloc((size_t)profiles, sizeof(*pool));
	if (!pool)
		return 1;
	for (int i = 0; i < profiles; i++) {
		if (program_read(&pool[i], argv[10 + i]))
			return 1;
	}
	srandom((unsigned int)seed);
	for (mix_number = 0; mix_number < mixes; mix_number++) {
		model_mix(mix, mix_number, (unsigned int)profiles, pairs);
		seed_of_mix = seed * mixes + mix_number;
		run_all_static(most);
		run_annealing("qplacer", ESTIMATED);
		run_annealing("oracle", TRUE_QUALITY);
		run_annealing("random", NOTHING);
	}
	free(pool);
	return 0;
}
