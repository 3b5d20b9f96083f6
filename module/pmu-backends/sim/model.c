// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state of a simulated machine: which thread runs where, whose lines are in which cache, and
 * what was done. Numbers in comments are those of the equations in Documentation/simulation.md.
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "rates.h"
#include "tags.h"

#define MILLION		1000000ULL

/* Products of time and rates stay below 2^64. */
#define SYNC_NS_MAX	10000000ULL
/* If the whole machine was paused for longer, threads work only this time. */
#define LOST_NS		1000000000ULL
/* Pieces of work alone have this many instructions, some ms, and fewer while caches fill. */
#define ALONE_INSTR	4000000
#define ALONE_LEAST	20000
#define ALONE_MOST	1000000000ULL
#define STEPS_MAX	100

/* Returns @instr times @rate per million, also if the product is above 2^64. */
static u64 pmct_sim_of(u64 instr, u64 rate)
{
	return instr * (rate / MILLION) + instr * (rate % MILLION) / MILLION;
}

/* Compute the rates of the thread on @cpu, with the caches there. */
static void pmct_sim_rates_here(struct pmct_sim *sim, unsigned int cpu)
{
	unsigned int cluster = sim->machine.cpu_cluster[cpu];
	unsigned int thread = sim->cpu[cpu].thread;
	struct pmct_sim_thread *t = &sim->thread[thread];

	pmct_sim_rates(&sim->machine, sim->machine.cpu_type[cpu], cluster, t,
		       sim->cpu[cpu].l2.has[thread], sim->llc[cluster].has[thread], &t->rates);
}

static void pmct_sim_rates_memory_here(struct pmct_sim *sim, unsigned int cpu)
{
	const struct pmct_sim_machine *m = &sim->machine;
	u32 mem_ps = sim->mem_ps[m->cluster[m->cpu_cluster[cpu]].node];

	pmct_sim_rates_memory(&m->type[m->cpu_type[cpu]], mem_ps,
			      &sim->thread[sim->cpu[cpu].thread].rates);
}

/*
 * Caches
 */

static u64 pmct_sim_size(u32 kib)
{
	return (u64)kib * PMCT_SIM_LINES_PER_KIB * PMCT_SIM_PART;
}

static u64 pmct_sim_footprint(const struct pmct_sim_curve *c)
{
	return (u64)c->kib[c->nr - 1] * PMCT_SIM_LINES_PER_KIB;
}

/*
 * (9) A thread that has @has of a cache, and uses @footprint lines, brings in @filled lines.
 * Returns how many of them take lines of others or free room. The rest replaces the thread's own
 * lines.
 */
static u64 pmct_sim_foreign(u64 filled, u64 has, u64 footprint)
{
	u64 lines = has / PMCT_SIM_PART;

	return lines < footprint ? filled * (footprint - lines) / footprint : 0;
}

/* (10) Add the lines that threads have brought in. Each thread with lines loses its part. */
static void pmct_sim_cache_settle(struct pmct_sim_cache *c, unsigned int nr)
{
	u64 sum = 0;
	unsigned int i;

	if (!c->changed)
		return;
	c->changed = false;
	for (i = 0; i < nr; i++) {
		c->has[i] += c->filled[i];
		c->filled[i] = 0;
		sum += c->has[i];
	}
	if (sum <= c->size)
		return;
	for (i = 0; i < nr; i++) {
		if (c->has[i])
			c->has[i] = c->has[i] * c->size / sum;
	}
}

/* A thread has missed @misses times, in parts. Returns by how much it fills the cache. */
static u64 pmct_sim_cache_miss(struct pmct_sim_cache *c, unsigned int thread, u64 misses,
			       const struct pmct_sim_curve *curve)
{
	u64 lines = pmct_sim_foreign(misses, c->has[thread], pmct_sim_footprint(curve));

	lines = min(lines, c->size - c->filled[thread]);
	c->filled[thread] += lines;
	c->changed |= lines;
	return lines;
}

/* Like pmct_sim_cache_miss(), for a last-level cache, where lines have RMIDs. */
static void pmct_sim_llc_miss(struct pmct_sim *sim, unsigned int cpu, u64 misses,
			      const struct pmct_sim_curve *curve)
{
	unsigned int cluster = sim->machine.cpu_cluster[cpu];
	const struct pmct_sim_cpu *c = &sim->cpu[cpu];
	u64 lines = pmct_sim_cache_miss(&sim->llc[cluster], c->thread, misses, curve);

	pmct_sim_tags_fill(&sim->tags[cluster], c->thread, c->rmid, misses - lines, lines);
}

