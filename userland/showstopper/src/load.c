// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu_list.h"
#include "load.h"
#include "run.h"
#include "text_file.h"

#define NS_PER_US	1000LL

/* Columns of a line of /proc/stat: user nice system idle iowait irq softirq steal. */
static int add_line(const char *line, int64_t tick, struct load_time *now)
{
	unsigned long long t[7];

	if (sscanf(line, "%llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3], &t[4],
		   &t[5], &t[6]) != 7)
		return -EIO;
	now->work += (int64_t)(t[0] + t[1] + t[2] + t[5] + t[6]) * tick;
	now->idle += (int64_t)(t[3] + t[4]) * tick;
	return 0;
}

static int read_text(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	if (n <= 0)
		return n ? -errno : -EIO;
	text[n] = '\0';
	return 0;
}

static int read_cpus(void *data, struct load_time *now)
{
	const struct load *l = data;
	int64_t tick = 1000000000LL / sysconf(_SC_CLK_TCK);
	static _Thread_local char text[65536];
	char *line, *rest = text;
	int err;

	memset(now, 0, sizeof(*now));
	/* The first line is that of all CPUs. */
	err = read_text(l->fd, text, l->all ? 256 : sizeof(text));
	if (err)
		return err;
	if (l->all)
		return strncmp(text, "cpu ", 4) ? -EIO : add_line(text + 4, tick, now);
	while (!err && (line = strsep(&rest, "\n")) && !strncmp(line, "cpu", 3)) {
		int cpu = line[3] == ' ' ? -1 : (int)strtol(line + 3, &line, 10);

		if (cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET(cpu, &l->cpus))
			err = add_line(line, tick, now);
	}
	return err;
}

int load_open_cpus(struct load *l, const cpu_set_t *cpus)
{
	memset(l, 0, sizeof(*l));
	l->all = !cpus;
	if (cpus)
		l->cpus = *cpus;
	l->source = (struct load_source){
		.read = read_cpus, .data = l,
		.nr_cpus = cpus ? CPU_COUNT(cpus) : sysconf(_SC_NPROCESSORS_ONLN),
	};
	l->fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	return l->fd < 0 ? -errno : 0;
}

static int read_cgroup(void *data, struct load_time *now)
{
	const struct load *l = data;
	char text[1024], *usage;
	int err = read_text(l->fd, text, sizeof(text));

	if (err)
		return err;
	usage = strstr(text, "usage_usec ");
	if (!usage)
		return -EIO;
	now->work = strtoll(usage + 11, NULL, 10) * NS_PER_US;
	now->idle = (run_now() - l->begin) * l->source.nr_cpus - now->work;
	return 0;
}

int load_open_cgroup(struct load *l, const char *path)
{
	char file[300];
	struct load_time now;

	memset(l, 0, sizeof(*l));
	l->source = (struct load_source){
		.read = read_cgroup, .data = l, .nr_cpus = sysconf(_SC_NPROCESSORS_ONLN),
	};
	snprintf(file, sizeof(file), "%s/cpu.stat", path);
	l->fd = open(file, O_RDONLY | O_CLOEXEC);
	if (l->fd < 0)
		return -errno;
	l->begin = run_now();
	return read_cgroup(l, &now);
}

void load_close(struct load *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

bool load_may_use(const cpu_set_t *cpus, cpu_set_t *outside, cpu_set_t *allowed)
{
	cpu_set_t before, all;

	CPU_ZERO(outside);
	if (sched_getaffinity(0, sizeof(before), &before))
		return true;
	memset(&all, 0xff, sizeof(all));
	/* The kernel leaves out, without an error, what is not in the cpuset. */
	if (!sched_setaffinity(0, sizeof(all), &all) && !sched_getaffinity(0, sizeof(*allowed), allowed)) {
		CPU_AND(outside, cpus, allowed);
		CPU_XOR(outside, outside, cpus);
	}
	sched_setaffinity(0, sizeof(before), &before);
	return !CPU_COUNT(outside);
}

bool load_are_online(const cpu_set_t *cpus)
{
	cpu_set_t online, both;
	char text[4096];

	/* If that cannot be read, reading the load will tell. */
	if (!text_file_line("/sys/devices/system/cpu/online", text, sizeof(text)) ||
	    cpu_list_parse(text, &online))
		return true;
	CPU_AND(&both, cpus, &online);
	return CPU_EQUAL(&both, cpus);
}
