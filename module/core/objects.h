/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The objects that all layers share: sessions and thread contexts.
 *
 * Who may touch what:
 *  - The counting members of a context (set, sum, deadline, merged) belong to the CPU on which the
 *    context's thread runs. Interrupts are disabled.
 *  - The membership of a context (node, task) is protected by session->lock. While a context is on
 *    the list, its task has not been freed.
 *
 * Lifetime: a context is freed one RCU grace period after it was taken off the list, because hooks
 * that got it from their task are RCU or SRCU readers. A session is freed with its last reference,
 * after pmct_hooks::synchronize(). The session's file has one reference. Code that ends a session,
 * or takes a thread from it, has another reference meanwhile.
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
 * @PMCT_CTX_ON_EXEC: nothing is counted until the thread calls execve()
 * @PMCT_CTX_STOPPED: nothing is counted until the thread starts its counting itself
 * @PMCT_CTX_COUNTING: counted whenever the thread is on a CPU
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
 * enum pmct_on_switch - what the switches of some threads do beside counting
 * @PMCT_SWITCH_MMON: tell the monitoring module
 * @PMCT_SWITCH_USER_READ: update the page from which the thread reads its counters
 * @PMCT_SWITCH_EBS: take start values of the thread's own window, and wake the reader for its
 *	samples. Set for sessions that sample by events, also if samples are addresses
 * @PMCT_SWITCH_TICK: keep the thread's tick, see pmct_tie_keep_tick(); once
 */
enum pmct_on_switch {
	PMCT_SWITCH_MMON	= 1 << 0,
	PMCT_SWITCH_USER_READ	= 1 << 1,
	PMCT_SWITCH_TICK	= 1 << 2,
	PMCT_SWITCH_EBS		= 1 << 3,
};

/**
 * struct pmct_mmon_state - what the active monitoring module stores of a thread
 * @gen: generation of the module that the other members belong to; 0: no module
 * @version: version of each metric, see metric_slot.h; 0: it has no value
 * @data: data of the module
 * @metric: values of the metrics. They are not cleared for another module, because their versions
 *	are
 */
struct pmct_mmon_state {
	u32 gen;
	u32 version[PMCT_NR_METRICS];
	u64 data[PMCT_MMON_DATA / sizeof(u64)];
	struct pmct_metric_copy metric[PMCT_NR_METRICS][2];
};

/**
 * struct pmct_ebs_learnt - how a thread samples by the events of one set
 * @windows: length of a window, as a multiple of the requested length, see ebs_limit.c; 0: 1
 * @late: number of events by which the last sample was late, if they are kernel-mode events
 * @room: length of the shortest window of kernel events that is longer than its own sample
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
 * @session: the session that monitors it
 * @state: enum pmct_ctx_state
 * @merged: a record did not fit, so the open interval is longer than a period
 * @on_switch: not 0 if a switch of the thread has to do anything beside counting
 * @wants: enum pmct_on_switch; written by the thread's CPU
 * @detaching: the thread does not enter a CPU any more, because its session ends, or another
 *	session takes it over
 * @turn: index of the set of each core type that is counted now
 * @next_turn: index of the next set of the present core type
 * @ebs_left: events until the next sample, for sets that sample by events
 * @ebs_widened: the window is longer than requested
 * @ebs: state of each set that takes turns, by its index
 * @listed: the context is on session->threads; protected by session->lock
 * @delivered: switches of the thread are delivered; for hooks_tracepoint.c
 * @node: in session->threads
 * @of_task: in the table of tie_table.c
 * @task: the thread, NULL: a CPU
 * @rcu: for freeing
 * @head: what all records of the thread have in common; tid 0: not known yet
 * @mm: state of the active monitoring module
 * @run: for a CPU: clock ticks for which the target was here in the open interval, up to @run_since
 * @run_since: the clock since when the target is here without a break; 0: it is not here
 * @clock: clock ticks on a CPU in the open interval, with the counters
 * @missed: ns of @clock in which not all counters counted
 * @disturbed: other software wrote the counters in @missed
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
 * @period: sampling period in jiffies; 0: none, or the sets sample by events
 * @flags: enum pmctrack_session_flags
 * @privileged: opened with CAP_PERFMON
 * @contained: opened in a container, see struct pmct_session_params
 * @wake_later: there are records for which the reader has not been woken yet
 * @needs_tick: threads need the tick, for a period or for counters that can wrap
 * @mm_sets: the sets are those of the monitoring module of generation @mm_gen
 * @mm_gen: generation of the monitoring module that @virt refers to
 * @virt: mask of the virtual counters that records have
 * @sets: the event sets
 * @ring_wanted: bytes that each ring would have if memory were not short
 * @rings: records for the reader
 * @lock: protects the following members; taken with interrupts disabled, never held for longer than
 *	a few list operations
 * @threads: contexts
 * @nr_threads: their number
 * @walk_mutex: serialises walks through @threads, see pmct_detach_each(). Innermost of the mutexes.
 * @closing: no thread may join any more
 * @revoked: the kernel ends the session; protected by the mutex of all sessions
 * @end_mutex: serialises code that ends the session. User space cannot hold it.
 * @ended: nothing is monitored, and the counters were given back; protected by @end_mutex
 * @refs: see "Lifetime" above
 * @read_mutex: serialises read()
 * @wait: readers
 * @wake: wakes readers, from contexts that cannot do it directly
 * @pid_ns: PID namespace in which records name threads
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
