/* SPDX-License-Identifier: GPL-2.0-only */
/* Sessions that monitor CPUs. */
#ifndef _PMCT_SYSWIDE_H
#define _PMCT_SYSWIDE_H

#include "objects.h"

int pmct_syswide_start(struct pmct_session *s, int cgroup, struct pmct_msg *msg);
void pmct_syswide_stop(struct pmct_session *s, bool last_records);
void pmct_syswide_cpu_online(unsigned int cpu);
void pmct_syswide_cpu_offline(unsigned int cpu);
void pmct_syswide_switch(struct task_struct *prev, struct task_struct *next, int cpu);

#endif /* _PMCT_SYSWIDE_H */
