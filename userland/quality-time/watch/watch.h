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
 * struct watch_options - which processes are watched
 * @program: a process that is going to execute a program, with all that it starts; 0: none
 * @processes: these running processes, with all that they start
 * @nr_processes: number of @processes
 * @cgroup: directory of a control group whose processes are watched; NULL: none
 * @all: all processes of this machine, except the calling one
 * @published: file that qualityd(8) writes. The numbers are read from it, without a session; NULL:
 *	none. @program is 0 with it, and children of @processes are not watched.
 * @interval_s: how often the caller reads the sums; several records arrive in that time
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

/* True if the monitoring module is active. */
bool watch_is_possible(void);
/* Returns NULL after printing the reason. */
struct watch *watch_open(const struct watch_options *o);
void watch_close(struct watch *w);
/* Descriptor to poll for records; -1: there are no records, watch_look() reads everything. */
int watch_fd(const struct watch *w);
/* Takes records into the table. Returns true if there may be more. */
bool watch_take(struct watch *w);
/* Call at the end of each interval. Finds new and ended processes, once a second. */
void watch_look(struct watch *w);
/* Stop watching, and take the last records into the table. */
void watch_end(struct watch *w);
struct processes *watch_processes(struct watch *w);
/* The sum of all processes, also of those that the table has forgotten. */
const struct sum *watch_sum(const struct watch *w);
/* Length of intervals: as requested, or longer, after a message. */
double watch_interval_s(const struct watch *w);
/*
 * Why there are no new numbers any more, for a heading: another monitoring module was active, or
 * the published file is not written any more. NULL: there is no trouble.
 */
const char *watch_trouble(const struct watch *w);
/* Existing processes that cannot be watched: in another session, or of another user. */
unsigned int watch_refused(const struct watch *w);
/* True if nothing is missing in the sums. */
bool watch_is_whole(const struct watch *w);
/* Print what is missing in the sums, if anything is. */
void watch_complain(const struct watch *w);

#endif /* WATCH_WATCH_H */
