// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of annealing with known numbers, and of setting and restoring the CPUs of processes. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "proc.h"
#include "qplacer/affinity.h"
#include "qplacer/anneal.h"
#include "qplacer/options.h"

static const unsigned int rooms[8] = { 2, 2, 2, 2, 2, 2, 2, 2 };
static const unsigned int four[2] = { 4, 4 };
static struct decision d;

static struct anneal *machine(const unsigned int *room, unsigned int caches, unsigned int apps)
{
	const struct anneal_params params = { .lambda = 2, .damping = 0.25, .stay = 1, .seed = 1 };
	struct anneal *a = anneal_new(&params, room, caches);

	assert_non_null(a);
	for (unsigned int i = 0; i < apps; i++)
		anneal_add(a, i, 1, 1);
	return a;
}

static void expect_states(const unsigned int *room, unsigned int caches, unsigned int apps,
			  unsigned int states, bool all)
{
	struct anneal *a = machine(room, caches, apps);
	struct placement where = { .cache = { 0 } };

	anneal_place(a, &where);
	anneal_decide(a, &where, 1000, &d);
	assert_int_equal(d.nr, states);
	assert_int_equal(d.all, all);
	for (unsigned int i = 0; i < d.nr; i++) {
		for (unsigned int k = 0; k < i; k++)
			assert_false(anneal_same(a, &d.candidate[i].where, &d.candidate[k].where));
	}
	anneal_free(a);
}

/* Unique co-locations: 4 in pairs: 3; 8 in fours: C(8, 4) / 2; 8 in pairs: 105, too many. */
static void states(void **state)
{
	(void)state;
	expect_states(rooms, 2, 1, 1, true);
	expect_states(rooms, 2, 2, 2, true);
	expect_states(rooms, 2, 3, 3, true);
	expect_states(rooms, 2, 4, 3, true);
	expect_states(rooms, 3, 6, 15, true);
	expect_states(four, 2, 8, 35, true);
	/* The present state, and for each of 6 pairs of caches 4 swaps, which give 2 states. */
	expect_states(rooms, 4, 8, 13, false);
	/* More applications than CPUs: three of the five share a cache. */
	expect_states(rooms, 2, 5, 10, true);
	expect_states(rooms, 8, 16, 57, false);
}

/* The search ends if many divisions do not fit: sixteen caches of sixteen CPUs, nearly full. */
static void tight(void **state)
{
	unsigned int room[16];
	struct placement where = { .cache = { 0 } };
	struct anneal *a;
	unsigned int moved[64] = { 0 }, least = UINT32_MAX, most = 0;

	(void)state;
	for (unsigned int c = 0; c < 16; c++)
		room[c] = 16;
	a = machine(room, 16, 16);
	for (unsigned int i = 16; i < 31; i++)
		anneal_add(a, i, 16, 1);
	anneal_place(a, &where);
	anneal_decide(a, &where, 1000, &d);
	assert_false(d.all);
	anneal_free(a);
	/* Too many states to consider: all applications are moved about as often. */
	for (unsigned int c = 0; c < 16; c++)
		room[c] = 8;
	a = machine(room, 16, 64);
	memset(&where, 0, sizeof(where));
	anneal_place(a, &where);
	for (unsigned int n = 0; n < 200; n++) {
		anneal_decide(a, &where, 1000, &d);
		assert_true(d.nr <= MOST_CANDIDATES);
		for (unsigned int c = 0; c < d.nr; c++) {
			for (unsigned int i = 0; i < 64; i++)
				moved[i] += d.candidate[c].where.cache[i] != where.cache[i];
		}
	}
	for (unsigned int i = 0; i < 64; i++) {
		least = moved[i] < least ? moved[i] : least;
		most = moved[i] > most ? moved[i] : most;
	}
	assert_true(least > most / 4);
	anneal_free(a);
}

