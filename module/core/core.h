/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the core share: sessions, thread contexts, CPU states.
 *
 * Who touches what:
 *  - A context's counting members (set, sum, deadline, merged) belong to the
 *    CPU on which its thread runs, with interrupts disabled.
 *  - A context's membership (node, task) is protected by session->lock. While
 *    a context is on the list, its task has not been freed.
 *  - struct pmct_cpu belongs to its CPU, with interrupts disabled.
 *
 * Lifetime: a context is freed an RCU grace period after it was taken off the
 * list; hooks that got it from their task are RCU or SRCU readers. A session
 * is freed with its last reference, after pmct_hooks::synchronize(): its file
 * has one, and whoever ends it or takes a thread from it has another meanwhile.
 */
#ifndef _PMCT_CORE_H
#define _PMCT_CORE_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pid_namespace.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <pmctrack/backend.h>
#include <pmctrack/mmon.h>

#include "ebs_limit.h"
#include "ring.h"

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
 * @PMCT_SWITCH_TICK: keep its tick, see pmct_hooks_keep_tick(); once
 */
enum pmct_on_switch {
	PMCT_SWITCH_MMON	= 1 << 0,
	PMCT_SWITCH_USER_READ	= 1 << 1,
	PMCT_SWITCH_TICK	= 1 << 2,
};

/**
 * struct pmct_mmon_state - what the active monitoring module keeps of a thread
 * @gen: generation of the module that the rest belongs to; 0: of none
 * @published: mask of the metrics that have a value
 * @metric: their values
 * @data: the module's own
 */
