// SPDX-License-Identifier: GPL-2.0-or-later
#include <getopt.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "number.h"
#include "option_table.h"
#include "qtop/options.h"

static const struct option_table table;

static int bad(const char *fmt, const char *text)
{
	complain(fmt, text);
	return option_table_refuse(&table);
}

static int set_interval(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)e;
	return number_seconds(arg, &o->interval) || o->interval < 0.1 ?
		bad("-i %s: not a number of seconds from 0.1 to 86400", arg) : 0;
}

static int set_lines(void *options, const struct option_entry *e, const char *arg)
{
	(void)e;
	return number_count(arg, &((struct options *)options)->lines) ?
		bad("-n %s: not a number of intervals", arg) : 0;
}

static int set_processes(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)e;
	return number_pids(arg, o->processes, &o->nr_processes, MAX_PROCESSES) ?
		bad("-p %s: not a list of up to 64 process IDs (12,345)", arg) : 0;
}

/* The index of a name; -1: there is none. */
static int name_in(const char *const *names, int nr, const char *name)
{
	for (int i = 0; i < nr; i++) {
		if (strcmp(names[i], name) == 0)
			return i;
	}
	return -1;
}

static int set_by(void *options, const struct option_entry *e, const char *arg)
{
	int i = name_in(rows_by_names, NR_BY, arg);

	(void)e;
	((struct options *)options)->choice.by = (enum by)i;
	return i < 0 ? bad("-g %s: a row is about a process, user or group", arg) : 0;
}

static int set_order(void *options, const struct option_entry *e, const char *arg)
{
	int i = name_in(rows_order_names, NR_ORDERS, arg);

	(void)e;
	((struct options *)options)->choice.order = (enum order)i;
	return i < 0 ? bad("-s %s: rows are sorted by cpu, quality, lost, waiting, name or pid", arg) : 0;
}

static int set_filter(void *options, const struct option_entry *e, const char *arg)
{
	struct choice *c = &((struct options *)options)->choice;

	(void)e;
	return (size_t)snprintf(c->filter, sizeof(c->filter), "%s", arg) >= sizeof(c->filter) ?
		bad("-f %s: too long", arg) : 0;
}

static int set_user(void *options, const struct option_entry *e, const char *arg)
{
	struct choice *c = &((struct options *)options)->choice;
	const struct passwd *pw = getpwnam(arg);

	(void)e;
	if (!pw)
		return bad("-u %s: there is no such user", arg);
	c->only_user = true;
	c->uid = pw->pw_uid;
	return 0;
}

/* The text of -w, in seconds: parse_windows() reads it when the interval is known. */
static const char *windows;

static int set_windows(void *options, const struct option_entry *e, const char *arg)
{
	(void)options;
	(void)e;
	windows = arg;
	return 0;
}

static int set_batch(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)arg;
	o->batch = true;
	o->json |= e->data != NULL;
	return 0;
}

#define MEMBER(name)	.offset = offsetof(struct options, name)

static const struct option_entry entries[] = {
	{ 'p', NULL, "PIDS", ARGUMENT_PID, "these processes only, and all that they start",
	  .set = set_processes },
	{ 0, "cgroup", "DIR", ARGUMENT_FOLDER, "the processes of a control group only",
	  .set = option_table_set_text, MEMBER(cgroup) },
	{ 0, "published", "FILE", ARGUMENT_FILE, "numbers from the file that qualityd(8) writes",
	  .set = option_table_set_text, MEMBER(published) },
	{ 'i', NULL, "SECONDS", ARGUMENT_OTHER, "length of an interval (default 1)", .set = set_interval },
	{ 'w', NULL, "WINDOWS", ARGUMENT_OTHER,
	  "up to three columns of the last seconds (default 1,5)", .set = set_windows },
	{ 'g', NULL, "WHAT", ARGUMENT_OTHER, "a row a process (the default), user or group", .set = set_by },
	{ 's', NULL, "ORDER", ARGUMENT_OTHER,
	  "sort by cpu (the default), quality, lost, waiting, name or pid", .set = set_order },
	{ 'f', NULL, "TEXT", ARGUMENT_OTHER,
	  "rows with this in the program's, user's or group's name", .set = set_filter },
	{ 'u', NULL, "USER", ARGUMENT_OTHER, "this user's processes", .set = set_user },
	{ 0, "batch", .help = "print a table an interval, without a screen", .set = set_batch },
	{ 0, "json", .help = "the same as lines of JSON", .set = set_batch, .data = "json" },
	{ 'n', NULL, "INTERVALS", ARGUMENT_OTHER, "end after so many", .set = set_lines },
};

static const struct option_table table = {
	.program = "qtop",
	.before =
"Usage: qtop [OPTION]...\n"
"Show how much of their time alone processes get beside others, live: Quality\n"
"Time over CPU time. See qtime(1); it needs the same.\n"
"\n",
	.after =
"\n"
"On the screen, 'h' tells the keys. Exit status: 0, 1 if qtop fails, 2 for usage\n"
"errors.\n",
	.of = entries,
	.nr = sizeof(entries) / sizeof(entries[0]),
};

static int parse_windows(struct options *o, const char *text)
{
	char buf[64], *rest = buf, *word;
	double s;

	if ((size_t)snprintf(buf, sizeof(buf), "%s", text) >= sizeof(buf))
		return -1;
	o->choice.nr_windows = 0;
	while ((word = strsep(&rest, ","))) {
		unsigned int i = o->choice.nr_windows;

		if (i == MAX_WINDOWS || number_seconds(word, &s) || s < o->interval / 2 ||
		    s / o->interval > PROCESS_SLOTS - 1.5)
			return -1;
		o->choice.window[i] = (unsigned int)(s / o->interval + 0.5);
		o->choice.nr_windows++;
	}
	return 0;
}

int options_parse(struct options *o, int argc, char **argv)
{
	int status;

	memset(o, 0, sizeof(*o));
	o->interval = 1;
	windows = NULL;
	status = option_table_parse(&table, o, argc, argv);
	if (status)
		return status;
	if (optind < argc)
		return bad("'%s': it runs no programs; see qtime", argv[optind]);
	if (o->nr_processes && o->cgroup)
		return bad("%s: give one of them", "-p and --cgroup");
	if (!windows) {
		o->choice.nr_windows = 2;
		o->choice.window[0] = 1;
		o->choice.window[1] = 5;
	} else if (parse_windows(o, windows)) {
		return bad("-w %s: not up to three numbers of seconds, of 1 to 62 intervals", windows);
	}
	return 0;
}
