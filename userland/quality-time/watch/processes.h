/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that are watched, and what their threads did. */
#ifndef WATCH_PROCESSES_H
#define WATCH_PROCESSES_H

#include <stddef.h>
#include <sys/types.h>

#include "watch/sum.h"

/* Number of slots of time that are kept of each process, the latest ones. */
#define PROCESS_SLOTS	64

/**
 * struct process - a process that was seen
 * @next: the next process in the same list of the table
 * @pid: its PID
 * @start: when it began, in ticks since boot; 0: it had ended before /proc could be read
 * @uid: its user; (uid_t)-1: unknown
 * @name: name of its program; "?" if @start is 0
 * @group: path of its control group, "" if unknown
 * @gone: it has ended, but records of it may still come
 * @ended: it has ended
 * @ran: it has run since the last look
 * @foreign: it comes from the table that qualityd publishes
 * @seen: for @foreign: the present read has found it there
 * @left_alone: for qplacer: it is not placed
 * @looks: for qplacer: number of looks so far, up to a limit
 * @all: sums since it was first seen
 * @slot: sums of the last slots, see processes_slot()
 * @slot_cpu: the CPU where the last interval of each slot ended; -1: none ended
 * @cpu: the CPU where the last interval ended
 * @sample_age_ms: age of the last sample alone, at the end of the last interval that has one
 * @oldest_ms: the greatest @sample_age_ms so far
 * @instr: instructions in user mode since it was first seen
 * @l1d_accesses: accesses to the first-level data cache since it was first seen
 * @updated_ns: when its last interval ended, CLOCK_MONOTONIC
 * @place: index of its entry in the published table; -1: none
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
/* The process of that PID, which is created if there is none. NULL: no memory. */
struct process *processes_get(struct processes *p, pid_t pid);
struct process *processes_find(const struct processes *p, pid_t pid);
/* Add an interval of one of the process's threads, which ended on @cpu. */
void processes_add(struct processes *p, struct process *of, const struct sum *what, int cpu);
/* Begin a new slot, and forget the oldest one. */
void processes_next_slot(struct processes *p);
/* Index of the @back-th slot before the present one; 0: the present one. */
unsigned int processes_slot(const struct processes *p, unsigned int back);
/* What @of did in the last @nr slots, without the present one. */
struct sum processes_last(const struct processes *p, const struct process *of, unsigned int nr);
/*
 * Find processes that have ended (process::ended), and read names, users and groups of the others
 * again. A process that does not run is checked only at each eighth look.
 */
void processes_look(struct processes *p);
/* Calls @fn for each process. If @fn returns true for a process that has ended, it is forgotten. */
void processes_each(struct processes *p, bool (*fn)(struct process *of, void *arg), void *arg);

#endif /* WATCH_PROCESSES_H */
