// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cgroup.h"
#include "proc.h"
#include "unit.h"

/* True if the unit is stopped by the freezer, and not by signals. */
static bool is_frozen(const struct run_unit *u)
{
	return u->kind == UNIT_CGROUP || u->kind == UNIT_FREEZER;
}

static int signal_procs(struct run_unit *u, int signal)
{
	int i, err, result = -ESRCH;

	for (i = 0; i < u->nr_procs; i++) {
		err = u->proc[i].pid ? proc_signal(u->proc[i].pid, u->proc[i].start, signal) : -ESRCH;
		/* Keep the worst result: an error, then a process that is there, then none. */
		if (err != -ESRCH && (err || result == -ESRCH))
			result = err;
	}
	return result;
}

static int signal_group(struct run_unit *u, int signal)
{
	int32_t group = u->group;

	/* Signal all at once: fork waits for a signal to the group, so no child slips away. */
	if (!group)
		return -ESRCH;
	return kill(-group, signal) ? -errno : 0;
}

static int signal_all(struct run_unit *u, int signal)
{
	int group, procs;

	if (u->kind == UNIT_TREE)
		return signal_procs(u, signal);
	if (u->kind == UNIT_FREEZER) {
		cgroup_signal(u->path, signal);
		return 0;
	}
	group = signal_group(u, signal);
	procs = signal_procs(u, signal);
	return group == -ESRCH ? procs : group;
}

int unit_stop(struct run_unit *u)
{
	u->stopped = 1;
	if (is_frozen(u))
		return cgroup_freeze(u->path, true);
	return signal_all(u, SIGSTOP);
}

int unit_continue(struct run_unit *u)
{
	return is_frozen(u) ? cgroup_freeze(u->path, false) : signal_all(u, SIGCONT);
}

int unit_release(struct run_unit *u)
{
	int err = unit_continue(u);

	if (!err || err == -ESRCH)
		u->stopped = 0;
	return err;
}

void unit_signal(struct run_unit *u, int signal)
{
	signal_all(u, signal);
}

struct group_search {
	struct run_unit *unit;
	int continued, err;
};

static void rescue_one(struct group_search *s, const struct proc *p)
{
	int err = p->state == 'T' ? proc_signal(p->pid, p->start, SIGCONT) : -ESRCH;

	if (!err)
		s->continued++;
	else if (err != -ESRCH)
		s->err = err;
}

/* Members do not begin before their leader; a leader with another start is another group's. */
static void rescue_member(const struct proc *p, void *data)
{
	struct group_search *s = data;

	if (p->group == s->unit->group && p->start >= s->unit->group_start)
		rescue_one(s, p);
}

int unit_rescue(struct run_unit *u)
{
	struct group_search s = { .unit = u };
	struct proc p;
	int i;

	if (is_frozen(u)) {
		bool left = u->stopped && cgroup_is_frozen(u->path);
		int err = left ? cgroup_freeze(u->path, false) : -ESRCH;

		return !err ? 1 : err == -ESRCH ? 0 : err;
	}
	if (u->group && (proc_read(u->group, &p) || p.start == u->group_start))
		proc_each(rescue_member, &s);
	for (i = 0; i < u->nr_procs; i++) {
		if (!proc_read(u->proc[i].pid, &p) && p.start == u->proc[i].start)
			rescue_one(&s, &p);
	}
	return s.err ? s.err : s.continued;
}

bool unit_is_alive(const struct run_unit *u)
{
	int i;

	if (u->kind == UNIT_FREEZER)
		return cgroup_is_populated(u->path);
	for (i = 0; i < u->nr_procs; i++) {
		if (u->proc[i].pid && proc_is(u->proc[i].pid, u->proc[i].start))
			return true;
	}
	return false;
}

/* All processes of the machine at about one time. */
struct all { struct proc *p; size_t nr; };

