/* SPDX-License-Identifier: GPL-2.0-only */
/* The sleep of the whole machine, for the CPU that sleeps last. */
#ifndef _PMCT_COMPAT_SYSCORE_H
#define _PMCT_COMPAT_SYSCORE_H

void pmct_syscore_register(void (*suspend)(void), void (*resume)(void));
void pmct_syscore_unregister(void);

#endif /* _PMCT_COMPAT_SYSCORE_H */
