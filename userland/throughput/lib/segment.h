/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file in /dev/shm that a program shares with its readers. The user of the program can write
 * it. Readers never map it, because the owner of a file can truncate it. They trust nothing in it.
 *
 * The registering process holds a write lock (F_OFD_SETLK) on the file as long as it lives, and so
 * do the processes that it forks. If there is no lock, no process ticks any more.
 */
#ifndef SEGMENT_H
#define SEGMENT_H

#include <stdint.h>

#include "throughput.h"

#define SEGMENT_FOLDER "/dev/shm"
#define SEGMENT_PREFIX "throughput-"
/*
 * Names of a process's file that are tried in order, and tries in all. After these names, random
 * numbers are tried, because others have taken them.
 */
#define SEGMENT_NAMES 4
#define SEGMENT_TRIES 16
#define SEGMENT_MAGIC 0x6867756f72685475ULL
#define SEGMENT_VERSION 1
/* Slots. A thread has a slot of its own; threads that find none share the first slot. */
#define SEGMENT_SLOTS 256

/* A slot has two cache lines, because neighbouring lines are fetched in pairs. */
struct slot {
	uint64_t count;
	uint32_t owner; /* a thread ID; 0: none yet */
	uint32_t unused;
	char room[112];
};

struct segment {
	uint64_t magic;
	uint32_t version;
	uint32_t bytes;
	uint64_t began_ns;
	int32_t pid;
	uint32_t next;	  /* next slot to take; slots from here on were never used */
	uint32_t changes; /* odd while the fields below are being changed */
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
