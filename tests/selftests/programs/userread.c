// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userread: counters read without system calls, and named regions. Prints the
 * cost of a read in instructions.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pmctrack/libpmctrack.h>

#include "spin.h"

/* The signal for reading a counter without access. */
#ifdef __aarch64__
#define FAULT	SIGILL
#else
#define FAULT	SIGSEGV
#endif

#define CHECK(cond, ...) do {				\
	if (!(cond)) {					\
		fprintf(stderr, "userread:%d: ", __LINE__);	\
		fprintf(stderr, __VA_ARGS__);		\
		fputc('\n', stderr);			\
		exit(1);				\
	}						\
} while (0)

static const struct pmctrack_session_opts user_read = {
	.sz = sizeof(user_read),
	.flags = PMCTRACK_SESSION_USER_READ,
};

static uint64_t count(const struct pmctrack_session *s)
{
	uint64_t value;

	CHECK(!pmctrack_session__count(s, 1, &value), "count: %s", pmctrack_error());
	return value;
}

static uint64_t measure(const struct pmctrack_session *s, unsigned long rounds)
{
	uint64_t before = count(s);

	spin(rounds);
	return count(s) - before;
}

static void *other_thread(void *s)
{
	uint64_t value;

	CHECK(pmctrack_session__count(s, 1, &value) == -ESRCH, "another thread's counter was read");
	return NULL;
}

/* Counts are exact while the thread migrates and is preempted, among others that do the same. */
static void *reader(void *arg)
{
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	struct pmctrack_evset *set = pmctrack_evset__parse(ctl, 0, "instr,cycles");
	struct pmctrack_session *s = pmctrack_session__open(ctl, &set, 1, &user_read);
	const struct pmctrack_record *rec;
	uint64_t sum = 0, less, more, total;
	int again = 0;
	pthread_t thread;

	CHECK(s, "open: %s", pmctrack_error());
	CHECK(count(s) == 0, "counted before the start");
	CHECK(!pmctrack_session__start(s), "start");
	measure(s, 1);
	for (int i = 0; i < 300; i++) {
		cpu_set_t cpus;

		CPU_ZERO(&cpus);
		CPU_SET(i / 7 % 2, &cpus);
		if (i % 7 == 0)
			sched_setaffinity(0, sizeof(cpus), &cpus);
		less = measure(s, 1000 + 100 * (unsigned long)i);
		more = measure(s, 1000 + 100 * (unsigned long)i + 777);
		/* A read that is interrupted reads again: some instructions more. */
		again += more - less != 2 * 777;
		CHECK(more - less > 2 * 777 - 60 && more - less < 2 * 777 + 60,
		      "region %d: %lld more", i, (long long)(more - less));
		if (i % 50 == 0)
			usleep(1000);
	}
	CHECK(again < 30, "%d of 300 regions differ", again);
	pthread_create(&thread, NULL, other_thread, s);
	pthread_join(thread, NULL);
	CHECK(!pmctrack_session__stop(s), "stop");
	total = count(s);
	spin(10000);
	CHECK(count(s) == total, "counted after the stop");
	while (pmctrack_session__next(s, &rec) > 0)
		sum += rec->counts[1];
	CHECK(sum == total, "records have %llu, the counter %llu", (unsigned long long)sum,
	      (unsigned long long)total);
	CHECK(!pmctrack_session__start(s), "start again");
	CHECK(count(s) > total, "the total did not go on");
	pmctrack_session__close(s);
	pmctrack_evset__free(set);
	pmctrack_ctl__close(ctl);
	return arg;
}

static void child(const struct pmctrack_session *s)
{
	int status;
	pid_t pid = fork();
	uint64_t value;

	if (!pid)
		_exit(pmctrack_session__count(s, 1, &value) == -ESRCH ? 0 : 1);
	waitpid(pid, &status, 0);
	CHECK(status == 0, "a forked child read its parent's counter");
}

/* A child has no access to the registers in user mode, also not after the session's end. */
static void no_access(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		uint64_t value;

#if defined(__aarch64__)
		__asm__ volatile("mrs %0, pmevcntr0_el0" : "=r" (value));
#else
		uint32_t high;

		__asm__ volatile("rdpmc" : "=a" (value), "=d" (high) : "c" (0));
#endif
		_exit(0);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == FAULT, "anybody reads counters");
}

static void cost(void)
{
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	struct pmctrack_evset *set = pmctrack_evset__parse(ctl, 0, "instr");
	struct pmctrack_session *s = pmctrack_session__open(ctl, &set, 1, &user_read);
	uint64_t first, value;

	CHECK(s, "open: %s", pmctrack_error());
	pmctrack_session__start(s);
	child(s);
	first = count(s);
	first = count(s);
	for (int i = 0; i < 1000; i++)
		pmctrack_session__count(s, 1, &value);
	/* The result has the loop's own three or four instructions. */
	printf("read %.1f\n", (double)(count(s) - first) / 1000);
	CHECK(pmctrack_session__count(s, 2, &value) == -EINVAL, "an unused counter was read");
	no_access();
	pmctrack_session__close(s);
	no_access();
	pmctrack_evset__free(set);
	pmctrack_ctl__close(ctl);
}