/* Like pmct_sim_cache_settle(), for the lines of all RMIDs. */
static void pmct_sim_llc_settle(struct pmct_sim *sim, unsigned int cluster, unsigned int nr)
{
	struct pmct_sim_cache *c = &sim->llc[cluster];
	unsigned int i;

	if (!c->changed)
		return;
	pmct_sim_cache_settle(c, nr);
	for (i = 0; i < nr; i++)
		pmct_sim_tags_fit(&sim->tags[cluster], i, c->has[i]);
	pmct_sim_tags_show(&sim->tags[cluster], nr);
}

static void pmct_sim_cache_forget(struct pmct_sim_cache *c, unsigned int thread)
{
	c->has[thread] = 0;
	c->filled[thread] = 0;
}

static unsigned int pmct_sim_nr_threads(const struct pmct_sim *sim)
{
	unsigned int nr = PMCT_SIM_THREADS;

	while (nr && !sim->thread[nr - 1].profile)
		nr--;
	return nr;
}

/*
 * Work
 */

/* Returns by how much @instr instructions with @misses per million fill a thread's own cache. */
static u64 pmct_sim_alone_fill(u64 instr, u64 misses, u64 has, u64 size,
			       const struct pmct_sim_curve *curve)
{
	u64 filled = instr * misses * PMCT_SIM_PART / MILLION;

	return min(pmct_sim_foreign(filled, has, pmct_sim_footprint(curve)), size - has);
}

/*
 * Do the same work alone: (2) to (10) for one thread with caches of its own. Returns how many of
 * the instructions were done, because the rates change while caches are being filled.
 */
static u64 pmct_sim_alone_piece(const struct pmct_sim *sim, struct pmct_sim_thread *t,
				unsigned int type, u64 instr)
{
	const struct pmct_sim_machine *m = &sim->machine;
	const struct pmct_sim_phase *p = pmct_sim_phase_of(t);
	struct pmct_sim_alone *a = &t->alone[type];
	struct pmct_sim_rates rates;
	const struct pmct_sim_rates *all[] = { &rates };
	const struct pmct_sim_cluster *cluster;
	u64 l2_size, llc_size, l2, llc, mem_ps;
	unsigned int cpu = 0;

	while (cpu < m->nr_cpus - 1U && m->cpu_type[cpu] != type)
		cpu++;
	cluster = &m->cluster[m->cpu_cluster[cpu]];
	l2_size = pmct_sim_size(m->type[type].l2_kib);
	llc_size = pmct_sim_size(cluster->llc_kib);
	pmct_sim_rates(m, type, m->cpu_cluster[cpu], t, a->l2, a->llc, &rates);
	mem_ps = pmct_sim_latency(&m->node[cluster->node], all, 1);
	pmct_sim_rates_memory(&m->type[type], mem_ps, &rates);
	for (;; instr /= 2) {
		l2 = pmct_sim_alone_fill(instr, rates.event[PMCT_SIM_L2_MISSES], a->l2, l2_size,
					 &p->l2);
		llc = pmct_sim_alone_fill(instr, rates.event[PMCT_SIM_LLC_MISSES], a->llc,
					  llc_size, &p->llc);
		if (instr <= ALONE_LEAST || (l2 <= l2_size / 8 && llc <= llc_size / 8))
			break;
	}
	a->ps += pmct_sim_of(instr, rates.ps);
	a->l2 += l2;
	a->llc += llc;
	return instr;
}

/**
 * pmct_sim_settle_alone() - bring pmct_sim_thread::alone up to date
 * @sim: the machine
 * @thread: the thread
 */
void pmct_sim_settle_alone(struct pmct_sim *sim, unsigned int thread)
{
	struct pmct_sim_thread *t = &sim->thread[thread];
	unsigned int type;
	u64 left;

	if (!t->alone_due)
		return;
	for (type = 0; type < sim->machine.nr_types; type++) {
		for (left = t->alone_due; left;)
			left -= pmct_sim_alone_piece(sim, t, type, min(left, ALONE_MOST));
	}
	t->alone_due = 0;
}

