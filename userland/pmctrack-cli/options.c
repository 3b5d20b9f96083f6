// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing the command line of pmctrack. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "cpu_list.h"
#include "exit_status.h"
#include "metric_list.h"
#include "number.h"
#include "option_table.h"
#include "options.h"
#include "writer.h"

static const struct option_table table;

static int bad(const char *fmt, const char *text)
{
	complain(fmt, text);
	return option_table_refuse(&table);
}

/* Accepts "64K", "1M", or a number of bytes. */
int parse_size(const char *text, uint32_t *bytes)
{
	unsigned long value;
	char *end;

	if (number_digits(text, &value, &end) || value > UINT32_MAX)
		return -EINVAL;
	if (*end == 'K' || *end == 'k') {
		value <<= 10;
		end++;
	} else if (*end == 'M' || *end == 'm') {
		value <<= 20;
		end++;
	}
	if (*end || !value || value > UINT32_MAX)
		return -EINVAL;
	*bytes = (uint32_t)value;
	return 0;
}

static int parse_mask(const char *text, cpu_set_t *set)
{
	unsigned long long mask;
	char *end;

	CPU_ZERO(set);
	errno = 0;
	mask = strtoull(text, &end, 16);
	if (errno || *end || !mask)
		return -EINVAL;
	for (int cpu = 0; cpu < 64; cpu++) {
		if (mask >> cpu & 1)
			CPU_SET(cpu, set);
	}
	return 0;
}

/* Accepts a list, "0,2-3", or a mask, "0xd". */
int parse_cpus(const char *text, cpu_set_t *set)
{
	if (strncmp(text, "0x", 2) == 0)
		return parse_mask(text, set);
	return cpu_list_parse(text, set);
}

/* --- functions of options: struct option_entry, set() ---------------------- */

static int set_events(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)e;
	if (o->nr_events == MAX_SETS)
		return bad("-c %s: too many event sets", arg);
	o->events[o->nr_events++] = arg;
	return 0;
}

static int set_metric(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)e;
	if (strcmp(arg, "list") == 0)
		return metrics_list() ? STATUS_FAILED : -1;
	if (o->nr_metrics == MAX_METRICS)
		return bad("-m %s: too many metrics", arg);
	o->metrics[o->nr_metrics++] = arg;
	return 0;
}

#define FORMAT_NAME(name, help) ", --" #name

static int set_format(void *options, const struct option_entry *e, const char *arg)
{
	/* The list that is printed begins after the first ", ". */
	static const char all[] = WRITERS(FORMAT_NAME);
	struct options *o = options;

	(void)arg;
	if (o->format != &writer_table && o->format != e->data)
		return bad("%s: give one of them", all + 2);
	o->format = e->data;
	return 0;
}

static int set_period(void *options, const struct option_entry *e, const char *arg)
{
	(void)e;
	return number_seconds(arg, &((struct options *)options)->period) ?
		bad("-T %s: not a number of seconds from 0 to 86400", arg) : 0;
}

static int set_processes(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)e;
	return number_pids(arg, o->processes, &o->nr_processes, MAX_PROCESSES) ?
		bad("-p %s: not a list of up to 64 process IDs (12,345)", arg) : 0;
}

static int set_cgroup(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)e;
	o->cgroup = arg;
	o->system = true;
	return 0;
}

static int set_cpus(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)e;
	o->bind = true;
	return parse_cpus(arg, &o->cpus) ?
		bad("-b %s: not a list of CPUs (0,2-3) or a mask (0xd)", arg) : 0;
}

static int set_max_samples(void *options, const struct option_entry *e, const char *arg)
{
	(void)e;
	return number_count(arg, &((struct options *)options)->max_samples) ?
		bad("-n %s: not a number of samples", arg) : 0;
}

static int set_max_seconds(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)e;
	return number_seconds(arg, &o->max_seconds) || o->max_seconds == 0 ?
		bad("-N %s: not a number of seconds up to 86400", arg) : 0;
}

static int set_ring_size(void *options, const struct option_entry *e, const char *arg)
{
	(void)e;
	return parse_size(arg, &((struct options *)options)->ring_size) ?
		bad("-k %s: not a size; write 65536, 64K or 1M", arg) : 0;
}

/* --- the table ------------------------------------------------------------ */

