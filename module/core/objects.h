/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The objects that all layers share: sessions and thread contexts.
 *
 * Who may touch what:
 *  - The counting members of a context (set, sum, deadline, merged) belong to the
 *    CPU on which the context's thread runs. Interrupts are disabled.
 *  - The membership of a context (node, task) is protected by session->lock. While
 *    a context is on the list, its task has not been freed.
 *
 * Lifetime: a context is freed one RCU grace period after it was taken off the
 * list, because hooks that got it from their task are RCU or SRCU readers. A
 * session is freed with its last reference, after pmct_hooks::synchronize(). Its
 * file has one reference; whoever ends the session, or takes a thread from it,
 * has another one meanwhile.
 */
#ifndef _PMCT_OBJECTS_H
#define _PMCT_OBJECTS_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <pmctrack/backend.h>
#include <pmctrack/mmon.h>

#include "metric_slot.h"
#include "rings.h"
#include "sets.h"

/**
 * enum pmct_ctx_state - what a monitored thread is doing
 * @PMCT_CTX_ON_EXEC: nothing is counted until it calls execve()
 * @PMCT_CTX_STOPPED: nothing is counted until it starts itself
 * @PMCT_CTX_COUNTING: counted whenever it is on a CPU
 *
 *	ON_EXEC ──exec──► COUNTING ◄──start / stop──► STOPPED
 *
 * Written by the thread itself, or before it runs.
 */
enum pmct_ctx_state {
	PMCT_CTX_ON_EXEC,
	PMCT_CTX_STOPPED,
	PMCT_CTX_COUNTING,
};

/**
 * enum pmct_on_switch - what switches of some threads have to do, beside counting
 * @PMCT_SWITCH_MMON: tell the monitoring module
 * @PMCT_SWITCH_USER_READ: bring the page up to date from which the thread reads
 * @PMCT_SWITCH_EBS: take start values of its own window, and wake the reader for
 *	its samples; of sessions that sample by events, also if samples are addresses
 * @PMCT_SWITCH_TICK: keep its tick, see pmct_tie_keep_tick(); once
 */
enum pmct_on_switch {
	PMCT_SWITCH_MMON	= 1 << 0,
	PMCT_SWITCH_USER_READ	= 1 << 1,
	PMCT_SWITCH_TICK	= 1 << 2,
	PMCT_SWITCH_EBS		= 1 << 3,
};

/**
 * struct pmct_mmon_state - what the active monitoring module keeps of a thread
 * @gen: generation of the module that the rest belongs to; 0: of none
 * @version: of each metric, see metric_slot.h; 0: it has no value
 * @data: the module's own
 * @metric: values of the metrics; not cleared for another module, because their
 *	versions are
 */
struct pmct_mmon_state {
	u32 gen;
	u32 version[PMCT_NR_METRICS];
	u64 data[PMCT_MMON_DATA / sizeof(u64)];
	struct pmct_metric_copy metric[PMCT_NR_METRICS][2];
};

/**
 * struct pmct_ebs_learnt - how a thread samples by the events of one set
 * @windows: a window is so many times as long as was asked for, see ebs_limit.c; 0: 1
 * @late: by how many events the last sample was late, if they are of kernel mode
 * @room: the shortest window of kernel events that outlives its sample
 */
struct pmct_ebs_learnt {
	u32 windows;
	u32 late;
	u32 room;
};

