// SPDX-License-Identifier: GPL-2.0-or-later
/* pmctrack-sched: run a policy for asymmetric machines until it is ended. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "complain.h"
#include "core_types.h"
#include "module.h"
#include "monotonic.h"
#include "openmetrics.h"
#include "policy.h"
#include "replace.h"
#include "show.h"
#include "standard_files.h"
#include "text_file.h"

#define INFO		"/proc/pmc/info"
#define NS_PER_MS	1000000ULL
#define STATUS_FAILED	1
#define STATUS_USAGE	2
#define BEGIN_AGAIN	-1
/* The end of a policy is noticed within this time. */
#define LOOK_S		0.1
/* A reader of reports has so long for each. */
#define PATIENCE_S	5.0

struct options {
	const struct policy_kind *kind;
	const char *module;
	const char *fastest;
	const char *openmetrics;
	double interval;
	double seconds;
	bool json;
	bool quiet;
	struct policy_options policy;
};

static const char usage_text[] =
	"Usage: pmctrack-sched [OPTION]... POLICY\n"
	"Schedule this machine by a policy, until Ctrl-C. Policies:\n";

static const char options_text[] =
	"  -m, --module=NAME      monitoring module that it asks (none: do not choose one)\n"
	"  -b, --big=PMU          the fastest core type, by its name in /proc/pmc/info\n"
	"  -r, --ratio=N          speed of the fastest over the next core type, for threads of which\n"
	"                         nothing is known yet (default: 2)\n"
	"  -s, --slice=MS         how long a thread runs while others wait (default: 5; fps: 100)\n"
	"  -p, --period=MS        how often threads may change core types (default: 20)\n"
	"  -B, --band=N           how much more a thread must deserve a faster core, in the policy's unit\n"
	"  -t, --tolerance=PERCENT  allowed difference of slowdowns, in exchange for throughput (cafs;\n"
	"                         default: 4)\n"
	"  -T, --training=PERCENT so much of the time threads may run beside few others, to find out how\n"
	"                         fast they are alone: 0 to 100 (fps; default: 5)\n"
	"  -i, --interval=S       time between two reports (default: 1)\n"
	"  -d, --duration=S       end after this time\n"
	"  -j, --json             a line of JSON each time\n"
	"  -o, --openmetrics=FILE replace FILE with OpenMetrics text each time\n"
	"  -q, --quiet            no reports\n"
	"  -h, --help             this text\n";

static void usage(void)
{
	const struct policy_kind *kind;

	fputs(usage_text, stdout);
	for (kind = policy_kinds; kind->name; kind++)
		printf("  %-10s %s\n", kind->name, kind->about);
	fputs(options_text, stdout);
}

/* Read a number from @least to @most. Otherwise, tells the user and returns false. */
static bool number(const char *option, const char *text, double least, double most, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	if (!errno && end != text && !*end && *value >= least && *value <= most)
		return true;
	complain("%s: '%s' is not a number from %g to %g", option, text, least, most);
	return false;
}

