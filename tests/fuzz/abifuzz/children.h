/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slots of children: processes to be monitored, which do what processes do. */
#ifndef PMCT_ABIFUZZ_CHILDREN_H
#define PMCT_ABIFUZZ_CHILDREN_H

#include <sys/types.h>

#include "args.h"

/* Work and waits become short, for this process and for children that begin later. */
void children_hurry(void);

/* Keep a CPU busy for @ms milliseconds; much shorter after children_hurry(). */
void burn_ms(unsigned int ms);

/* Go on as the user of the tests, who has no privileges. */
void become_user(void);

/* Do what a child of this kind does. Does not return. */
_Noreturn void child_main(unsigned int kind);

/* Returns the process that the next argument names, which can be the caller; 0: there is none. */
pid_t child_get(struct args *a);

/* End all children; with children_mark() before, only those that are new since then. */
void children_end(void);
void children_mark(void);
void children_end_new(void);

/* spawn CHILD KIND KEEP USER: start a child, with the sessions of its parent (KEEP) or without */
enum outcome op_spawn(struct args *a);

enum outcome op_kill(struct args *a);
enum outcome op_affine(struct args *a);
enum outcome op_fork(struct args *a);
enum outcome op_burn(struct args *a);
enum outcome op_wait(struct args *a);

#endif /* PMCT_ABIFUZZ_CHILDREN_H */
