/* SPDX-License-Identifier: GPL-2.0-only */
/* Halting the CPU from a thread that stays runnable; the kernel exports nothing for that. */
#ifndef _PMCT_COMPAT_HALT_H
#define _PMCT_COMPAT_HALT_H

#include <linux/irqflags.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/thread_info.h>

/* True if current has to leave the kernel, for a signal or for work that waits for that. */
static inline bool pmct_halt_must_leave(void)
{
	return signal_pending(current) || test_thread_flag(TIF_NOTIFY_RESUME);
}

/*
 * Yield if another thread should run. With lazy preemption (Linux 6.13 and later) a program yields
 * when it returns to user mode, but this thread does not return.
 */
static inline void pmct_halt_yield(void)
{
#ifdef TIF_NEED_RESCHED_LAZY
	if (test_thread_flag(TIF_NEED_RESCHED_LAZY))
		schedule();
#endif
	/* A program would get back to user mode; this thread may never do that. */
	cond_resched_tasks_rcu_qs();
}

/*
 * Wait for an interrupt. The caller has masked interrupts, and then checked the condition that an
 * interrupt may change. An interrupt that has come since then ends the halt at once. Afterwards
 * interrupts are enabled.
 */
static inline void pmct_halt(void)
{
	if (need_resched()) {
		local_irq_enable();
		return;
	}
#if defined(CONFIG_X86)
	safe_halt();
#elif defined(CONFIG_ARM64)
	asm volatile("dsb sy; wfi" ::: "memory");
	local_irq_enable();
#else
	local_irq_enable();
	cpu_relax();
#endif
}

#endif /* _PMCT_COMPAT_HALT_H */
