/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a program shares with its readers: a file in /dev/shm, which its user can write. Readers
 * never map it, because whoever owns a file can make it shorter; they take nothing for granted that
 * it has.
 *
 * The registering process holds a write lock (F_OFD_SETLK) on the file as long as it lives, and so
 * do the processes that it forks: without a lock, nobody ticks any more.
 */
#ifndef SEGMENT_H
#define SEGMENT_H

#include <stdint.h>

#include "throughput.h"

#define SEGMENT_FOLDER "/dev/shm"
#define SEGMENT_PREFIX "throughput-"
/* Names of a process's file that are tried in order; then any numbers, as others have taken all. */
#define SEGMENT_NAMES 4
#define SEGMENT_TRIES 16
#define SEGMENT_MAGIC 0x6867756f72685475ULL
#define SEGMENT_VERSION 1
/* Threads that have a place of their own; others share the first one. */
#define SEGMENT_SLOTS 256

/* Neighbouring lines are fetched in pairs. */
struct slot {
	uint64_t count;
	uint32_t owner; /* a thread; 0: nobody yet */
	uint32_t unused;
	char room[112];
};

struct segment {
	uint64_t magic;
	uint32_t version;
	uint32_t bytes;
	uint64_t began_ns;
	int32_t pid;
	uint32_t next;	  /* slot to take; all from there on were never used */
	uint32_t changes; /* odd while somebody changes what follows */
	uint32_t weight;
	double goal_min;
	double goal_max;
	char name[THROUGHPUT_NAME];
	char unit[THROUGHPUT_NAME];
	char room[136];
	struct slot slot[SEGMENT_SLOTS];
};

_Static_assert(sizeof(struct slot) == 128, "a slot is two lines");
_Static_assert(sizeof(struct segment) == 256 + 128 * SEGMENT_SLOTS, "no holes");

#endif /* SEGMENT_H */
