// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * phases_model MACHINE SECONDS PROFILE…
 *
 * How good are the phases that the module fair_progress finds? Each program runs alone for SECONDS,
 * then again beside as many others as the machine has CPUs, with the same work. Others are the
 * profiles before it in the list.
 *
 * Prints a line for each program: machine,program,phases,found,windows,deviation,of_all,
 * found_beside,deviation_beside,of_all_beside,same. Deviations are of the instructions per cycle,
 * in percent: the standard deviation over the mean within a phase, weighted by the windows of the
 * phases (section 5 of the paper), and of all windows together. "same" is the part of the work, in
 * percent, that has the same phase alone and beside others.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fair_window.h"
#include "program.h"
#include "topology.h"

#define TICK_NS	4000000ULL
/* The work is compared at so many points. */
#define POINTS	2000

/* A mean and a variance, after Welford. */
struct spread { double n, mean, m2; };

/* Phases of a program in a run, and where in its work they were. */
struct found {
	struct spread of[PMCT_PHASES], all;
	unsigned int windows;
	unsigned char at[POINTS];
};

static struct pmct_sim sim;
static const struct pmct_sim_machine *machine;

static void add(struct spread *s, double x)
{
	double d = x - s->mean;

	s->n++;
	s->mean += d / s->n;
	s->m2 += d * (x - s->mean);
}

static double deviation(const struct spread *s)
{
	return s->n > 1 ? 100 * sqrt(s->m2 / s->n) / s->mean : 0;
}

static double weighted(const struct found *f)
{
	double sum = 0;

	for (unsigned int p = 0; p < PMCT_PHASES; p++)
		sum += f->of[p].n * deviation(&f->of[p]);
	return f->all.n ? sum / f->all.n : 0;
}

static unsigned int number_found(const struct found *f)
{
	unsigned int n = 0;

	for (unsigned int p = 0; p < PMCT_PHASES; p++)
		n += f->of[p].n > 0;
	return n;
}

static void note(struct found *f, const struct fair_watch *watch, const struct fair_point *from,
		 const struct fair_point *to, uint64_t goal)
{
	unsigned int phase = watch->progress.phase;
	double ipc = (double)(to->instr - from->instr) / (double)(to->cycles - from->cycles);

	f->windows++;
	add(&f->all, ipc);
	if (phase < PMCT_PHASES)
		add(&f->of[phase], ipc);
	for (uint64_t i = from->instr * POINTS / goal; i < to->instr * POINTS / goal && i < POINTS; i++)
		f->at[i] = (unsigned char)(phase + 1);
}

/* Run program 0 of @programs beside the others, until @goal or until @end. Returns its work. */
static uint64_t watch_it(struct program *const *programs, unsigned int nr, uint64_t goal, uint64_t end, struct found *f)
{
	static struct fair_watch watch;
	struct pmct_traffic traffic = { .peak = machine->node[0].mem_mbs * 1000ULL / 64, .own = 40, .system = 333 };
	enum pmct_contention kind;

	memset(&watch, 0, sizeof(watch));
	memset(f, 0, sizeof(*f));
	fair_watch_begin(&watch);
	pmct_sim_init(&sim, machine, 0);
	for (unsigned int i = 0; i < nr; i++) {
		pmct_sim_begin(&sim, i, &programs[i]->profile, i + 1);
		sim.thread[i].goal = UINT64_MAX;
		pmct_sim_enter(&sim, i, i, 0);
	}
	while (sim.stepped < end && sim.thread[0].count[PMCT_SIM_INSTR] < goal) {
		struct fair_point now, from = watch.began;

		fair_run_until(&sim, sim.stepped + TICK_NS);
		now = fair_point(&sim, 0);
		fair_sample(&watch, &sim.thread[0], now.instr);
		if (fair_end_window(&watch, &now, machine->cpu_type[0], &traffic, &kind))
			note(f, &watch, &from, &now, goal);
	}
	return sim.thread[0].count[PMCT_SIM_INSTR];
}

/* The part of the work whose phase in @b is the one that its phase in @a mostly is. */
static double agrees(const unsigned char *a, const unsigned char *b)
{
	static unsigned int n[PMCT_PHASES + 2][PMCT_PHASES + 2];
	unsigned int good = 0, all = 0;

	memset(n, 0, sizeof(n));
	for (unsigned int i = 0; i < POINTS; i++) {
		if (a[i] && b[i]) {
			n[a[i]][b[i]]++;
			all++;
		}
	}
	for (unsigned int x = 0; x < PMCT_PHASES + 2; x++) {
		unsigned int most = 0;

		for (unsigned int y = 0; y < PMCT_PHASES + 2; y++)
			most = n[x][y] > most ? n[x][y] : most;
		good += most;
	}
	return all ? 100.0 * good / all : 0;
}

int main(int argc, char **argv)
{
	unsigned int profiles = argc > 3 ? (unsigned int)argc - 3 : 0;
	uint64_t end;
	struct program *pool;

	machine = argc > 3 ? topology_find(argv[1]) : NULL;
	if (!machine || atoi(argv[2]) < 1) {
		fprintf(stderr, "phases_model MACHINE SECONDS PROFILE…\n");
		return 2;
	}
	end = (uint64_t)atoi(argv[2]) * 1000000000;
	pool = calloc(profiles, sizeof(*pool));
	if (!pool)
		return 1;
	for (unsigned int i = 0; i < profiles; i++) {
		if (program_read(&pool[i], argv[3 + i]))
			return 1;
	}
	for (unsigned int i = 0; i < profiles; i++) {
		static struct found alone, beside;
		struct program *programs[PMCT_SIM_CPUS];
		double there, back;
		uint64_t goal;

		for (unsigned int k = 0; k < machine->nr_cpus; k++)
			programs[k] = &pool[(i + profiles * PMCT_SIM_CPUS - k) % profiles];
		srandom(1);
		goal = watch_it(programs, 1, UINT64_MAX, end, &alone);
		srandom(1);
		watch_it(programs, 1, goal, UINT64_MAX, &alone);
		srandom(2);
		watch_it(programs, machine->nr_cpus, goal, UINT64_MAX, &beside);
		there = agrees(alone.at, beside.at);
		back = agrees(beside.at, alone.at);
		printf("%s,%s,%u,%u,%u,%.2f,%.2f,%u,%.2f,%.2f,%.1f\n", machine->name, pool[i].profile.name, pool[i].profile.nr_phases,
		       number_found(&alone), alone.windows, weighted(&alone), deviation(&alone.all),
		       number_found(&beside), weighted(&beside), deviation(&beside.all), there < back ? there : back);
		fflush(stdout);
	}
	free(pool);
	return 0;
}
