// SPDX-License-Identifier: GPL-2.0-or-later
/* qualityd: publishes the Quality Time of all processes, for other programs to read. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "child.h"
#include "complain.h"
#include "exit_status.h"
#include "number.h"
#include "option_table.h"
#include "standard_files.h"
#include "watch/published.h"
#include "watch/watch.h"

struct options {
	double interval;
	const char *file;
	mode_t mode;
	gid_t gid;
	unsigned long entries;
	bool wait;
};

/* Time between two checks if the monitoring module is active. */
#define WAIT_MS	1000

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
	return number_seconds(arg, &o->interval) || o->interval < 0.05 || o->interval > 60 ?
		bad("-i %s: not a number of seconds from 0.05 to 60", arg) : 0;
}

static int set_mode(void *options, const struct option_entry *e, const char *arg)
{
	char *end;
	unsigned long mode = strtoul(arg, &end, 8);

	(void)e;
	if (*arg < '0' || *arg > '7' || *end || (mode != 0600 && mode != 0640 && mode != 0644))
		return bad("--mode %s: not 0600, 0640 or 0644: others may read it, but not write", arg);
	((struct options *)options)->mode = (mode_t)mode;
	return 0;
}

static int set_group(void *options, const struct option_entry *e, const char *arg)
{
	const struct group *group = getgrnam(arg);
	struct options *o = options;

	(void)e;
	if (!group)
		return bad("--group %s: there is no such group", arg);
	o->gid = group->gr_gid;
	return 0;
}

static int set_entries(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)e;
	return number_count(arg, &o->entries) || o->entries > 1000000 ?
		bad("--entries %s: not a number from 1 to 1000000", arg) : 0;
}

static const struct option_entry entries[] = {
	{ 'i', NULL, "SECONDS", ARGUMENT_OTHER, "how often entries are written (default 0.25)",
	  .set = set_interval },
	{ 'f', NULL, "FILE", ARGUMENT_FILE, "where to (default " PMCTRACK_QUALITY_FILE ")", 
	  .set = option_table_set_text, .offset = offsetof(struct options, file) },
	{ 0, "mode", "MODE", ARGUMENT_OTHER, "who may read it: 0600 (the default), 0640 or 0644",
	  .set = set_mode },
	{ 0, "group", "GROUP", ARGUMENT_OTHER, "its group, which may read it", .set = set_group },
	{ 'w', "wait", .help = "for the monitoring module, if another one is active",
	  .set = option_table_set_flag, .offset = offsetof(struct options, wait) },
	{ 0, "entries", "N", ARGUMENT_OTHER, "for so many processes (default 16384)", .set = set_entries },
};

static const struct option_table table = {
	.program = "qualityd",
	.before =
"Usage: qualityd [OPTION]...\n"
"Watch all processes of the machine, and publish how much of their time alone they\n"
"get beside others in shared memory, for qtop --published and programs of one's\n"
"own (<pmctrack/quality_table.h>). See qtime(1); it needs the same.\n"
"\n",
	.after =
"\n"
"It stays in the foreground until SIGTERM or Ctrl-C, and removes the file then.\n"
"Exit status: 0, 1 if qualityd fails, 2 for usage errors.\n",
	.of = entries,
	.nr = sizeof(entries) / sizeof(entries[0]),
};

/* Publish until a signal comes, or until there are no new numbers any more (watch_trouble()). */
static void loop(struct watch *watch, struct publisher *out, struct child *signals, int timer)
{
	struct pollfd fds[3] = {
		{ .fd = signals->signals, .events = POLLIN },
		{ .fd = timer, .events = POLLIN },
		{ .fd = watch_fd(watch), .events = POLLIN },
	};
	uint64_t expirations;
	bool more = false;

	for (;;) {
		if (poll(fds, 3, more ? 0 : -1) < 0) {
			if (errno != EINTR)
				return;
			continue;
		}
		if (fds[0].revents && child_take_signals(signals))
			return;
		more = watch_take(watch);
		if (fds[1].revents && read(timer, &expirations, sizeof(expirations)) > 0) {
			watch_look(watch);
			if (watch_trouble(watch))
				return;
			publisher_update(out, watch_processes(watch), watch_refused(watch));
		}
		/* No process is watched any more. */
		if (fds[2].revents & POLLHUP)
			fds[2].fd = -1;
	}
}

/* Wait until the monitoring module is active. Returns true if a signal came first. */
static bool wait_for_module(struct child *signals)
{
	struct pollfd fd = { .fd = signals->signals, .events = POLLIN };

	while (!watch_is_possible()) {
		if (poll(&fd, 1, WAIT_MS) > 0 && child_take_signals(signals))
			return true;
	}
	return false;
}

/*
 * Publish until a signal comes. Sets *@changed if another monitoring module became active. Returns
 * the exit status.
 */
static int publish(const struct options *o, struct child *signals, bool *changed)
{
	const struct watch_options w = { .all = true, .interval_s = o->interval };
	long long ns = (long long)(o->interval * 1e9);
	const struct itimerspec t = {
		.it_value = { ns / 1000000000, ns % 1000000000 },
		.it_interval = { ns / 1000000000, ns % 1000000000 },
	};
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	struct publisher *out;
	struct watch *watch;
	int status = STATUS_FAILED;

	if (timer < 0) {
		complain("cannot begin: %s", strerror(errno));
		return STATUS_FAILED;
	}
	watch = watch_open(&w);
	out = watch ? publisher_open(o->file, (unsigned int)o->entries, o->mode, o->gid,
				     (unsigned int)(o->interval * 1000)) : NULL;
	if (out) {
		timerfd_settime(timer, 0, &t, NULL);
		loop(watch, out, signals, timer);
		publisher_close(out);
		watch_complain(watch);
		*changed = watch_trouble(watch);
		status = *changed ? STATUS_FAILED : 0;
	}
	watch_close(watch);
	close(timer);
	return status;
}

static int run(const struct options *o)
{
	struct child signals = { .argv = NULL };
	bool changed;
	int status;

	/* A signal that comes while many threads are attached takes effect after that. */
	if (child_block_signals(&signals)) {
		complain("cannot begin: %s", strerror(errno));
		return STATUS_FAILED;
	}
	do {
		changed = false;
		if (o->wait && wait_for_module(&signals))
			return 0;
		status = publish(o, &signals, &changed);
	} while (changed && o->wait);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = {
		.interval = 0.25, .file = PMCTRACK_QUALITY_FILE, .mode = 0600, .gid = (gid_t)-1, .entries = 16384,
	};
	int status;

	complain_as("qualityd");
	if (standard_files_open(O_CLOEXEC))
		return STATUS_FAILED;
	status = option_table_parse(&table, &o, argc, argv);
	if (!status && optind < argc)
		status = bad("'%s': it runs no programs", argv[optind]);
	if (o.gid != (gid_t)-1)
		o.mode |= 0040;
	if (status)
		return status < 0 ? standard_output_end(0, STATUS_FAILED) : status;
	return run(&o);
}