/* Decisions follow from what was learnt, by the paper's formula. */
static void formula(void **state)
{
	struct anneal *a = machine(rooms, 2, 4);
	struct placement now = { .cache = { 0, 0, 1, 1 } };
	double expected[3], sum = 1;

	(void)state;
	/* 0.25 * 100 + 0.75 * 60 */
	anneal_learn(a, &now, 0, 60);
	assert_true(fabs(anneal_energy(a, &now) - 370) < 1e-9);
	anneal_learn(a, &now, 0, 60);
	assert_true(fabs(anneal_energy(a, &now) - 362.5) < 1e-9);
	for (unsigned int i = 0; i < 4; i++)
		anneal_learn(a, &(struct placement){ .cache = { 0, 1, 0, 1 } }, i, 88);
	for (unsigned int i = 0; i < 4; i++)
		anneal_learn(a, &(struct placement){ .cache = { 0, 1, 1, 0 } }, i, 87);
	anneal_decide(a, &now, 500, &d);
	assert_int_equal(d.nr, 3);
	for (unsigned int i = 1; i < 3; i++) {
		expected[i] = 500 * exp(2 * (d.candidate[i].energy - 362.5));
		sum += expected[i];
	}
	assert_true(fabs(d.candidate[0].probability - 1 / sum) < 1e-6);
	assert_true(fabs(d.candidate[1].probability - expected[1] / sum) < 1e-6);
	/* Co-locations with the new application were never tried: they have 100. */
	anneal_remove(a, 3);
	anneal_add(a, 3, 1, 1);
	assert_true(fabs(anneal_energy(a, &(struct placement){ .cache = { 0, 1, 0, 1 } }) - (91 + 91 + 200)) < 1e-9);
	anneal_free(a);
}

/* If pairs differ in quality, without noise, annealing finds the best pairs, and stays there. */
static void finds(void **state)
{
	static const double quality[4][4] = { { 0, 50, 95, 70 }, { 50, 0, 70, 95 }, { 95, 70, 0, 60 }, { 70, 95, 60, 0 } };
	struct anneal *a = machine(rooms, 2, 4);
	struct placement now = { .cache = { 0, 0, 1, 1 } };
	unsigned int best = 0;
	double t_ms = 0;

	(void)state;
	for (unsigned int step = 0; step < 1000; step++) {
		for (unsigned int i = 0; i < 4; i++) {
			for (unsigned int k = 0; k < 4; k++) {
				if (i != k && now.cache[i] == now.cache[k])
					anneal_learn(a, &now, i, quality[i][k]);
			}
		}
		t_ms += 1000;
		anneal_decide(a, &now, t_ms, &d);
		best += now.cache[0] == now.cache[2];
		if (!d.chosen)
			continue;
		now = d.candidate[d.chosen].where;
		t_ms = 0;
	}
	print_message("# in the best state for %u of 1000 steps\n", best);
	assert_true(best > 950);
	anneal_free(a);
}

/* More is learnt than there is room for. */
static void memory(void **state)
{
	struct anneal *a = machine((const unsigned int[]){ 64, 64 }, 2, 30);
	struct placement where = { .cache = { 0 } };

	(void)state;
	for (unsigned int n = 0; n < 20000; n++) {
		for (unsigned int i = 0; i < 30; i++)
			where.cache[i] = (n * 2654435761u) >> i & 1;
		anneal_learn(a, &where, n % 30, 50);
	}
	assert_true(anneal_energy(a, &where) <= 3000 && anneal_energy(a, &where) > 2000);
	anneal_free(a);
}

/* A program that needs three CPUs gets the cache of four. Few programs have to move. */
static void fits(void **state)
{
	const struct anneal_params params = { .lambda = 2, .damping = 0.25, .stay = 1, .seed = 1 };
	struct anneal *a = anneal_new(&params, (const unsigned int[]){ 2, 4 }, 2);
	struct placement where = { .cache = { 0 } };

	(void)state;
	anneal_add(a, 0, 3, 1);
	anneal_add(a, 1, 1, 1);
	anneal_add(a, 2, 1, 1);
	anneal_place(a, &where);
	assert_int_equal(where.cache[0], 1);
	anneal_decide(a, &where, 1000, &d);
	for (unsigned int i = 0; i < d.nr; i++)
		assert_int_equal(d.candidate[i].where.cache[0], 1);
	assert_int_equal(d.nr, 3);
	anneal_free(a);
}

static pid_t new_process(uint64_t *start)
{
	struct proc p;
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	assert_int_equal(proc_read(pid, &p), 0);
	*start = p.start;
	return pid;
}

static bool may_use(pid_t pid, const cpu_set_t *cpus)
{
	cpu_set_t now;

	assert_int_equal(sched_getaffinity(pid, sizeof(now), &now), 0);
	return CPU_EQUAL(&now, cpus);
}

static void first_of(cpu_set_t *first, const cpu_set_t *all)
{
	int cpu = 0;

	while (!CPU_ISSET((size_t)cpu, all))
		cpu++;
	CPU_ZERO(first);
	CPU_SET((size_t)cpu, first);
}

