// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quality_model MACHINE TOGETHER MIXES SEED SECONDS HOLD_US BUDGET PROFILE…
 *
 * Quality Time of mixes that are drawn by lot from simulated programs, with the files of the
 * simulated machine and of the monitoring module, but without a kernel: counts are read at ticks,
 * CPUs stand still at once. Prints "machine,seed,mix,program,quality_ms,cpu_ms,alone_ms".
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "topology.h"
#include "../../../module/mmon/quality_rate.h"
#include "../../../module/pmu-backends/sim/model.h"

#define TICK_NS		4000000ULL
/* Caches are as they are beside others from here on. */
#define BEGIN_NS	200000000ULL
#define PIECES		16

/* A program, and what the module keeps of its thread. */
struct thread {
	struct pmct_quality_account a;
	uint64_t began_alone_ps, began_ns;
};

static struct pmct_sim sim;
static struct thread threads[PMCT_SIM_CPUS];
static unsigned int nr;

static struct pmct_quality_part done_by(unsigned int i)
{
	const struct pmct_sim_thread *t = &sim.thread[i];

	return (struct pmct_quality_part){
		.count = { t->count[PMCT_SIM_INSTR], t->count[PMCT_SIM_L1D],
			   t->count[PMCT_SIM_LLC_MISSES] },
		.ns = t->ran_ps / 1000,
	};
}

static void add(struct pmct_quality_part *sum, const struct pmct_quality_part *to,
		const struct pmct_quality_part *from)
{
	for (unsigned int e = 0; e < PMCT_QUALITY_NR; e++)
		sum->count[e] += to->count[e] - from->count[e];
	sum->ns += to->ns - from->ns;
}

static void run_until(uint64_t end)
{
	while (sim.stepped < end)
		pmct_sim_step(&sim, sim.pace.next < end ? sim.pace.next : end);
}

static void tick(unsigned int i)
{
	struct pmct_quality_part now = done_by(i);

	pmct_quality_see(&threads[i].a, &now);
	pmct_quality_explain(&threads[i].a, PMCT_QUALITY_L1D, false);
}

static void sample(unsigned int i, uint64_t hold_ns)
{
	const struct pmct_sim_machine *m = &sim.machine;
	/* As quality_sampler.c has it: who is alone has filled his cache. */
	uint32_t lines = nr == 1 ? 0 : m->cluster[m->cpu_cluster[i]].llc_kib * 16;
	struct pmct_quality_part piece[PIECES] = { }, was = done_by(i), now;
	struct pmct_quality_rate rate = { };
	uint64_t began = sim.stepped;
	unsigned int k;

	for (k = 0; k < nr; k++) {
		if (k != i)
			pmct_sim_leave(&sim, k, false, began);
	}
	for (k = 0; k < PIECES; k++, was = now) {
		run_until(began + hold_ns * (k + 1) / PIECES);
		now = done_by(i);
		add(&piece[k], &now, &was);
	}
	for (k = 0; k < nr; k++) {
		if (k != i)
			pmct_sim_enter(&sim, k, k, sim.stepped);
	}
	rate.sampled_ns = sim.stepped;
	if (pmct_quality_measure(&rate, piece, PIECES, PMCT_QUALITY_L1D, lines))
		pmct_quality_note(threads[i].a.rate, &rate);
}

static void begin(const struct pmct_sim_machine *m, const struct program *pool,
		  const unsigned int *mix, uint64_t seed)
{
	memset(threads, 0, sizeof(threads));
	pmct_sim_init(&sim, m, 0);
	for (unsigned int i = 0; i < nr; i++) {
		pmct_sim_begin(&sim, i, &pool[mix[i]].profile, seed * 1000 + i);
		sim.thread[i].goal = UINT64_MAX;
		pmct_sim_enter(&sim, i, i, 0);
	}
	run_until(BEGIN_NS);
	for (unsigned int i = 0; i < nr; i++) {
		pmct_sim_settle_alone(&sim, i);
		threads[i].a.seen = done_by(i);
		threads[i].began_alone_ps = sim.thread[i].alone[m->cpu_type[i]].ps;
		threads[i].began_ns = threads[i].a.seen.ns;
	}
}

static void run(uint64_t end, uint64_t hold_ns, uint64_t period_ns)
{
	uint64_t next_tick = sim.stepped + TICK_NS, next_sample = sim.stepped;
	unsigned int turn = 0;

	while (sim.stepped < end) {
		if (next_sample <= next_tick) {
			run_until(next_sample);
			sample(turn, hold_ns);
			turn = (turn + 1) % nr;
			next_sample += period_ns;
			continue;
		}
		run_until(next_tick);
		for (unsigned int i = 0; i < nr; i++)
			tick(i);
		next_tick += TICK_NS;
	}
}

static void report(const struct pmct_sim_machine *m, const struct program *pool,
		   const unsigned int *mix, uint64_t seed, unsigned int number)
{
	for (unsigned int i = 0; i < nr; i++) {
		const struct thread *t = &threads[i];

		pmct_sim_settle_alone(&sim, i);
		printf("%s,%llu,%u,%s,%.3f,%.3f,%.3f\n", m->name, (unsigned long long)seed, number,
		       pool[mix[i]].profile.name, (double)t->a.q.quality_ns / 1e6,
		       (double)(done_by(i).ns - t->began_ns) / 1e6,
		       (double)(sim.thread[i].alone[m->cpu_type[i]].ps - t->began_alone_ps) / 1e9);
	}
}

int main(int argc, char **argv)
{
	const struct pmct_sim_machine *m = argc > 8 ? topology_find(argv[1]) : NULL;
	uint64_t seed, end, hold_ns, period_ns;
	unsigned int mix[PMCT_SIM_CPUS], mixes, number;
	struct program *pool;
	int i, profiles = argc - 8;

	nr = m ? (unsigned int)atoi(argv[2]) : 0;
	if (!nr || nr > m->nr_cpus) {
		fprintf(stderr, "quality_model MACHINE TOGETHER MIXES SEED SECONDS HOLD_US BUDGET PROFILE…\n");
		return 2;
	}
	mixes = (unsigned int)atoi(argv[3]);
	seed = (uint64_t)atoll(argv[4]);
	end = (uint64_t)(atof(argv[5]) * 1e9);
	hold_ns = (uint64_t)atoll(argv[6]) * 1000;
	period_ns = hold_ns * 1000 / (uint64_t)atoll(argv[7]);
	pool = calloc((size_t)profiles, sizeof(*pool));
	if (!pool)
		return 1;
	for (i = 0; i < profiles; i++) {
		if (program_read(&pool[i], argv[8 + i]))
			return 1;
	}
	srandom((unsigned int)seed);
	for (number = 0; number < mixes; number++) {
		for (unsigned int k = 0; k < nr; k++)
			mix[k] = (unsigned int)(random() % profiles);
		begin(m, pool, mix, seed * mixes + number);
		run(end, hold_ns, period_ns);
		report(m, pool, mix, seed, number);
	}
	free(pool);
	return 0;
}
