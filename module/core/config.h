/* SPDX-License-Identifier: GPL-2.0-only */
/* The settings of /proc/pmc/config. */
#ifndef _PMCT_CONFIG_H
#define _PMCT_CONFIG_H

#include <linux/types.h>

/**
 * enum pmct_unprivileged - which users without CAP_PERFMON may have sessions
 * @PMCT_UNPRIVILEGED_NONE: none
 * @PMCT_UNPRIVILEGED_HOST: those in the initial user and network namespaces
 * @PMCT_UNPRIVILEGED_ALL: those in containers, too
 */
enum pmct_unprivileged {
	PMCT_UNPRIVILEGED_NONE,
	PMCT_UNPRIVILEGED_HOST,
	PMCT_UNPRIVILEGED_ALL,
};

/**
 * struct pmct_config - settings of /proc/pmc/config
 * @ring_default: bytes of a ring when the user names none
 * @ring_max: largest ring that an unprivileged user may request
 * @user_read: threads may read their counters without system calls, if
 *	kernel.perf_user_access allows it, too
 * @unprivileged: enum pmct_unprivileged
 * @attach_max_threads: largest number of threads that one PMCTRACK_IOC_ATTACH tries
 * @ebs_cpu_percent: share of a CPU's time that samples by events may take;
 *	0, 100: no limit
 */
struct pmct_config {
	u32 ring_default;
	u32 ring_max;
	u32 user_read;
	u32 unprivileged;
	u32 ebs_cpu_percent;
	u32 attach_max_threads;
};

extern struct pmct_config pmct_config;

struct seq_file;

void pmct_config_show(struct seq_file *m);
int pmct_config_set(const char *name, u32 value);

#endif /* _PMCT_CONFIG_H */
