// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "cpu_list.h"
#include "core_types.h"
#include "text_file.h"

#define INFO_SIZE	65536
#define ONLINE		"/sys/devices/system/cpu/online"
/* Capacities that differ by an eighth at most are of one type. */
#define ALIKE		8

/* The kernel's capacity of a CPU; 0: the kernel does not say. */
static unsigned int capacity_of(unsigned int cpu)
{
	char path[64], line[32];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpu_capacity", cpu);
	return text_file_line(path, line, sizeof(line)) ? (unsigned int)strtoul(line, NULL, 10) : 0;
}

unsigned int core_types_capacity(const struct core_type *type)
{
	unsigned int cpu;

	for (cpu = 0; cpu < CORE_TYPES_CPUS; cpu++) {
		if (CPU_ISSET(cpu, &type->cpus))
			return capacity_of(cpu);
	}
	return 0;
}

/* Sorts the fastest type first. Types of one capacity keep their order in the file. */
static bool is_faster(const struct core_type *a, const struct core_type *b, const char *fastest)
{
	if (fastest && !strcmp(a->name, fastest) != !strcmp(b->name, fastest))
		return !strcmp(a->name, fastest);
	return core_types_capacity(a) > core_types_capacity(b);
}

static void sort_types(struct core_types *m, const char *fastest)
{
	struct core_type type;
	unsigned int i, j;

	for (i = 1; i < m->nr; i++) {
		type = m->type[i];
		for (j = i; j > 0 && is_faster(&type, &m->type[j - 1], fastest); j--)
			m->type[j] = m->type[j - 1];
		m->type[j] = type;
	}
	m->fastest = m->type[0].index;
}

/* A line "name: value" of a paragraph. */
static int read_line(struct core_types *m, const char *line)
{
	struct core_type *type = m->nr ? &m->type[m->nr - 1] : NULL;
	unsigned int index;

	if (sscanf(line, "coretype: %u", &index) == 1) {
		if (m->nr == CORE_TYPES_MOST) {
			complain("this machine has more than %d core types", CORE_TYPES_MOST);
			return -1;
		}
		memset(&m->type[m->nr], 0, sizeof(m->type[0]));
		m->type[m->nr++].index = index;
	} else if (type && !strncmp(line, "pmu: ", 5)) {
		snprintf(type->name, sizeof(type->name), "%s", line + 5);
	} else if (type && !strncmp(line, "cpus: ", 6) && cpu_list_parse(line + 6, &type->cpus)) {
		complain("cannot read the CPUs of core type %u: '%s'", type->index, line + 6);
		return -1;
	}
	return 0;
}

bool core_types_are_alike(const struct core_types *one, const struct core_types *other)
{
	unsigned int i;

	if (one->fastest != other->fastest)
		return false;
	for (i = 0; one->nr == other->nr && i < one->nr; i++)
		if (one->type[i].index != other->type[i].index || strcmp(one->type[i].name, other->type[i].name))
			return false;
	return one->nr == other->nr;
}

void core_types_keep(struct core_types *m, const cpu_set_t *cpus)
{
	unsigned int i, nr = 0;

	for (i = 0; i < m->nr; i++) {
		CPU_AND(&m->type[i].cpus, &m->type[i].cpus, cpus);
		if (CPU_COUNT(&m->type[i].cpus))
			m->type[nr++] = m->type[i];
	}
	m->nr = nr;
}

/* Offline CPUs take no threads, and neither do types without online CPUs. */
static int keep_online(struct core_types *m)
{
	char list[4096];
	cpu_set_t online;

	if (!text_file_line(ONLINE, list, sizeof(list)) || cpu_list_parse(list, &online)) {
		complain("cannot read %s", ONLINE);
		return -1;
	}
	core_types_keep(m, &online);
	return 0;
}

int core_types_read(struct core_types *m, const char *info, const char *fastest)
{
	char *text = malloc(INFO_SIZE), *line, *at;
	unsigned int i, index;
	int err = 0;

	m->nr = 0;
	if (!text || text_file_read(info, text, INFO_SIZE) <= 0) {
		complain("cannot read %s: load PMCTrack's kernel module (modprobe pmctrack)", info);
		free(text);
		return -1;
	}
	for (line = strtok_r(text, "\n", &at); line && !err; line = strtok_r(NULL, "\n", &at))
		err = read_line(m, line);
	free(text);
	for (i = 0; fastest && i < m->nr && strcmp(m->type[i].name, fastest); i++)
		;
	if (!err && m->nr && fastest && i == m->nr) {
		complain("no core type '%s' here; %s has them as 'pmu:'", fastest, info);
		return -1;
	}
	if (err)
		return -1;
	index = fastest && m->nr ? m->type[i].index : 0;
	if (keep_online(m))
		return -1;
	if (!m->nr) {
		complain("%s names no core type: PMCTrack cannot count here (see its kernel log)", info);
		return -1;
	}
	sort_types(m, fastest);
	/* All CPUs of the fastest type may be offline; factors still refer to this type. */
	if (fastest)
		m->fastest = index;
	return 0;
}

/* Cores of one kind can differ a little: some are chosen to run faster. */
static bool is_alike(unsigned int capacity, unsigned int other)
{
	return (capacity > other ? capacity - other : other - capacity) <= (capacity > other ? capacity : other) / ALIKE;
}

void core_types_group(struct core_types *m, const cpu_set_t *cpus, const unsigned int *capacity)
{
	unsigned int cpu, i, of[CORE_TYPES_MOST], best = 0;
	bool left = true;

	/* The greatest capacity left makes a type with all like it; the last type has the rest. */
	m->nr = 0;
	memset(m->type, 0, sizeof(m->type));
	while (left && m->nr < CORE_TYPES_MOST) {
		left = false;
		for (cpu = 0; cpu < CORE_TYPES_CPUS; cpu++) {
			for (i = 0; i < m->nr && !is_alike(capacity[cpu], of[i]); i++)
				;
			if (!CPU_ISSET(cpu, cpus) || i < m->nr || (left && capacity[cpu] <= best))
				continue;
			left = true;
			best = capacity[cpu];
		}
		if (left)
			of[m->nr++] = best;
	}
	for (cpu = 0; cpu < CORE_TYPES_CPUS; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		for (i = 0; i < m->nr - 1 && !is_alike(capacity[cpu], of[i]); i++)
			;
		CPU_SET(cpu, &m->type[i].cpus);
	}
	for (i = 0; i < m->nr; i++)
		m->type[i].index = i;
	m->fastest = 0;
}

void core_types_guess(struct core_types *m, const cpu_set_t *cpus)
{
	unsigned int cpu, capacity[CORE_TYPES_CPUS];

	for (cpu = 0; cpu < CORE_TYPES_CPUS; cpu++)
		capacity[cpu] = CPU_ISSET(cpu, cpus) ? capacity_of(cpu) : 0;
	core_types_group(m, cpus, capacity);
}

unsigned int core_types_rank(const struct core_types *m, unsigned int cpu)
{
	unsigned int rank;

	for (rank = 0; rank < m->nr; rank++) {
		if (CPU_ISSET(cpu, &m->type[rank].cpus))
			return rank;
	}
	return m->nr - 1;
}

unsigned int core_types_other(const struct core_types *m, unsigned int rank)
{
	unsigned int index = m->type[rank].index;

	return index - (index > m->fastest);
}