#define MEMBER(name)	.offset = offsetof(struct options, name)
#define FLAG(name)	.set = option_table_set_flag, MEMBER(name)
#define TEXT(name)	.set = option_table_set_text, MEMBER(name)
#define FORMAT_ENTRY(name_, help_) \
	{ .name = #name_, .help = (help_), .set = set_format, .data = &writer_##name_ },

static const struct option_entry entries[] = {
	{ 'c', NULL, "EVENTS", ARGUMENT_EVENTS,
	  "events to count, for example instr,cycles (the default);\n"
	  "NAME:k counts in kernel mode, NAME:uk in both\n"
	  "-c again: one more event set; sets take turns, one a period.\n"
	  "NAME:ebs=N takes a sample each N events instead", .set = set_events },
	{ .letter = 'r', FLAG(raw), .help = "EVENTS is a raw string, for example pmc0,pmc1=0x8" },
	{ .name = "strict", FLAG(strict),
	  .help = "refuse more events than counters, instead of making more sets" },
	{ 'V', NULL, "NAMES", ARGUMENT_VIRTS, "virtual counters of the active monitoring module",
	  TEXT(virts) },
	{ 'm', NULL, "METRIC", ARGUMENT_METRICS,
	  "print a number made of counts: NAME=FORMULA, for example\n"
	  "ipc=instr/cycles, or a ready one; '-m list' lists these", .set = set_metric },
	{ .letter = 'A', FLAG(aggregate),
	  .help = "print totals and coverage at the end, instead of samples" },
	{ .name = "summary", FLAG(summary),
	  .help = "print totals for people at the end, instead of samples" },
	WRITERS(FORMAT_ENTRY)
	{ 'T', NULL, "SECONDS", ARGUMENT_OTHER,
	  "sampling period (default 1); 0: one row a thread, at its end", .set = set_period },
	{ 'p', NULL, "PIDS", ARGUMENT_PID,
	  "monitor these running processes, with all their threads", .set = set_processes },
	{ .letter = 'S', FLAG(system),
	  .help = "monitor all CPUs, whatever runs there (needs CAP_PERFMON)" },
	{ 0, "cgroup", "DIR", ARGUMENT_FOLDER,
	  "monitor the threads of a control group, CPU by CPU", .set = set_cgroup },
	{ 'o', NULL, "FILE", ARGUMENT_FILE, "write the counts to FILE", TEXT(output) },
	{ 'b', NULL, "CPUS", ARGUMENT_OTHER,
	  "run PROGRAM on these CPUs: a list (0,2-3) or a mask (0xd)", .set = set_cpus },
	{ 'n', NULL, "SAMPLES", ARGUMENT_OTHER, "end PROGRAM after so many samples",
	  .set = set_max_samples },
	{ 'N', NULL, "SECONDS", ARGUMENT_OTHER, "end PROGRAM after so much time",
	  .set = set_max_seconds },
	{ 'k', NULL, "SIZE", ARGUMENT_OTHER, "size of the kernel's buffer, for example 64K or 1M",
	  .set = set_ring_size },
	{ .letter = 'L', FLAG(no_mappings), .help = "do not print the event-to-counter mappings" },
	{ .letter = 't', FLAG(times), .help = "print real, user and system time of PROGRAM" },
	{ .name = "no-inherit", FLAG(no_inherit),
	  .help = "do not monitor processes that PROGRAM starts" },
};

static const struct option_table table = {
	.program = "pmctrack",
	.before =
"Usage: pmctrack [OPTION]... [--] PROGRAM [ARG]...\n"
"       pmctrack [OPTION]... -p PID[,PID]...\n"
"       pmctrack [OPTION]... -S | --cgroup DIR [PROGRAM [ARG]...]\n"
"       pmctrack doctor [--json]\n"
"Run PROGRAM and print its performance counters, thread by thread; or those of\n"
"running processes, or of CPUs, until PROGRAM or they end, or Ctrl-C. 'doctor'\n"
"says what this machine lacks for that, and what to do.\n"
"\n",
	.after =
"\n"
"Event names: pmc-events -L. Exit status: that of PROGRAM; 127 and 126 if it\n"
"is not there or cannot be run, 1 if pmctrack fails, 2 for usage errors.\n",
	.of = entries,
	.nr = sizeof(entries) / sizeof(entries[0]),
	.stop_at_operand = true,
};

/* Refuses options that contradict each other. Returns 0 or an exit status. */
static int check_options(const struct options *o)
{
	if (!o->nr_events && o->raw)
		return bad("-r needs %s with a raw string", "-c");
	if (o->nr_processes && o->argv)
		return bad("-p, and a program to run ('%s'): give one of them", o->argv[0]);
	if (o->nr_processes && o->system)
		return bad("-p and %s: give one of them", o->cgroup ? "--cgroup" : "-S");
	if (!o->argv && !o->nr_processes && !o->system)
		return bad("%s to run", "no program");
	if (!o->argv && (o->bind || o->times))
		return bad("%s is for a program that pmctrack runs", o->bind ? "-b" : "-t");
	if (o->system && o->no_inherit)
		return bad("%s is for a program's processes, not for -S", "--no-inherit");
	if (o->format->system_only && !o->system)
		return bad("--%s is for -S and --cgroup", o->format->name);
	if (o->format != &writer_table && o->times)
		return bad("-t is for the table; --json has times in its last line%s", "");
	if (o->aggregate && o->summary)
		return bad("%s: give one of them", "-A and --summary");
	return 0;
}

int options_parse(struct options *o, int argc, char **argv)
{
	int status;

	memset(o, 0, sizeof(*o));
	o->period = 1;
	o->format = &writer_table;
	status = option_table_parse(&table, o, argc, argv);
	if (status)
		return status;
	if (optind < argc)
		o->argv = argv + optind;
	return check_options(o);
}
