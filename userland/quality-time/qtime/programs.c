// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qtime/programs.h"

static struct program_sum *find(struct programs *p, const char *name)
{
	for (unsigned int i = 0; i < p->nr; i++) {
		if (strcmp(p->of[i].name, name) == 0)
			return &p->of[i];
	}
	if (p->nr == MAX_PROGRAMS)
		return &p->of[MAX_PROGRAMS - 1];
	snprintf(p->of[p->nr].name, sizeof(p->of[p->nr].name), "%s",
		 p->nr == MAX_PROGRAMS - 1 ? "(others)" : name);
	return &p->of[p->nr++];
}

void programs_add(struct programs *p, const struct process *process)
{
	struct program_sum *of = find(p, process->name);

	of->processes++;
	sum_add(&of->sum, &process->all);
}

unsigned int programs_processes(const struct programs *p)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < p->nr; i++)
		nr += p->of[i].processes;
	return nr;
}

static int compare(const void *one, const void *other)
{
	const struct program_sum *a = one, *b = other;

	return (a->sum.cpu_ns < b->sum.cpu_ns) - (a->sum.cpu_ns > b->sum.cpu_ns);
}

void programs_sort(struct programs *p)
{
	qsort(p->of, p->nr, sizeof(p->of[0]), compare);
}
