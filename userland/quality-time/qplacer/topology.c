// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_list.h"
#include "qplacer/topology.h"
#include "text_file.h"

#define INFO	"/proc/pmc/info"
#define CPUS	"/sys/devices/system/cpu"

/* Add a new cache, with those of its CPUs that are in @usable. */
static int add_cache(struct topology *t, const char *list, const cpu_set_t *usable)
{
	cpu_set_t cpus;

	if (cpu_list_parse(list, &cpus))
		return -ENOENT;
	CPU_AND(&cpus, &cpus, usable);
	if (!CPU_COUNT(&cpus))
		return 0;
	for (unsigned int i = 0; i < t->nr; i++) {
		if (CPU_EQUAL(&t->cpus[i], &cpus))
			return 0;
	}
	if (t->nr == ANNEAL_CACHES)
		return -E2BIG;
	t->cpus[t->nr] = cpus;
	t->room[t->nr++] = (unsigned int)CPU_COUNT(&cpus);
	return 0;
}

/* Read the caches of a simulated machine: lists of CPUs such as "0,1 2,3". */
static int of_simulated(struct topology *t, char *lists, const cpu_set_t *usable)
{
	char *list;
	int err = 0;

	while (!err && (list = strsep(&lists, " "))) {
		if (list[0])
			err = add_cache(t, list, usable);
	}
	return err;
}

/* Add the CPUs that share the cache of the highest level with @cpu. */
static int of_cpu(struct topology *t, unsigned int cpu, const cpu_set_t *usable)
{
	char path[96], text[16], list[1024], best[1024] = "";
	unsigned long level, highest = 0;

	for (unsigned int i = 0; i < 16; i++) {
		snprintf(path, sizeof(path), CPUS "/cpu%u/cache/index%u/level", cpu, i);
		if (!text_file_line(path, text, sizeof(text)))
			break;
		level = strtoul(text, NULL, 10);
		snprintf(path, sizeof(path), CPUS "/cpu%u/cache/index%u/shared_cpu_list", cpu, i);
		if (level < highest || !text_file_line(path, list, sizeof(list)))
			continue;
		highest = level;
		memcpy(best, list, sizeof(best));
	}
	return best[0] ? add_cache(t, best, usable) : -ENOENT;
}

int topology_read(struct topology *t)
{
	char text[4096];
	cpu_set_t usable, online;
	int err = 0;

	memset(t, 0, sizeof(*t));
	if (sched_getaffinity(0, sizeof(usable), &usable) ||
	    !text_file_line(CPUS "/online", text, sizeof(text)) || cpu_list_parse(text, &online))
		return -ENOENT;
	CPU_AND(&usable, &usable, &online);
	if (text_file_value(INFO, "caches", text, sizeof(text)))
		return of_simulated(t, text, &usable);
	for (unsigned int cpu = 0; !err && cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &usable))
			err = of_cpu(t, cpu, &usable);
	}
	return err;
}
