// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "exit_status.h"
#include "metric_list.h"
#include "options.h"
#include "writer.h"

static const char usage_text[] =
"Usage: pmctrack [OPTION]... [--] PROGRAM [ARG]...\n"
"       pmctrack [OPTION]... -p PID[,PID]...\n"
"       pmctrack [OPTION]... -S | --cgroup DIR [PROGRAM [ARG]...]\n"
"       pmctrack doctor [--json]\n"
"Run PROGRAM and print its performance counters, thread by thread; or those of\n"
"running processes, or of CPUs, until PROGRAM or they end, or Ctrl-C. 'doctor'\n"
"says what this machine lacks for that, and what to do.\n"
"\n"
"  -c EVENTS     events to count, for example instr,cycles (the default);\n"
"                NAME:k counts in kernel mode, NAME:uk in both\n"
"                -c again: one more event set; sets take turns, one a period.\n"
"                NAME:ebs=N takes a sample each N events instead\n"
"  -r            EVENTS is a raw string, for example pmc0,pmc1=0x8\n"
"      --strict  refuse more events than counters, instead of making more sets\n"
"  -V NAMES      virtual counters of the active monitoring module\n"
"  -m METRIC     print a number made of counts: NAME=FORMULA, for example\n"
"                ipc=instr/cycles, or a ready one; '-m list' lists these\n"
"  -A            print totals and coverage at the end, instead of samples\n"
"      --summary print totals for people at the end, instead of samples\n"
"      --csv     print comma-separated values\n"
"      --json    print JSON Lines\n"
"      --openmetrics  with -S: print OpenMetrics; a FILE (-o) is replaced each\n"
"                period\n"
"  -T SECONDS    sampling period (default 1); 0: one row a thread, at its end\n"
"  -p PIDS       monitor these running processes, with all their threads\n"
"  -S            monitor all CPUs, whatever runs there (needs CAP_PERFMON)\n"
"      --cgroup DIR  monitor the threads of a control group, CPU by CPU\n"
"  -o FILE       write the counts to FILE\n"
"  -b CPUS       run PROGRAM on these CPUs: a list (0,2-3) or a mask (0xd)\n"
"  -n SAMPLES    end PROGRAM after so many samples\n"
"  -N SECONDS    end PROGRAM after so much time\n"
"  -k SIZE       size of the kernel's buffer, for example 64K or 1M\n"
"  -L            do not print the event-to-counter mappings\n"
"  -t            print real, user and system time of PROGRAM\n"
"      --no-inherit  do not monitor processes that PROGRAM starts\n"
"  -h, --help    print this text\n"
"      --version print the version\n"
"\n"
"Event names: pmc-events -L. Exit status: that of PROGRAM; 127 and 126 if it\n"
"is not there or cannot be run, 1 if pmctrack fails, 2 for usage errors.\n";

static int bad(const char *fmt, const char *text)
{
	complain(fmt, text);
	fputs("Try 'pmctrack --help'.\n", stderr);
	return EXIT_USAGE;
}

/* strto*() take leading blanks and signs, too. */
static int parse_digits(const char *text, unsigned long *value, char **end)
{
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*value = strtoul(text, end, 10);
	return -errno;
}

static int parse_seconds(const char *text, double *seconds)
{
	char *end;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return -EINVAL;
	errno = 0;
	*seconds = strtod(text, &end);
	if (errno || end == text || *end || !isfinite(*seconds) || *seconds > 86400)
		return -EINVAL;
	return 0;
}

static int parse_count(const char *text, unsigned long *count)
{
	char *end;

	return parse_digits(text, count, &end) || *end || !*count ? -EINVAL : 0;
}

