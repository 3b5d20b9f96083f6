// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whom schedulers want monitored, on kernels without the patch: there is no room for a flag in
 * the task, so a table has the addresses of such tasks. They are compared, never followed.
 *
 * A scheduler may ask under the runqueue lock, where nothing can be allocated and no lock be
 * taken that others hold there. So the table has its full size from the beginning, and a place
 * changes hands by a single atomic step. A task has a place in one of two buckets, each of the
 * size of a cache line, that its address chooses, and takes the emptier one: half of all places
 * can be taken before it matters that there is no third one.
 *
 * Writers need no lock; readers are hooks and RCU readers. A task that ends leaves the table by
 * itself (pmct_wanted_remove() in its exit hook), so that another one at the same address does not
 * find itself there.
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
 * struct pmct_wanted_table - 8192 buckets of eight places: 512 KiB
 * @slot: addresses of tasks, or NULL
 */
struct pmct_wanted_table {
	const struct task_struct *slot[PMCT_WANTED_BUCKETS][PMCT_WANTED_SLOTS];
};

struct pmct_wanted_table __rcu *pmct_wanted_table;

/* Where the two buckets are: two hashes that have nothing to do with each other. */
static u32 pmct_wanted_bucket(const struct task_struct *task, unsigned int which)
{
	return hash_64((u64)(unsigned long)task * (which ? 0x9fb21c651e98df25ULL : 1),
		       PMCT_WANTED_BITS);
}

/* A place of the bucket that is @from becomes @to. */
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

/* The emptier bucket of two, or the other one after all. */
static bool pmct_wanted_take(struct pmct_wanted_table *table, const struct task_struct *task)
{
	const struct task_struct **one = table->slot[pmct_wanted_bucket(task, 0)];
	const struct task_struct **two = table->slot[pmct_wanted_bucket(task, 1)];

	if (pmct_wanted_load(two) < pmct_wanted_load(one))
		swap(one, two);
	return pmct_wanted_change(one, NULL, task) || pmct_wanted_change(two, NULL, task);
}

/* Has @task a place in @table? */
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
 * Return: 0. -EEXIST: it was wanted before. -ENODEV: there is no table. -ENOSPC: so many are
 * wanted that there is no place. -ESRCH: the thread ends.
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
	/* A thread sets this, and then looks into the table (a full barrier is in both ways). */
	smp_mb();
	if (!(READ_ONCE(task->flags) & PF_EXITING))
		return 0;
	pmct_wanted_remove(task);
	return -ESRCH;
}

/**
 * pmct_wanted_remove() - no scheduler does any more
 * @task: the thread; nothing happens if it is not in the table
 *
 * Context: any but NMI.
 */
void pmct_wanted_remove(const struct task_struct *task)
{
	struct pmct_wanted_table *table;
	unsigned int which;

	/* Pairs with the one of pmct_wanted_add(): one of the two sees what the other did. */
	smp_mb();
	rcu_read_lock();
	table = rcu_dereference(pmct_wanted_table);
	/* Two that add a task at once can both find it a place. */
	for (which = 0; table && which < 2; which++) {
		while (pmct_wanted_change(table->slot[pmct_wanted_bucket(task, which)], task, NULL))
			;
	}
	rcu_read_unlock();
}

/* A scheduler may come. Process context, sleeps. */
int pmct_wanted_init(void)
{
	struct pmct_wanted_table *table = kvzalloc(sizeof(*table), GFP_KERNEL);

	if (!table)
		return -ENOMEM;
	rcu_assign_pointer(pmct_wanted_table, table);
	return 0;
}

/* None will. Process context, sleeps. */
void pmct_wanted_exit(void)
{
	struct pmct_wanted_table *table = rcu_dereference_protected(pmct_wanted_table, 1);

	RCU_INIT_POINTER(pmct_wanted_table, NULL);
	synchronize_rcu();
	kvfree(table);
}
