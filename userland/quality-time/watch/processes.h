/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that are watched, and what their threads did. */
#ifndef WATCH_PROCESSES_H
#define WATCH_PROCESSES_H

#include <stddef.h>
#include <sys/types.h>

#include "watch/sum.h"

/* So many of the last slots of time are kept of each process. */
#define PROCESS_SLOTS	64

/**
 * struct process - a process that was seen
 * @next: of the same list of the table
 * @pid: its PID
 * @start: when it began, in ticks since boot; 0: it had ended before anybody could look
 * @uid: whose it is; (uid_t)-1: unknown
 * @name: of its program; "?" if @start is 0
 * @group: path of its control group, "" if unknown
 * @gone: it is no more, but records of it may still come
 * @ended: it is no more
 * @ran: since the last look
 * @foreign: it is from a table that somebody else writes, and @seen in that
 * @looks: for qplacer: it was looked at so often, up to some
 * @left_alone: for qplacer
 * @all: since it was first seen
 * @slot: the same of the last slots, see processes_slot()
 * @slot_cpu: the CPU where an interval of the slot ended last, -1: none did
 * @cpu: the same, of the last interval
 * @sample_age_ms: age of the last sample alone, at the end of the last interval that has one
 * @oldest_ms: the greatest of these
 * @instr: instructions in user mode, since it was first seen
 * @l1d_accesses: accesses to the first-level data cache, likewise
 * @updated_ns: when an interval of it ended last, CLOCK_MONOTONIC
 * @place: its entry in the table that is published, -1: none
 */
struct process {
	struct process *next;
	pid_t pid;
	uint64_t start;
	uid_t uid;
	char name[16];
	char group[512];
	bool gone;
	bool ended;
	bool ran;
	bool foreign;
	bool seen;
	bool left_alone;
	unsigned int looks;
	struct sum all;
	struct sum slot[PROCESS_SLOTS];
	int slot_cpu[PROCESS_SLOTS];
	int cpu;
	uint64_t sample_age_ms;
	uint64_t oldest_ms;
	uint64_t instr;
	uint64_t l1d_accesses;
	uint64_t updated_ns;
	int place;
};

struct processes;

struct processes *processes_new(void);
void processes_free(struct processes *p);
/* The one of that PID, which is made if there is none; NULL: no memory. */
struct process *processes_get(struct processes *p, pid_t pid);
struct process *processes_find(const struct processes *p, pid_t pid);
/* An interval of one of its threads, which ended on @cpu. */
void processes_add(struct processes *p, struct process *of, const struct sum *what, int cpu);
/* A new slot begins; the oldest is forgotten. */
void processes_next_slot(struct processes *p);
/* The present slot, and the @back-th before it. */
unsigned int processes_slot(const struct processes *p, unsigned int back);
/* What @of did in the last @nr slots, without the present one. */
struct sum processes_last(const struct processes *p, const struct process *of, unsigned int nr);
/*
 * Look who has ended, see process::ended, and what the others are. Whoever does not run is looked
 * at each eighth time.
 */
void processes_look(struct processes *p);
/* Calls @fn for each; it may return true for one that has ended, which is forgotten then. */
void processes_each(struct processes *p, bool (*fn)(struct process *of, void *arg), void *arg);

#endif /* WATCH_PROCESSES_H */
