// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each thread of the program is a real thread with a simulated one. Barriers are real: waiting
 * threads sleep in the kernel, or execute simulated instructions of a spin loop.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "device.h"
#include "interrupt.h"
#include "monotonic.h"
#include "run.h"

/* A spin loop, which needs nothing but the core. */
static const struct pmct_sim_profile spin_profile = {
	.name = "spins", .nr_phases = 1,
	.phase = { {
		.instr = 1000000, .ilp = 2000, .mlp = 1000, .branches = 250000, .cond_branches = 250000,
		.l1d = 250000, .energy = 700, .blocks = 1,
		.l2 = { .nr = 1, .ppm = { 0 } }, .llc = { .nr = 1, .ppm = { 0 } },
	} },
};

/* Instructions that a thread spins before it looks again: some microseconds. */
#define SPIN_INSTR	20000

struct run;

/**
 * struct runner - a thread of the program
 * @run: the program's run
 * @index: number of the thread
 * @fd: its simulated thread
 * @spin_fd: the simulated thread of its spin loop; -1: it sleeps
 * @thread: the real thread
 * @err: why it ended early: a negative errno
 */
struct runner {
	struct run *run;
	unsigned int index;
	int fd;
	int spin_fd;
	pthread_t thread;
	int err;
};

/**
 * struct run - a run of a program
 * @program: the program
 * @report: print a line when a round is over
 * @mutex: protects @changed
 * @changed: the generation has changed
 * @arrived: number of threads that have come to the barrier
 * @generation: how often all threads have come to the barrier
 * @failed: a thread has ended early, so no thread may wait for it
 * @runner: the threads
 */
struct run {
	const struct program *program;
	bool report;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	atomic_uint arrived;
	atomic_uint generation;
	atomic_bool failed;
	struct runner runner[PROGRAM_THREADS];
};

/* A seed for a thread, which is unrelated to those of other threads. */
static uint64_t seed_of(uint64_t seed, unsigned int thread)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15 + thread;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static void release_all(struct run *run)
{
	pthread_mutex_lock(&run->mutex);
	atomic_fetch_add(&run->generation, 1);
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->mutex);
}

static int spin_until(struct runner *r, unsigned int generation)
{
	int err = 0;

	while (!err && atomic_load(&r->run->generation) == generation && !atomic_load(&r->run->failed))
		err = device_run(r->spin_fd, SPIN_INSTR);
	return err;
}

static void sleep_until(struct run *run, unsigned int generation)
{
	pthread_mutex_lock(&run->mutex);
	while (atomic_load(&run->generation) == generation && !atomic_load(&run->failed))
		pthread_cond_wait(&run->changed, &run->mutex);
	pthread_mutex_unlock(&run->mutex);
}

static int barrier(struct runner *r)
{
	struct run *run = r->run;
	unsigned int generation = atomic_load(&run->generation);
	int err = 0;

	if (run->program->threads == 1)
		return 0;
	if (atomic_fetch_add(&run->arrived, 1) + 1 == run->program->threads) {
		atomic_store(&run->arrived, 0);
		release_all(run);
	} else if (r->spin_fd >= 0) {
		err = spin_until(r, generation);
	} else {
		sleep_until(run, generation);
	}
	return err ? err : atomic_load(&run->failed) ? -ECANCELED : 0;
}

static int one_round(struct runner *r)
{
	const struct program *p = r->run->program;
	int err = 0;

	if (p->serial) {
		if (r->index == 0)
			err = device_run(r->fd, p->serial);
		if (!err)
			err = barrier(r);
	}
	if (!err && p->parallel) {
		err = device_run(r->fd, program_parallel(p, r->index));
		if (!err)
			err = barrier(r);
	}
	return err;
}

static void *thread_main(void *data)
{
	struct runner *r = data;
	uint64_t i;

	interrupt_join();
	for (i = 0; !r->err && i < r->run->program->rounds; i++) {
		r->err = one_round(r);
		if (r->run->report && !r->index && !r->err) {
			printf("round %llu\n", (unsigned long long)i + 1);
			fflush(stdout);
		}
	}
	if (r->err) {
		atomic_store(&r->run->failed, true);
		release_all(r->run);
	}
	return NULL;
}

static int open_runner(struct run *run, unsigned int i, uint64_t seed)
{
	const struct program *p = run->program;
	struct runner *r = &run->runner[i];

	*r = (struct runner) { .run = run, .index = i, .spin_fd = -1 };
	r->fd = device_open(&p->profile, seed_of(seed, i));
	if (r->fd < 0)
		return r->fd;
	if (!p->spins || p->threads == 1)
		return 0;
	r->spin_fd = device_open(&spin_profile, 0);
	return r->spin_fd < 0 ? r->spin_fd : 0;
}

/* The program's first thread runs in the process's own thread. */
static int start_and_wait(struct run *run)
{
	unsigned int nr = run->program->threads, started = 1, i;
	int err = 0;

	while (!err && started < nr) {
		err = -pthread_create(&run->runner[started].thread, NULL, thread_main, &run->runner[started]);
		started += !err;
	}
	if (err) {
		complain("cannot start a thread: %s", strerror(-err));
		atomic_store(&run->failed, true);
		release_all(run);
	} else {
		thread_main(&run->runner[0]);
	}
	for (i = 1; i < started; i++)
		pthread_join(run->runner[i].thread, NULL);
	for (i = 0; !err && i < nr; i++)
		err = run->runner[i].err == -ECANCELED ? 0 : run->runner[i].err;
	return err;
}

int run_program(const struct program *p, uint64_t seed, bool report, struct run_result *result)
{
	struct run run = { .program = p, .report = report, .mutex = PTHREAD_MUTEX_INITIALIZER,
			   .changed = PTHREAD_COND_INITIALIZER };
	struct pmct_sim_truth before;
	unsigned int opened, i;
	int err = 0;

	for (opened = 0; !err && opened < p->threads; opened++)
		err = open_runner(&run, opened, seed);
	if (!err)
		err = device_truth(run.runner[0].fd, &before);
	if (!err) {
		result->ns = monotonic_ns();
		err = start_and_wait(&run);
		result->ns = monotonic_ns() - result->ns;
		result->early = err == -EINTR;
		err = result->early ? 0 : err;
	}
	for (i = 0; !err && i < p->threads; i++)
		err = device_truth(run.runner[i].fd, &result->truth[i]);
	if (!err)
		result->machine_pj = result->truth[0].machine_pj - before.machine_pj;
	for (i = 0; i < opened; i++) {
		if (run.runner[i].fd >= 0)
			close(run.runner[i].fd);
		if (run.runner[i].spin_fd >= 0)
			close(run.runner[i].spin_fd);
	}
	return err;
}