/* Let the thread on @cpu do @instr instructions at its present rates. */
static void pmct_sim_do(struct pmct_sim *sim, unsigned int cpu, u64 instr)
{
	struct pmct_sim_cpu *c = &sim->cpu[cpu];
	struct pmct_sim_thread *t = &sim->thread[c->thread];
	const struct pmct_sim_phase *p = pmct_sim_phase_of(t);
	unsigned int cluster = sim->machine.cpu_cluster[cpu];
	const struct pmct_sim_rates *r = &t->rates;
	u64 parts, pj, mem_pj;
	unsigned int i;

	sim->tags[cluster].moved[c->rmid] -= t->count[PMCT_SIM_MEM_LINES];
	for (i = 0; i < PMCT_SIM_NR_EVENTS; i++) {
		parts = instr * r->event[i] + t->part[i];
		t->count[i] += parts / MILLION;
		c->count[i] += parts / MILLION;
		t->part[i] = parts % MILLION;
	}
	sim->tags[cluster].moved[c->rmid] += t->count[PMCT_SIM_MEM_LINES];
	pj = pmct_sim_of(instr, r->pj);
	mem_pj = min(pmct_sim_of(instr, r->mem_pj), pj);
	t->pj += pj;
	sim->energy.cores[cluster] += pj - mem_pj;
	sim->energy.memory[sim->machine.cluster[cluster].node] += mem_pj;
	pmct_sim_cache_miss(&c->l2, c->thread,
			    instr * r->event[PMCT_SIM_L2_MISSES] * PMCT_SIM_PART / MILLION, &p->l2);
	pmct_sim_llc_miss(sim, cpu, instr * r->event[PMCT_SIM_LLC_MISSES] * PMCT_SIM_PART / MILLION,
			  &p->llc);
	t->alone_due += instr;
	t->left -= instr;
}

static void pmct_sim_next_phase(struct pmct_sim *sim, unsigned int cpu)
{
	struct pmct_sim_thread *t = &sim->thread[sim->cpu[cpu].thread];

	pmct_sim_settle_alone(sim, sim->cpu[cpu].thread);
	t->phase = (t->phase + 1) % t->profile->nr_phases;
	t->left = pmct_sim_phase_of(t)->instr;
	pmct_sim_rates_here(sim, cpu);
	pmct_sim_rates_memory_here(sim, cpu);
}

/* (11) Let the thread on @cpu work for @ps, or until its goal. */
static void pmct_sim_work(struct pmct_sim *sim, unsigned int cpu, u64 ps)
{
	struct pmct_sim_thread *t = &sim->thread[sim->cpu[cpu].thread];
	u64 instr, most;

	ps += t->spare_ps;
	t->ran_ps -= t->spare_ps;
	for (;;) {
		most = min(t->left, t->goal - t->count[PMCT_SIM_INSTR]);
		instr = min(ps * MILLION / t->rates.ps, most);
		pmct_sim_do(sim, cpu, instr);
		/* Rounded up, because no instruction is done before its time. */
		instr = (instr * t->rates.ps + MILLION - 1) / MILLION;
		instr = min(instr, ps);
		t->ran_ps += instr;
		ps -= instr;
		if (t->count[PMCT_SIM_INSTR] == t->goal) {
			t->spare_ps = 0;
			return;
		}
		if (t->left) {
			t->ran_ps += ps;
			t->spare_ps = ps;
			return;
		}
		pmct_sim_next_phase(sim, cpu);
	}
}

/**
 * pmct_sim_sync() - bring the work of one CPU up to date
 * @sim: the machine
 * @cpu: the CPU
 * @now: ns; a time before that of an earlier call changes nothing. Of a pause of more than a
 *	second, only the last second is worked
 *
 * Cheap, because rates are those of the last step.
 */
void pmct_sim_sync(struct pmct_sim *sim, unsigned int cpu, u64 now)
{
	const struct pmct_sim_core_type *core = &sim->machine.type[sim->machine.cpu_type[cpu]];
	u64 *cores = &sim->energy.cores[sim->machine.cpu_cluster[cpu]];
	struct pmct_sim_cpu *c = &sim->cpu[cpu];
	u64 ns;

	if (c->thread < 0 && c->since < now) {
		*cores += (now - c->since) * core->idle_mw;
		c->since = now;
	}
	if (c->since < now && now - c->since > LOST_NS)
		c->since = now - LOST_NS;
	while (c->since < now) {
		ns = min(now - c->since, SYNC_NS_MAX);
		c->since += ns;
		*cores += ns * core->active_mw;
		sim->thread[c->thread].pj += ns * core->active_mw;
		if (!c->paused)
			pmct_sim_work(sim, cpu, ns * 1000);
	}
}

