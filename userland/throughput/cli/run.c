// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes an application of a program that knows nothing of libthroughput, by what can be seen of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls_run.h"
#include "child.h"
#include "complain.h"
#include "counter.h"
#include "exit_status.h"
#include "matcher.h"
#include "monotonic.h"
#include "number.h"
#include "option_table.h"
#include "run.h"
#include "tap.h"
#include "throughput.h"

/* Milliseconds between two looks at a log, or at a count of the kernel. */
#define LOOK_MS 50

/* @descriptor: descriptor whose bytes count; -1: none */
struct options {
	const char *name;
	const char *unit;
	const char *match;
	const char *each;
	const char *log;
	const char *probe;
	const char *count;
	const char *calls;
	int descriptor;
	double min;
	double max;
	unsigned int weight;
	bool verbose;
};

static const struct option_table table;

static int bad(const char *fmt, const char *text)
{
	complain(fmt, text);
	return option_table_refuse(&table);
}

/* "MIN" or "MIN-MAX" */
static int set_goal(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;
	char *end;

	(void)e;
	o->min = o->max = strtod(arg, &end);
	if (end != arg && *end == '-')
		o->max = strtod(end + 1, &end);
	return *end || !(o->min > 0) || !(o->max >= o->min) || o->max > 1e12 ?
		bad("-g %s: not a goal, as 8 or 8-10", arg) : 0;
}

static int set_weight(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;
	char *end;
	unsigned long weight = strtoul(arg, &end, 10);

	(void)e;
	if (*end || *arg < '0' || *arg > '9' || weight < 1 || weight > 1000)
		return bad("-w %s: not a weight from 1 to 1000", arg);
	o->weight = (unsigned int)weight;
	return 0;
}

static int set_bytes(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;
	unsigned long fd = STDOUT_FILENO;

	(void)e;
	if (arg && (number_count(arg, &fd) || fd > 1000 || fcntl((int)fd, F_GETFD) < 0 ||
		    (fcntl((int)fd, F_GETFL) & O_ACCMODE) == O_RDONLY))
		return bad("-d %s: not the number of a descriptor that can be written, as with 5>FILE", arg);
	if (o->descriptor >= 0)
		return bad("%s", "-b and -d: bytes of one descriptor count");
	o->descriptor = (int)fd;
	return 0;
}

#define TEXT .set = option_table_set_text, .offset
static const struct option_entry entries[] = {
	{'m', "match", "REGEX", ARGUMENT_OTHER, "its first group is the number of units so far", TEXT = offsetof(struct options, match)},
	{'e', "each", "REGEX", ARGUMENT_OTHER, "each line that matches is a unit", TEXT = offsetof(struct options, each)},
	{'b', "bytes", NULL, ARGUMENT_OTHER, "each byte of its standard output is a unit", .set = set_bytes},
	{'d', "descriptor", "N", ARGUMENT_OTHER, "each byte that it writes to descriptor N is a unit", .set = set_bytes},
	{'p', "probe", "PLACE", ARGUMENT_OTHER, "each call of a function is a unit: uprobe:FILE:FUNCTION, uretprobe:… or usdt:…", TEXT = offsetof(struct options, probe)},
	{'c', "count", "EVENT", ARGUMENT_EVENTS, "each event (as pmctrack -c) or virtual counter (as -V) is a unit", TEXT = offsetof(struct options, count)},
	{'f', "function", "NAME", ARGUMENT_OTHER, "each call of a known function is a unit, by LD_PRELOAD; 'any': the first one called", TEXT = offsetof(struct options, calls)},
	{'l', "log", "FILE", ARGUMENT_FILE, "lines are those that are added to this file", TEXT = offsetof(struct options, log)},
	{'g', "goal", "GOAL", ARGUMENT_OTHER, "MIN or MIN-MAX units in a second, that it should deliver", .set = set_goal},
	{'w', "weight", "WEIGHT", ARGUMENT_OTHER, "1 to 1000 (100)", .set = set_weight},
	{'v', "verbose", NULL, ARGUMENT_OTHER, "say what it delivered when it has ended",
	 .set = option_table_set_flag, .offset = offsetof(struct options, verbose)},
	{'n', "name", "NAME", ARGUMENT_OTHER, "how people know it (default: the program)", TEXT = offsetof(struct options, name)},
	{'u', "unit", "UNIT", ARGUMENT_OTHER, "of what it delivers (units/s)", TEXT = offsetof(struct options, unit)},
};

static const struct option_table table = {
	.program = "throughput run",
	.before = "Usage: throughput run [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
		  "Run a program, and say what it delivers. One of -m, -e, -b, -d, -p, -c and -f says what a\n"
		  "unit is.\n"
		  "\n",
	.after = "\n"
		 "Exit status: the program's; 1 if throughput fails, 2 for usage errors, 126 and 127 as\n"
		 "the shell.\n",
	.of = entries,
	.nr = sizeof(entries) / sizeof(entries[0]),
	.stop_at_operand = 1,
};

/**
 * struct run - a program, and how it is watched
 * @tap: taps of its standard output and error, and of the descriptor of -d
 * @log: log of -l
 * @counter: counter of -p or -c; NULL: neither
 * @units: units of @counter that were ticked so far
 */
struct run {
	struct child child;
	struct matcher matcher;
	struct tap tap[3];
	struct tail log;
	struct counter *counter;
	uint64_t units;
};

#define TAPS 3

