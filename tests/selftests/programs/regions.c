// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Regions of known length, counted by the library: two regions differ by just
 * the instructions of their loops, in each of several threads at once.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmctrack/libpmctrack.h>

#include "spin.h"

#define CHECK(cond, ...) do {				\
	if (!(cond)) {					\
		fprintf(stderr, "regions: " __VA_ARGS__);	\
		fputc('\n', stderr);			\
		exit(1);				\
	}						\
} while (0)

/* With this backend, counters stop for a moment when a session opens or closes. */
static bool perf;

static uint64_t measure(struct pmctrack_session *s, unsigned long rounds)
{
	const struct pmctrack_record *rec;

	CHECK(!pmctrack_session__start(s), "start: %s", pmctrack_error());
	spin(rounds);
	CHECK(!pmctrack_session__stop(s), "stop: %s", pmctrack_error());
	CHECK(pmctrack_session__next(s, &rec) == 1, "no record");
	CHECK(rec->kind == PMCTRACK_RECORD_SELF, "kind %u", rec->kind);
	CHECK(rec->hw_ns > 0 && rec->hw_ns <= rec->run_ns, "times");
	CHECK(perf || rec->hw_ns == rec->run_ns, "not always counted");
	return rec->counts[0];
}

static void *thread(void *arg)
{
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	struct pmctrack_evset *set = pmctrack_evset__parse(ctl, 0, "instr");
	struct pmctrack_session *s = pmctrack_session__open(ctl, &set, 1, NULL);

	CHECK(s, "open: %s", pmctrack_error());
	pmctrack_ctl__close(ctl);
	measure(s, 1);		/* the dynamic linker resolves what is called */
	for (int i = 0; i < 200; i++) {
		unsigned long rounds = 1000 + 1000 * (unsigned long)i;
		uint64_t less = measure(s, rounds), more = measure(s, rounds + 12345);

		CHECK(more - less == 2 * 12345, "region %d: %llu more, not %d", i,
		      (unsigned long long)(more - less), 2 * 12345);
	}
	pmctrack_session__close(s);
	pmctrack_evset__free(set);
	return arg;
}

static void *foreign(void *s)
{
	CHECK(pmctrack_session__start(s) == -ESRCH, "another thread's session started");
	CHECK(strstr(pmctrack_error(), "another thread"), "message: %s", pmctrack_error());
	return NULL;
}

static void misuse(void)
{
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	struct pmctrack_evset *set = pmctrack_evset__parse(ctl, 0, "instr");
	struct pmctrack_session *s = pmctrack_session__open(ctl, &set, 1, NULL);
	pthread_t other;

	CHECK(s, "open: %s", pmctrack_error());
	perf = strcmp(pmctrack_ctl__backend(ctl), "perf") == 0;
	CHECK(pmctrack_session__stop(s) == -EALREADY, "stopped what was not started");
	CHECK(!pmctrack_session__start(s), "start");
	CHECK(pmctrack_session__start(s) == -EALREADY, "started twice");
	CHECK(!pthread_create(&other, NULL, foreign, s), "thread");
	pthread_join(other, NULL);
	/* A session is closed while it counts: the thread goes on, and a new session works. */
	pmctrack_session__close(s);
	s = pmctrack_session__open(ctl, &set, 1, NULL);
	CHECK(s, "open again: %s", pmctrack_error());
	measure(s, 1000);
	pmctrack_session__close(s);
	pmctrack_evset__free(set);
	pmctrack_ctl__close(ctl);
}

int main(void)
{
	pthread_t threads[4];

	misuse();
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&threads[i], NULL, thread, NULL), "thread");
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
