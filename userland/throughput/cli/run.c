// SPDX-License-Identifier: GPL-2.0-or-later
/* A program that knows nothing of libthroughput is an application, by what it prints or logs. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "complain.h"
#include "exit_status.h"
#include "matcher.h"
#include "option_table.h"
#include "run.h"
#include "throughput.h"

/* A log is looked at so often. */
#define LOG_MS 50
/* A pipe has 1 MiB at most, of which a read takes 64 KiB. */
#define PIPE_READS 32

struct options {
	const char *name;
	const char *unit;
	const char *match;
	const char *each;
	const char *log;
	bool bytes;
	double min;
	double max;
	unsigned int weight;
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

#define TEXT .set = option_table_set_text, .offset
static const struct option_entry entries[] = {
	{'m', "match", "REGEX", ARGUMENT_OTHER, "its first group is the number of units so far", TEXT = offsetof(struct options, match)},
	{'e', "each", "REGEX", ARGUMENT_OTHER, "each line that matches is a unit", TEXT = offsetof(struct options, each)},
	{'b', "bytes", NULL, ARGUMENT_OTHER, "each byte of its standard output is a unit",
	 .set = option_table_set_flag, .offset = offsetof(struct options, bytes)},
	{'l', "log", "FILE", ARGUMENT_FILE, "lines are those that are added to this file", TEXT = offsetof(struct options, log)},
	{'g', "goal", "MIN[-MAX]", ARGUMENT_OTHER, "units in a second that it should deliver", .set = set_goal},
	{'w', "weight", "N", ARGUMENT_OTHER, "1 to 1000 (100)", .set = set_weight},
	{'n', "name", "NAME", ARGUMENT_OTHER, "how people know it (default: the program)", TEXT = offsetof(struct options, name)},
	{'u', "unit", "UNIT", ARGUMENT_OTHER, "of what it delivers (units/s)", TEXT = offsetof(struct options, unit)},
};

static const struct option_table table = {
	.program = "throughput run",
	.before = "Usage: throughput run [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
		  "Run a program, and say what it delivers by what it prints. One of -m, -e and -b.\n"
		  "\n",
	.after = "\n"
		 "Exit status: the program's; 1 if throughput fails, 2 for usage errors, 126 and 127 as\n"
		 "the shell.\n",
	.of = entries,
	.nr = sizeof(entries) / sizeof(entries[0]),
	.stop_at_operand = 1,
};

/**
 * struct tap - one of the program's outputs
 * @from: what it writes; -1: it has closed that
 * @to: ours
 */
struct tap {
	int from;
	int to;
	struct stream stream;
};

/* The program's descriptor @fd becomes a pipe, as long as it is forked. */
static int open_tap(struct tap *t, int fd)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	t->from = ends[0];
	t->to = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (t->to < 0 || dup2(ends[1], fd) < 0)
		return -errno;
	close(ends[1]);
	return 0;
}

static void forked(struct tap *t, int fd)
{
	dup2(t->to, fd);
	close(t->to);
	t->to = fd;
}

static bool write_all(int fd, const char *bytes, size_t nr)
{
	ssize_t n;

	while (nr) {
		n = write(fd, bytes, nr);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		nr -= (size_t)n;
	}
	return true;
}

/* What it writes goes on as it is. Nobody who reads ours any more: it is to learn that. */
static void take(struct tap *t, struct matcher *m, bool counts)
{
	char bytes[65536];
	ssize_t n = read(t->from, bytes, sizeof(bytes));

	if (n > 0 && counts)
		throughput_tick(matcher_take(m, &t->stream, bytes, (size_t)n));
	if (n > 0 && write_all(t->to, bytes, (size_t)n))
		return;
	if (n < 0 && errno == EINTR)
		return;
	close(t->from);
	t->from = -1;
}

/**
 * struct tail - a log
 * @fd: -1: there is none yet
 * @at: what comes next
 */
struct tail {
	const char *path;
	int fd;
	ino_t inode;
	off_t at;
	struct stream stream;
};

