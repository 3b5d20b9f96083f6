// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fair_model [-o OWN] [-s SYSTEM] MACHINE PROGRAMS MIXES SEED POLICY[,POLICY…] PROFILE…
 * fair_model [-o OWN] [-s SYSTEM] -f MACHINE SEED POLICY[,POLICY…] PERCENT:PROFILE…
 *
 * Fair-progress scheduling on the model of a machine, with the module's own arithmetic
 * (module/mmon/progress.c) and without a kernel. PROGRAMS random programs of the profiles, each
 * with the work of 10 s alone, share the machine's CPUs until all have ended. With -f, there is one
 * mix: these programs, each with so much of its work (as "simapp -x PERCENT").
 *
 * Traffic of a program is low below OWN, and that of all below SYSTEM, in thousandths of what the
 * memory can move (the paper: 40 and 333).
 *
 * Policies: pinned (programs stay on their CPUs and take turns there, as under the kernel if it has
 * nothing to balance), time (the programs with the least CPU time run), none, capped, unlimited
 * (fair progress with so much training), again (unlimited, if the same programs have run before),
 * oracle (fair progress that knows the truth).
 *
 * Prints a line for each program: machine,seed,mix,policy,program,alone_s,took_s,slowdown,
 * estimated,wasted_s,windows,valid,changes,foreseen,training,quanta
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fair_window.h"
#include "program.h"
#include "rates.h"
#include "topology.h"

#define PROGRAMS	32
#define ALONE_NS	10000000000ULL
#define QUANTUM_NS	100000000ULL
#define TICK_NS		4000000ULL
#define NO_CPU		PMCT_SIM_CPUS
#define CAP_PERCENT	2
/* The same phase is trained for at most so many quanta. */
#define PATIENCE	4

enum policy { PINNED, TIME, NONE, CAPPED, UNLIMITED, AGAIN, ORACLE, NR_POLICIES };

static const char *const policy_names[] = { "pinned", "time", "none", "capped", "unlimited", "again", "oracle" };

struct task {
	unsigned int number;	/* in the pool */
	uint64_t goal;
	unsigned int cpu;	/* where it runs, or NO_CPU */
	unsigned int last_cpu;
	bool done;
	double took_s, wasted_s;
	struct fair_watch watch;
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

/* Returns the instructions of a program in 10 s alone. */
static uint64_t work_of(const struct program *p, uint64_t seed)
{
	pmct_sim_init(&alone, machine, 0);
	pmct_sim_begin(&alone, 0, &p->profile, seed);
	alone.thread[0].goal = UINT64_MAX;
	pmct_sim_enter(&alone, 0, 0, 0);
	fair_run_until(&alone, ALONE_NS);
	return alone.thread[0].count[PMCT_SIM_INSTR];
}

static void note_kind(enum pmct_contention kind, double cycles, double alone_cycles)
{
	double slow = cycles / alone_cycles;

	kinds[kind].n++;
	kinds[kind].sum += slow;
	if (slow > 1.05)
		kinds[kind].over++;
	if (slow > kinds[kind].worst)
		kinds[kind].worst = slow;
}

/* Look at all programs: the lines that they transferred, and those of others meanwhile. */
static void look(uint64_t ns)
{
	struct fair_point now[PROGRAMS];
	uint64_t lines[PROGRAMS] = { 0 }, sum = 0;
	unsigned int i, k;

	for (i = 0; i < nr; i++) {
		if (tasks[i].cpu == NO_CPU)
			continue;
		now[i] = fair_point(&sim, i);
		lines[i] = now[i].lines - tasks[i].watch.looked.lines;
		tasks[i].rate = lines[i] * 1000000 / ns;
		sum += lines[i];
	}
	for (i = 0; i < nr; i++) {
		struct task *t = &tasks[i];
		enum pmct_contention kind;
		struct fair_point began;
		bool intensive = false;

		if (t->cpu == NO_CPU)
			continue;
		for (k = 0; k < nr; k++)
			intensive |= k != i && tasks[k].cpu != NO_CPU && tasks[k].rate * 1000 >= traffic.peak * traffic.own;
		fair_sample(&t->watch, &sim.thread[i], now[i].instr);
		t->watch.w.looks++;
		t->watch.w.intensive += intensive;
		t->watch.w.others += sum - lines[i];
		for (k = 0; k < nr; k++) {
			if (k != i && tasks[k].cpu != NO_CPU && machine->cpu_cluster[tasks[k].cpu] == machine->cpu_cluster[t->cpu])
				t->watch.w.sharers += lines[k];
		}
		t->watch.looked = now[i];
		began = t->watch.began;
		if (fair_end_window(&t->watch, &now[i], machine->cpu_type[t->cpu], &traffic, &kind) &&
		    now[i].alone > began.alone)
			note_kind(kind, (double)(now[i].cycles - began.cycles), now[i].alone - began.alone);
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
		return (double)fair_point(&sim, i).ns / 1e9;
	default:
		return ((double)t->watch.progress.alone + (double)(fair_point(&sim, i).ns - t->watch.began.ns) * t->watch.progress.ratio / PMCT_PHASE_ONE) / 1e9;
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

		if (!t->watch.progress.wanted || t->trained >= PATIENCE) {
			if (!t->watch.progress.wanted)
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
		t->watch.w.resumed = true;
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
			if (!tasks[i].done && (best < 0 || fair_point(&sim, i).ns < fair_point(&sim, (unsigned int)best).ns))
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
					waits &= k == i || tasks[k].done || fair_point(&sim, k).ns <= fair_point(&sim, i).ns;
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
		fair_watch_begin(&t->watch);
		if (policy == AGAIN)
			t->watch.program = kept[i];
		pmct_sim_begin(&sim, i, &pool[mix[i]].profile, seed * 1000 + i);
		sim.thread[i].goal = t->goal;
	}
}

static void run(const unsigned int *mix, unsigned int number, uint64_t seed, enum policy policy, bool print)
{
	uint64_t slice = policy == PINNED ? 3 * TICK_NS : QUANTUM_NS;

	/* The same for a policy, whatever policies run beside it. */
	srandom((unsigned int)((seed * 1000 + number) * NR_POLICIES + policy));
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
			fair_run_until(&sim, sim.stepped + TICK_NS);
			look(TICK_NS);
			see_who_ended();
		}
	}
	for (unsigned int i = 0; i < nr; i++) {
		const struct task *t = &tasks[i];
		const char *name = pool[t->number].profile.name;
		double ran = (double)sim.thread[i].ran_ps / 1e12;
		uint64_t valid = t->watch.progress.kinds[PMCT_OWN_LOW] + t->watch.progress.kinds[PMCT_SYSTEM_LOW] + t->watch.progress.kinds[PMCT_ONLY_ONE];

		kept[i] = t->watch.program;
		if (!print)
			continue;
		pmct_sim_settle_alone(&sim, i);
		printf("%s,%llu,%u,%s,%s,%.4f,%.4f,%.5f,%.5f,%.3f,%u,%llu,%u,%u,%llu,%llu\n", machine->name, (unsigned long long)seed, number,
		       policy_names[policy], name, (double)sim.thread[i].alone[0].ps / 1e12, t->took_s,
		       ran * 1e12 / (double)sim.thread[i].alone[0].ps,
		       t->watch.progress.alone ? (double)t->watch.progress.ns / (double)t->watch.progress.alone : 1.0, t->wasted_s,
		       t->watch.progress.windows, (unsigned long long)valid, t->watch.progress.changes, t->watch.progress.foreseen,
		       (unsigned long long)training, (unsigned long long)quanta);
	}
}

