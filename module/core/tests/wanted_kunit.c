// SPDX-License-Identifier: GPL-2.0-only
/* Threads that schedulers want monitored, on kernels without the patch. */
#include <kunit/test.h>
#include <linux/cache.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../wanted.h"

/* A quarter of the places. */
#define TASKS	16384
/* One more than there are places. */
#define ALL	(4 * TASKS + 1)

/* Only their addresses and flags matter, so they may overlap. */
static struct task_struct *wanted_task(struct kunit *test, unsigned int i)
{
	return test->priv + i * L1_CACHE_BYTES;
}

static int wanted_init(struct kunit *test)
{
	int err = pmct_wanted_init();

	if (err)
		return err;
	test->priv = kvzalloc(ALL * L1_CACHE_BYTES + sizeof(struct task_struct), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static void wanted_exit(struct kunit *test)
{
	if (pmct_wanted_table)
		pmct_wanted_exit();
	kvfree(test->priv);
}

static bool wanted(const struct task_struct *task)
{
	bool found;

	rcu_read_lock();
	found = pmct_wanted(task);
	rcu_read_unlock();
	return found;
}

static void one_test(struct kunit *test)
{
	struct task_struct *task = wanted_task(test, 1), *other = wanted_task(test, 2);

	KUNIT_EXPECT_FALSE(test, wanted(task));
	pmct_wanted_remove(task);
	KUNIT_EXPECT_EQ(test, 0, pmct_wanted_add(task));
	KUNIT_EXPECT_EQ(test, -EEXIST, pmct_wanted_add(task));
	KUNIT_EXPECT_TRUE(test, wanted(task));
	KUNIT_EXPECT_FALSE(test, wanted(other));
	/* The task had only one place. */
	pmct_wanted_remove(task);
	KUNIT_EXPECT_FALSE(test, wanted(task));
}

/* The task has looked into the table for the last time, or will do so after this. */
static void ends_test(struct kunit *test)
{
	struct task_struct *task = wanted_task(test, 1);

	task->flags = PF_EXITING;
	KUNIT_EXPECT_EQ(test, -ESRCH, pmct_wanted_add(task));
	KUNIT_EXPECT_FALSE(test, wanted(task));
}

static void many_test(struct kunit *test)
{
	unsigned int i, bad = 0;

	for (i = 0; i < TASKS; i++)
		bad += pmct_wanted_add(wanted_task(test, i)) != 0;
	KUNIT_EXPECT_EQ(test, 0, bad);
	for (i = 0; i < ALL; i++)
		bad += wanted(wanted_task(test, i)) != (i < TASKS);
	KUNIT_EXPECT_EQ(test, 0, bad);
	for (i = 0; i < TASKS; i += 2)
		pmct_wanted_remove(wanted_task(test, i));
	for (i = 0; i < TASKS; i++)
		bad += wanted(wanted_task(test, i)) != i % 2;
	KUNIT_EXPECT_EQ(test, 0, bad);
}

/* Tasks are added until one finds no place. It is refused, and the others keep their places. */
static void full_test(struct kunit *test)
{
	unsigned int i, taken, bad = 0;
	int err = 0;

	for (taken = 0; taken < ALL; taken++) {
		err = pmct_wanted_add(wanted_task(test, taken));
		if (err)
			break;
	}
	kunit_info(test, "wanted: room for %u\n", taken);
	KUNIT_EXPECT_EQ(test, -ENOSPC, err);
	for (i = 0; i < ALL; i++)
		bad += wanted(wanted_task(test, i)) != (i < taken);
	KUNIT_EXPECT_EQ(test, 0, bad);
	pmct_wanted_remove(wanted_task(test, 0));
	KUNIT_EXPECT_EQ(test, 0, pmct_wanted_add(wanted_task(test, 0)));
}

static void none_test(struct kunit *test)
{
	struct task_struct *task = wanted_task(test, 1);

	KUNIT_EXPECT_EQ(test, 0, pmct_wanted_add(task));
	pmct_wanted_exit();
	KUNIT_EXPECT_FALSE(test, wanted(task));
	KUNIT_EXPECT_EQ(test, -ENODEV, pmct_wanted_add(task));
	pmct_wanted_remove(task);
	KUNIT_EXPECT_EQ(test, 0, pmct_wanted_init());
	KUNIT_EXPECT_FALSE(test, wanted(task));
}

static struct kunit_case wanted_cases[] = {
	KUNIT_CASE(one_test),
	KUNIT_CASE(ends_test),
	KUNIT_CASE(many_test),
	KUNIT_CASE(full_test),
	KUNIT_CASE(none_test),
	{}
};

static struct kunit_suite wanted_suite = {
	.name		= "pmctrack_wanted",
	.init		= wanted_init,
	.exit		= wanted_exit,
	.test_cases	= wanted_cases,
};

kunit_test_suite(wanted_suite);
