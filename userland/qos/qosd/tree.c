// SPDX-License-Identifier: GPL-2.0-or-later
#include "tree.h"

#include <errno.h>
#include <stdlib.h>

/* Longer chains of parents are not followed. */
#define MOST_PARENTS 64

static void add(const struct proc *p, void *data)
{
	struct tree *t = data;
	struct proc *more;

	if (t->nr == t->room) {
		t->room = t->room ? 2 * t->room : 256;
		more = realloc(t->proc, t->room * sizeof(*more));
		if (!more) {
			t->failed = true;
			t->room = t->nr;
			return;
		}
		t->proc = more;
	}
	t->proc[t->nr++] = *p;
}

static int by_pid(const void *one, const void *other)
{
	const struct proc *a = one, *b = other;

	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

int tree_read(struct tree *t)
{
	*t = (struct tree){.nr = 0};
	proc_each(add, t);
	if (t->failed) {
		tree_free(t);
		return -ENOMEM;
	}
	if (t->nr)
		qsort(t->proc, t->nr, sizeof(*t->proc), by_pid);
	return 0;
}

static const struct proc *find(const struct tree *t, pid_t pid)
{
	const struct proc key = {.pid = pid};

	return t->nr ? bsearch(&key, t->proc, t->nr, sizeof(*t->proc), by_pid) : NULL;
}

bool tree_has(const struct tree *t, pid_t pid)
{
	return find(t, pid);
}

bool tree_is_below(const struct tree *t, pid_t pid, pid_t ancestor)
{
	const struct proc *p;
	int looks;

	for (looks = 0; looks < MOST_PARENTS && pid > 1; looks++) {
		if (pid == ancestor)
			return true;
		p = find(t, pid);
		if (!p)
			return false;
		pid = p->parent;
	}
	return false;
}

void tree_free(struct tree *t)
{
	free(t->proc);
	t->proc = NULL;
	t->nr = 0;
}
