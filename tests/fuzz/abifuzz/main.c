// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abifuzz --seed N --ops M [--log FILE] [--quick] | --replay FILE [--quick]
 *
 * A fuzzer of the module's interfaces: it does what user space can do to the module,
 * right, wrong and at the same time. Each line (grammar.h) is written to the log before
 * it is executed, so that --replay can repeat a run that crashed the kernel. A log that has become
 * large is begun anew, and the one before is FILE.old. With --quick, hours of it are millions of
 * operations: programs work for moments, and processes, CPUs and modules come and go rarely.
 *
 * The kernel has to survive; to refuse with errors that are documented, and in one line
 * of text; to give correct records to a reader that behaves; and to be as before when
 * all sessions are closed. The exit status is 1 if it does not.
 */
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "children.h"
#include "generate.h"
#include "grammar.h"
#include "memory.h"
#include "netlink.h"
#include "report.h"
#include "run.h"
#include "sessions.h"
#include "system.h"

#define RESET_EVERY	250		/* lines */
#define QUICK_RESET	2500
#define LOG_MOST	(64 << 20)	/* bytes */

static void set_up(void)
{
	report_init();
	sessions_init();
	memory_init();
	run_init();
	/* The fuzzer reaps grandchildren, too. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	netlink_init();
	system_init();
}

static int open_log(const char *log)
{
	int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		err(2, "%s", log);
	return fd;
}

/* Begin a log anew that has become large: after a reset, which leaves little of what was before. */
static int renew_log(int fd, const char *log)
{
	char old[4096];

	if (lseek(fd, 0, SEEK_CUR) < LOG_MOST)
		return fd;
	close(fd);
	snprintf(old, sizeof(old), "%s.old", log);
	if (rename(log, old))
		err(2, "%s", old);
	return open_log(log);
}

/* Execute @nr lines, or fewer if too much is broken. Returns the number after the last line. */
static unsigned long fuzz(uint64_t seed, unsigned long nr, const char *log, bool quick)
{
	static struct line line;
	struct rng r = { seed };
	int fd = log ? open_log(log) : -1;
	unsigned long i;

	line.quick = quick;
	for (i = 1; i <= nr && !report_is_hopeless(); i++) {
		bool reset = i % (quick ? QUICK_RESET : RESET_EVERY) == 0;

		if (reset)
			line.len = (size_t)sprintf(line.text, "reset");
		else
			generate(&r, &line);
		line.text[line.len] = '\n';
		/* One write, which has reached the host before the kernel can crash. */
		if (fd >= 0 && write(fd, line.text, line.len + 1) < 0)
			err(2, "%s", log);
		line.text[line.len] = '\0';
		run_line(i, line.text);
		if (reset && fd >= 0)
			fd = renew_log(fd, log);
	}
	if (fd >= 0)
		close(fd);
	return i;
}

/* Execute the lines of a log. Returns the number of the last line. */
static unsigned long replay(const char *path)
{
	static char line[MAX_LINE];
	FILE *f = fopen(path, "re");
	unsigned long nr = 0;

	if (!f)
		err(2, "%s", path);
	while (fgets(line, sizeof(line), f)) {
		nr++;
		line[strcspn(line, "\n")] = '\0';
		if (*line && *line != '#')
			run_line(nr, line);
	}
	fclose(f);
	return nr;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' }, { "ops", required_argument, NULL, 'o' },
		{ "log", required_argument, NULL, 'l' }, { "replay", required_argument, NULL, 'r' },
		{ "child", required_argument, NULL, 'c' }, { "quick", no_argument, NULL, 'q' },
		{ NULL, 0, NULL, 0 },
	};
	const char *log = NULL, *old = NULL, *child = NULL;
	bool quick = false;
	unsigned long nr = 0, last;
	uint64_t seed = 1;
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 's':
			seed = strtoull(optarg, NULL, 10);
			break;
		case 'o':
			nr = strtoul(optarg, NULL, 10);
			break;
		case 'l':
			log = optarg;
			break;
		case 'r':
			old = optarg;
			break;
		case 'c':	/* a child that has executed us */
			child = optarg;
			break;
		case 'q':
			quick = true;
			children_hurry();
			break;
		default:
			nr = 0, old = NULL;
			optind = argc + 1;
		}
	}
	if (child)
		child_main((unsigned int)atoi(child));
	if (optind != argc || !nr == !old)
		errx(2, "usage: abifuzz --seed N --ops M [--log FILE] [--quick] | --replay FILE [--quick]");
	set_up();
	last = old ? replay(old) : fuzz(seed, nr, log, quick);
	run_line(last, "reset");
	system_exit();
	run_print_statistics();
	/* Refusals alone would prove little. With --quick, programs work for moments. */
	if (nr >= 500 && (report_total(TOTAL_SESSIONS) < nr / 20 ||
			  report_total(TOTAL_RECORDS) < nr / (quick ? 40 : 20)))
		errx(1, "only %u sessions and %u records", report_total(TOTAL_SESSIONS), report_total(TOTAL_RECORDS));
	return report_is_broken() ? 1 : 0;
}