/* A process that forks a child when @tell is written to, and writes the child's PID to @told. */
static pid_t new_parent(uint64_t *start, int *tell, int *told)
{
	int to[2], from[2];
	struct proc p;
	char byte;
	pid_t pid, child;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	pid = fork();
	if (!pid) {
		close(to[1]);
		if (read(to[0], &byte, 1) == 1) {
			child = fork();
			if (child && write(from[1], &child, sizeof(child)) < 0)
				_exit(1);
		}
		pause();
		_exit(0);
	}
	assert_int_equal(proc_read(pid, &p), 0);
	*start = p.start;
	*tell = to[1];
	*told = from[0];
	return pid;
}

static void end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void affinity(void **state)
{
	cpu_set_t all, first, none;
	uint64_t start;
	/* Fork first, because a later process would keep the guard's descriptor open. */
	pid_t pid = new_process(&start);
	struct affinity *a = affinity_new();

	(void)state;
	assert_non_null(a);
	CPU_ZERO(&none);
	sched_getaffinity(0, sizeof(all), &all);
	if (CPU_COUNT(&all) < 2)
		skip();
	first_of(&first, &all);
	assert_int_equal(affinity_set(a, pid, start, &first), 0);
	assert_true(may_use(pid, &first));
	assert_int_equal(affinity_set(a, pid, start, &none), -EINVAL);
	assert_int_equal(affinity_set(a, pid, start + 1, &first), -ESRCH);
	affinity_restore(a, pid, start);
	assert_true(may_use(pid, &all));
	/* The end restores the process, too. */
	assert_int_equal(affinity_set(a, pid, start, &first), 0);
	affinity_free(a);
	assert_true(may_use(pid, &all));
	/* If another program has changed the CPUs, they stay as they are. */
	a = affinity_new();
	assert_int_equal(affinity_set(a, pid, start, &all), 0);
	sched_setaffinity(pid, sizeof(first), &first);
	assert_int_equal(affinity_set(a, pid, start, &all), -EXDEV);
	affinity_free(a);
	assert_true(may_use(pid, &first));
	end_process(pid);
}

/* A child created meanwhile gets the CPUs that its parent had before, whether it was met or not. */
static void children(void **state)
{
	cpu_set_t all, first;
	int tell, told;
	uint64_t start;
	pid_t pid, child;
	struct proc p;

	(void)state;
	sched_getaffinity(0, sizeof(all), &all);
	if (CPU_COUNT(&all) < 2)
		skip();
	first_of(&first, &all);
	for (int met = 0; met < 2; met++) {
		struct affinity *a;

		pid = new_parent(&start, &tell, &told);
		a = affinity_new();
		assert_int_equal(affinity_set(a, pid, start, &first), 0);
		assert_int_equal(write(tell, "", 1), 1);
		assert_int_equal(read(told, &child, sizeof(child)), sizeof(child));
		assert_true(may_use(child, &first));
		assert_int_equal(proc_read(child, &p), 0);
		if (met)
			affinity_meet(a, child, p.start);
		if (met)
			assert_true(affinity_may_use(a, child, p.start, &all));
		affinity_free(a);
		assert_true(may_use(pid, &all));
		assert_true(may_use(child, &all));
		kill(child, SIGKILL);
		end_process(pid);
		close(tell);
		close(told);
	}
}

/* A child keeps CPUs that it was given before; a sleeping child gets back what it had. */
static void relatives(void **state)
{
	cpu_set_t all, first, rest;
	int tell, told;
	uint64_t start;
	pid_t pid, child;
	struct affinity *a;

	(void)state;
	sched_getaffinity(0, sizeof(all), &all);
	if (CPU_COUNT(&all) < 2)
		skip();
	first_of(&first, &all);
	CPU_XOR(&rest, &all, &first);
	for (int older = 0; older < 2; older++) {
		pid = new_parent(&start, &tell, &told);
		if (older) {
			assert_int_equal(write(tell, "", 1), 1);
			assert_int_equal(read(told, &child, sizeof(child)), sizeof(child));
			sched_setaffinity(child, sizeof(first), &first);
			/* Start times of processes are in ticks. */
			usleep(30000);
		}
		a = affinity_new();
		assert_int_equal(affinity_set(a, pid, start, &first), 0);
		if (!older) {
			usleep(30000);
			assert_int_equal(write(tell, "", 1), 1);
			assert_int_equal(read(told, &child, sizeof(child)), sizeof(child));
		}
		/* The parent is moved away, back and away again, and is then idle. */
		assert_int_equal(affinity_set(a, pid, start, &rest), 0);
		assert_int_equal(affinity_set(a, pid, start, &first), 0);
		assert_int_equal(affinity_set(a, pid, start, &rest), 0);
		affinity_restore(a, pid, start);
		assert_true(may_use(child, older ? &first : &all));
		affinity_free(a);
		assert_true(may_use(child, older ? &first : &all));
		kill(child, SIGKILL);
		end_process(pid);
		close(tell);
		close(told);
	}
}

