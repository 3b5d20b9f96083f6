/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For suites in which threads share a CPU with a PMU in memory: a session with two threads, and the
 * calls that the scheduler would make.
 */
#ifndef _PMCT_TEST_FIXTURE_H
#define _PMCT_TEST_FIXTURE_H

#include <kunit/test.h>

#include "../../pmu-backends/tests/fake.h"
#include "../config.h"
#include "../count.h"
#include "../evset.h"
#include "../handover.h"
#include "../sample.h"
#include "../session.h"
#include "../turn.h"

/* Content of test->priv. The native backend stays idle meanwhile. */
struct fixture {
	const struct pmct_backend *native;
	struct pmct_session *s;
	struct pmct_ctx *a, *b;
	unsigned long flags;
	struct pmct_config config;
};

/* For suites with the parameter "width". The session counts cycles and two events. */
int pmct_fixture_init(struct kunit *test);
void pmct_fixture_exit(struct kunit *test);
/* Replace the session by one with these sets; the second may be NULL. */
void pmct_fixture_reopen(struct kunit *test, const char *first, const char *second);

/* Make a session like the fixture's, which the caller destroys; and make a thread of a session. */
struct pmct_session *pmct_fixture_session(struct kunit *test, const char *first,
					  const char *second);
struct pmct_ctx *pmct_fixture_ctx(struct kunit *test, struct pmct_session *s, pid_t tid);

/* A record with its first three counts; no test has more. */
struct pmct_test_record {
	struct pmctrack_record head;
	u64 counts[3];
};

/* Consume the next record. Returns its size, 0 if there is none. */
u32 pmct_fixture_take(struct pmct_ring *ring, struct pmct_test_record *copy);

static inline void enter_cpu(struct fixture *f)
{
	local_irq_save(f->flags);
	pmct_count_forget_cpu();
}

static inline void leave_cpu(struct fixture *f)
{
	pmct_count_forget_cpu();
	local_irq_restore(f->flags);
}

static inline void switch_to(struct pmct_ctx *prev, struct pmct_ctx *next)
{
	if (prev)
		pmct_sched_out(prev, smp_processor_id());
	if (prev || next)
		pmct_sched_in(next, smp_processor_id());
}

static inline void count_all(u64 events)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		pmct_fake_count(i, events << i);
}

/* Describes the parameter: false, true. */
static inline void width_desc(const bool *narrow, char *desc)
{
	strscpy(desc, *narrow ? "32-bit counters" : "64-bit counters", KUNIT_PARAM_DESC_SIZE);
}

#endif /* _PMCT_TEST_FIXTURE_H */