struct pmct_mmon_state {
	u32 gen;
	u32 published;
	u64 metric[PMCT_NR_METRICS];
	u64 data[PMCT_MMON_DATA / sizeof(u64)];
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
 * @detaching: it does not enter a CPU any more; written by the session's end
 * @turn: which set of each core type is to be counted
 * @next_turn: which one of the present core type follows
 * @ebs_left: events until the next sample; of sets that sample by events
 * @ebs_late: by how many the last sample was late, if it is of kernel events
 * @ebs_room: the shortest window of kernel events that outlives its sample
 * @ebs_windows: how many of those that were asked for a window is long, see
 *	ebs_limit.c
 * @ebs_widened: the window is longer than asked for
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
	u64 ebs_windows;
	u64 ebs_late;
	u64 ebs_room;
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
 * struct pmct_cpu - what the hardware of a CPU is doing
 * @ctx: whose events are being counted; NULL: nobody's
 * @base: whose they are while no monitored thread is here: a system-wide
 *	session's context of this CPU, or NULL
 * @set: what is on the hardware; NULL: unknown, or to be programmed anew
 * @saved: @ctx was saved in the switch going on; its last values are the
 *	start values of the thread that enters
 * @core_type: of this CPU
 * @clock: clock at the last read
 * @time_clock: clock when @time_ns was taken
 * @time_ns: CLOCK_MONOTONIC, taken now and then
 * @ebs: time that samples by events may take here
 * @last: counter values at the last read
 * @next: room for the next; the two take turns
 * @values: what they point to
 */
struct pmct_cpu {
	struct pmct_ctx *ctx;
	struct pmct_ctx *base;
	const struct pmct_hwset *set;
	bool saved;
	u8 core_type;
	u64 clock;
	u64 time_clock;
	u64 time_ns;
	struct pmct_ebs_limit ebs;
	u64 *last;
	u64 *next;
	u64 values[2][PMCTRACK_MAX_COUNTERS];
};

DECLARE_PER_CPU(struct pmct_cpu, pmct_cpu);

/**
 * struct pmct_session - somebody who monitors threads
 * @period: sampling period in jiffies, 0: none, or the sets sample by events
 * @flags: enum pmctrack_session_flags
 * @privileged: opened with CAP_PERFMON
 * @contained: opened in a container, see struct pmct_session_params
 * @wake_later: there are records for which the reader was not woken
 * @rotates: some core type has several sets
 * @needs_tick: for a period, or for counters that can wrap
 * @mm_sets: the sets are those of the monitoring module of generation @mm_gen
 * @mm_gen: which monitoring module @virt refers to
 * @virt: mask of the virtual counters that records have
 * @nr_counters: of the largest set
 * @nr_sets: sets of each core type, and 0 of PMCT_NO_CORE_TYPE
 * @sets: the sets; where there is none, the first is empty and counts nothing
 * @ring: records for the reader
 * @lock: protects the following; taken with interrupts disabled, never held
 *	for longer than a few list operations
 * @threads: contexts
 * @nr_threads: their number
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
	bool rotates;
	bool needs_tick;
	bool mm_sets;
	u8 nr_counters;
	u32 mm_gen;
	u32 virt;
	u8 nr_sets[PMCT_NO_CORE_TYPE + 1];
	struct pmct_hwset *sets[PMCT_NO_CORE_TYPE + 1];
	struct pmct_ring ring;
	raw_spinlock_t lock;
	struct list_head threads;
	unsigned int nr_threads;
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

/* backend.c: the one backend in use */
extern const struct pmct_backend *pmct_backend;
int pmct_backend_init(const struct pmct_backend *backend);
void pmct_backend_exit(void);
int pmct_backend_get(struct pmct_msg *msg);
void pmct_backend_put(void);
unsigned int pmct_backend_users(void);

struct pmct_session_params;

/* ctx.c: life of a thread's context */
struct pmct_ctx *pmct_ctx_attach(struct pmct_session *s, struct task_struct *task,
				 enum pmct_ctx_state state, struct pmct_msg *msg);
struct pmct_ctx *pmct_ctx_add_cpu(struct pmct_session *s, unsigned int cpu);
bool pmct_ctx_evict(struct pmct_session *s, struct task_struct *task,
		    struct pmct_ctx *successor, enum pmctrack_record_kind kind);
void pmct_ctx_detach_all(struct pmct_session *s, enum pmctrack_record_kind kind);
struct pmct_ctx *pmct_ctx_fork(struct task_struct *child, bool thread, gfp_t gfp);
void pmct_ctx_disown(struct pmct_ctx *ctx);
void pmct_ctx_exec(struct task_struct *task);
void pmct_ctx_exit(struct task_struct *task);
void pmct_ctx_free(struct task_struct *task);
void pmct_ctx_use_core_type(struct pmct_ctx *ctx, u8 core_type);
void pmct_ctx_next_set(struct pmct_ctx *ctx);

/* count.c: the hot path */
void pmct_sched_out(void *ctx, int cpu);
void pmct_sched_in(void *ctx, int cpu);
void pmct_tick(void *ctx, int cpu);
bool pmct_overflow(void);
void pmct_count_begin(struct pmct_ctx *ctx);
void pmct_count_end(struct pmct_ctx *ctx, u16 record_flags);
long pmct_count_start(struct pmct_session *s);
long pmct_count_stop(struct pmct_session *s);
long pmct_count_start_user_read(struct pmct_session *s);
long pmct_count_stop_user_read(struct pmct_session *s);
void pmct_count_enter_session(struct pmct_session *s);
void pmct_count_drop_session(struct pmct_session *s);
void pmct_count_drop_ctx(struct pmct_ctx *ctx);
void pmct_count_close(struct pmct_ctx *ctx, enum pmctrack_record_kind kind);
void pmct_count_base_on(struct pmct_ctx *ctx);
void pmct_count_base_off(struct pmct_ctx *ctx);
void pmct_count_base_refresh(struct pmct_ctx *ctx);
void pmct_count_forget_cpu(void);
void pmct_count_power_down(void);
void pmct_count_power_up(void);
void pmct_count_suspend(void);
void pmct_count_resume(void);
void pmct_count_init(void);

/* user_read.c: threads that read their counters themselves */
int pmct_user_read_check(const struct pmct_session *s,
			 const struct pmct_session_params *params, struct pmct_msg *msg);
void pmct_user_read_enter(const struct pmct_cpu *cs, struct pmct_ctx *ctx);
void pmct_user_read_leave(const struct pmct_cpu *cs, struct pmct_ctx *ctx);

/* narrow.c: the hot path for counters that can overflow */
void pmct_account_narrow(struct pmct_cpu *cs, struct pmct_ctx *ctx, const struct pmct_hwset *set,
			 const u64 *last, const u64 *now, u64 overflow);
void pmct_read_start_narrow(struct pmct_cpu *cs, struct pmct_ctx *ctx);

/* sample.c: the one place that closes an interval */
void pmct_sample_init(void);
void pmct_sample_close(struct pmct_ctx *ctx, enum pmctrack_record_kind kind, u16 flags);
void pmct_sample_wake(struct pmct_session *s);
u64 pmct_clock_to_ns(u64 clock);
void pmct_sample_name_thread(struct pmct_ctx *ctx);

/* syswide.c: sessions that monitor CPUs */
int pmct_syswide_start(struct pmct_session *s, int cgroup, struct pmct_msg *msg);
void pmct_syswide_stop(struct pmct_session *s, bool last_records);
void pmct_syswide_cpu_online(unsigned int cpu);
void pmct_syswide_cpu_offline(unsigned int cpu);
void pmct_syswide_switch(struct task_struct *prev, struct task_struct *next, int cpu);

/* sched_mode.c: what schedulers in the kernel want and get */
void pmct_sched_mode_init(void);
void pmct_sched_mode_exit(void);
void pmct_sched_mode_want(struct task_struct *task);
void pmct_sched_mode_end(void);
bool pmct_sched_mode_yield(struct task_struct *task, struct pmct_ctx *successor);
int pmct_sched_metric(struct task_struct *task, int key, u64 *value);

/* sets.c: the event sets of a session */
void pmct_sets_release(struct pmct_session *s);
int pmct_sets_init(struct pmct_session *s, const struct pmct_session_params *params,
		   struct pmct_msg *msg);
void pmct_sets_free(struct pmct_session *s);
int pmct_sets_check(const char *const *raw, unsigned int nr, struct pmct_msg *msg);

/* session.c */
/**
 * struct pmct_session_params - what to count, and whom
 * @period_ns: sampling period, 0: none
 * @ring_size: bytes; 0: the default
 * @flags: enum pmctrack_session_flags
 * @cgroup: descriptor, -1: none
 * @no_ring: nobody reads records
 * @contained: the caller is in a container: not in the initial user and network
 *	namespaces
 * @pid: of PMCTRACK_SESSION_ON_EXEC, in the caller's namespace; 0: none
 * @mm_name: monitoring module that @virt refers to; NULL: none
 * @virt: mask of virtual counters
 * @nr_raw: number of event sets; 0: those of the module
 * @raw: raw configuration strings
 */
struct pmct_session_params {
	u64 period_ns;
	u32 ring_size;
	u32 flags;
	int cgroup;
	bool no_ring;
	bool contained;
	pid_t pid;
	const char *mm_name;
	u32 virt;
	unsigned int nr_raw;
	const char *raw[PMCTRACK_MAX_CORE_TYPES * PMCTRACK_MAX_SETS];
};

/* attach.c: whom a session monitors */
int pmct_attach(struct pmct_session *s, const struct pmct_session_params *params,
		struct pmct_msg *msg);
long pmct_attach_ioctl(struct pmct_session *s, struct pmctrack_attach __user *arg);

struct file *pmct_session_open(struct pmct_session_params *params, struct pmct_msg *msg);
struct pmct_session *pmct_session_create(struct pmct_session_params *params,
					 struct pmct_msg *msg);
void pmct_session_destroy(struct pmct_session *s);
void pmct_session_put(struct pmct_session *s);
void pmct_sessions_revoke(void);
void pmct_session_each_ctx(void (*fn)(const struct monitoring_module *mm, struct pmct_ctx *ctx),
			   const struct monitoring_module *mm);

/* netlink.c, procfs.c */
int pmct_netlink_init(void);
void pmct_netlink_exit(void);
int pmct_procfs_init(void);
void pmct_procfs_exit(void);

/**
 * struct pmct_config - settings of /proc/pmc/config
 * @ring_default: bytes of a ring when the user names none
 * @ring_max: largest ring an unprivileged user may ask for
 * @user_read: threads may read their counters without system calls, if
 *	kernel.perf_user_access allows it, too
 * @unprivileged: enum pmct_unprivileged
 * @attach_max_threads: that one PMCTRACK_IOC_ATTACH tries at most
 * @ebs_cpu_percent: share of a CPU's time that samples by events may take;
 *	0, 100: no limit
 */
struct pmct_config {
	u32 ring_default;
	u32 ring_max;
	u32 user_read;
	u32 unprivileged;
	u32 ebs_cpu_percent;
	u32 attach_max_threads;
};

/**
 * enum pmct_unprivileged - which users without CAP_PERFMON may have sessions
 * @PMCT_UNPRIVILEGED_NONE: none
 * @PMCT_UNPRIVILEGED_HOST: those in the initial user and network namespaces
 * @PMCT_UNPRIVILEGED_ALL: those in containers, too
 */
enum pmct_unprivileged {
	PMCT_UNPRIVILEGED_NONE,
	PMCT_UNPRIVILEGED_HOST,
	PMCT_UNPRIVILEGED_ALL,
};

extern struct pmct_config pmct_config;

#endif /* _PMCT_CORE_H */
