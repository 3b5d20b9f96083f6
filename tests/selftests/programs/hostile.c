// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hostile MODE [ARGUMENT]: what a malicious user may try.
 *
 *	fork		end with a session open and mapped, and leave a child behind;
 *			prints the child's PID
 *	regions		start and stop until that fails; prints the reason
 *	socket		as root, use a netlink socket that an ordinary user opened;
 *			prints why that is refused
 *	refused KEY	be refused 2,000 times for an unknown KEY, which must be in each
 *			message
 *	threads		create threads, which end at once, as fast as possible
 *	interrupted PID	attach to a process while signals arrive, until a signal interrupts
 *			that; prints what the library says
 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <pmctrack/libpmctrack.h>

static struct pmctrack_ctl *control(void)
{
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();

	if (!ctl)
		errx(1, "%s", pmctrack_error());
	return ctl;
}

static struct pmctrack_session *open_own(const char *events)
{
	struct pmctrack_evset *set = pmctrack_evset__parse(control(), 0, events);
	struct pmctrack_session *s = set ? pmctrack_session__open(control(), &set, 1, NULL) : NULL;

	if (!s)
		errx(1, "%s", pmctrack_error());
	return s;
}

static int leave_child(const char *unused)
{
	struct pmctrack_session *s = open_own("cycles");
	pid_t child;

	(void)unused;
	if (pmctrack_session__start(s))
		errx(1, "%s", pmctrack_error());
	child = fork();
	if (child == 0) {
		close(pmctrack_session__fd(s));
		fclose(stdout);
		pause();
	}
	printf("%d\n", child);
	return child < 0;
}

static int regions(const char *unused)
{
	struct pmctrack_session *s = open_own("cycles");
	const struct pmctrack_record *rec = NULL;
	unsigned long revoked = 0;
	int err;

	(void)unused;
	do {
		while (pmctrack_session__next(s, &rec) == 1)
			;
		err = pmctrack_session__start(s);
		if (!err)
			err = pmctrack_session__stop(s);
	} while (!err);
	puts(pmctrack_error());
	if (err != -ESHUTDOWN)
		return 1;
	/* The end of the session has begun; wait until it is complete. */
	while ((err = pmctrack_session__wait(s, -1)) == 1) {
		while (pmctrack_session__next(s, &rec) == 1)
			revoked += rec->kind == PMCTRACK_RECORD_REVOKED;
	}
	printf("%lu last records\n", revoked);
	return err != -ESHUTDOWN || revoked != 1;
}

static int use_prepared_socket(const char *unused)
{
	struct pmctrack_evset *set;
	struct pmctrack_ctl *ctl;

	(void)unused;
	if (seteuid(1000))
		err(1, "seteuid");
	ctl = control();
	if (seteuid(0))
		err(1, "seteuid");
	set = pmctrack_evset__parse(ctl, 0, "cycles:k");
	if (pmctrack_session__open(ctl, &set, 1, NULL))
		errx(1, "root's rights for a user's socket");
	puts(pmctrack_error());
	return 0;
}

static int be_refused(const char *key)
{
	struct pmctrack_ctl *ctl = control();
	struct pmctrack_evset *set;
	char raw[64];

	snprintf(raw, sizeof(raw), "pmc1=0xc0,%s1=1", key);
	set = pmctrack_evset__parse_raw(ctl, raw);
	if (!set)
		errx(1, "%s", pmctrack_error());
	for (int i = 0; i < 2000; i++) {
		if (pmctrack_session__open(ctl, &set, 1, NULL))
			errx(1, "not refused");
		if (!strstr(pmctrack_error(), key))
			errx(1, "refused with another's text: %s", pmctrack_error());
	}
	return 0;
}

static void *end_at_once(void *unused)
{
	return unused;
}

static int bomb(const char *unused)
{
	pthread_attr_t detached;
	pthread_t thread;
	int err = 0;

	(void)unused;
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&detached, 64 << 10);
	while (!err || err == EAGAIN)
		err = pthread_create(&thread, &detached, end_at_once, NULL);
	return err;
}

static void note(int signal)
{
	(void)signal;
}

static int be_interrupted(const char *pid)
{
	const struct itimerval often = { .it_interval.tv_usec = 1000, .it_value.tv_usec = 1000 };
	const struct itimerval never = { 0 };
	const struct sigaction action = { .sa_handler = note };
	const pid_t process = (pid_t)atoi(pid);
	const struct pmctrack_session_opts opts = {
		.sz = sizeof(opts),
		.processes = &process,
		.nr_processes = 1,
	};
	struct pmctrack_ctl *ctl = control();
	struct pmctrack_evset *set = pmctrack_evset__parse(ctl, 0, "cycles");

	if (sigaction(SIGALRM, &action, NULL))
		err(1, "sigaction");
	for (int i = 0; i < 100; i++) {
		struct pmctrack_session *s;

		setitimer(ITIMER_REAL, &often, NULL);
		s = pmctrack_session__open(ctl, &set, 1, &opts);
		setitimer(ITIMER_REAL, &never, NULL);
		if (!s && strstr(pmctrack_error(), "interrupted by a signal")) {
			puts(pmctrack_error());
			return 0;
		}
		pmctrack_session__close(s);
	}
	errx(1, "attaching went on in spite of signals: %s", pmctrack_error());
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(const char *argument);
	} modes[] = {
		{ "fork", leave_child }, { "regions", regions }, { "socket", use_prepared_socket },
		{ "refused", be_refused }, { "threads", bomb },
		{ "interrupted", be_interrupted },
	};

	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(argv[1], modes[i].name) == 0)
			return modes[i].run(argc > 2 ? argv[2] : "");
	}
	errx(2, "usage: hostile fork|regions|socket|refused KEY|threads|interrupted PID");
}