static void gather(const struct proc *p, void *data)
{
	struct all *all = data;
	struct proc *more;

	if (p->state == 'Z' || p->state == 'X')
		return;
	more = reallocarray(all->p, all->nr + 1, sizeof(*more));
	if (!more)
		return;
	all->p = more;
	all->p[all->nr++] = *p;
}

static int compare(const void *pid, const void *p)
{
	return *(const pid_t *)pid - ((const struct proc *)p)->pid;
}

/* Find a process; /proc has them in ascending order. */
static const struct proc *find(const struct all *all, pid_t pid)
{
	return bsearch(&pid, all->p, all->nr, sizeof(*all->p), compare);
}

/* True if @p is @ancestor or below it. A parent has begun before its child, so there is an end. */
static bool is_below(const struct all *all, const struct proc *p, pid_t ancestor)
{
	int depth;

	for (depth = 0; p && depth < 100; depth++) {
		if (p->pid == ancestor)
			return true;
		p = find(all, p->parent);
	}
	return false;
}

/*
 * Put the found processes where there is room. A process that is in the list stays in its place as
 * long as it lives, because it may be stopped, and other processes read the list meanwhile. Returns
 * how many there are, or -E2BIG.
 */
static int add_procs(struct run_unit *u, const struct proc *found, int nr)
{
	int i, j, alive = 0, slot = 0;

	for (i = 0; i < u->nr_procs; i++) {
		if (u->proc[i].pid && !proc_is(u->proc[i].pid, u->proc[i].start))
			u->proc[i].pid = 0;
		alive += u->proc[i].pid != 0;
	}
	for (j = 0; j < nr; j++) {
		for (i = 0; i < u->nr_procs; i++) {
			if (u->proc[i].pid == found[j].pid)
				break;
		}
		if (i < u->nr_procs)
			continue;
		while (slot < RUN_MAX_PROCS && u->proc[slot].pid)
			slot++;
		if (slot == RUN_MAX_PROCS)
			return -E2BIG;
		u->proc[slot].start = found[j].start;
		u->proc[slot].pid = found[j].pid;
		if (slot >= u->nr_procs)
			u->nr_procs = slot + 1;
		alive++;
	}
	return alive;
}

/* Select those below @root, without @skip itself and group @group; at most RUN_MAX_PROCS + 1. */
static int select_below(const struct all *all, pid_t root, pid_t skip, pid_t group,
			struct proc *found)
{
	size_t i;
	int nr = 0;

	for (i = 0; i < all->nr && nr <= RUN_MAX_PROCS; i++) {
		const struct proc *p = &all->p[i];

		if (p->pid != skip && (!group || p->group != group) && is_below(all, p, root))
			found[nr++] = *p;
	}
	return nr;
}

int unit_find_tree(struct run_unit *u, pid_t root, uint64_t start, pid_t guardian)
{
	struct proc found[RUN_MAX_PROCS + 2];
	struct all all = {};
	bool ours = false;
	int nr = 0;

	if (proc_is(root, start)) {
		proc_each(gather, &all);
		ours = is_below(&all, find(&all, guardian), root);
		found[0] = (struct proc){ .pid = root, .start = start };
		nr = 1 + select_below(&all, root, root, 0, found + 1);
		free(all.p);
	}
	if (ours)
		return -EDEADLK;
	nr = add_procs(u, found, nr);
	return nr < 0 ? nr : nr ? 0 : -ESRCH;
}

int unit_find_strays(struct run *run)
{
	struct proc found[RUN_MAX_PROCS + 1];
	struct all all = {};
	int err = 0, nr;
	uint32_t i;

	proc_each(gather, &all);
	for (i = 0; i < run->nr; i++) {
		struct run_unit *u = &run->unit[i];

		if (u->kind != UNIT_GROUP || !u->group || !u->executor)
			continue;
		nr = select_below(&all, u->executor, u->executor, u->group, found);
		if (add_procs(u, found, nr) < 0)
			err = -E2BIG;
	}
	free(all.p);
	return err;
}
