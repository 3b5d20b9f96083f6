// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fair_model MACHINE PROGRAMS MIXES SEED POLICY[,POLICY…] PROFILE…
 *
 * Fair-progress scheduling on the model of a machine, with the module's own arithmetic
 * (module/mmon/progress.c) and without a kernel. PROGRAMS random programs of the profiles, each
 * with the work of 10 s alone, share the machine's CPUs until all have ended.
 *
 * Policies: pinned (programs stay on their CPUs and take turns there, as under the kernel if it has
 * nothing to balance), time (the programs with the least CPU time run), none, capped, unlimited
 * (fair progress with so much training), again (unlimited, if the same programs have run before),
 * oracle (fair progress that knows the truth).
 *
 * Prints a line for each program: machine,seed,mix,policy,program,alone_s,took_s,slowdown,
 * estimated,wasted_s,windows,valid,changes,foreseen,training,quanta
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "topology.h"
#include "../../../module/mmon/progress.h"
#include "model.h"
#include "rates.h"

#define PROGRAMS	32
#define ALONE_NS	10000000000ULL
#define QUANTUM_NS	100000000ULL
#define TICK_NS		4000000ULL
/* Instructions between two sampled addresses. */
#define ADDRESS_INSTR	200000U
#define NO_CPU		PMCT_SIM_CPUS
#define CAP_PERCENT	2
/* The same phase is trained for at most so many quanta. */
#define PATIENCE	4

enum policy { PINNED, TIME, NONE, CAPPED, UNLIMITED, AGAIN, ORACLE, NR_POLICIES };

static const char *const policy_names[] = { "pinned", "time", "none", "capped", "unlimited", "again", "oracle" };

/* What a program did up to some moment. */
struct point {
	uint64_t instr, cycles, lines, ns;
	double alone;	/* true cycles alone */
};

struct task {
	unsigned int number;	/* in the pool */
	uint64_t goal;
	unsigned int cpu;	/* where it runs, or NO_CPU */
	unsigned int last_cpu;
	bool done;
	double took_s, wasted_s;
	struct pmct_progress progress;
	struct pmct_program program;
	/* The open window. */
	struct pmct_phase_vector v;
	struct pmct_window w;
	struct pmct_unsure unsure[PMCT_PHASES];
	struct point began, looked;
	uint64_t next_address;
	/* Lines per ms at the last look. */
	uint64_t rate;
	unsigned int trained;	/* quanta in a row */
};

static struct pmct_sim sim, alone;
static const struct pmct_sim_machine *machine;
static struct program *pool;
static uint64_t *goals;
static struct task tasks[PROGRAMS];
static struct pmct_program kept[PROGRAMS];
static unsigned int nr;
static struct pmct_traffic traffic = { .own = 40, .system = 333 };
static uint64_t quanta, training;
static bool in_training;
/* True slowdowns of windows. */
static struct { unsigned int n, over; double sum, worst; } kinds[PMCT_NR_CONTENTION];

static void run_until(struct pmct_sim *s, uint64_t end)
{
	while (s->stepped < end)
		pmct_sim_step(s, s->pace.next < end ? s->pace.next : end);
}

/* Returns the instructions of a program in 10 s alone. */
static uint64_t work_of(const struct program *p, uint64_t seed)
{
	pmct_sim_init(&alone, machine, 0);
	pmct_sim_begin(&alone, 0, &p->profile, seed);
	alone.thread[0].goal = UINT64_MAX;
	pmct_sim_enter(&alone, 0, 0, 0);
	run_until(&alone, ALONE_NS);
	return alone.thread[0].count[PMCT_SIM_INSTR];
}

static struct point now_of(unsigned int i)
{
	const struct pmct_sim_thread *t = &sim.thread[i];

	pmct_sim_settle_alone(&sim, i);
	return (struct point){ t->count[PMCT_SIM_INSTR], t->count[PMCT_SIM_CYCLES],
			       t->count[PMCT_SIM_MEM_LINES], t->ran_ps / 1000,
			       (double)t->alone[0].ps * machine->type[0].mhz / 1e6 };
}

static void begin_window(struct task *t, const struct point *at)
{
	memset(&t->v, 0, sizeof(t->v));
	memset(&t->w, 0, sizeof(t->w));
	t->began = *at;
}

/* Sample some addresses of the instructions that were executed since the last look. */
static void sample(unsigned int i, uint64_t to)
{
	struct task *t = &tasks[i];
	struct pmct_sim_thread at = sim.thread[i];

	for (; t->next_address <= to; t->next_address += ADDRESS_INSTR + (uint64_t)random() % (ADDRESS_INSTR / 4)) {
		at.count[PMCT_SIM_INSTR] = t->next_address;
		pmct_phase_add(&t->v, (uint32_t)(pmct_sim_ip(&at) >> 6));
	}
}

