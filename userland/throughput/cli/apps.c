// SPDX-License-Identifier: GPL-2.0-or-later
#include "apps.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char apps_head[] = "    PID USER     PROGRAM          UNIT              RATE          GOAL        COUNT";

static int find(pid_t pid, void *data)
{
	struct apps *a = data;
	struct seen one = {.reader = NULL}, *more;
	size_t i;

	for (i = 0; i < a->nr; i++)
		if (a->of[i].info.pid == pid)
			return 0;
	if (throughput_open(pid, &one.reader))
		return 0;
	one.info.pid = pid;
	more = realloc(a->of, (a->nr + 1) * sizeof(*more));
	if (!more) {
		throughput_close(one.reader);
		return -ENOMEM;
	}
	a->of = more;
	more[a->nr++] = one;
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	return (x->info.pid > y->info.pid) - (x->info.pid < y->info.pid);
}

int apps_look(struct apps *a, double window_s)
{
	int err = throughput_each(find, a);
	size_t i = 0;

	while (i < a->nr) {
		struct seen *s = &a->of[i];

		if (!throughput_info(s->reader, &s->info) && s->info.alive &&
		    !throughput_rate(s->reader, (uint64_t)(window_s * 1e9), &s->rate) &&
		    !throughput_read(s->reader, &s->count)) {
			i++;
			continue;
		}
		throughput_close(s->reader);
		*s = a->of[--a->nr];
	}
	if (a->nr)
		qsort(a->of, a->nr, sizeof(*a->of), by_pid);
	return err;
}

void apps_end(struct apps *a)
{
	size_t i;

	for (i = 0; i < a->nr; i++)
		throughput_close(a->of[i].reader);
	free(a->of);
}

void apps_line(const struct seen *s, char *text, size_t size)
{
	const struct passwd *user = getpwuid(s->info.uid);
	char goal[32], name[16];

	if (s->info.goal_min <= 0)
		snprintf(goal, sizeof(goal), "-");
	else if (s->info.goal_min == s->info.goal_max)
		snprintf(goal, sizeof(goal), "%.4g", s->info.goal_min);
	else
		snprintf(goal, sizeof(goal), "%.4g-%.4g", s->info.goal_min, s->info.goal_max);
	if (user)
		snprintf(name, sizeof(name), "%.8s", user->pw_name);
	else
		snprintf(name, sizeof(name), "%u", s->info.uid);
	snprintf(text, size, "%7d %-8s %-16.16s %-10.10s %11.4g %13s %12llu", (int)s->info.pid, name, s->info.name,
		 s->info.unit, s->rate, goal, (unsigned long long)s->count);
}
