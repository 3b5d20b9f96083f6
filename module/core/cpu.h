/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU hotplug, and loss and return of power. */
#ifndef _PMCT_CPU_H
#define _PMCT_CPU_H

int pmct_cpu_init(void);
void pmct_cpu_exit(void);

#endif /* _PMCT_CPU_H */
