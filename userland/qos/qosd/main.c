// SPDX-License-Identifier: GPL-2.0-or-later
/* qosd: gives programs the CPUs that they need for their goals. See qosd(8). */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "child.h"
#include "complain.h"
#include "control.h"
#include "exit_status.h"
#include "log.h"
#include "nowait.h"
#include "option_table.h"
#include "standard_files.h"

#define DEFAULT_SETTINGS "/etc/qosd.json"

struct options {
	const char *settings;
	const char *log;
	bool dry;
	bool verbose;
};

static const struct option_entry entries[] = {
	{'f', NULL, "FILE", ARGUMENT_FILE, "settings (default " DEFAULT_SETTINGS ", if it is there)",
	 .set = option_table_set_text, .offset = offsetof(struct options, settings)},
	{'l', "log", "FILE", ARGUMENT_FILE, "add a row of CSV for each program and step to this file",
	 .set = option_table_set_text, .offset = offsetof(struct options, log)},
	{'n', "dry-run", NULL, ARGUMENT_OTHER, "change nothing, and say what would be given",
	 .set = option_table_set_flag, .offset = offsetof(struct options, dry)},
	{'v', NULL, NULL, ARGUMENT_OTHER, "say what is given to whom",
	 .set = option_table_set_flag, .offset = offsetof(struct options, verbose)},
};

static const struct option_table table = {
	.program = "qosd",
	.before = "Usage: qosd [OPTION]...\n"
		  "Give programs that say what they deliver (libthroughput, throughput run) the CPUs that\n"
		  "they need for their goals, and no more. It is root's.\n"
		  "\n",
	.after = "\n"
		 "It stays in the foreground until SIGTERM or Ctrl-C; all programs then have the CPUs that\n"
		 "they had before. See qosctl(1) for what it does.\n"
		 "Exit status: 0, 1 if qosd fails, 2 for usage errors.\n",
	.of = entries,
	.nr = sizeof(entries) / sizeof(entries[0]),
};

static void loop(struct daemon *d, struct control *c, struct child *signals, int timer, FILE **log)
{
	struct pollfd fds[3 + CONTROL_CLIENTS];
	double waited = 0;
	uint64_t ticks;
	unsigned int nr;

	for (;;) {
		fds[0] = (struct pollfd){.fd = signals->signals, .events = POLLIN};
		fds[1] = (struct pollfd){.fd = timer, .events = POLLIN};
		nr = d->dry ? 0 : control_fds(c, fds + 2);
		if (poll(fds, 2 + nr, -1) < 0) {
			if (errno != EINTR)
				return;
			continue;
		}
		if (fds[0].revents && child_take_signals(signals))
			return;
		if (fds[1].revents && read(timer, &ticks, sizeof(ticks)) > 0) {
			waited += (double)ticks * d->settings.tick_s;
			daemon_look(d);
			if (waited >= d->settings.step_s - d->settings.tick_s / 2) {
				daemon_step(d);
				log_step(log, d);
				waited = 0;
			}
		}
		if (nr)
			control_serve(c, fds + 2, nr, d);
	}
}

/* Only one qosd runs at a time, because two would move each other's programs. */
static int lock(void)
{
	int fd;

	mkdir(DAEMON_FOLDER, 0755);
	fd = open(DAEMON_FOLDER "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0) {
		complain("%s/lock: %s", DAEMON_FOLDER, strerror(errno));
		return -1;
	}
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		complain("another qosd runs");
		close(fd);
		return -1;
	}
	return fd;
}

static int run(struct daemon *d, FILE **log)
{
	long long ns = (long long)(d->settings.tick_s * 1e9);
	const struct itimerspec t = {
		.it_value = {ns / 1000000000, ns % 1000000000},
		.it_interval = {ns / 1000000000, ns % 1000000000},
	};
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), held = -1, err;
	struct child signals = {.argv = NULL};
	struct control c;

	if (timer < 0 || child_block_signals(&signals)) {
		complain("cannot begin: %s", strerror(errno));
		return STATUS_FAILED;
	}
	if (!d->dry && geteuid()) {
		complain("qosd is root's: it moves others' processes; try --dry-run");
		return STATUS_FAILED;
	}
	if (!d->dry) {
		held = lock();
		if (held < 0)
			return STATUS_FAILED;
	}
	if (daemon_begin(d))
		return STATUS_FAILED;
	err = d->dry ? 0 : control_begin(&c);
	if (err) {
		complain("%s: %s", CONTROL_SOCKET, strerror(-err));
		daemon_end(d);
		return STATUS_FAILED;
	}
	/* From here on, programs depend on steps. */
	fflush(stdout);
	complain_to(nowait_complain);
	timerfd_settime(timer, 0, &t, NULL);
	loop(d, &c, &signals, timer, log);
	if (!d->dry)
		control_end(&c);
	daemon_end(d);
	if (held >= 0)
		close(held);
	close(timer);
	return 0;
}

int main(int argc, char **argv)
{
	struct options o = {.settings = NULL};
	struct daemon d = {.nr = 0};
	FILE *log = NULL;
	int status, err;

	complain_as("qosd");
	if (standard_files_open(O_CLOEXEC))
		return STATUS_FAILED;
	status = option_table_parse(&table, &o, argc, argv);
	if (!status && optind < argc) {
		complain("'%s': it runs no programs; see throughput(1)", argv[optind]);
		status = option_table_refuse(&table);
	}
	if (status)
		return status < 0 ? standard_output_end(0, STATUS_FAILED) : status;
	settings_begin(&d.settings);
	if (!o.settings && !access(DEFAULT_SETTINGS, F_OK))
		o.settings = DEFAULT_SETTINGS;
	if (o.settings && settings_read(&d.settings, o.settings)) {
		settings_end(&d.settings);
		return STATUS_FAILED;
	}
	d.dry = o.dry;
	d.verbose = o.verbose || o.dry;
	err = o.log ? log_open(&log, o.log) : 0;
	if (err)
		complain("%s: %s", o.log, strerror(-err));
	status = err ? STATUS_FAILED : run(&d, &log);
	log_close(&log);
	settings_end(&d.settings);
	return standard_output_end(status, STATUS_FAILED);
}