static int read_options(struct options *o, int argc, char **argv)
{
	static const struct option table[] = {
		{ "module", required_argument, NULL, 'm' }, { "big", required_argument, NULL, 'b' },
		{ "ratio", required_argument, NULL, 'r' }, { "slice", required_argument, NULL, 's' },
		{ "period", required_argument, NULL, 'p' }, { "band", required_argument, NULL, 'B' },
		{ "tolerance", required_argument, NULL, 't' }, { "training", required_argument, NULL, 'T' },
		{ "interval", required_argument, NULL, 'i' }, { "duration", required_argument, NULL, 'd' },
		{ "json", no_argument, NULL, 'j' }, { "openmetrics", required_argument, NULL, 'o' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' }, { 0 },
	};
	double value, ratio = 2;
	bool ok = true;
	int c, rank;

	*o = (struct options){ .interval = 1, .policy = { .period_ns = 20 * NS_PER_MS, .tolerance = 40, .training = 50 } };
	while (ok && (c = getopt_long(argc, argv, "m:b:r:s:p:B:t:T:i:d:jo:qh", table, NULL)) >= 0) {
		switch (c) {
		case 'm': o->module = optarg; break;
		case 'b': o->fastest = optarg; break;
		case 'r': ok = number("--ratio", optarg, 1, 100, &ratio); break;
		case 's':
			ok = number("--slice", optarg, 0.1, 100, &value);
			o->policy.slice_ns = (unsigned long long)(value * 1e6);
			break;
		case 'p':
			ok = number("--period", optarg, 1, 10000, &value);
			o->policy.period_ns = (unsigned long long)(value * 1e6);
			break;
		case 'B':
			ok = number("--band", optarg, 1, 1e15, &value);
			o->policy.band = (unsigned long long)value;
			break;
		case 't':
			ok = number("--tolerance", optarg, 0, 100, &value);
			o->policy.tolerance = (unsigned int)(value * 10 + 0.5);
			break;
		case 'T':
			ok = number("--training", optarg, 0, 100, &value);
			o->policy.training = (unsigned int)(value * 10 + 0.5);
			break;
		case 'i': ok = number("--interval", optarg, 0.01, 1e6, &o->interval); break;
		case 'd': ok = number("--duration", optarg, 0.01, 1e9, &o->seconds); break;
		case 'j': o->json = true; break;
		case 'o': o->openmetrics = optarg; break;
		case 'q': o->quiet = true; break;
		case 'h': usage(); exit(standard_output_end(0, STATUS_FAILED));
		default: ok = false;
		}
	}
	if (!ok)
		return -1;
	if (optind != argc - 1) {
		complain("give one policy (pmctrack-sched --help lists them)");
		return -1;
	}
	o->kind = policy_kind_of(argv[optind]);
	if (!o->kind) {
		complain("no policy '%s' (pmctrack-sched --help lists them)", argv[optind]);
		return -1;
	}
	for (rank = 0, value = 1000; rank < AMP_RANKS; rank++, value *= ratio)
		o->policy.ratio[rank] = (unsigned int)(value + 0.5);
	return 0;
}

/* Sleep until @until, or a signal of @set. Returns the number of the signal, or 0. */
static int sleep_until(double until, const sigset_t *set)
{
	double left = until - monotonic_s();
	struct timespec ts;
	int signal;

	if (left < 0)
		left = 0;
	ts.tv_sec = (time_t)left;
	ts.tv_nsec = (long)((left - (double)ts.tv_sec) * 1e9);
	do
		signal = sigtimedwait(set, NULL, &ts);
	while (signal < 0 && errno == EINTR);
	return signal > 0 ? signal : 0;
}

/* If the file cannot be replaced any more (the disk may be full), the user is told once. */
static void write_metrics(const struct options *o, const struct show *s, const struct policy *policy)
{
	static bool told;
	int err = o->openmetrics ? openmetrics_write(o->openmetrics, s, policy) : 0;

	if (err && !told)
		complain("%s cannot be replaced: %s; the policy goes on", o->openmetrics, strerror(-err));
	told = err;
}

/*
 * Report until a signal, the end of the time, or the end of the policy. Returns the exit status, or
 * BEGIN_AGAIN if CPUs came or went.
 */
static int watch(const struct options *o, struct show *s, const struct policy *policy, double begin,
		 const sigset_t *set)
{
	const volatile struct amp_stats *stats = policy_stats(policy);
	double end = o->seconds > 0 ? begin + o->seconds : 1e300;
	double next = monotonic_s() + o->interval, until;
	bool last = false;

	while (!last && !stats->exited) {
		until = monotonic_s() + LOOK_S;
		until = next < until ? next : until;
		last = sleep_until(end < until ? end : until, set) || monotonic_s() >= end;
		s->seconds = monotonic_s() - begin;
		if (last || monotonic_s() < next)
			continue;
		next += o->interval;
		/* After SIGSTOP, reports that are missing do not follow all at once. */
		if (next < monotonic_s())
			next = monotonic_s() + o->interval;
		if (stats->exited)
			continue;
		write_metrics(o, s, policy);
		s->until = monotonic_s() + PATIENCE_S;
		s->until = end < s->until ? end : s->until;
		if (!o->quiet)
			show(s, policy, false);
	}
	if (!stats->exited) {
		if (!o->quiet)
			show(s, policy, true);
		return 0;
	}
	if (stats->exit_code & AMP_RESTART && !last)
		return BEGIN_AGAIN;
	if (stats->exit_code & AMP_RESTART)
		return 0;
	complain("the kernel ended the policy: %s", (const char *)stats->reason);
	return STATUS_FAILED;
}

/* Run the policy with the CPUs that there are, again if these change. Returns the exit status. */
static int schedule(const struct options *o, struct core_types *m, const sigset_t *set)
{
	struct show s = { .json = o->json, .kind = o->kind, .machine = m,
			  .simulated = !strncmp(m->type[0].name, "simulated_", 10), .signals = set };
	double begin = monotonic_s();
	int status, err;

	show_begin(&s);
	do {
		unsigned long long hotplugs = policy_hotplugs();
		struct policy *policy = NULL;

		if (core_types_read(m, INFO, o->fastest) || policy_begin(&policy, o->kind, m, &o->policy, hotplugs)) {
			show_end(&s);
			return STATUS_FAILED;
		}
		s.active = true;
		status = watch(o, &s, policy, begin, set);
		/* However the policy ended, the metrics must not say that it goes on. */
		s.active = false;
		write_metrics(o, &s, policy);
		policy_end(policy);
		if (status == BEGIN_AGAIN)
			complain("CPUs came or went: the policy begins again, and has forgotten what was");
	} while (status == BEGIN_AGAIN);
	err = show_end(&s);
	if (err)
		complain("cannot write: %s", strerror(-err));
	return err && !status ? STATUS_FAILED : status;
}

int main(int argc, char **argv)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct module *module = NULL;
	struct core_types machine;
	struct options o;
	int status, err;
	const char *name;
	sigset_t set;
	unsigned int i;

	complain_as("pmctrack-sched");
	setlocale(LC_ALL, "C");
	if (standard_files_open(O_CLOEXEC))
		return STATUS_FAILED;
	if (read_options(&o, argc, argv))
		return STATUS_USAGE;
	if (geteuid()) {
		complain("only root may schedule the machine (CAP_SYS_ADMIN and CAP_BPF)");
		return STATUS_FAILED;
	}
	err = o.openmetrics ? replace_check(o.openmetrics) : 0;
	if (err) {
		complain("--openmetrics: %s cannot be replaced: %s", o.openmetrics, strerror(-err));
		return STATUS_FAILED;
	}
	if (core_types_read(&machine, INFO, o.fastest))
		return STATUS_FAILED;
	if (machine.nr == 1 && !o.kind->symmetric)
		complain("all CPUs of this machine are of one type: the policy runs, and has nothing to choose");
	/* From here on, signals do not end the process: watch() ends the policy. */
	sigemptyset(&set);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* Without a choice, no metric is needed. The module may not exist for this machine. */
	name = o.module ? o.module : machine.nr > 1 || o.kind->symmetric ? o.kind->module : NULL;
	if (name && strcmp(name, "none")) {
		module = module_choose(name, &machine.type[0]);
		if (!module)
			return STATUS_FAILED;
	}
	status = schedule(&o, &machine, &set);
	module_restore(module);
	return standard_output_end(status, STATUS_FAILED);
}