/* "64K", "1M", or bytes. */
int parse_size(const char *text, uint32_t *bytes)
{
	unsigned long value;
	char *end;

	if (parse_digits(text, &value, &end) || value > UINT32_MAX)
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

/* "0,2-3", or "0xd". */
int parse_cpus(const char *text, cpu_set_t *set)
{
	CPU_ZERO(set);
	if (strncmp(text, "0x", 2) == 0)
		return parse_mask(text, set);
	do {
		char *end;
		unsigned long first, last;

		if (parse_digits(text, &first, &end))
			return -EINVAL;
		last = first;
		if (*end == '-' && parse_digits(end + 1, &last, &end))
			return -EINVAL;
		if (first > last || last >= CPU_SETSIZE)
			return -EINVAL;
		for (; first <= last; first++)
			CPU_SET(first, set);
		text = end;
	} while (*text++ == ',');
	return text[-1] ? -EINVAL : 0;
}

/* "12,345", also several times. */
static int parse_pids(struct options *o, const char *text)
{
	unsigned long pid;
	char *end;

	do {
		if (parse_digits(text, &pid, &end) || !pid || pid > INT32_MAX ||
		    o->nr_processes == MAX_PROCESSES)
			return -EINVAL;
		o->processes[o->nr_processes++] = (pid_t)pid;
		text = end + 1;
	} while (*end == ',');
	return *end ? -EINVAL : 0;
}

enum {
	OPT_NO_INHERIT = 256, OPT_STRICT, OPT_VERSION, OPT_SUMMARY, OPT_CSV, OPT_JSON,
	OPT_OPENMETRICS, OPT_CGROUP,
};

static int set_format(struct options *o, const struct writer *format)
{
	if (o->format != &writer_table && o->format != format)
		return bad("%s: give one of them", "--csv, --json, --openmetrics");
	o->format = format;
	return 0;
}

static int parse_option(struct options *o, int c, const char *arg)
{
	switch (c) {
	case 'c':
		if (o->nr_events == MAX_SETS)
			return bad("-c %s: too many event sets", arg);
		o->events[o->nr_events++] = arg;
		return 0;
	case 'A':
		o->aggregate = true;
		return 0;
	case OPT_STRICT:
		o->strict = true;
		return 0;
	case OPT_SUMMARY:
		o->summary = true;
		return 0;
	case OPT_CSV:
		return set_format(o, &writer_csv);
	case OPT_JSON:
		return set_format(o, &writer_json);
	case OPT_OPENMETRICS:
		return set_format(o, &writer_openmetrics);
	case OPT_CGROUP:
		o->cgroup = arg;
		/* fall through */
	case 'S':
		o->system = true;
		return 0;
	case 'V':
		o->virts = arg;
		return 0;
	case 'm':
		if (strcmp(arg, "list") == 0)
			return metrics_list() ? EXIT_SELF : -1;
		if (o->nr_metrics == MAX_METRICS)
			return bad("-m %s: too many metrics", arg);
		o->metrics[o->nr_metrics++] = arg;
		return 0;
	case 'r':
		o->raw = true;
		return 0;
	case 'T':
		return parse_seconds(arg, &o->period) ?
			bad("-T %s: not a number of seconds from 0 to 86400", arg) : 0;
	case 'p':
		return parse_pids(o, arg) ?
			bad("-p %s: not a list of up to 64 process IDs (12,345)", arg) : 0;
	case 'o':
		o->output = arg;
		return 0;
	case 'b':
		o->bind = true;
		return parse_cpus(arg, &o->cpus) ?
			bad("-b %s: not a list of CPUs (0,2-3) or a mask (0xd)", arg) : 0;
	case 'n':
		return parse_count(arg, &o->max_samples) ?
			bad("-n %s: not a number of samples", arg) : 0;
	case 'N':
		return parse_seconds(arg, &o->max_seconds) || o->max_seconds == 0 ?
			bad("-N %s: not a number of seconds up to 86400", arg) : 0;
	case 'k':
		return parse_size(arg, &o->ring_size) ?
			bad("-k %s: not a size; write 65536, 64K or 1M", arg) : 0;
	case 'L':
		o->no_mappings = true;
		return 0;
	case 't':
		o->times = true;
		return 0;
	case OPT_NO_INHERIT:
		o->no_inherit = true;
		return 0;
	case 'h':
		fputs(usage_text, stdout);
		return -1;
	case OPT_VERSION:
		puts("pmctrack " VERSION);
		return -1;
	}
	fputs("Try 'pmctrack --help'.\n", stderr);
	return EXIT_USAGE;
}

/* What does not go together. */
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
	static const struct option longopts[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "no-inherit", no_argument, NULL, OPT_NO_INHERIT },
		{ "strict", no_argument, NULL, OPT_STRICT },
		{ "summary", no_argument, NULL, OPT_SUMMARY },
		{ "csv", no_argument, NULL, OPT_CSV },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "openmetrics", no_argument, NULL, OPT_OPENMETRICS },
		{ "cgroup", required_argument, NULL, OPT_CGROUP },
		{ "version", no_argument, NULL, OPT_VERSION },
		{ NULL, 0, NULL, 0 }
	};
	int c, status;

	memset(o, 0, sizeof(*o));
	o->period = 1;
	o->format = &writer_table;
	/* "+": what follows the program's name belongs to the program. */
	while ((c = getopt_long(argc, argv, "+c:rAT:p:So:b:n:N:k:LtV:m:h", longopts, NULL)) != -1) {
		status = parse_option(o, c, optarg);
		if (status)
			return status;
	}
	if (optind < argc)
		o->argv = argv + optind;
	return check_options(o);
}
