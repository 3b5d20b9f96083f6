/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hold CPUs: CPUs idle together for a moment, so that a thread runs alone meanwhile. No process is
 * stopped or gets a signal. Instead, a kernel thread on each CPU takes the CPU and idles until a
 * common end.
 *
 *	id = pmct_hold_begin(spared, end_ns);
 *	...
 *	err = pmct_hold_result(id, &window);
 *
 * CPUs that are isolated or run without ticks (nohz_full) are never held, nor are CPUs with pending
 * soft interrupts. Real-time and deadline threads run before the thread that holds.
 */
#ifndef _PMCTRACK_HOLD_H
#define _PMCTRACK_HOLD_H

#include <linux/cpumask.h>
#include <linux/types.h>

/* The maximal length of a hold, in ns. */
#define PMCT_HOLD_MOST_NS	(10 * 1000 * 1000ULL)

/**
 * struct pmct_hold_window - the time in which all held CPUs were idle
 * @from: when the last CPU had arrived, CLOCK_MONOTONIC, ns
 * @to: when the first CPU left
 */
struct pmct_hold_window {
	u64 from;
	u64 to;
};

u64 pmct_hold_begin(const struct cpumask *spared, u64 end_ns);
int pmct_hold_result(u64 id, struct pmct_hold_window *window);

#endif /* _PMCTRACK_HOLD_H */