static void end_window(unsigned int i, const struct point *now)
{
	struct task *t = &tasks[i];
	enum pmct_contention kind;

	t->w.v = &t->v;
	t->w.unsure = t->unsure;
	t->w.core_type = machine->cpu_type[t->cpu];
	t->w.instr = now->instr - t->began.instr;
	t->w.cycles = now->cycles - t->began.cycles;
	t->w.lines = now->lines - t->began.lines;
	t->w.ns = now->ns - t->began.ns;
	kind = pmct_progress_window(&t->progress, &t->program, &t->w, &traffic);
	pmct_progress_note_typical(&traffic, &t->progress, kind);
	if (now->alone > t->began.alone) {
		double slow = (double)t->w.cycles / (now->alone - t->began.alone);

		kinds[kind].n++;
		kinds[kind].sum += slow;
		if (slow > 1.05)
			kinds[kind].over++;
		if (slow > kinds[kind].worst)
			kinds[kind].worst = slow;
	}
	begin_window(t, now);
}

/* Look at all programs: the lines that they transferred, and those of others meanwhile. */
static void look(uint64_t ns)
{
	struct point now[PROGRAMS];
	uint64_t lines[PROGRAMS] = { 0 }, sum = 0;
	unsigned int i, k;

	for (i = 0; i < nr; i++) {
		if (tasks[i].cpu == NO_CPU)
			continue;
		now[i] = now_of(i);
		lines[i] = now[i].lines - tasks[i].looked.lines;
		tasks[i].rate = lines[i] * 1000000 / ns;
		sum += lines[i];
	}
	for (i = 0; i < nr; i++) {
		struct task *t = &tasks[i];
		bool intensive = false;

		if (t->cpu == NO_CPU)
			continue;
		for (k = 0; k < nr; k++)
			intensive |= k != i && tasks[k].cpu != NO_CPU && tasks[k].rate * 1000 >= traffic.peak * traffic.own;
		sample(i, now[i].instr);
		t->w.looks++;
		t->w.intensive += intensive;
		t->w.others += sum - lines[i];
		for (k = 0; k < nr; k++) {
			if (k != i && tasks[k].cpu != NO_CPU && machine->cpu_cluster[tasks[k].cpu] == machine->cpu_cluster[t->cpu])
				t->w.sharers += lines[k];
		}
		t->looked = now[i];
		if (t->v.nr >= PMCT_PHASE_ADDRESSES)
			end_window(i, &now[i]);
	}
}

/* The program with the smallest value runs first. */
static double advance(enum policy policy, unsigned int i)
{
	const struct task *t = &tasks[i];

	switch (policy) {
	case ORACLE:
		pmct_sim_settle_alone(&sim, i);
		return (double)sim.thread[i].alone[0].ps / 1e12;
	case TIME:
		return (double)now_of(i).ns / 1e9;
	default:
		return ((double)t->progress.alone + (double)(now_of(i).ns - t->began.ns) * t->progress.ratio / PMCT_PHASE_ONE) / 1e9;
	}
}

static unsigned int by_advance(enum policy policy, unsigned int *order)
{
	unsigned int n = 0;
	double at[PROGRAMS];

	for (unsigned int i = 0; i < nr; i++) {
		unsigned int k = n;

		if (tasks[i].done)
			continue;
		/* Equal programs run in random order. */
		at[i] = advance(policy, i) + (double)(random() % 1000) * 1e-9;
		for (; k && at[order[k - 1]] > at[i]; k--)
			order[k] = order[k - 1];
		order[k] = i;
		n++;
	}
	return n;
}

/* Returns a program whose next phase is to be learnt, or -1. The last one goes on until it is. */
static int training_target(const unsigned int *order, unsigned int n, enum policy policy)
{
	int target = -1;

	if (policy != CAPPED && policy != UNLIMITED && policy != AGAIN)
		return -1;
	if (policy == CAPPED && (training + 1) * 100 > (quanta + 1) * CAP_PERCENT)
		return -1;
	for (unsigned int k = 0; k < n; k++) {
		struct task *t = &tasks[order[k]];

		if (!t->progress.wanted || t->trained >= PATIENCE) {
			if (!t->progress.wanted)
				t->trained = 0;
			continue;
		}
		if (target < 0 || t->trained)
			target = (int)order[k];
	}
	return target;
}

