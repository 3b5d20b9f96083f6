/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quality Time of processes while they run: a session of libpmctrack with the virtual counters of
 * the monitoring module quality_time, and the table of processes that its records fill.
 */
#ifndef WATCH_WATCH_H
#define WATCH_WATCH_H

#include <sys/types.h>

#include "watch/processes.h"

/**
 * struct watch_options - who is watched
 * @program: a process that is going to execute a program, with all that it starts; 0: none
 * @processes: these running processes, with all that they start
 * @nr_processes: their number
 * @cgroup: directory of a control group: its processes; NULL: none
 * @all: all processes of this machine, but for the calling one
 * @published: file that qualityd(8) writes: the numbers are from there, without a session of one's
 *	own; NULL: none. @program is 0 then, and of @processes, children are not watched.
 * @interval_s: how often somebody looks at the sums; there are some records in that time
 */
struct watch_options {
	pid_t program;
	const pid_t *processes;
	unsigned int nr_processes;
	const char *cgroup;
	bool all;
	const char *published;
	double interval_s;
};

struct watch;

/* Is the monitoring module active? */
bool watch_is_possible(void);
/* NULL: the reason was printed. */
struct watch *watch_open(const struct watch_options *o);
void watch_close(struct watch *w);
/* To be polled for records; -1: there are none, watch_look() has all. */
int watch_fd(const struct watch *w);
/* Takes records into the table. Returns whether there may be more. */
bool watch_take(struct watch *w);
/* At the end of each interval: who is new, who has ended, which it finds out once a second. */
void watch_look(struct watch *w);
/* Nobody is watched any more, but for what is in the table. */
void watch_end(struct watch *w);
struct processes *watch_processes(struct watch *w);
/* All of them together, also those that the table has forgotten. */
const struct sum *watch_sum(const struct watch *w);
/* How long intervals are: as was asked for, or longer, which is said. */
double watch_interval_s(const struct watch *w);
/*
 * Why nothing is told of processes any more, for a heading: another monitoring module was active,
 * or nobody writes the published file. NULL: all is told.
 */
const char *watch_trouble(const struct watch *w);
/* Processes that are there, and cannot be watched: others have them, or they are not ours. */
unsigned int watch_refused(const struct watch *w);
/* Is nothing missing in the sums? */
bool watch_is_whole(const struct watch *w);
/* Print what is missing in the sums, if anything is. */
void watch_complain(const struct watch *w);

#endif /* WATCH_WATCH_H */
