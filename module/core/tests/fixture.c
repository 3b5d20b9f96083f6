// SPDX-License-Identifier: GPL-2.0-only
/* See fixture.h. */
#include <linux/jiffies.h>

#include "../hooks.h"
#include "../owner.h"
#include "../tie.h"
#include "fixture.h"

struct pmct_ctx *pmct_fixture_ctx(struct kunit *test, struct pmct_session *s, pid_t tid)
{
	struct pmct_ctx *ctx = kunit_kzalloc(test, struct_size(ctx, sum, 8), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	ctx->session = s;
	ctx->task = current;
	if (s->sets.by_events)
		ctx->wants = PMCT_SWITCH_EBS;
	pmct_ctx_use_core_type(ctx, 0);
	ctx->state = PMCT_CTX_COUNTING;
	ctx->head.tid = tid;
	ctx->head.tgid = tid;
	ctx->deadline = jiffies + HZ * 1000;
	return ctx;
}

struct pmct_session *pmct_fixture_session(struct kunit *test, const char *first,
					  const char *second)
{
	struct pmct_session_params *params = kunit_kzalloc(test, sizeof(*params), GFP_KERNEL);
	struct pmct_session *s;
	struct pmct_msg msg = {};

	KUNIT_ASSERT_NOT_NULL(test, params);
	params->raw[params->nr_raw++] = first;
	if (second)
		params->raw[params->nr_raw++] = second;
	params->ring_size = PMCT_RING_MIN;
	params->period_ns = NSEC_PER_SEC;
	s = pmct_session_create(params, &msg);
	if (IS_ERR(s))
		KUNIT_FAIL(test, "session: %s", msg.text);
	return s;
}

/* Open a session with these sets (the second may be NULL) and two threads. */
static int open_session(struct kunit *test, struct fixture *f, const char *first,
			const char *second)
{
	f->s = pmct_fixture_session(test, first, second);
	if (IS_ERR(f->s))
		return PTR_ERR(f->s);
	f->a = pmct_fixture_ctx(test, f->s, 1);
	f->b = pmct_fixture_ctx(test, f->s, 2);
	return 0;
}

int pmct_fixture_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	int err;

	KUNIT_ASSERT_NOT_NULL(test, f);
	/* Some kernels run suites before the init function of the module. */
	if (!pmct_hooks)
		pmct_hooks_choose("auto", NULL);
	pmct_turn_init();
	pmct_sample_init();
	f->config = pmct_config;
	/* Do not make windows longer than requested: real time passes here. */
	pmct_config.ebs_cpu_percent = 0;
	pmct_fake_reset();
	pmct_fake_narrow = test->param_value && *(const bool *)test->param_value;
	f->native = pmct_backend;
	pmct_owner_use(&pmct_fake);
	err = open_session(test, f, "pmc0,pmc1=0x10,pmc2=0x11", NULL);
	if (err) {
		pmct_owner_use(f->native);
		pmct_config = f->config;
		return err;
	}
	test->priv = f;
	return 0;
}

void pmct_fixture_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	if (!f)
		return;
	pmct_session_destroy(f->s);
	pmct_owner_use(f->native);
	pmct_config = f->config;
}

void pmct_fixture_reopen(struct kunit *test, const char *first, const char *second)
{
	struct fixture *f = test->priv;

	pmct_session_destroy(f->s);
	KUNIT_ASSERT_EQ(test, open_session(test, f, first, second), 0);
}

u32 pmct_fixture_take(struct pmct_ring *ring, struct pmct_test_record *copy)
{
	u64 tail = ring->ctl->tail;
	const struct pmctrack_record *rec;
	u32 size = 0;

	while (tail != ring->head && !size) {
		rec = ring->data + (tail & (ring->size - 1));
		if (rec->kind != PMCTRACK_RECORD_PAD) {
			size = rec->size;
			memcpy(copy, rec, min_t(size_t, size, sizeof(*copy)));
		}
		tail += rec->size;
	}
	/* As the reader does it. */
	smp_store_release(&ring->ctl->tail, tail);
	return size;
}