/* Choose the programs that run in the next quantum, on CPUs of their own. Returns their number. */
static unsigned int choose(enum policy policy, unsigned int *chosen)
{
	unsigned int order[PROGRAMS], n = by_advance(policy, order), m = 0;
	int target = training_target(order, n, policy);

	in_training = target >= 0;
	for (unsigned int k = 0; k < n; k++) {
		if (k != (unsigned int)target)
			tasks[order[k]].trained = tasks[order[k]].trained >= PATIENCE ? tasks[order[k]].trained : 0;
	}
	if (in_training) {
		chosen[m++] = (unsigned int)target;
		tasks[target].trained++;
		training++;
	}
	for (unsigned int k = 0; k < n && m < machine->nr_cpus; k++) {
		if ((int)order[k] == target)
			continue;
		if (in_training && tasks[order[k]].rate * 1000 >= traffic.peak * traffic.own)
			continue;
		chosen[m++] = order[k];
	}
	quanta++;
	return m;
}

static void leave(unsigned int i)
{
	struct task *t = &tasks[i];

	if (t->cpu == NO_CPU)
		return;
	pmct_sim_leave(&sim, t->cpu, true, sim.stepped);
	t->last_cpu = t->cpu;
	t->cpu = NO_CPU;
}

static void place(const unsigned int *chosen, unsigned int n)
{
	bool used[PMCT_SIM_CPUS] = { false };
	unsigned int cpu[PROGRAMS], k, c;

	for (k = 0; k < n; k++) {
		cpu[k] = NO_CPU;
		if (!used[tasks[chosen[k]].last_cpu]) {
			cpu[k] = tasks[chosen[k]].last_cpu;
			used[cpu[k]] = true;
		}
	}
	for (k = 0; k < n; k++) {
		for (c = 0; cpu[k] == NO_CPU; c++) {
			if (!used[c]) {
				cpu[k] = c;
				used[c] = true;
			}
		}
	}
	for (unsigned int i = 0; i < nr; i++) {
		for (k = 0; k < n && chosen[k] != i; k++)
			;
		if (tasks[i].cpu != NO_CPU && (k == n || cpu[k] != tasks[i].cpu))
			leave(i);
	}
	for (k = 0; k < n; k++) {
		struct task *t = &tasks[chosen[k]];

		if (t->cpu != NO_CPU)
			continue;
		t->cpu = cpu[k];
		t->w.resumed = true;
		pmct_sim_enter(&sim, t->cpu, chosen[k], sim.stepped);
	}
}

/* Programs of a CPU take turns of a few ticks; a program that is alone there never stops. */
static unsigned int pinned(unsigned int *chosen)
{
	unsigned int m = 0;

	for (unsigned int cpu = 0; cpu < machine->nr_cpus; cpu++) {
		int best = -1;

		for (unsigned int i = cpu; i < nr; i += machine->nr_cpus) {
			if (!tasks[i].done && (best < 0 || now_of(i).ns < now_of((unsigned int)best).ns))
				best = (int)i;
		}
		if (best < 0) {
			/* An idle CPU takes a program that waits. */
			for (unsigned int i = 0; i < nr && best < 0; i++) {
				bool waits = !tasks[i].done;

				for (unsigned int k = 0; k < m; k++)
					waits &= chosen[k] != i;
				/* The program is not the next one of its own CPU. */
				for (unsigned int k = i % machine->nr_cpus; waits && k < nr; k += machine->nr_cpus)
					waits &= k == i || tasks[k].done || now_of(k).ns <= now_of(i).ns;
				if (waits)
					best = (int)i;
			}
		}
		if (best >= 0) {
			bool twice = false;

			for (unsigned int k = 0; k < m; k++)
				twice |= chosen[k] == (unsigned int)best;
			if (!twice) {
				tasks[best].last_cpu = cpu;
				chosen[m++] = (unsigned int)best;
			}
		}
	}
	return m;
}

static bool all_done(void)
{
	bool done = true;

	for (unsigned int i = 0; i < nr; i++)
		done &= tasks[i].done;
	return done;
}

static void see_who_ended(void)
{
	for (unsigned int i = 0; i < nr; i++) {
		struct task *t = &tasks[i];

		if (t->done || sim.thread[i].count[PMCT_SIM_INSTR] < t->goal)
			continue;
		t->done = true;
		t->took_s = (double)sim.stepped / 1e9;
		leave(i);
	}
}

