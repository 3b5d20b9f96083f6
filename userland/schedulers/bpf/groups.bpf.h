/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu.weight: the weight of a thread is multiplied by its group's weight over 100, and by those of
 * the groups above. (The kernel's own scheduler gives a group its share whatever the number of its
 * threads; policies here are about threads and processes.) A weight above 100 counts only in groups
 * of the first level, which are the administrator's. Deeper groups may be a user's own. The kernel
 * weighs them against each other, but here they are weighed against those of all users.
 *
 * cpu.max: the CPU time (quota) that a control group may use in each period, all its threads and
 * the groups below it together. The kernel enforces it for its own scheduler only.
 *
 * When threads of a group have run, their time is subtracted from what the group may still use.
 * Threads are checked when they begin, at each tick and at each end of a slice. So a group exceeds
 * its quota by at most a tick per CPU; that is a debt, which later periods pay. If a thread's
 * group, or one above it, has nothing left, the thread is throttled ("held"): it waits in that
 * group's queue. A timer lets threads of the queue go when there is time again. While no group has
 * a limit, all this costs one read of a variable.
 *
 * A thread that was throttled for PATIENCE_NS runs until the next tick all the same. The reason is
 * that the kernel ends a policy under which a thread does not run for half a minute, and users'
 * limits on their own groups must not end the policy. A thread may be throttled while it holds a
 * lock of the kernel, as with the kernel's own scheduler before Linux 6.18, but not in a read-side
 * section of RCU. A part of layer.bpf.h.
 */
#ifndef SCHEDULERS_GROUPS_BPF_H
#define SCHEDULERS_GROUPS_BPF_H

/* No limit: more than all CPUs have in the longest period, a second. The kernel says ~0. */
#define NO_LIMIT_US	(1ULL << 31)
/* After so many periods without a look no time is left that could still be kept. */
#define PERIODS_MOST	1000000
/* Queues of groups are numbered from here on. */
#define HELD		(1ULL << 16)
#define PATIENCE_NS	(10 * 1000 * NSEC_PER_MSEC)
/* Period of the timer that lets threads go, while there are limits. */
#define HELD_LOOK_NS	(2 * NSEC_PER_MSEC)
/* Levels of groups that count. Threads of deeper groups belong to the last group that counts. */
#define GROUP_LEVELS	32
#define IDLE_LOOK_NS	(100 * NSEC_PER_MSEC)
/* A queue that was empty for so many looks is not looked at, until a thread is throttled. */
#define LOOKS_MOST	50
/* Such a queue is looked at once in so many times. */
#define LOOK_RARELY	64
#define LEAST_PERIOD_NS	(10 * NSEC_PER_MSEC)
/* Threads of a group, for each CPU, that are let go each time. */
#define LET_GO_PER_CPU	16

/**
 * struct group - a control group, by its slot
 * @parent: slot of the nearest group above it that has a slot, or AMP_GROUPS
 * @taken: the slot is in use
 * @level: depth in the tree, 0 for the root
 * @weight: cpu.weight
 * @factor: factor of its threads' weights, groups above included; FACTOR_ONE is 1
 * @counted: the group is counted in limits
 * @looks: how often the timer looks at its queue, at least; a thread may be on its way there
 * @id: ID of the control group
 * @period_ns: period of the limit, 0 without one
 * @quota_ns: CPU time in each period
 * @burst_ns: unused time of former periods that may be kept
 * @left_ns: time left in this period; less than 0 is a debt
 * @ends_ns: end of this period
 */
struct group {
	u32 parent;
	bool taken;
	u32 looks;
	u32 counted;
	u64 id;
	u32 level;
	u32 weight;
	u32 factor;
	u64 period_ns;
	u64 quota_ns;
	u64 burst_ns;
	s64 left_ns;
	u64 ends_ns;
};

struct group groups[AMP_GROUPS];
u32 groups_end;	/* slots from here on were never used */
u32 limits;	/* groups that have a limit */

