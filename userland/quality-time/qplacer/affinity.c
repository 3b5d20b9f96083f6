// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc.h"
#include "qplacer/affinity.h"

#define MOST_PROCESSES	256
/* A process may begin threads while they are looked at. */
#define ROUNDS		3

/*
 * A process. @before and @start are written first, then @pid, so that the guard always finds a
 * whole entry.
 */
struct entry {
	pid_t pid;	/* 0: unused */
	uint64_t start;
	cpu_set_t before;
	cpu_set_t set;
};

struct affinity {
	struct entry *table;	/* shared with the guard */
	int alive;		/* while it is open, the guard waits */
	pid_t guard;
};

/*
 * Calls @fn for each thread with the CPUs that it may use. Returns the first result that is not 0,
 * 0, or -ESRCH: there is none.
 */
static int each_thread(pid_t pid, int (*fn)(pid_t tid, const cpu_set_t *now, void *arg), void *arg)
{
	char path[32];
	struct dirent *entry;
	int err = -ESRCH;
	cpu_set_t now;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) && (!err || err == -ESRCH)) {
		pid_t tid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;

		if (tid && !sched_getaffinity(tid, sizeof(now), &now))
			err = fn(tid, &now, arg);
	}
	if (dir)
		closedir(dir);
	return err;
}

struct change {
	const cpu_set_t *cpus;
	unsigned int changed;
};

static int set_thread(pid_t tid, const cpu_set_t *now, void *arg)
{
	struct change *c = arg;

	if (CPU_EQUAL(now, c->cpus))
		return 0;
	if (sched_setaffinity(tid, sizeof(*c->cpus), c->cpus))
		return errno == ESRCH ? 0 : -errno;
	c->changed++;
	return 0;
}

/* For all threads, also those that begin meanwhile. */
static int set_threads(pid_t pid, const cpu_set_t *cpus)
{
	struct change c = { .cpus = cpus };
	int err = 0;

	for (int round = 0; round < ROUNDS && !err; round++) {
		c.changed = 0;
		err = each_thread(pid, set_thread, &c);
		if (!c.changed)
			break;
	}
	return err;
}

static int is_other(pid_t tid, const cpu_set_t *now, void *cpus)
{
	(void)tid;
	return CPU_EQUAL(now, (const cpu_set_t *)cpus) ? 0 : -EXDEV;
}

/* As it was before, unless it is no more, or somebody else has changed it. */
static void restore(const struct entry *e)
{
	cpu_set_t now;

	if (!proc_is(e->pid, e->start) || sched_getaffinity(e->pid, sizeof(now), &now))
		return;
	if (CPU_EQUAL(&now, &e->set))
		set_threads(e->pid, &e->before);
}

static void restore_all(struct entry *table)
{
	for (unsigned int i = 0; i < MOST_PROCESSES; i++) {
		if (__atomic_load_n(&table[i].pid, __ATOMIC_ACQUIRE))
			restore(&table[i]);
	}
}

/* Until the other end of @alive is closed, by affinity_free() or because qplacer is gone. */
static void guard(struct entry *table, int alive)
{
	char byte;

	/* Ctrl-C and the end of the terminal are for qplacer. */
	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	prctl(PR_SET_NAME, "qplacer-guard");
	while (read(alive, &byte, 1) < 0 && errno == EINTR)
		;
	restore_all(table);
	_exit(0);
}

struct affinity *affinity_new(void)
{
	struct affinity *a = calloc(1, sizeof(*a));
	int ends[2];

	if (!a)
		return NULL;
	a->table = mmap(NULL, MOST_PROCESSES * sizeof(a->table[0]), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a->table == MAP_FAILED || pipe2(ends, O_CLOEXEC)) {
		free(a);
		return NULL;
	}
	a->guard = fork();
	if (!a->guard) {
		close(ends[1]);
		guard(a->table, ends[0]);
	}
	close(ends[0]);
	a->alive = ends[1];
	if (a->guard < 0) {
		close(a->alive);
		free(a);
		return NULL;
	}
	return a;
}

void affinity_free(struct affinity *a)
{
	if (!a)
		return;
	close(a->alive);
	while (waitpid(a->guard, NULL, 0) < 0 && errno == EINTR)
		;
	munmap(a->table, MOST_PROCESSES * sizeof(a->table[0]));
	free(a);
}

static struct entry *find(const struct affinity *a, pid_t pid, uint64_t start)
{
	for (unsigned int i = 0; i < MOST_PROCESSES; i++) {
		if (a->table[i].pid == pid && a->table[i].start == start)
			return &a->table[i];
	}
	return NULL;
}

/* The place of one that is no more, or was never used. */
static struct entry *find_room(struct affinity *a)
{
	for (unsigned int i = 0; i < MOST_PROCESSES; i++) {
		struct entry *e = &a->table[i];

		if (!e->pid)
			return e;
		if (!proc_is(e->pid, e->start)) {
			__atomic_store_n(&e->pid, 0, __ATOMIC_RELEASE);
			return e;
		}
	}
	return NULL;
}

/* What it could use before is what it can use now, when it is met. */
static int meet(struct affinity *a, pid_t pid, uint64_t start, struct entry **met)
{
	struct entry *e = find_room(a);

	if (!e)
		return -ENOSPC;
	if (sched_getaffinity(pid, sizeof(e->before), &e->before))
		return -errno;
	e->set = e->before;
	e->start = start;
	if (!proc_is(pid, start))
		return -ESRCH;
	/* It gives its threads CPUs itself. */
	if (each_thread(pid, is_other, &e->before) == -EXDEV)
		return -EXDEV;
	__atomic_store_n(&e->pid, pid, __ATOMIC_RELEASE);
	*met = e;
	return 0;
}

int affinity_set(struct affinity *a, pid_t pid, uint64_t start, const cpu_set_t *cpus)
{
	struct entry *e = find(a, pid, start);
	cpu_set_t now, set;
	int err;

	if (!e) {
		err = meet(a, pid, start, &e);
		if (err)
			return err;
	}
	if (!proc_is(pid, start))
		return -ESRCH;
	if (sched_getaffinity(pid, sizeof(now), &now))
		return -errno;
	if (!CPU_EQUAL(&now, &e->set)) {
		__atomic_store_n(&e->pid, 0, __ATOMIC_RELEASE);
		return -EXDEV;
	}
	CPU_AND(&set, cpus, &e->before);
	if (!CPU_COUNT(&set))
		return -EINVAL;
	/* Before it is done: a guard that looks now restores what is the same as before. */
	e->set = set;
	return set_threads(pid, &set);
}

void affinity_restore(struct affinity *a, pid_t pid, uint64_t start)
{
	struct entry *e = find(a, pid, start);

	if (!e)
		return;
	restore(e);
	__atomic_store_n(&e->pid, 0, __ATOMIC_RELEASE);
}

bool affinity_may_use(const struct affinity *a, pid_t pid, uint64_t start, const cpu_set_t *cpus)
{
	const struct entry *e = find(a, pid, start);
	cpu_set_t before, both;

	if (e)
		before = e->before;
	else if (sched_getaffinity(pid, sizeof(before), &before))
		return false;
	CPU_AND(&both, &before, cpus);
	return CPU_COUNT(&both);
}
