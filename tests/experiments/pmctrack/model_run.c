// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model_run.h"

#define TICK_NS		4000000ULL
/* From this time on, caches are as they are beside others. */
#define BEGIN_NS	200000000ULL
#define PIECES		16

struct model_thread model_threads[PMCT_SIM_CPUS];
unsigned int model_nr;

static struct pmct_sim sim;
static uint64_t next_tick, next_sample;
static unsigned int turn;

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

	pmct_quality_see(&model_threads[i].a, &now);
	pmct_quality_explain(&model_threads[i].a, PMCT_QUALITY_L1D, false);
}

static void sample(unsigned int i, uint64_t hold_ns)
{
	const struct pmct_sim_machine *m = &sim.machine;
	/* As in quality_sampler.c: a program that is alone has filled its cache. */
	uint32_t lines = model_nr == 1 ? 0 : m->cluster[m->cpu_cluster[model_threads[i].cpu]].llc_kib * 16;
	struct pmct_quality_part piece[PIECES] = { }, was = done_by(i), now;
	struct pmct_quality_rate rate = { };
	uint64_t began = sim.stepped;
	unsigned int k;

	for (k = 0; k < model_nr; k++) {
		if (k != i)
			pmct_sim_leave(&sim, model_threads[k].cpu, false, began);
	}
	for (k = 0; k < PIECES; k++, was = now) {
		run_until(began + hold_ns * (k + 1) / PIECES);
		now = done_by(i);
		add(&piece[k], &now, &was);
	}
	for (k = 0; k < model_nr; k++) {
		if (k != i)
			pmct_sim_enter(&sim, model_threads[k].cpu, k, sim.stepped);
	}
	rate.sampled_ns = sim.stepped;
	if (pmct_quality_measure(&rate, piece, PIECES, PMCT_QUALITY_L1D, lines))
		pmct_quality_note(model_threads[i].a.rate, &rate);
}

unsigned int model_pairs(unsigned int profiles)
{
	return profiles * (profiles + 1) / 2;
}

void model_mix(unsigned int *mix, unsigned int number, unsigned int profiles, bool pairs)
{
	unsigned int n = number, one = 0;

	while (pairs && n >= profiles - one)
		n -= profiles - one++;
	for (unsigned int k = 0; k < model_nr; k++) {
		if (pairs)
			mix[k] = k < (model_nr + 1) / 2 ? one : one + n;
		else
			mix[k] = (unsigned int)(random() % (long)profiles);
	}
}

void model_begin(const struct pmct_sim_machine *m, const struct program *pool,
		 const unsigned int *mix, const unsigned int *cpus, uint64_t seed)
{
	memset(model_threads, 0, sizeof(model_threads));
	pmct_sim_init(&sim, m, 0);
	for (unsigned int i = 0; i < model_nr; i++) {
		model_threads[i].cpu = cpus ? cpus[i] : i;
		pmct_sim_begin(&sim, i, &pool[mix[i]].profile, seed * 1000 + i);
		sim.thread[i].goal = UINT64_MAX;
		pmct_sim_enter(&sim, model_threads[i].cpu, i, 0);
	}
	run_until(BEGIN_NS);
	for (unsigned int i = 0; i < model_nr; i++) {
		struct model_thread *t = &model_threads[i];

		pmct_sim_settle_alone(&sim, i);
		t->a.seen = done_by(i);
		t->began_alone_ps = sim.thread[i].alone[m->cpu_type[t->cpu]].ps;
		t->began_ns = t->a.seen.ns;
	}
	next_tick = sim.stepped + TICK_NS;
	next_sample = sim.stepped;
	turn = 0;
}

void model_run(uint64_t end, uint64_t hold_ns, uint64_t period_ns)
{
	while (sim.stepped < end) {
		if (hold_ns && next_sample <= next_tick) {
			run_until(next_sample);
			sample(turn, hold_ns);
			turn = (turn + 1) % model_nr;
			next_sample += period_ns;
			continue;
		}
		run_until(next_tick);
		for (unsigned int i = 0; i < model_nr; i++)
			tick(i);
		next_tick += TICK_NS;
	}
}

uint64_t model_now(void)
{
	return sim.stepped;
}

void model_leave(unsigned int i)
{
	pmct_sim_leave(&sim, model_threads[i].cpu, false, sim.stepped);
}

void model_enter(unsigned int i, unsigned int cpu)
{
	pmct_sim_enter(&sim, cpu, i, sim.stepped);
	model_threads[i].cpu = cpu;
}

uint64_t model_cpu_ns(unsigned int i)
{
	return done_by(i).ns - model_threads[i].began_ns;
}

double model_alone_ns(unsigned int i)
{
	const struct model_thread *t = &model_threads[i];

	pmct_sim_settle_alone(&sim, i);
	return (double)(sim.thread[i].alone[sim.machine.cpu_type[t->cpu]].ps - t->began_alone_ps) / 1e3;
}