static struct pmctrack_profile *profile;

static void *regions(void *arg)
{
	for (int i = 0; i < 10; i++) {
		CHECK(!pmctrack_profile__begin(profile, "outer"), "begin: %s", pmctrack_error());
		spin(1000);
		CHECK(!pmctrack_profile__begin(profile, "inner"), "begin: %s", pmctrack_error());
		spin(100000);
		CHECK(pmctrack_profile__end(profile, "outer") == -EINVAL, "ended the wrong one");
		CHECK(!pmctrack_profile__end(profile, "inner"), "end: %s", pmctrack_error());
		CHECK(!pmctrack_profile__end(profile, "outer"), "end: %s", pmctrack_error());
	}
	CHECK(pmctrack_profile__end(profile, "outer") == -EINVAL, "ended what was not begun");
	return arg;
}

static int seen;

static int check_region(const struct pmctrack_region_info *info, void *arg)
{
	bool inner = strcmp(info->path, "outer/inner") == 0;
	uint64_t own = inner ? 2 * 100000 * 10 : 2 * 1000 * 10;

	(void)arg;
	seen++;
	CHECK(inner || strcmp(info->path, "outer") == 0, "path %s", info->path);
	CHECK(info->calls == 10, "%s: %llu calls", info->path, (unsigned long long)info->calls);
	/* The library's own instructions beside the loop: few in each call. */
	CHECK(info->own_counts[0] >= own && info->own_counts[0] < own + 10 * 4000,
	      "%s: %llu own instructions", info->path, (unsigned long long)info->own_counts[0]);
	CHECK(info->counts[0] >= info->own_counts[0], "%s: parts", info->path);
	return 0;
}

/* While the outer region is entered, and an inner call has ended. */
static int check_open(const struct pmctrack_region_info *info, void *arg)
{
	(void)arg;
	seen++;
	CHECK(info->own_counts[0] <= info->counts[0], "%s: %llu of %llu events are its own", info->path,
	      (unsigned long long)info->own_counts[0], (unsigned long long)info->counts[0]);
	return 0;
}

static void list_within_region(void)
{
	CHECK(!pmctrack_profile__begin(profile, "open"), "begin: %s", pmctrack_error());
	CHECK(!pmctrack_profile__begin(profile, "inner"), "begin: %s", pmctrack_error());
	spin(1000);
	CHECK(!pmctrack_profile__end(profile, "inner"), "end: %s", pmctrack_error());
	seen = 0;
	CHECK(!pmctrack_profile__each(profile, check_open, NULL), "each");
	CHECK(seen == 10, "%d regions", seen);
	CHECK(!pmctrack_profile__end(profile, "open"), "end: %s", pmctrack_error());
}

static void profiles(void)
{
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	struct pmctrack_evset *set = pmctrack_evset__parse(ctl, 0, "instr");
	pthread_t threads[3];

	profile = pmctrack_profile__open(ctl, set);
	CHECK(profile, "profile: %s", pmctrack_error());
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, regions, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	regions(NULL);
	CHECK(!pmctrack_profile__each(profile, check_region, NULL), "each");
	CHECK(seen == 8, "%d regions", seen);
	list_within_region();
	pmctrack_profile__close(profile);
	pmctrack_evset__free(set);
	pmctrack_ctl__close(ctl);
}

static void refused(const char *events, uint32_t flags, const char *why)
{
	struct pmctrack_session_opts opts = { .sz = sizeof(opts), .flags = flags };
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	struct pmctrack_evset *set = pmctrack_evset__parse(ctl, 0, events);
	struct pmctrack_session *s = pmctrack_session__open(ctl, &set, 1, &opts);

	CHECK(!s, "opened %s with flags %#x", events, flags);
	CHECK(strstr(pmctrack_error(), why), "%s: %s", events, pmctrack_error());
	pmctrack_evset__free(set);
	pmctrack_ctl__close(ctl);
}

/*
 * userread refused: direct reads are refused if counters have 32 bits, but the profile works.
 * userread cost: only the cost of a read.
 */
int main(int argc, char **argv)
{
	pthread_t threads[3];

	if (argc > 1 && strcmp(argv[1], "refused") == 0) {
		refused("instr", PMCTRACK_SESSION_USER_READ, "64-bit counters");
		profiles();
		return 0;
	}
	if (argc > 1) {
		cost();
		return 0;
	}
	refused("instr:ebs=10000", PMCTRACK_SESSION_USER_READ, "64-bit counters");
	refused("instr", PMCTRACK_SESSION_USER_READ | PMCTRACK_SESSION_THREADS, "calling thread alone");
	cost();
	profiles();
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, reader, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