/* Find the rates of all threads of a node, with the latency that they cause together. */
static void pmct_sim_load_node(struct pmct_sim *sim, unsigned int node)
{
	const struct pmct_sim_rates *rates[PMCT_SIM_CPUS];
	const struct pmct_sim_machine *m = &sim->machine;
	unsigned int cpus[PMCT_SIM_CPUS];
	unsigned int cpu, nr = 0;

	for (cpu = 0; cpu < m->nr_cpus; cpu++) {
		if (sim->cpu[cpu].thread < 0 || m->cluster[m->cpu_cluster[cpu]].node != node)
			continue;
		pmct_sim_rates_here(sim, cpu);
		rates[nr] = &sim->thread[sim->cpu[cpu].thread].rates;
		cpus[nr++] = cpu;
	}
	sim->mem_ps[node] = pmct_sim_latency(&m->node[node], rates, nr);
	while (nr)
		pmct_sim_rates_memory_here(sim, cpus[--nr]);
}

static void pmct_sim_step_once(struct pmct_sim *sim, u64 now)
{
	unsigned int nr = pmct_sim_nr_threads(sim);
	unsigned int i;

	for (i = 0; i < sim->machine.nr_cpus; i++) {
		pmct_sim_sync(sim, i, now);
		pmct_sim_cache_settle(&sim->cpu[i].l2, nr);
	}
	for (i = 0; i < sim->machine.nr_clusters; i++)
		pmct_sim_llc_settle(sim, i, nr);
	for (i = 0; i < nr; i++) {
		if (sim->thread[i].profile && sim->thread[i].alone_due >= ALONE_INSTR)
			pmct_sim_settle_alone(sim, i);
	}
	for (i = 0; i < sim->machine.nr_nodes; i++) {
		pmct_sim_load_node(sim, i);
		sim->energy.memory[i] += (now - sim->stepped) * sim->machine.node[i].mem_mw;
	}
	sim->energy.uncore += (now - sim->stepped) * sim->machine.uncore_mw;
	if (pmct_sim_pace_stepped(&sim->pace, now))
		sim->metered = sim->energy;
	sim->stepped = now;
}

/**
 * pmct_sim_busy() - does any thread run?
 * @sim: the machine
 */
bool pmct_sim_busy(const struct pmct_sim *sim)
{
	unsigned int cpu;

	for (cpu = 0; cpu < sim->machine.nr_cpus; cpu++) {
		if (sim->cpu[cpu].thread >= 0)
			return true;
	}
	return false;
}

/**
 * pmct_sim_step() - bring everything up to date
 * @sim: the machine
 * @now: ns; not much later than pmct_sim_pace::next
 */
void pmct_sim_step(struct pmct_sim *sim, u64 now)
{
	unsigned int i;

	/* After an unexpected pause, the rest is one long step. */
	for (i = 0; i < STEPS_MAX && sim->pace.next < now && pmct_sim_busy(sim); i++)
		pmct_sim_step_once(sim, sim->pace.next);
	if (sim->stepped < now)
		pmct_sim_step_once(sim, now);
}

/* Returns the energy of the whole machine, up to pmct_sim_cpu::since. */
u64 pmct_sim_machine_pj(const struct pmct_sim *sim)
{
	u64 pj = sim->energy.uncore;
	unsigned int i;

	for (i = 0; i < sim->machine.nr_clusters; i++)
		pj += sim->energy.cores[i];
	for (i = 0; i < sim->machine.nr_nodes; i++)
		pj += sim->energy.memory[i];
	return pj;
}

/**
 * pmct_sim_enter() - a thread enters a CPU
 * @sim: the machine
 * @cpu: a CPU without a simulated thread
 * @thread: a thread that is on no CPU
 * @now: ns
 *
 * Other threads notice this at the next step, which is soon if the CPU was idle.
 */
void pmct_sim_enter(struct pmct_sim *sim, unsigned int cpu, unsigned int thread, u64 now)
{
	pmct_sim_sync(sim, cpu, now);
	if (sim->cpu[cpu].left)
		pmct_sim_pace_changed(&sim->pace, now);
	sim->cpu[cpu].left = false;
	sim->cpu[cpu].thread = thread;
	sim->cpu[cpu].paused = false;
	pmct_sim_rates_here(sim, cpu);
	pmct_sim_rates_memory_here(sim, cpu);
}

/**
 * pmct_sim_pause() - the thread on a CPU does nothing for a while
 * @sim: the machine
 * @cpu: the CPU; nothing happens if no simulated thread is there
 * @now: ns
 *
 * The CPU handles an interrupt. The thread keeps the CPU, which takes as much power as before.
 */
void pmct_sim_pause(struct pmct_sim *sim, unsigned int cpu, u64 now)
{
	pmct_sim_sync(sim, cpu, now);
	sim->cpu[cpu].paused = sim->cpu[cpu].thread >= 0;
}

