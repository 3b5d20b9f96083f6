/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by the names of programs: a build has many processes, but few programs. */
#ifndef QTIME_PROGRAMS_H
#define QTIME_PROGRAMS_H

#include "watch/processes.h"

#define MAX_PROGRAMS	64

struct program_sum {
	char name[16];
	unsigned int processes;
	struct sum sum;
};

/* Programs that find no place share the last entry, "(others)". */
struct programs {
	struct program_sum of[MAX_PROGRAMS];
	unsigned int nr;
};

void programs_add(struct programs *p, const struct process *process);
/* Number of processes of all programs together. */
unsigned int programs_processes(const struct programs *p);
/* Sort by CPU time, the greatest first. */
void programs_sort(struct programs *p);

#endif /* QTIME_PROGRAMS_H */
