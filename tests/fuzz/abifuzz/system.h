/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rest of the machine: /proc, kernel modules, CPUs, perf; and its state after a run. */
#ifndef PMCT_ABIFUZZ_SYSTEM_H
#define PMCT_ABIFUZZ_SYSTEM_H

#include <stdbool.h>

#include "args.h"

/* Move into a control group of its own, and find out what works here. */
void system_init(void);

/* The last step of a run: unload the monitoring modules, leave the control group. */
void system_exit(void);

/* Returns a descriptor of this control group (1) or of another directory (0). */
int system_cgroup(bool good);

/* config TEXT, mmon TEXT: write to a file in /proc/pmc */
enum outcome op_config(struct args *a);
enum outcome op_mmon(struct args *a);

/* The largest number of threads that one call attaches, as "config" left it. */
unsigned long system_attach_limit(void);

/* sched CHILD WANTED, metric CHILD NUMBER: what a scheduler would ask for */
enum outcome op_sched(struct args *a);
enum outcome op_metric(struct args *a);

/* module WHICH LOAD SETS: WHICH is 1 for ipc, 0 for test, which has this number of sets */
enum outcome op_module(struct args *a);

enum outcome op_procread(struct args *a);

/* cpu ONLINE: the second CPU */
enum outcome op_cpu(struct args *a);

enum outcome op_perf(struct args *a);

/* counter: read a counter without a system call */
enum outcome op_counter(struct args *a);

/* reset: end all children and close everything; then the machine must be as before */
enum outcome op_reset(struct args *a);

#endif /* PMCT_ABIFUZZ_SYSTEM_H */
