// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that schedulers want monitored, on kernels without the patch. A task has no room for a
 * flag, so a table has the addresses of such tasks. The addresses are compared, never dereferenced.
 *
 * A scheduler may make its request under the runqueue lock. There, no memory can be allocated, and
 * no lock can be taken that others hold there. So the table has its full size from the beginning,
 * and a place is taken or freed by a single atomic step. The address of a task selects two buckets,
 * each of the size of a cache line. The task takes a place in the emptier one. So half of all
 * places can be taken before a third bucket would help.
 *
 * Writers need no lock. Readers are hooks and RCU readers. A task that ends is removed from the
 * table (pmct_wanted_remove() in its exit hook), so that another task at the same address is not
 * found there.
 */
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "wanted.h"

#define PMCT_WANTED_BITS	13
#define PMCT_WANTED_BUCKETS	BIT(PMCT_WANTED_BITS)
#define PMCT_WANTED_SLOTS	8

/**
 * struct pmct_wanted_table - 8192 buckets of eight places; 512 KiB
 * @slot: addresses of tasks, or NULL
 */
struct pmct_wanted_table {
	const struct task_struct *slot[PMCT_WANTED_BUCKETS][PMCT_WANTED_SLOTS];
};

struct pmct_wanted_table __rcu *pmct_wanted_table;

/* The two buckets of a task: two hashes that are independent of each other. */
static u32 pmct_wanted_bucket(const struct task_struct *task, unsigned int which)
{
	return hash_64((u64)(unsigned long)task * (which ? 0x9fb21c651e98df25ULL : 1),
		       PMCT_WANTED_BITS);
}

/* Change a place of the bucket from @from to @to. */
static bool pmct_wanted_change(const struct task_struct **bucket, const struct task_struct *from,
			       const struct task_struct *to)
{
	unsigned int i;

	for (i = 0; i < PMCT_WANTED_SLOTS; i++) {
		if (READ_ONCE(bucket[i]) == from && cmpxchg(&bucket[i], from, to) == from)
			return true;
	}
	return false;
}

static unsigned int pmct_wanted_load(const struct task_struct *const *bucket)
{
	unsigned int i, load = 0;

	for (i = 0; i < PMCT_WANTED_SLOTS; i++)
		load += !!READ_ONCE(bucket[i]);
	return load;
}

/* Take a place in the emptier one of the two buckets, or in the other one. */
static bool pmct_wanted_take(struct pmct_wanted_table *table, const struct task_struct *task)
{
	const struct task_struct **one = table->slot[pmct_wanted_bucket(task, 0)];
	const struct task_struct **two = table->slot[pmct_wanted_bucket(task, 1)];

	if (pmct_wanted_load(two) < pmct_wanted_load(one))
		swap(one, two);
	return pmct_wanted_change(one, NULL, task) || pmct_wanted_change(two, NULL, task);
}

/* True if @task has a place in @table. */
bool pmct_wanted_find(const struct pmct_wanted_table *table, const struct task_struct *task)
{
	const struct task_struct *const *bucket;
	unsigned int which, i;

	for (which = 0; which < 2; which++) {
		bucket = table->slot[pmct_wanted_bucket(task, which)];
		for (i = 0; i < PMCT_WANTED_SLOTS; i++) {
			if (READ_ONCE(bucket[i]) == task)
				return true;
		}
	}
	return false;
}

/**
 * pmct_wanted_add() - a scheduler wants metrics of @task from now on
 * @task: a thread that has not ended; the caller keeps it from being freed
 *
 * Context: any but NMI.
 * Return: 0. -EEXIST: it was wanted before. -ENODEV: there is no table. -ENOSPC: there is no place
 * for it. -ESRCH: the thread ends.
 */
int pmct_wanted_add(const struct task_struct *task)
{
	struct pmct_wanted_table *table;
	int err = 0;

	rcu_read_lock();
	table = rcu_dereference(pmct_wanted_table);
	if (!table)
		err = -ENODEV;
	else if (pmct_wanted_find(table, task))
		err = -EEXIST;
	else if (!pmct_wanted_take(table, task))
		err = -ENOSPC;
	rcu_read_unlock();
	if (err)
		return err;
	/*
	 * A thread sets PF_EXITING, and then looks into the table. Both sides have a full barrier.
	 */
	smp_mb();
	if (!(READ_ONCE(task->flags) & PF_EXITING))
		return 0;
	pmct_wanted_remove(task);
	return -ESRCH;
}

/**
 * pmct_wanted_remove() - no scheduler wants metrics of @task any more
 * @task: the thread; nothing happens if it is not in the table
 *
 * Context: any but NMI.
 */
void pmct_wanted_remove(const struct task_struct *task)
{
	struct pmct_wanted_table *table;
	unsigned int which;

	/* Pairs with pmct_wanted_add(): one of the two sides sees what the other one did. */
	smp_mb();
	rcu_read_lock();
	table = rcu_dereference(pmct_wanted_table);
	/* If two callers add a task at the same time, it can get two places. */
	for (which = 0; table && which < 2; which++) {
		while (pmct_wanted_change(table->slot[pmct_wanted_bucket(task, which)], task, NULL))
			;
	}
	rcu_read_unlock();
}

/* Allocate the table when the first client comes. Process context, sleeps. */
int pmct_wanted_init(void)
{
	struct pmct_wanted_table *table = kvzalloc(sizeof(*table), GFP_KERNEL);

	if (!table)
		return -ENOMEM;
	rcu_assign_pointer(pmct_wanted_table, table);
	return 0;
}

/* Free the table when the last client goes. Process context, sleeps. */
void pmct_wanted_exit(void)
{
	struct pmct_wanted_table *table = rcu_dereference_protected(pmct_wanted_table, 1);

	RCU_INIT_POINTER(pmct_wanted_table, NULL);
	synchronize_rcu();
	kvfree(table);
}