static void *pinned(void *cpus)
{
	pthread_setaffinity_np(pthread_self(), sizeof(cpu_set_t), cpus);
	pause();
	return NULL;
}

/* A thread of the process that is not its first; 0: there is none. */
static pid_t other_thread(pid_t pid)
{
	struct dirent *entry;
	pid_t found = 0;
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (atoi(entry->d_name) > 0 && atoi(entry->d_name) != pid)
			found = atoi(entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* A thread that chose its CPUs itself keeps them when the others are moved and restored. */
static void threads(void **state)
{
	cpu_set_t all, first, rest, now;
	pthread_t thread;
	struct proc p;
	struct affinity *a;
	pid_t pid, tid = 0;

	(void)state;
	sched_getaffinity(0, sizeof(all), &all);
	if (CPU_COUNT(&all) < 2)
		skip();
	first_of(&first, &all);
	CPU_XOR(&rest, &all, &first);
	pid = fork();
	if (!pid) {
		/* Wait until the first thread has been moved. */
		do {
			usleep(1000);
			sched_getaffinity(0, sizeof(now), &now);
		} while (!CPU_EQUAL(&now, &first));
		pthread_create(&thread, NULL, pinned, &rest);
		pause();
		_exit(0);
	}
	assert_int_equal(proc_read(pid, &p), 0);
	a = affinity_new();
	assert_int_equal(affinity_set(a, pid, p.start, &first), 0);
	for (int i = 0; i < 1000; i++) {
		usleep(10000);
		tid = other_thread(pid);
		if (tid && !sched_getaffinity(tid, sizeof(now), &now) && CPU_EQUAL(&now, &rest))
			break;
	}
	assert_int_equal(affinity_set(a, pid, p.start, &first), 0);
	assert_true(may_use(tid, &rest));
	affinity_free(a);
	assert_true(may_use(pid, &all));
	assert_true(may_use(tid, &rest));
	end_process(pid);
}

/* The CPUs are restored if the process that set them is killed. */
static void guarded(void **state)
{
	cpu_set_t all, first;
	uint64_t start;
	pid_t pid = new_process(&start), killed;
	struct affinity *a;

	(void)state;
	sched_getaffinity(0, sizeof(all), &all);
	if (CPU_COUNT(&all) < 2)
		skip();
	first_of(&first, &all);
	killed = fork();
	if (!killed) {
		a = affinity_new();
		if (a && !affinity_set(a, pid, start, &first))
			raise(SIGKILL);
		_exit(1);
	}
	waitpid(killed, NULL, 0);
	for (int i = 0; i < 1000 && !may_use(pid, &all); i++)
		usleep(10000);
	assert_true(may_use(pid, &all));
	end_process(pid);
}

/* Weights by PID or by name (the kernel has 15 characters); the last weight that matches counts. */
static void weights(void **state)
{
	static const struct options o = {
		.weight = {
			{ .name = "mcf=2", .len = 3, .weight = 2 },
			{ .name = "a-name-of-twenty-one-letters=3", .len = 28, .weight = 3 },
			{ .name = "77=0", .len = 2, .weight = 0 },
		},
		.nr_weights = 3,
	};

	(void)state;
	assert_true(options_weight(&o, 1, "mcf") == 2);
	assert_true(options_weight(&o, 1, "mc") == 1);
	assert_true(options_weight(&o, 1, "mcf2") == 1);
	assert_true(options_weight(&o, 1, "a-name-of-twent") == 3);
	assert_true(options_weight(&o, 1, "a-name-of-twen") == 1);
	assert_true(options_weight(&o, 77, "mcf") == 0);
	assert_true(options_weight(&o, 770, "mcf") == 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states),
		cmocka_unit_test(tight),
		cmocka_unit_test(formula),
		cmocka_unit_test(finds),
		cmocka_unit_test(memory),
		cmocka_unit_test(fits),
		cmocka_unit_test(affinity),
		cmocka_unit_test(children),
		cmocka_unit_test(relatives),
		cmocka_unit_test(threads),
		cmocka_unit_test(weights),
		cmocka_unit_test(guarded),
	};

	return cmocka_run_group_tests_name("qplacer", tests, NULL, NULL);
}