struct {
	__uint(type, BPF_MAP_TYPE_CGRP_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, u32);
} group_slots SEC(".maps");

/* The factor of most groups, and the greatest one. */
#define FACTOR_ONE	10000
#define FACTOR_MOST	(FACTOR_ONE * 10000)

static struct group *group_at(u32 slot)
{
	return slot < AMP_GROUPS ? &groups[slot] : NULL;
}

/*
 * Returns the slot of @cgroup, or the one that amp_cgroup_init() took for it. AMP_GROUPS: no group
 * above has a slot, either.
 */
static u32 slot_of(struct cgroup *cgroup)
{
	u32 *slot = cgroup ? bpf_cgrp_storage_get(&group_slots, cgroup, 0, 0) : NULL;

	return slot ? *slot : AMP_GROUPS;
}

/* Add the quota of as many periods as have passed. The CPU that comes first does it. */
static void refill(struct group *g, u64 now)
{
	u64 ends = g->ends_ns, period = g->period_ns, passed;
	s64 over;

	if (!period || now < ends)
		return;
	passed = (now - ends) / period + 1;
	if (!__sync_bool_compare_and_swap(&g->ends_ns, ends, ends + passed * period))
		return;
	if (passed > PERIODS_MOST)
		passed = PERIODS_MOST;
	over = __sync_fetch_and_add(&g->left_ns, passed * g->quota_ns) + passed * g->quota_ns;
	over -= g->quota_ns + g->burst_ns;
	if (over > 0)
		__sync_fetch_and_add(&g->left_ns, -over);
}

/* Slot of the thread's group, or one above, that has no time left. AMP_GROUPS: it may run. */
static u32 holder_of(const struct task_data *d, u64 now)
{
	u32 slot = d->group, i;

	if (!limits)
		return AMP_GROUPS;
	bpf_for(i, 0, GROUP_LEVELS) {
		struct group *g = group_at(slot);

		if (!g)
			break;
		if (g->period_ns) {
			refill(g, now);
			if (g->left_ns <= 0)
				return slot;
		}
		slot = g->parent;
	}
	return AMP_GROUPS;
}

/* The same for threads that can be throttled: not for those that end, as with the kernel's own. */
static u32 must_wait_for(const struct task_struct *p, const struct task_data *d, u64 now)
{
	return p->flags & (PF_EXITING | PF_KTHREAD) ? AMP_GROUPS : holder_of(d, now);
}

static void charge(const struct task_data *d, u64 ns)
{
	u32 slot = d->group, i;

	if (!limits)
		return;
	bpf_for(i, 0, GROUP_LEVELS) {
		struct group *g = group_at(slot);

		if (!g)
			break;
		if (g->period_ns)
			__sync_fetch_and_add(&g->left_ns, -ns);
		slot = g->parent;
	}
}

/*
 * True if @p is in a read-side section of RCU: in the end, all of the kernel would wait for it.
 * This BPF program is such a section, too, which does not count.
 */
static bool reads_rcu(const struct task_struct *p)
{
	int here = p == bpf_get_current_task_btf();

	return bpf_core_field_exists(p->rcu_read_lock_nesting) && p->rcu_read_lock_nesting > here;
}

/*
 * Throttle @p until its group has time again. Returns false if @p may run. A thread that was let
 * go, and found the time used up, counts as throttled since the first time.
 */
static bool hold(struct task_struct *p, struct task_data *d, struct amp_thread *t, u64 flags)
{
	struct group *g;
	u32 slot;
	u64 now;

	if (!limits)
		return false;
	now = bpf_ktime_get_ns();
	slot = must_wait_for(p, d, now);
	g = group_at(slot);
	if (!g)
		return false;
	if (reads_rcu(p)) {
		d->pardoned = true;
		return false;
	}
	if (!d->held_ns) {
		d->held_ns = now;
		__sync_fetch_and_add(&stats.held, 1);
	}
	if (t) {
		if (t->state != AMP_HELD)
			t->slept_ns = now;
		t->state = AMP_HELD;
	}
	insert_vtime(p, HELD + slot, amp.slice_ns, d->held_ns, flags);
	/* @p comes into the queue when this operation is over. */
	g->looks = LOOKS_MOST;
	return true;
}

