// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <stddef.h>
#include <string.h>

#include "complain.h"
#include "number.h"
#include "option_table.h"
#include "qtime/options.h"
#include "qtime/writer.h"

static const struct option_table table;

static int bad(const char *fmt, const char *text)
{
	complain(fmt, text);
	return option_table_refuse(&table);
}

static int set_writer(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)arg;
	if (o->writer != &writer_text && o->writer != e->data)
		return bad("%s: give one of them", "--csv, --json");
	o->writer = e->data;
	return 0;
}

static int set_interval(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)e;
	return number_seconds(arg, &o->interval) || o->interval < 0.01 ?
		bad("-i %s: not a number of seconds from 0.01 to 86400", arg) : 0;
}

static int set_max_seconds(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)e;
	return number_seconds(arg, &o->max_seconds) || o->max_seconds < 0.01 ?
		bad("-N %s: not a number of seconds from 0.01 to 86400", arg) : 0;
}

static int set_processes(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)e;
	return number_pids(arg, o->processes, &o->nr_processes, MAX_PROCESSES) ?
		bad("-p %s: not a list of up to 64 process IDs (12,345)", arg) : 0;
}

#define MEMBER(name)	.offset = offsetof(struct options, name)

static const struct option_entry entries[] = {
	{ 'p', NULL, "PIDS", ARGUMENT_PID,
	  "these running processes, and all that they start", .set = set_processes },
	{ 0, "cgroup", "DIR", ARGUMENT_FOLDER,
	  "the processes of a control group, and of those below it", .set = option_table_set_text, MEMBER(cgroup) },
	{ 'i', NULL, "SECONDS", ARGUMENT_OTHER, "time between lines (default 1)", .set = set_interval },
	{ 'N', NULL, "SECONDS", ARGUMENT_OTHER, "with -p or --cgroup: end after so much time",
	  .set = set_max_seconds },
	{ 'o', NULL, "FILE", ARGUMENT_FILE, "write to FILE", .set = option_table_set_text, MEMBER(output) },
	{ .name = "json", .help = "a line of JSON an interval, and one at the end",
	  .set = set_writer, .data = &writer_json },
	{ .name = "csv", .help = "a line of comma-separated values an interval",
	  .set = set_writer, .data = &writer_csv },
	{ .name = "no-live", .help = "no line that changes while the program runs",
	  .set = option_table_set_flag, MEMBER(no_live) },
};

static const struct option_table table = {
	.program = "qtime",
	.before =
"Usage: qtime [OPTION]... [--] PROGRAM [ARG]...\n"
"       qtime [OPTION]... -p PID[,PID]... | --cgroup DIR\n"
"Run PROGRAM, or watch running processes until they end or Ctrl-C, and tell how\n"
"much of their time alone they got beside others: Quality Time. It is estimated\n"
"by the monitoring module quality_time, for which others stand still now and\n"
"then; that needs CAP_PERFMON.\n"
"\n",
	.after =
"\n"
"Without -o, results go to the standard error, or without PROGRAM to the\n"
"standard output. Exit status: that of PROGRAM; 127 and 126 if it is not there or\n"
"cannot be run, 1 if qtime fails, 2 for usage errors.\n",
	.of = entries,
	.nr = sizeof(entries) / sizeof(entries[0]),
	.stop_at_operand = true,
};

static int check_options(const struct options *o)
{
	if (o->nr_processes && o->cgroup)
		return bad("%s: give one of them", "-p and --cgroup");
	if (o->argv && (o->nr_processes || o->cgroup))
		return bad("-p or --cgroup, and a program to run ('%s'): give one of them", o->argv[0]);
	if (!o->argv && !o->nr_processes && !o->cgroup)
		return bad("%s to run", "no program");
	if (o->argv && o->max_seconds > 0)
		return bad("-N is for running processes; to end a program, use timeout(1)%s", "");
	return 0;
}

int options_parse(struct options *o, int argc, char **argv)
{
	int status;

	memset(o, 0, sizeof(*o));
	o->interval = 1;
	o->writer = &writer_text;
	status = option_table_parse(&table, o, argc, argv);
	if (status)
		return status;
	if (optind < argc)
		o->argv = argv + optind;
	return check_options(o);
}
