/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The applications: the processes that qplacer places, because they use much CPU time. */
#ifndef QPLACER_APPS_H
#define QPLACER_APPS_H

#include "qplacer/affinity.h"
#include "qplacer/anneal.h"
#include "qplacer/options.h"
#include "qplacer/topology.h"
#include "watch/processes.h"

/**
 * struct app - an application
 * @pid: its PID; 0: this place is free
 * @start: when it began
 * @name: name of its program
 * @cpus: number of CPUs that it needs: what it used in the last intervals, rounded
 * @idle: number of intervals in which it hardly ran
 * @quality: quality in the last interval, in percent; negative: not known
 */
struct app {
	pid_t pid;
	uint64_t start;
	char name[16];
	unsigned int cpus;
	unsigned int idle;
	double quality;
};

struct apps {
	const struct options *o;
	const struct topology *topology;
	struct affinity *affinity;	/* NULL: dry run */
	struct anneal *anneal;
	uid_t uid;			/* user whose processes are placed; (uid_t)-1: all */
	struct app of[ANNEAL_APPS];
	unsigned int nr;
	bool too_many;
};

/*
 * Find new and ended applications, and the quality in the last slot. Returns true if there are
 * other applications now, or if they need another number of CPUs. Then the caller must move all of
 * them to @where. In a dry run, @where is where the kernel runs them.
 */
bool apps_update(struct apps *a, struct processes *p, double slot_s, struct placement *where);
/*
 * Restrict the applications to the CPUs of their caches. Calls @note for each application that must
 * be left alone.
 */
void apps_move(struct apps *a, struct processes *p, const struct placement *where,
	       void (*note)(const struct app *app, int err));

#endif /* QPLACER_APPS_H */