/*
 * @p begins to run. It is sent back if its group's time ran out while it waited in a queue. If a
 * thread that was sent back begins again, it was not enqueued in between: the kernel keeps threads
 * that may not migrate just now where they are. Such a thread runs until the next tick.
 */
static void begin_within_limit(struct task_struct *p, struct task_data *d)
{
	if (!d->pardoned && must_wait_for(p, d, d->began_ns) < AMP_GROUPS) {
		if (!d->sent_back) {
			d->sent_back = true;
			scx_bpf_kick_cpu(scx_bpf_task_cpu(p), SCX_KICK_PREEMPT);
			return;
		}
		d->pardoned = true;
	}
	d->sent_back = false;
	d->held_ns = 0;
}

/* It may run again, and goes where it belongs. */
static void put_back(struct task_data *d, struct amp_thread *t)
{
	if (!t || t->state != AMP_HELD)
		return;
	t->state = AMP_RUNNABLE;
	catch_up(t);
}

/* @nr more threads of @rank wait: wake as many idle CPUs, of other core types if need be. */
static void wake_idle(u32 rank, u32 nr)
{
	s32 cpu;
	u32 i;

	bpf_for(i, 0, nr) {
		cpu = idle_cpu_of(rank);
		if (cpu < 0)
			break;
		scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
	}
	if (nr)
		kick_idle();
}

/*
 * Let go threads of a group's queue that may run again, those throttled longest first. No more are
 * let go than can run until the next look: of many, most would only find the time used up.
 */
static void let_go(u32 slot, u64 now)
{
	u32 left = LET_GO_PER_CPU * scx_bpf_nr_cpu_ids();
	u32 gone[AMP_RANKS] = { }, rank;
	struct bpf_iter_scx_dsq it;
	struct task_struct *p;

	/* Kernels without this function do not tell policies of limits. */
	if (!bpf_ksym_exists(scx_bpf_dsq_move_vtime))
		return;
	bpf_rcu_read_lock();
	bpf_iter_scx_dsq_new(&it, HELD + slot, 0);
	while ((p = bpf_iter_scx_dsq_next(&it))) {
		struct task_data *d = data_of(p);
		u32 holder;
		s32 cpu;

		if (!d || !left)
			break;
		left--;
		holder = holder_of(d, now);
		if (holder < AMP_GROUPS && holder != slot) {
			groups[holder].looks = LOOKS_MOST;
			scx_bpf_dsq_move_set_vtime(&it, d->held_ns);
			scx_bpf_dsq_move_vtime(&it, p, HELD + holder, 0);
			continue;
		}
		/* Threads behind @p were throttled later. */
		if (holder == slot && (s64)(now - d->held_ns) < (s64)PATIENCE_NS)
			break;
		d->pardoned = holder == slot;
		put_back(d, thread_of(d));
		rank = rank_for(p, thread_of(d));
		move_to_clock(d, rank, true);
		d->waited = true;
		d->queued_ns = now;
		scx_bpf_dsq_move_set_vtime(&it, d->vtime);
		cpu = only_cpu(p);
		if (cpu >= 0)
			survey.pinned[cpu & (AMP_CPUS - 1)] = PINNED_TICKS;
		if (!scx_bpf_dsq_move_vtime(&it, p, cpu >= 0 ? PINNED + cpu : rank, 0))
			continue;
		if (is_bound(thread_of(d)))
			wake_where_allowed(p);
		else
			gone[bounded(rank)]++;
	}
	bpf_iter_scx_dsq_destroy(&it);
	bpf_rcu_read_unlock();
	for (rank = 0; rank < AMP_RANKS && rank < amp.ranks; rank++)
		wake_idle(rank, gone[rank]);
}

