// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "qplacer/apps.h"

/*
 * The CPUs that a program needs are the mean of this many slots. One slot is not enough, because
 * how much of the last slot has arrived depends on when the kernel closed the intervals.
 */
#define SLOTS		8
/* The number of CPUs is changed only if the program used this many CPUs more or less. */
#define OFF		0.75
/* A program that uses less of a CPU in an interval than this hardly disturbs others. */
#define RUNS_PERCENT	20
/* A program that hardly ran in this many intervals is not placed any more. */
#define PATIENCE	10

static int index_of(const struct apps *a, const struct process *of)
{
	for (int i = 0; i < ANNEAL_APPS; i++) {
		if (a->of[i].pid == of->pid && a->of[i].start == of->start)
			return i;
	}
	return -1;
}

/* The CPUs that a program needs if it used @used; at most as many as a cache has. */
static unsigned int cpus_for(const struct apps *a, double used)
{
	unsigned int cpus = (unsigned int)(used + 0.5), most = 1;

	for (unsigned int c = 0; c < a->topology->nr; c++) {
		if (a->topology->room[c] > most)
			most = a->topology->room[c];
	}
	if (cpus > most)
		cpus = most;
	return cpus ? cpus : 1;
}

/**
 * struct updating - a look at all processes
 * @a: the applications
 * @p: the table of processes
 * @slot_s: length of the last slot
 * @where: where the applications are
 * @seen: mask of the applications that were found
 * @changed: there are other applications, or they need another number of CPUs
 */
struct updating {
	struct apps *a;
	struct processes *p;
	double slot_s;
	struct placement *where;
	uint64_t seen;
	bool changed;
};

/* The cache of a CPU. */
static uint8_t cache_of(const struct apps *a, int cpu)
{
	for (unsigned int c = 0; c < a->topology->nr; c++) {
		if (cpu >= 0 && CPU_ISSET((size_t)cpu, &a->topology->cpus[c]))
			return (uint8_t)c;
	}
	return 0;
}

/* False if the process may not use any CPU of some cache: it could not be placed there. */
static bool may_be_moved(const struct apps *a, const struct process *of)
{
	for (unsigned int c = 0; c < a->topology->nr; c++) {
		if (!affinity_may_use(a->affinity, of->pid, of->start, &a->topology->cpus[c]))
			return false;
	}
	return true;
}

static void meet(struct updating *u, const struct process *of, double used)
{
	struct apps *a = u->a;
	unsigned int i = 0;

	if (a->uid != (uid_t)-1 && of->uid != a->uid)
		return;
	if (used * 100 < RUNS_PERCENT || of->left_alone || !may_be_moved(a, of))
		return;
	while (i < ANNEAL_APPS && a->of[i].pid)
		i++;
	if (i == ANNEAL_APPS) {
		a->too_many = true;
		return;
	}
	a->of[i] = (struct app){ .pid = of->pid, .start = of->start, .quality = -1, .cpus = cpus_for(a, used) };
	memcpy(a->of[i].name, of->name, sizeof(a->of[i].name));
	anneal_add(a->anneal, i, a->of[i].cpus, options_weight(a->o, of->pid, of->name));
	a->nr++;
	u->where->cache[i] = cache_of(a, of->cpu);
	u->seen |= 1ULL << i;
	u->changed = true;
}

/* An application's needs or its weight have changed; what was learnt of it stays valid. */
static void change(struct updating *u, struct app *app, unsigned int i, const struct process *of)
{
	memcpy(app->name, of->name, sizeof(app->name));
	anneal_add(u->a->anneal, i, app->cpus, options_weight(u->a->o, of->pid, of->name));
}

static void look_again(struct updating *u, struct app *app, unsigned int i, const struct process *of,
		       const struct sum *s, double used)
{
	double quality, off = used - app->cpus;

	/* The process has executed another program. */
	if (strcmp(app->name, of->name))
		change(u, app, i, of);
	app->idle = used * 100 < RUNS_PERCENT ? app->idle + 1 : 0;
	if (app->idle < PATIENCE)
		u->seen |= 1ULL << i;
	/* In a dry run, the application is where the kernel runs it. */
	if (!u->a->affinity)
		u->where->cache[i] = cache_of(u->a, of->cpu);
	app->quality = !app->idle && sum_quality(s, &quality) ? 100 * quality : -1;
	if (off < OFF && off > -OFF)
		return;
	if (cpus_for(u->a, used) == app->cpus)
		return;
	app->cpus = cpus_for(u->a, used);
	change(u, app, i, of);
	u->changed = true;
}

static bool look(struct process *of, void *arg)
{
	struct updating *u = arg;
	struct sum last = processes_last(u->p, of, 1), s = processes_last(u->p, of, SLOTS);
	/* A process that has just begun did not exist in earlier slots. */
	unsigned int slots = of->looks < SLOTS ? of->looks + 1 : SLOTS;
	double used = u->slot_s > 0 ? (double)s.cpu_ns / 1e9 / u->slot_s / slots : 0;
	int i = index_of(u->a, of);

	if (of->ended)
		return true;
	/* Note a child while its parent still exists. */
	if (u->a->affinity && !of->looks)
		affinity_meet(u->a->affinity, of->pid, of->start);
	of->looks += of->looks < SLOTS;
	if (i < 0)
		meet(u, of, used);
	else
		look_again(u, &u->a->of[i], (unsigned int)i, of, &last, used);
	return false;
}

static void forget(struct apps *a, unsigned int i)
{
	anneal_remove(a->anneal, i);
	a->of[i] = (struct app){ .quality = -1 };
	a->nr--;
}

bool apps_update(struct apps *a, struct processes *p, double slot_s, struct placement *where)
{
	struct updating u = { .a = a, .p = p, .slot_s = slot_s, .where = where };

	processes_each(p, look, &u);
	for (unsigned int i = 0; i < ANNEAL_APPS; i++) {
		if (!a->of[i].pid || u.seen >> i & 1)
			continue;
		/* The process may still exist, and only be idle. */
		if (a->affinity)
			affinity_restore(a->affinity, a->of[i].pid, a->of[i].start);
		forget(a, i);
		u.changed = true;
	}
	if (u.changed)
		anneal_place(a->anneal, where);
	return u.changed;
}

static void leave_alone(struct apps *a, struct processes *p, unsigned int i)
{
	struct process *of = processes_find(p, a->of[i].pid);

	if (of)
		of->left_alone = true;
	forget(a, i);
}

void apps_move(struct apps *a, struct processes *p, const struct placement *where,
	       void (*note)(const struct app *app, int err))
{
	for (unsigned int i = 0; a->affinity && i < ANNEAL_APPS; i++) {
		const struct app app = a->of[i];
		int err;

		if (!app.pid)
			continue;
		err = affinity_set(a->affinity, app.pid, app.start, &a->topology->cpus[where->cache[i]]);
		if (!err)
			continue;
		/* A process that has ended is missing at the next look. */
		if (err == -ESRCH)
			continue;
		note(&app, err);
		/* All CPUs of the cache are gone: the process does not stay where it was placed. */
		if (err == -EINVAL)
			affinity_restore(a->affinity, app.pid, app.start);
		leave_alone(a, p, i);
	}
}
