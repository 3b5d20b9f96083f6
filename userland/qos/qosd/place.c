// SPDX-License-Identifier: GPL-2.0-or-later
#include "place.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu_list.h"
#include "text_file.h"

void place_caches(const char *sys, int *of)
{
	char path[128], line[4096];
	cpu_set_t shared;
	int cpu, index, first;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		of[cpu] = 0;
		/* The highest index is the last level. */
		for (index = 0; index < 8; index++) {
			snprintf(path, sizeof(path), "%s/cpu%d/cache/index%d/shared_cpu_list", sys, cpu, index);
			if (!text_file_line(path, line, sizeof(line)))
				break;
			if (cpu_list_parse(line, &shared))
				continue;
			for (first = 0; !CPU_ISSET(first, &shared); first++)
				;
			of[cpu] = first;
		}
	}
}

/* The best CPU for one more of a program: with few others, and in a cache where it has many. */
static int best_cpu(const cpu_set_t *machine, int end, const int *cache, const unsigned int *used,
		    const cpu_set_t *mine)
{
	int cpu, other, best = -1;
	long merit, most = LONG_MIN;

	for (cpu = 0; cpu < end; cpu++) {
		if (!CPU_ISSET(cpu, machine) || CPU_ISSET(cpu, mine))
			continue;
		merit = -(long)used[cpu] * CPU_SETSIZE * 4;
		for (other = 0; other < end; other++) {
			if (!CPU_ISSET(other, machine) || cache[other] != cache[cpu])
				continue;
			/* Near its own ones; else where much is free. */
			merit += CPU_ISSET(other, mine) ? 3 : !used[other];
		}
		if (merit > most) {
			most = merit;
			best = cpu;
		}
	}
	return best;
}

void place_all(const cpu_set_t *machine, const int *cache, struct place *place, size_t n)
{
	unsigned int used[CPU_SETSIZE] = {0};
	int cpu, end = CPU_SETSIZE;
	size_t i;

	while (end && !CPU_ISSET(end - 1, machine))
		end--;
	/* What each had, as far as it still wants it, and nobody else has it. */
	for (i = 0; i < n; i++) {
		unsigned int kept = 0;

		for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
			if (!CPU_ISSET(cpu, &place[i].cpus))
				continue;
			if (kept < place[i].wanted && CPU_ISSET(cpu, machine) && !used[cpu]) {
				used[cpu]++;
				kept++;
			} else {
				CPU_CLR(cpu, &place[i].cpus);
			}
		}
	}
	for (i = 0; i < n; i++) {
		while (CPU_COUNT(&place[i].cpus) < (int)place[i].wanted) {
			cpu = best_cpu(machine, end, cache, used, &place[i].cpus);
			if (cpu < 0)
				break;
			CPU_SET(cpu, &place[i].cpus);
			used[cpu]++;
		}
	}
}