static u32 let_go_calls;

static int amp_let_go(void *map, u32 *key, struct amp_timer *timer)
{
	u64 now = bpf_ktime_get_ns();
	bool more = limits;
	u32 slot;

	/* The queues may be another policy's by now. */
	if (stats.exited)
		return 0;
	let_go_calls++;
	bpf_for(slot, 0, AMP_GROUPS) {
		struct group *g = group_at(slot);

		if (!g || slot >= groups_end)
			break;
		/*
		 * A thread may come late, because its CPU stood still, so that groups with limits
		 * are looked at now and then.
		 */
		if (!g->looks && (!g->period_ns || let_go_calls % LOOK_RARELY))
			continue;
		more = true;
		if (g->looks)
			__sync_fetch_and_add(&g->looks, -1);
		/* If the limit was removed, this goes on until all threads have gone. */
		if (scx_bpf_dsq_nr_queued(HELD + slot) > 0) {
			g->looks = LOOKS_MOST;
			let_go(slot, now);
		}
	}
	bpf_timer_start(&timer->timer, more ? HELD_LOOK_NS : IDLE_LOOK_NS, 0);
	return 0;
}

/* A thread's weight: 100 for nice 0 in groups whose weight is 100. */
static u32 weight_of(const struct task_struct *p, const struct task_data *d)
{
	const struct group *g = group_at(d->group);
	u64 weight = p->scx.weight;

	if (g)
		weight = weight * g->factor / FACTOR_ONE;
	return weight ?: 1;
}

static void find_factor(struct group *g)
{
	const struct group *above = group_at(g->parent);
	u64 weight = g->level > 1 && g->weight > 100 ? 100 : g->weight;
	u64 factor = (above ? above->factor : FACTOR_ONE) * weight / 100;

	g->factor = factor > FACTOR_MOST ? FACTOR_MOST : factor ?: 1;
}

/* A group has a new weight: find all factors, level by level, because slots have no order. */
static void find_factors(void)
{
	u32 level, slot;

	bpf_for(level, 0, GROUP_LEVELS) {
		bpf_for(slot, 0, AMP_GROUPS) {
			struct group *g = group_at(slot);

			if (!g || slot >= groups_end)
				break;
			if (g->taken)
				find_factor(g);
		}
	}
}

/* Two writers may change one cpu.max at once. Whichever stays, the count in limits is right. */
static void set_limit(struct group *g, u64 period_us, u64 quota_us, u64 burst_us)
{
	u32 has = quota_us < NO_LIMIT_US && period_us, had;
	u64 period = period_us * NSEC_PER_USEC, times = 1;

	/* A period that is no longer than a few looks of the timer would end unused. */
	if (has && period < LEAST_PERIOD_NS)
		times = (LEAST_PERIOD_NS - 1) / period + 1;
	if (has) {
		g->quota_ns = times * quota_us * NSEC_PER_USEC;
		g->burst_ns = burst_us < quota_us ? burst_us * NSEC_PER_USEC : g->quota_ns;
		g->left_ns = g->quota_ns;
		g->ends_ns = bpf_ktime_get_ns() + times * period;
	}
	g->period_ns = has ? times * period : 0;
	had = __sync_lock_test_and_set(&g->counted, has);
	__sync_fetch_and_add(&limits, has - had);
}

/* Slots are taken one at a time: the kernel calls this under a lock. */
static u32 take_slot(void)
{
	u32 slot;

	bpf_for(slot, 0, AMP_GROUPS) {
		struct group *g = group_at(slot);

		if (!g || g->taken)
			continue;
		if (slot >= groups_end)
			groups_end = slot + 1;
		g->taken = true;
		return slot;
	}
	return AMP_GROUPS;
}

