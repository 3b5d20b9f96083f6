/* SPDX-License-Identifier: GPL-2.0-only */
/* Halting the CPU from a thread that stays runnable; the kernel exports nothing for that. */
#ifndef _PMCT_COMPAT_HALT_H
#define _PMCT_COMPAT_HALT_H

#include <linux/irqflags.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/thread_info.h>

/* Does current have to leave the kernel? For a signal, or work that waits for that. */
static inline bool pmct_halt_must_leave(void)
{
	return signal_pending(current) || test_thread_flag(TIF_NOTIFY_RESUME);
}

/*
 * Wait for an interrupt. Interrupts are masked from the look at what it may have come for
 * until the halt: one that comes in between ends it at once.
 */
static inline void pmct_halt(void)
{
	local_irq_disable();
	if (need_resched() || pmct_halt_must_leave()) {
		local_irq_enable();
		return;
	}
#if defined(CONFIG_X86)
	asm volatile("sti; hlt" ::: "memory");
#elif defined(CONFIG_ARM64)
	asm volatile("dsb sy; wfi" ::: "memory");
	local_irq_enable();
#else
	local_irq_enable();
	cpu_relax();
#endif
}

#endif /* _PMCT_COMPAT_HALT_H */
