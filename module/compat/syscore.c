// SPDX-License-Identifier: GPL-2.0-only
/*
 * <linux/syscore_ops.h> since "syscore: Pass context data to callbacks" (Linux 6.19, and in stable
 * series): callbacks have an argument, and a separate struct is registered.
 */
#include <linux/syscore_ops.h>

#include "syscore.h"

static void (*pmct_syscore_sleeps)(void);
static void (*pmct_syscore_wakes)(void);

#ifdef PMCT_HAVE_SYSCORE
static int pmct_syscore_suspend(void *unused)
#else
static int pmct_syscore_suspend(void)
#endif
{
	pmct_syscore_sleeps();
	return 0;
}

#ifdef PMCT_HAVE_SYSCORE
static void pmct_syscore_resume(void *unused)
#else
static void pmct_syscore_resume(void)
#endif
{
	pmct_syscore_wakes();
}

/* Not constant, because older kernels put it into a list. */
static struct syscore_ops pmct_syscore_ops = {
	.suspend	= pmct_syscore_suspend,
	.resume		= pmct_syscore_resume,
};

#ifdef PMCT_HAVE_SYSCORE
static struct syscore pmct_syscore = { .ops = &pmct_syscore_ops };
#endif

/**
 * pmct_syscore_register() - register callbacks for the sleep of the machine
 * @suspend: called on the last CPU, with all others offline and interrupts disabled
 * @resume: called when the machine wakes up, likewise
 *
 * Called once. Context: process context, may sleep.
 */
void pmct_syscore_register(void (*suspend)(void), void (*resume)(void))
{
	pmct_syscore_sleeps = suspend;
	pmct_syscore_wakes = resume;
#ifdef PMCT_HAVE_SYSCORE
	register_syscore(&pmct_syscore);
#else
	register_syscore_ops(&pmct_syscore_ops);
#endif
}

void pmct_syscore_unregister(void)
{
#ifdef PMCT_HAVE_SYSCORE
	unregister_syscore(&pmct_syscore);
#else
	unregister_syscore_ops(&pmct_syscore_ops);
#endif
}
