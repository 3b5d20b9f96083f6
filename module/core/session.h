/* SPDX-License-Identifier: GPL-2.0-only */
/* Sessions: what one user, or the kernel itself, monitors. */
#ifndef _PMCT_SESSION_H
#define _PMCT_SESSION_H

#include "detach.h"
#include "objects.h"

/**
 * struct pmct_session_params - what to count, and for which threads or CPUs
 * @period_ns: sampling period, 0: none
 * @ring_size: bytes of each ring; 0: the default, or less if memory is short
 * @flags: enum pmctrack_session_flags
 * @cgroup: descriptor of the cgroup's directory, -1: none
 * @no_ring: the session has no reader
 * @contained: the caller is in a container: not in the initial user and network
 *	namespaces
 * @pid: thread for PMCTRACK_SESSION_ON_EXEC, in the caller's namespace; 0: none
 * @mm_name: monitoring module that @virt refers to; NULL: none
 * @virt: mask of virtual counters
 * @nr_raw: number of event sets; 0: use those of the module
 * @raw: raw configuration strings
 */
struct pmct_session_params {
	u64 period_ns;
	u32 ring_size;
	u32 flags;
	int cgroup;
	bool no_ring;
	bool contained;
	pid_t pid;
	const char *mm_name;
	u32 virt;
	unsigned int nr_raw;
	const char *raw[PMCTRACK_MAX_CORE_TYPES * PMCTRACK_MAX_SETS];
};

struct pmct_session *pmct_session_create(struct pmct_session_params *params,
					 struct pmct_msg *msg);
void pmct_session_end(struct pmct_session *s, enum pmctrack_record_kind kind);
void pmct_session_destroy(struct pmct_session *s);
int pmct_session_refuse_unprivileged(struct pmct_msg *msg);
void pmct_sessions_revoke(void);
void pmct_session_each_ctx(pmct_ctx_fn *fn, void *arg);

#endif /* _PMCT_SESSION_H */