static void begin(const unsigned int *mix, uint64_t seed, enum policy policy)
{
	memset(tasks, 0, sizeof(tasks));
	pmct_sim_init(&sim, machine, 0);
	quanta = training = 0;
	traffic.typical = 0;
	for (unsigned int i = 0; i < nr; i++) {
		struct task *t = &tasks[i];

		t->number = mix[i];
		t->goal = goals[mix[i]];
		t->cpu = NO_CPU;
		t->last_cpu = i % machine->nr_cpus;
		pmct_progress_begin(&t->progress);
		if (policy == AGAIN)
			t->program = kept[i];
		pmct_sim_begin(&sim, i, &pool[mix[i]].profile, seed * 1000 + i);
		sim.thread[i].goal = t->goal;
		t->next_address = ADDRESS_INSTR;
	}
}

static void run(const unsigned int *mix, unsigned int number, uint64_t seed, enum policy policy, bool print)
{
	uint64_t slice = policy == PINNED ? 3 * TICK_NS : QUANTUM_NS;

	begin(mix, seed * 100 + number, policy);
	while (!all_done()) {
		unsigned int chosen[PROGRAMS];
		unsigned int n = policy == PINNED ? pinned(chosen) : choose(policy, chosen);
		uint64_t end = sim.stepped + slice;
		unsigned int free = machine->nr_cpus - n;

		place(chosen, n);
		if (policy != PINNED && in_training)
			tasks[chosen[0]].wasted_s += (double)(free * QUANTUM_NS) / 1e9;
		while (sim.stepped < end) {
			run_until(&sim, sim.stepped + TICK_NS);
			look(TICK_NS);
			see_who_ended();
		}
	}
	for (unsigned int i = 0; i < nr; i++) {
		const struct task *t = &tasks[i];
		const char *name = pool[t->number].profile.name;
		double ran = (double)sim.thread[i].ran_ps / 1e12;
		uint64_t valid = t->progress.kinds[PMCT_OWN_LOW] + t->progress.kinds[PMCT_SYSTEM_LOW] + t->progress.kinds[PMCT_ONLY_ONE];

		kept[i] = t->program;
		if (!print)
			continue;
		pmct_sim_settle_alone(&sim, i);
		printf("%s,%llu,%u,%s,%s,%.4f,%.4f,%.5f,%.5f,%.3f,%u,%llu,%u,%u,%llu,%llu\n", machine->name, (unsigned long long)seed, number,
		       policy_names[policy], name, (double)sim.thread[i].alone[0].ps / 1e12, t->took_s,
		       ran * 1e12 / (double)sim.thread[i].alone[0].ps,
		       t->progress.alone ? (double)t->progress.ns / (double)t->progress.alone : 1.0, t->wasted_s,
		       t->progress.windows, (unsigned long long)valid, t->progress.changes, t->progress.foreseen,
		       (unsigned long long)training, (unsigned long long)quanta);
	}
}

int main(int argc, char **argv)
{
	int profiles = argc - 6;
	unsigned int mixes, mix[PROGRAMS];
	uint64_t seed;

	machine = argc > 6 ? topology_find(argv[1]) : NULL;
	if (!machine) {
		fprintf(stderr, "fair_model MACHINE PROGRAMS MIXES SEED POLICY[,POLICY…] PROFILE…\n");
		return 2;
	}
	nr = (unsigned int)atoi(argv[2]);
	mixes = (unsigned int)atoi(argv[3]);
	seed = strtoull(argv[4], NULL, 10);
	traffic.peak = machine->node[0].mem_mbs * 1000ULL / 64;
	pool = calloc((size_t)profiles, sizeof(*pool));
	goals = calloc((size_t)profiles, sizeof(*goals));
	if (!pool || !goals || nr > PROGRAMS)
		return 1;
	for (int i = 0; i < profiles; i++) {
		if (program_read(&pool[i], argv[6 + i]))
			return 1;
		goals[i] = work_of(&pool[i], 1);
	}
	for (unsigned int n = 0; n < mixes; n++) {
		srandom((unsigned int)(seed * 1000 + n));
		for (unsigned int i = 0; i < nr; i++)
			mix[i] = (unsigned int)(random() % profiles);
		for (unsigned int p = 0; p < NR_POLICIES; p++) {
			if (!strstr(argv[5], policy_names[p]))
				continue;
			if (p == AGAIN)
				run(mix, n, seed + 1000, UNLIMITED, false);
			run(mix, n, seed, p, true);
		}
	}
	for (unsigned int k = 0; k < PMCT_NR_CONTENTION; k++)
		fprintf(stderr, "kind %u: %u windows, slowdown %.3f on average, %.3f at worst, %u above 1.05\n", k, kinds[k].n, kinds[k].n ? kinds[k].sum / kinds[k].n : 0, kinds[k].worst, kinds[k].over);
	free(goals);
	free(pool);
	return 0;
}
