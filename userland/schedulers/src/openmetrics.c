// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "openmetrics.h"
#include "replace.h"

struct source {
	const struct show *show;
	const struct policy *policy;
};

static void counter(FILE *out, const char *name, const char *help, unsigned long long value)
{
	fprintf(out, "# TYPE pmctrack_sched_%s counter\n# HELP pmctrack_sched_%s %s\npmctrack_sched_%s_total %llu\n",
		name, name, help, name, value);
}

static void gauge(FILE *out, const char *name, const char *help, unsigned int value)
{
	fprintf(out, "# TYPE pmctrack_sched_%s gauge\n# HELP pmctrack_sched_%s %s\npmctrack_sched_%s %u\n",
		name, name, help, name, value);
}

static void print(FILE *out, void *arg)
{
	const struct source *source = arg;
	const volatile struct amp_stats *stats = policy_stats(source->policy);

	fprintf(out, "# TYPE pmctrack_sched info\n# HELP pmctrack_sched The policy.\n"
		"pmctrack_sched_info{policy=\"%s\",simulated=\"%s\"} 1\n",
		source->show->kind->name, source->show->simulated ? "true" : "false");
	gauge(out, "active", "1 while the policy schedules this machine, 0 when it has ended.",
	      source->show->active);
	gauge(out, "runnable_threads", "Threads that ran or waited when core types were given away last.",
	      stats->runnable);
	counter(out, "looks", "How often core types were given away.", stats->ticks);
	counter(out, "moves", "Threads that were given another core type because of a place to fill.",
		stats->moves);
	counter(out, "swaps", "Pairs of threads that changed core types.", stats->swaps);
	counter(out, "metrics_asked", "Metrics of threads that were asked for.", stats->asked);
	counter(out, "metrics_without_value", "Metrics that had no value.", stats->unknown);
	counter(out, "metrics_of_low_confidence", "Metrics whose value was stale or extrapolated.", stats->low);
	/* 0 would say that no group was over its limit. */
	if (policy_knows_limits(source->policy))
		counter(out, "held", "How often a thread had to wait because of cpu.max.",
			stats->held);
	counter(out, "unmanaged_threads", "Threads that found no place.", stats->unmanaged);
	counter(out, "groups_without_place", "Control groups that found no place: only what groups above have counts there.",
		stats->groups_without_slot);
	fputs("# EOF\n", out);
}

int openmetrics_write(const char *path, const struct show *s, const struct policy *policy)
{
	struct source source = { .show = s, .policy = policy };

	return replace_file(path, print, &source);
}
