/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that are placed: those that run much. */
#ifndef QPLACER_APPS_H
#define QPLACER_APPS_H

#include "qplacer/affinity.h"
#include "qplacer/anneal.h"
#include "qplacer/options.h"
#include "qplacer/topology.h"
#include "watch/processes.h"

/**
 * struct app - one
 * @pid: its PID, 0: there is none in this place
 * @start: when it began
 * @name: of its program
 * @cpus: that it needs: what it used in the last intervals, rounded
 * @idle: intervals in which it hardly ran
 * @quality: in the last interval, in percent; negative: not known
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
	struct affinity *affinity;	/* NULL: nothing is done */
	struct anneal *anneal;
	uid_t uid;			/* of whom; (uid_t)-1: anybody */
	struct app of[ANNEAL_APPS];
	unsigned int nr;
	bool too_many;
};

/*
 * Who came, who left, and how good the last slot was. Returns true if others are there now, or
 * need more CPUs: then all must be moved to where they are in @where. If nothing is done, @where
 * is where the kernel has them.
 */
bool apps_update(struct apps *a, struct processes *p, double slot_s, struct placement *where);
/* Let them use the CPUs of their caches. @note is called for each that has to be left alone. */
void apps_move(struct apps *a, struct processes *p, const struct placement *where,
	       void (*note)(const struct app *app, int err));

#endif /* QPLACER_APPS_H */
