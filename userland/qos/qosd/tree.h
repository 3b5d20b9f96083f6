/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All processes at one moment, and who has started whom. */
#ifndef QOSD_TREE_H
#define QOSD_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "proc.h"

/**
 * struct tree - the processes
 * @proc: the processes, by PID; @nr of them
 */
struct tree {
	struct proc *proc;
	size_t nr;
	size_t room;
	bool failed;
};

/* Returns 0 or -ENOMEM; on failure, there is nothing to free. */
int tree_read(struct tree *t);
bool tree_has(const struct tree *t, pid_t pid);
/* True if @pid is @ancestor, or one that it has started, directly or not. */
bool tree_is_below(const struct tree *t, pid_t pid, pid_t ancestor);
void tree_free(struct tree *t);

#endif /* QOSD_TREE_H */