/* The slot of the group above @cgroup. */
static u32 slot_above(struct cgroup *cgroup)
{
	struct cgroup *above = cgroup->level ? bpf_cgroup_ancestor(cgroup, cgroup->level - 1) : NULL;
	u32 slot = slot_of(above);

	if (above)
		bpf_cgroup_release(above);
	return slot;
}

static s32 prepare_slot(u32 slot, struct cgroup *cgroup, u32 above)
{
	struct group *g = group_at(slot);
	s32 err;

	if (!g)
		return 0;
	err = scx_bpf_create_dsq(HELD + slot, -1);
	if (err) {
		g->taken = false;
		return err;
	}
	g->id = cgroup->kn->id;
	g->level = cgroup->level;
	g->parent = above;
	return 0;
}

SEC("struct_ops.s/cgroup_init")
s32 BPF_PROG(amp_cgroup_init, struct cgroup *cgroup, struct scx_cgroup_init_args *args)
{
	u32 *mine = bpf_cgrp_storage_get(&group_slots, cgroup, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	u32 above = slot_above(cgroup), slot = AMP_GROUPS;
	struct group *g;
	s32 err;

	if (!mine)
		return -ENOMEM;
	if (cgroup->level < GROUP_LEVELS)
		slot = take_slot();
	g = group_at(slot);
	/* If the group has no slot of its own, the group above counts for its threads. */
	*mine = g ? slot : above;
	if (!g) {
		__sync_fetch_and_add(&stats.groups_without_slot, 1);
		return 0;
	}
	err = prepare_slot(slot, cgroup, above);
	if (err)
		return err;
	g->weight = args->weight;
	find_factor(g);
	if (bpf_core_field_exists(args->bw_quota_us))
		set_limit(g, args->bw_period_us, args->bw_quota_us, args->bw_burst_us);
	return 0;
}

/* The group of @cgroup itself, not one above it. NULL if it has no slot. */
static struct group *own_group(struct cgroup *cgroup)
{
	struct group *g = group_at(slot_of(cgroup));

	return g && g->id == cgroup->kn->id ? g : NULL;
}

SEC("struct_ops.s/cgroup_exit")
void BPF_PROG(amp_cgroup_exit, struct cgroup *cgroup)
{
	struct group *g = own_group(cgroup);

	if (g) {
		set_limit(g, 0, 0, 0);
		g->looks = 0;
		scx_bpf_destroy_dsq(HELD + slot_of(cgroup));
		g->taken = false;
	}
	bpf_cgrp_storage_delete(&group_slots, cgroup);
}

/* Throttled threads that may run under the new limit are let go at the timer's next look. */
SEC("struct_ops/cgroup_set_bandwidth")
void BPF_PROG(amp_cgroup_set_bandwidth, struct cgroup *cgroup, u64 period_us, u64 quota_us, u64 burst_us)
{
	struct group *g = own_group(cgroup);

	if (g)
		set_limit(g, period_us, quota_us, burst_us);
}

SEC("struct_ops/cgroup_set_weight")
void BPF_PROG(amp_cgroup_set_weight, struct cgroup *cgroup, u32 weight)
{
	struct group *g = own_group(cgroup);

	if (!g)
		return;
	g->weight = weight;
	find_factors();
}

SEC("struct_ops/cgroup_move")
void BPF_PROG(amp_cgroup_move, struct task_struct *p, struct cgroup *from, struct cgroup *to)
{
	struct task_data *d = data_of(p);

	if (d)
		d->group = slot_of(to);
}

/* End the slice of a running thread whose group has no time left. */
SEC("struct_ops/tick")
void BPF_PROG(amp_running_tick, struct task_struct *p)
{
	struct task_data *d = data_of(p);

	if (!limits || !d)
		return;
	account(p, d, thread_of(d));
	d->pardoned = false;
	if (must_wait_for(p, d, d->began_ns) < AMP_GROUPS)
		set_slice(p, 0);
}

#endif /* SCHEDULERS_GROUPS_BPF_H */
