// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "complain.h"
#include "number.h"
#include "option_table.h"
#include "qplacer/options.h"

/* Length of a process's name as the kernel stores it (comm). */
#define NAME_LEN	15

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

static int set_max_seconds(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)e;
	return number_seconds(arg, &o->max_seconds) || !(o->max_seconds > 0) ?
		bad("-N %s: not a number of seconds up to 86400", arg) : 0;
}

static int set_lambda(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)e;
	return number_seconds(arg, &o->params.lambda) || o->params.lambda > 100 ?
		bad("--lambda %s: not a number from 0 to 100", arg) : 0;
}

static int set_damping(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)e;
	return number_seconds(arg, &o->params.damping) || o->params.damping >= 1 ?
		bad("--damping %s: not a number from 0 to less than 1", arg) : 0;
}

static int set_stay(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;
	double seconds;

	(void)e;
	if (number_seconds(arg, &seconds) || seconds < 0.001)
		return bad("--stay %s: not a number of seconds from 0.001 to 86400", arg);
	o->params.stay = 1000 * seconds;
	return 0;
}

static int set_seed(void *options, const struct option_entry *e, const char *arg)
{
	unsigned long seed;
	char *end;

	(void)e;
	if (number_digits(arg, &seed, &end) || *end)
		return bad("--seed %s: not a number", arg);
	((struct options *)options)->params.seed = seed;
	return 0;
}

static int set_processes(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;

	(void)e;
	return number_pids(arg, o->processes, &o->nr_processes, MAX_PROCESSES) ?
		bad("-p %s: not a list of up to 64 process IDs (12,345)", arg) : 0;
}

static int set_weight(void *options, const struct option_entry *e, const char *arg)
{
	struct options *o = options;
	const char *sign = strrchr(arg, '=');
	struct weight *w = &o->weight[o->nr_weights];

	(void)e;
	if (o->nr_weights == MAX_WEIGHTS)
		return bad("-w %s: too many weights", arg);
	if (!sign || sign == arg || number_seconds(sign + 1, &w->weight) || w->weight > 1000)
		return bad("-w %s: not a program's name or PID, '=', and a number from 0 to 1000", arg);
	w->name = arg;
	w->len = (size_t)(sign - arg);
	o->nr_weights++;
	return 0;
}

#define MEMBER(name)	.offset = offsetof(struct options, name)

static const struct option_entry entries[] = {
	{ 'p', NULL, "PIDS", ARGUMENT_PID, "place these processes, and all that they start",
	  .set = set_processes },
	{ 0, "cgroup", "DIR", ARGUMENT_FOLDER, "place the processes of a control group",
	  .set = option_table_set_text, MEMBER(cgroup) },
	{ 'u', NULL, "USER", ARGUMENT_OTHER, "place the processes of this user (default: yours)",
	  .set = option_table_set_text, MEMBER(user) },
	{ 0, "published", "FILE", ARGUMENT_FILE, "numbers from the file that qualityd(8) writes",
	  .set = option_table_set_text, MEMBER(published) },
	{ 'w', NULL, "NAME=N", ARGUMENT_OTHER,
	  "a program's name or PID, and how much its quality counts\n(default 1); can be given several times",
	  .set = set_weight },
	{ 'i', NULL, "SECONDS", ARGUMENT_OTHER, "how often a move is considered (default 0.25)",
	  .set = set_interval },
	{ 'N', NULL, "SECONDS", ARGUMENT_OTHER, "end after so much time", .set = set_max_seconds },
	{ 0, "lambda", "N", ARGUMENT_OTHER, "how greedy it is (default 2.0)", .set = set_lambda },
	{ 0, "damping", "N", ARGUMENT_OTHER, "the part of the old quality in a new one (default 0.25)",
	  .set = set_damping },
	{ 0, "stay", "SECONDS", ARGUMENT_OTHER, "how long it stays where others are as good (default 100)",
	  .set = set_stay },
	{ 0, "seed", "N", ARGUMENT_OTHER, "of what is drawn by lot (default: the time)", .set = set_seed },
	{ 0, "dry-run", .help = "say what would be done, and do nothing", .set = option_table_set_flag, MEMBER(dry_run) },
	{ 0, "json", .help = "print lines of JSON", .set = option_table_set_flag, MEMBER(json) },
};

static const struct option_table table = {
	.program = "qplacer",
	.before =
"Usage: qplacer [OPTION]...\n"
"Try which processes should share a cache, by moving them between the CPUs of\n"
"different last-level caches, until they get more of their time alone (Quality\n"
"Time). Says why for each move. At the end, all may use the CPUs that they could\n"
"before. See qtime(1); it needs the same.\n"
"\n",
	.after =
"\n"
"It ends with Ctrl-C, or when all processes of -p have ended. Exit status: 0, 1 if\n"
"qplacer fails, 2 for usage errors.\n",
	.of = entries,
	.nr = sizeof(entries) / sizeof(entries[0]),
};

int options_parse(struct options *o, int argc, char **argv)
{
	struct timespec now;
	int status;

	clock_gettime(CLOCK_REALTIME, &now);
	*o = (struct options){
		.interval = 0.25,
		.params = { .lambda = 2, .damping = 0.25, .stay = 100000,
			    .seed = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec },
	};
	status = option_table_parse(&table, o, argc, argv);
	if (status)
		return status;
	if (optind < argc)
		return bad("'%s': it runs no programs", argv[optind]);
	if ((o->nr_processes != 0) + (o->cgroup != NULL) + (o->user != NULL) > 1)
		return bad("%s: give one of them", "-p, --cgroup and -u");
	return 0;
}

double options_weight(const struct options *o, pid_t pid, const char *name)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", pid);
	for (unsigned int i = o->nr_weights; i-- > 0;) {
		const struct weight *w = &o->weight[i];
		/* The kernel stores only this much of a name. */
		size_t len = w->len < NAME_LEN ? w->len : NAME_LEN;

		if ((strlen(name) == len && strncmp(name, w->name, len) == 0) ||
		    (strlen(number) == w->len && strncmp(number, w->name, w->len) == 0))
			return w->weight;
	}
	return 1;
}
