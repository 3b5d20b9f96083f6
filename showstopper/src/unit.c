// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc.h"
#include "unit.h"

static int freeze(const struct run_unit *u, bool on)
{
	char path[300];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/cgroup.freeze", u->path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	if (write(fd, on ? "1" : "0", 1) != 1)
		err = errno == ENODEV ? -ESRCH : -errno;
	close(fd);
	return err;
}

static int signal_procs(struct run_unit *u, int signal)
{
	int i, err, result = -ESRCH;

	for (i = 0; i < u->nr_procs; i++) {
		if (!u->proc[i].pid)
			continue;
		err = proc_signal(u->proc[i].pid, u->proc[i].start, signal);
		if (err == -EPERM || !err)
			result = err && result == -ESRCH ? err : result == -EPERM ? result : err;
	}
	return result;
}

static int signal_group(struct run_unit *u, int signal)
{
	int32_t group = u->group;

	/* All at once: fork waits for a signal to the group, so no child slips away. */
	if (!group)
		return -ESRCH;
	return kill(-group, signal) ? -errno : 0;
}

static int signal_all(struct run_unit *u, int signal)
{
	int group, procs;

	if (u->kind == UNIT_TREE)
		return signal_procs(u, signal);
	group = signal_group(u, signal);
	procs = signal_procs(u, signal);
	return group == -ESRCH ? procs : group;
}

int unit_stop(struct run_unit *u)
{
	u->stopped = 1;
	if (u->kind == UNIT_CGROUP)
		return freeze(u, true);
	return signal_all(u, SIGSTOP);
}

int unit_continue(struct run_unit *u)
{
	int err;

	if (u->kind == UNIT_CGROUP)
		err = freeze(u, false);
	else
		err = signal_all(u, SIGCONT);
	u->stopped = 0;
	return err;
}

void unit_signal(struct run_unit *u, int signal)
{
	signal_all(u, signal);
}

struct group_search {
	struct run_unit *unit;
	int found, continued;
};

static void rescue_member(const struct proc *p, void *data)
{
	struct group_search *s = data;

	if (p->group != s->unit->group || p->state == 'Z')
		return;
	s->found++;
	if (p->state == 'T' && !proc_signal(p->pid, p->start, SIGCONT))
		s->continued++;
}

int unit_rescue(struct run_unit *u)
{
	struct group_search s = { .unit = u };
	struct proc p;
	int i;

	if (u->kind == UNIT_CGROUP)
		return freeze(u, false) ? 0 : 1;
	if (u->group)
		proc_each(rescue_member, &s);
	for (i = 0; i < u->nr_procs; i++) {
		if (!proc_read(u->proc[i].pid, &p) && p.state == 'T' &&
		    !proc_signal(p.pid, u->proc[i].start, SIGCONT))
			s.continued++;
	}
	u->stopped = 0;
	return s.continued;
}

static void count_member(const struct proc *p, void *data)
{
	struct group_search *s = data;

	s->found += p->group == s->unit->group && p->state != 'Z';
}

bool unit_is_alive(const struct run_unit *u)
{
	struct group_search s = { .unit = (struct run_unit *)u };
	int i;

	if (u->kind == UNIT_CGROUP)
		return access(u->path, F_OK) == 0;
	for (i = 0; i < u->nr_procs; i++) {
		if (u->proc[i].pid && proc_is(u->proc[i].pid, u->proc[i].start))
			return true;
	}
	if (u->group)
		proc_each(count_member, &s);
	return s.found;
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

static const struct proc *find(const struct all *all, pid_t pid)
{
	size_t i;

	for (i = 0; i < all->nr; i++) {
		if (all->p[i].pid == pid)
			return &all->p[i];
	}
	return NULL;
}

/* Is @p @ancestor or below it? A parent has begun before its child, so there is an end. */
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

static int set_procs(struct run_unit *u, const struct proc *p, int nr)
{
	int i;

	for (i = 0; i < nr && i < RUN_MAX_PROCS; i++) {
		/* The guardian may read it meanwhile: never a PID with the start of another. */
		if (u->proc[i].pid == p[i].pid && u->proc[i].start == p[i].start)
			continue;
		u->proc[i].pid = 0;
		u->proc[i].start = p[i].start;
		u->proc[i].pid = p[i].pid;
	}
	u->nr_procs = i;
	return nr > RUN_MAX_PROCS ? -E2BIG : 0;
}

/* Those below @root, without @skip itself and group @group; at most RUN_MAX_PROCS + 1. */
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
	bool ours;
	int nr;

	if (!proc_is(root, start)) {
		u->nr_procs = 0;
		return -ESRCH;
	}
	proc_each(gather, &all);
	ours = is_below(&all, find(&all, guardian), root);
	/* The root first: that is how it is found again. */
	found[0] = (struct proc){ .pid = root, .start = start };
	nr = 1 + select_below(&all, root, root, 0, found + 1);
	free(all.p);
	return ours ? -EDEADLK : set_procs(u, found, nr);
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
		err = set_procs(u, found, nr) ?: err;
	}
	free(all.p);
	return err;
}