/* From its end on; a new file, after a rotation, from its beginning. */
static void follow(struct tail *t, struct matcher *m, bool first)
{
	char bytes[65536];
	struct stat st;
	ssize_t n;

	while (t->fd >= 0 && (n = pread(t->fd, bytes, sizeof(bytes), t->at)) > 0) {
		t->at += n;
		throughput_tick(matcher_take(m, &t->stream, bytes, (size_t)n));
	}
	if (stat(t->path, &st))
		return;
	if (t->fd >= 0 && st.st_ino == t->inode && st.st_size >= t->at)
		return;
	if (t->fd >= 0)
		close(t->fd);
	t->fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	t->inode = st.st_ino;
	t->at = first ? st.st_size : 0;
	t->stream.length = 0;
}

static void watch(struct child *c, struct tap tap[2], struct matcher *m, struct tail *log)
{
	struct pollfd fds[3];
	int i, reads;

	/* What it has written is read to the end; those that it has started may go on. */
	while (!c->over) {
		fds[0] = (struct pollfd){.fd = c->signals, .events = POLLIN};
		for (i = 0; i < 2; i++)
			fds[1 + i] = (struct pollfd){.fd = tap[i].from, .events = POLLIN};
		if (poll(fds, 3, log->path ? LOG_MS : -1) < 0 && errno != EINTR)
			break;
		for (i = 0; i < 2; i++)
			if (tap[i].from >= 0 && fds[1 + i].revents)
				take(&tap[i], m, !log->path && (!i || m->kind != MATCH_BYTES));
		if (log->path)
			follow(log, m, false);
		if (fds[0].revents)
			child_take_signals(c);
	}
	for (i = 0; i < 2; i++) {
		/* What it has started may go on for ever: what was in the pipe counts. */
		for (reads = 0; tap[i].from >= 0 && reads < PIPE_READS; reads++) {
			fds[0] = (struct pollfd){.fd = tap[i].from, .events = POLLIN};
			if (poll(fds, 1, 0) <= 0)
				break;
			take(&tap[i], m, !log->path && (!i || m->kind != MATCH_BYTES));
		}
	}
	if (log->path)
		follow(log, m, false);
}

static int run(const struct options *o, struct matcher *m, char **argv)
{
	struct child c = {.argv = argv};
	struct tap tap[2] = {{.from = -1}, {.from = -1}};
	struct tail log = {.path = o->log, .fd = -1};
	const char *name = o->name ? o->name : strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	int err = throughput_begin(name, o->unit), status;

	if (!err && o->min > 0)
		err = throughput_goal_range(o->min, o->max, o->weight);
	if (err) {
		complain("cannot say what it delivers: %s", strerror(-err));
		return STATUS_FAILED;
	}
	if (log.path)
		follow(&log, m, true);
	err = child_block_signals(&c);
	if (!err)
		err = open_tap(&tap[0], STDOUT_FILENO);
	if (!err)
		err = open_tap(&tap[1], STDERR_FILENO);
	if (!err)
		err = child_prepare(&c);
	forked(&tap[0], STDOUT_FILENO);
	forked(&tap[1], STDERR_FILENO);
	if (err) {
		complain("cannot run '%s': %s", argv[0], strerror(-err));
		return STATUS_FAILED;
	}
	status = child_run(&c);
	if (status)
		return status;
	watch(&c, tap, m, &log);
	if (!m->matches)
		complain("no line matched '%s': nothing was counted", o->match ? o->match : o->each ? o->each : "");
	return child_exit_status(&c);
}

int run_main(int argc, char **argv)
{
	struct options o = {.weight = 100};
	struct matcher m;
	int status = option_table_parse(&table, &o, argc, argv);

	if (!status && optind >= argc)
		status = bad("%s", "no program to run");
	if (!status && !!o.match + !!o.each + o.bytes != 1)
		status = bad("%s", "one of -m, -e and -b says what a unit is");
	if (!status && o.bytes && o.log)
		status = bad("%s", "-b is of its output, not of a log");
	if (status)
		return status < 0 ? 0 : status;
	if (matcher_begin(&m, o.match ? MATCH_NUMBER : o.each ? MATCH_LINE : MATCH_BYTES,
			  o.match ? o.match : o.each))
		return STATUS_USAGE;
	status = run(&o, &m, argv + optind);
	matcher_end(&m);
	return status;
}