/**
 * struct pmct_ctx - a monitored thread, or a CPU of a system-wide session
 * @set: event set to count on the CPUs of its core type
 * @deadline: jiffies at which the sampling period ends
 * @session: whose thread it is
 * @state: enum pmct_ctx_state
 * @merged: a record did not fit; the open interval is longer than a period
 * @on_switch: is there anything else that a switch of the thread has to do?
 * @wants: enum pmct_on_switch; written by the thread's CPU
 * @detaching: it does not enter a CPU any more, because its session ends, or another
 *	one takes the thread over
 * @turn: which set of each core type is to be counted
 * @next_turn: which one of the present core type follows
 * @ebs_left: events until the next sample; of sets that sample by events
 * @ebs_widened: the window is longer than asked for
 * @ebs: of each set that takes turns, by its index
 * @listed: on session->threads; protected by its lock
 * @delivered: its switches are; of hooks_tracepoint.c
 * @node: in session->threads
 * @of_task: in the table of hooks_tracepoint.c
 * @task: the thread, NULL: a CPU
 * @rcu: for freeing
 * @head: what all records of the thread have in common; tid 0: not known yet
 * @mm: of the active monitoring module
 * @run: of a CPU: clock ticks that the target was here in the open interval, up
 *	to @run_since
 * @run_since: from then on it still is; 0: it is not
 * @clock: clock ticks on a CPU in the open interval, with the counters
 * @missed: ns of that in which not all counters counted
 * @disturbed: because somebody else wrote them
 * @sum: events of each counter of @set in the open interval; room for an even
 *	number, see pmct_account()
 */
struct pmct_ctx {
	const struct pmct_hwset *set;
	unsigned long deadline;
	struct pmct_session *session;
	union {
		u16 on_switch;
		struct {
			u8 wants;
			bool detaching;
		};
	};
	u8 state;
	bool merged;
	bool listed;
	bool delivered;
	bool ebs_widened;
	bool disturbed;
	u8 turn[PMCT_NO_CORE_TYPE + 1];
	u8 next_turn;
	s64 ebs_left;
	struct pmct_ebs_learnt ebs[PMCTRACK_MAX_SETS];
	struct list_head node;
	struct hlist_node of_task;
	struct task_struct *task;
	struct rcu_head rcu;
	struct pmctrack_record head;
	struct pmct_mmon_state mm;
	u64 run;
	u64 run_since;
	u64 clock;
	u64 missed;
	u64 sum[];
};

/**
 * struct pmct_session - what one user, or the kernel itself, monitors
 * @period: sampling period in jiffies, 0: none, or the sets sample by events
 * @flags: enum pmctrack_session_flags
 * @privileged: opened with CAP_PERFMON
 * @contained: opened in a container, see struct pmct_session_params
 * @wake_later: there are records for which the reader was not woken
 * @needs_tick: for a period, or for counters that can wrap
 * @mm_sets: the sets are those of the monitoring module of generation @mm_gen
 * @mm_gen: which monitoring module @virt refers to
 * @virt: mask of the virtual counters that records have
 * @sets: the event sets
 * @ring_wanted: bytes that each ring would have if memory were not short
 * @rings: records for the reader
 * @lock: protects the following; taken with interrupts disabled, never held
 *	for longer than a few list operations
 * @threads: contexts
 * @nr_threads: their number
 * @walk_mutex: serialises those who go through @threads one by one, see
 *	pmct_detach_each(). Innermost of the mutexes.
 * @closing: no thread may join any more
 * @revoked: the kernel ends it; protected by the mutex of all sessions
 * @end_mutex: serialises those who end it. User space cannot hold it.
 * @ended: nobody is monitored, and the counters were given back; protected by
 *	@end_mutex
 * @refs: see above
 * @read_mutex: serialises read()
 * @wait: readers
 * @wake: wakes them, from contexts that cannot
 * @pid_ns: in which records name threads
 * @node: in the list of all sessions
 */
struct pmct_session {
	unsigned long period;
	u32 flags;
	bool privileged;
	bool contained;
	bool wake_later;
	bool needs_tick;
	bool mm_sets;
	u32 mm_gen;
	u32 virt;
	struct pmct_sets sets;
	u32 ring_wanted;
	struct pmct_rings rings;
	raw_spinlock_t lock;
	struct list_head threads;
	unsigned int nr_threads;
	struct mutex walk_mutex;	/* see above */
	bool closing;
	bool revoked;
	struct mutex end_mutex;		/* see above */
	bool ended;
	refcount_t refs;
	struct mutex read_mutex;	/* see above */
	wait_queue_head_t wait;
	struct irq_work wake;
	struct pid_namespace *pid_ns;
	struct list_head node;
};

#endif /* _PMCT_OBJECTS_H */
