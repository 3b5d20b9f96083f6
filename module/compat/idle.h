/* SPDX-License-Identifier: GPL-2.0-only */
/* How long CPUs were idle. */
#ifndef _PMCT_COMPAT_IDLE_H
#define _PMCT_COMPAT_IDLE_H

#include <linux/limits.h>
#include <linux/tick.h>
#include <linux/types.h>
#include <linux/vtime.h>

/*
 * Returns how long a CPU has been idle, in us; U64_MAX if the kernel does not know, because the
 * tick goes on while CPUs are idle. A CPU whose thread waits for I/O is idle, too. Because two
 * accounts are read, one after the other, the sum can go back once in a while.
 *
 * From Linux 7.2 on, if the tick of an idle CPU goes on (for a short sleep, or with nohz=off), idle
 * time becomes known in whole ticks, at the next tick.
 *
 * Context: not in a switch of threads if pmct_idle_waits().
 */
static inline u64 pmct_cpu_idle_us(unsigned int cpu)
{
	u64 idle = get_cpu_idle_time_us(cpu, NULL), waiting = get_cpu_iowait_time_us(cpu, NULL);

	return idle == U64_MAX || waiting == U64_MAX ? U64_MAX : idle + waiting;
}

/*
 * True if pmct_cpu_idle_us() waits while @cpu is between two threads, from Linux 7.2 on for CPUs of
 * nohz_full=. A CPU that may be switching threads itself must not ask then: it could wait for ever.
 */
static inline bool pmct_idle_waits(unsigned int cpu)
{
#ifdef PMCT_HAVE_KCPUSTAT_DYNTICK
	return vtime_generic_enabled_cpu(cpu);
#else
	return false;
#endif
}

/* Returns how long a CPU was idle between two such readings, in us. If in doubt, it was busy. */
static inline u64 pmct_idle_between_us(u64 was, u64 now)
{
	return now > was ? now - was : 0;
}

#endif /* _PMCT_COMPAT_IDLE_H */