/**
 * pmct_sim_resume() - the thread on a CPU goes on after a pause
 * @sim: the machine
 * @cpu: the CPU
 * @now: ns
 */
void pmct_sim_resume(struct pmct_sim *sim, unsigned int cpu, u64 now)
{
	pmct_sim_sync(sim, cpu, now);
	sim->cpu[cpu].paused = false;
}

/**
 * pmct_sim_leave() - a thread leaves its CPU
 * @sim: the machine
 * @cpu: the CPU; if no simulated thread is there, this only tells that the CPU is idle
 * @replaced: another thread may follow at once; otherwise the CPU is idle for a while
 * @now: ns
 */
void pmct_sim_leave(struct pmct_sim *sim, unsigned int cpu, bool replaced, u64 now)
{
	struct pmct_sim_cpu *c = &sim->cpu[cpu];
	struct pmct_sim_thread *t;
	unsigned int i;

	if (c->thread >= 0) {
		pmct_sim_sync(sim, cpu, now);
		t = &sim->thread[c->thread];
		t->llc_left = 0;
		for (i = 0; i < sim->machine.nr_clusters; i++)
			t->llc_left += sim->llc[i].has[c->thread];
	}
	c->thread = -1;
	if (!replaced && !c->left)
		pmct_sim_pace_changed(&sim->pace, now);
	c->left = !replaced;
}

/**
 * pmct_sim_time_for() - when will the thread on a CPU have done @instr instructions?
 * @sim: the machine
 * @cpu: a CPU with a thread
 * @instr: instructions from pmct_sim_cpu::since on
 *
 * Return: ns from pmct_sim_cpu::since on, if neither rates nor phase change.
 */
u64 pmct_sim_time_for(const struct pmct_sim *sim, unsigned int cpu, u64 instr)
{
	const struct pmct_sim_thread *t = &sim->thread[sim->cpu[cpu].thread];
	u64 ps = pmct_sim_of(instr, t->rates.ps) + 1;

	return ps > t->spare_ps ? (ps - t->spare_ps + 999) / 1000 : 0;
}

/**
 * pmct_sim_begin() - begin a thread
 * @sim: the machine
 * @thread: a free slot
 * @profile: what it will do; it must stay until pmct_sim_end()
 * @seed: seed of its variation
 */
void pmct_sim_begin(struct pmct_sim *sim, unsigned int thread,
		    const struct pmct_sim_profile *profile, u64 seed)
{
	struct pmct_sim_thread *t = &sim->thread[thread];

	memset(t, 0, sizeof(*t));
	t->profile = profile;
	t->seed = seed;
	t->left = profile->phase[0].instr;
}

/**
 * pmct_sim_end() - end a thread
 * @sim: the machine
 * @thread: a thread that is on no CPU; its lines are gone afterwards
 */
void pmct_sim_end(struct pmct_sim *sim, unsigned int thread)
{
	unsigned int i;

	sim->thread[thread].profile = NULL;
	for (i = 0; i < sim->machine.nr_cpus; i++)
		pmct_sim_cache_forget(&sim->cpu[i].l2, thread);
	for (i = 0; i < sim->machine.nr_clusters; i++) {
		pmct_sim_cache_forget(&sim->llc[i], thread);
		pmct_sim_tags_forget(&sim->tags[i], thread);
		sim->llc[i].changed = true;
	}
}

/**
 * pmct_sim_init() - set up a machine without threads, with empty caches
 * @sim: the machine
 * @machine: a topology that pmct_sim_machine_check() has accepted
 * @now: ns
 */
void pmct_sim_init(struct pmct_sim *sim, const struct pmct_sim_machine *machine, u64 now)
{
	const struct pmct_sim_core_type *core;
	unsigned int i;

	memset(sim, 0, sizeof(*sim));
	sim->machine = *machine;
	sim->stepped = now;
	pmct_sim_pace_init(&sim->pace, now);
	for (i = 0; i < machine->nr_cpus; i++) {
		core = &machine->type[machine->cpu_type[i]];
		sim->cpu[i].thread = -1;
		sim->cpu[i].left = true;
		sim->cpu[i].since = now;
		sim->cpu[i].l2.size = pmct_sim_size(core->l2_kib);
		pmct_sim_pmu_init(&sim->cpu[i].pmu);
	}
	for (i = 0; i < machine->nr_clusters; i++)
		sim->llc[i].size = pmct_sim_size(machine->cluster[i].llc_kib);
	for (i = 0; i < machine->nr_nodes; i++)
		sim->mem_ps[i] = machine->node[i].mem_ps;
}