/* Run a mix under each of the policies. */
static void run_policies(const char *policies, const unsigned int *mix, unsigned int number, uint64_t seed)
{
	for (unsigned int p = 0; p < NR_POLICIES; p++) {
		if (!strstr(policies, policy_names[p]))
			continue;
		if (p == AGAIN)
			run(mix, number, seed + 1000, UNLIMITED, false);
		run(mix, number, seed, p, true);
	}
}

/* Read "PERCENT:PROFILE". Returns -1 on error. */
static int read_part(unsigned int i, const char *text)
{
	char *path;
	unsigned long percent = strtoul(text, &path, 10);

	if (!percent || *path != ':' || program_read(&pool[i], path + 1))
		return -1;
	goals[i] = pool[i].rounds * pool[i].serial * percent / 100;
	return 0;
}

static int usage(void)
{
	fprintf(stderr, "fair_model [-o OWN] [-s SYSTEM] MACHINE PROGRAMS MIXES SEED POLICY[,POLICY…] PROFILE…\n"
			"fair_model [-o OWN] [-s SYSTEM] -f MACHINE SEED POLICY[,POLICY…] PERCENT:PROFILE…\n");
	return 2;
}

int main(int argc, char **argv)
{
	unsigned int mixes = 1, profiles, mix[PROGRAMS];
	bool fixed = false;
	uint64_t seed;
	int option;

	while ((option = getopt(argc, argv, "+o:s:f")) >= 0) {
		switch (option) {
		case 'o': traffic.own = (uint32_t)atoi(optarg); break;
		case 's': traffic.system = (uint32_t)atoi(optarg); break;
		case 'f': fixed = true; break;
		default: return usage();
		}
	}
	argv += optind;
	argc -= optind;
	machine = argc > (fixed ? 3 : 5) ? topology_find(*argv++) : NULL;
	if (!machine)
		return usage();
	if (!fixed) {
		nr = (unsigned int)atoi(*argv++);
		mixes = (unsigned int)atoi(*argv++);
	}
	profiles = (unsigned int)argc - (fixed ? 3 : 5);
	if (fixed)
		nr = profiles;
	seed = strtoull(*argv++, NULL, 10);
	traffic.peak = machine->node[0].mem_mbs * 1000ULL / 64;
	pool = calloc(profiles, sizeof(*pool));
	goals = calloc(profiles, sizeof(*goals));
	if (!pool || !goals || nr > PROGRAMS)
		return 1;
	for (unsigned int i = 0; i < profiles; i++) {
		if (fixed ? read_part(i, argv[1 + i]) : program_read(&pool[i], argv[1 + i]))
			return 1;
		if (!fixed)
			goals[i] = work_of(&pool[i], 1);
	}
	for (unsigned int n = 0; n < mixes; n++) {
		srandom((unsigned int)(seed * 1000 + n));
		for (unsigned int i = 0; i < nr; i++)
			mix[i] = fixed ? i : (unsigned int)random() % profiles;
		run_policies(argv[0], mix, n, seed);
	}
	for (unsigned int k = 0; k < PMCT_NR_CONTENTION; k++)
		fprintf(stderr, "kind %u: %u windows, slowdown %.3f on average, %.3f at worst, %u above 1.05\n", k, kinds[k].n, kinds[k].n ? kinds[k].sum / kinds[k].n : 0, kinds[k].worst, kinds[k].over);
	free(goals);
	free(pool);
	return 0;
}