static void take_counter(struct run *r)
{
	uint64_t units;
	int err = r->counter->read(r->counter, &units);

	if (units > r->units)
		throughput_tick(units - r->units);
	r->units = units > r->units ? units : r->units;
	if (!err)
		return;
	complain("counting has ended: %s", err == -ESHUTDOWN ? "an administrator ended it" : strerror(-err));
	r->counter->close(r->counter);
	r->counter = NULL;
}

static void take(struct run *r)
{
	if (r->log.path)
		tail_follow(&r->log, &r->matcher, false);
	if (r->counter)
		take_counter(r);
}

static void watch(struct run *r)
{
	struct pollfd fds[1 + TAPS];
	int i;

	/*
	 * What the program has written is read to the end; processes that it has started may go on.
	 */
	while (!r->child.over) {
		fds[0] = (struct pollfd){.fd = r->child.signals, .events = POLLIN};
		for (i = 0; i < TAPS; i++)
			fds[1 + i] = (struct pollfd){.fd = r->tap[i].from, .events = POLLIN};
		if (poll(fds, 1 + TAPS, r->log.path || r->counter ? LOOK_MS : -1) < 0 && errno != EINTR)
			break;
		for (i = 0; i < TAPS; i++)
			if (r->tap[i].from >= 0 && fds[1 + i].revents)
				tap_take(&r->tap[i], &r->matcher);
		take(r);
		if (fds[0].revents)
			child_take_signals(&r->child);
	}
	for (i = 0; i < TAPS; i++)
		tap_end(&r->tap[i], &r->matcher);
	take(r);
}

/* Choose what is looked at of the program's output. */
static void choose_taps(struct run *r, const struct options *o)
{
	bool lines = o->match || o->each;

	r->tap[0] = (struct tap){.fd = STDOUT_FILENO, .from = -1, .to = -1};
	r->tap[1] = (struct tap){.fd = STDERR_FILENO, .from = -1, .to = -1};
	r->tap[2] = (struct tap){.fd = o->descriptor, .from = -1, .to = -1};
	r->tap[0].counts = r->tap[1].counts = lines && !o->log;
	r->tap[2].counts = o->descriptor >= 0;
	tail_begin(&r->log, o->log);
	if (o->log)
		tail_follow(&r->log, &r->matcher, true);
}

static int prepare(struct run *r)
{
	int err = child_block_signals(&r->child), i;

	for (i = 0; !err && i < TAPS; i++)
		if (r->tap[i].counts)
			err = tap_open(&r->tap[i]);
	if (!err)
		err = child_prepare(&r->child);
	for (i = 0; i < TAPS; i++)
		tap_forked(&r->tap[i]);
	return err;
}

static void say_nothing(const struct run *r, const struct options *o)
{
	if (o->match || o->each) {
		if (!r->matcher.matches)
			complain("no line matched '%s': nothing was counted", o->match ? o->match : o->each);
	} else if (!throughput_count()) {
		complain("nothing was counted: %s", r->counter ? r->counter->nothing : "it wrote nothing there");
	}
}

static void say_all(const struct options *o, double seconds)
{
	uint64_t units = throughput_count();

	complain("%llu in %.3f s: %.6g %s", (unsigned long long)units, seconds, (double)units / seconds,
		 o->unit ? o->unit : "units/s");
}

static int run(struct run *r, const struct options *o)
{
	int err = throughput_begin(o->name, o->unit), status;
	double began;

	if (!err && o->min > 0)
		err = throughput_goal_range(o->min, o->max, o->weight);
	if (err) {
		complain("cannot say what it delivers: %s", strerror(-err));
		return STATUS_FAILED;
	}
	choose_taps(r, o);
	err = prepare(r);
	if (err) {
		complain("cannot run '%s': %s", r->child.argv[0], strerror(-err));
		return STATUS_FAILED;
	}
	if (o->probe || o->count) {
		r->counter = o->probe ? probe_open(o->probe, r->child.pid) : events_open(o->count, r->child.pid);
		if (!r->counter) {
			child_abandon(&r->child);
			return STATUS_FAILED;
		}
	}
	began = monotonic_s();
	status = child_run(&r->child);
	if (!status) {
		watch(r);
		say_nothing(r, o);
		if (o->verbose)
			say_all(o, monotonic_s() - began);
		status = child_exit_status(&r->child);
	}
	if (r->counter)
		r->counter->close(r->counter);
	return status;
}

static int check(const struct options *o)
{
	if (!!o->match + !!o->each + (o->descriptor >= 0) + !!o->probe + !!o->count + !!o->calls != 1)
		return bad("%s", "one of -m, -e, -b, -d, -p, -c and -f says what a unit is");
	if (o->verbose && o->calls)
		return bad("%s", "-v: with -f, the program counts itself; see throughput list");
	return o->log && !o->match && !o->each ? bad("%s", "-l has lines, for -m and -e") : 0;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int run_main(int argc, char **argv)
{
	struct options o = {.weight = 100, .descriptor = -1};
	struct run r = {.units = 0};
	int status = option_table_parse(&table, &o, argc, argv);

	if (!status && optind >= argc)
		status = bad("%s", "no program to run");
	if (!status)
		status = check(&o);
	if (status)
		return status < 0 ? 0 : status;
	if (!o.name)
		o.name = base_of(argv[optind]);
	if (o.calls)
		return calls_run(&(struct calls_options){o.calls, o.name, o.unit, o.min, o.max, o.weight},
				 argv + optind);
	if (matcher_begin(&r.matcher, o.match ? MATCH_NUMBER : o.each ? MATCH_LINE : MATCH_BYTES,
			  o.match ? o.match : o.each))
		return STATUS_USAGE;
	r.child.argv = argv + optind;
	status = run(&r, &o);
	matcher_end(&r.matcher);
	return status;
}
