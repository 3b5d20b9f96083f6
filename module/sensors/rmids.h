/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses the RMID of an application. Pure: the caller serialises. It is part of pmctrack.ko. */
#ifndef _PMCT_RMIDS_H
#define _PMCT_RMIDS_H

#include <pmctrack/cache_monitor.h>

/**
 * enum pmct_rmid_policy - which of the free RMIDs is taken (paper on PMCTrack, section 4.3)
 * @PMCT_RMID_FIFO: the one that has been free for longest, because most of its lines are gone
 * @PMCT_RMID_LIFO: the one that was freed last
 * @PMCT_RMID_RANDOM: any
 * @PMCT_RMID_NR_POLICIES: number of policies
 */
enum pmct_rmid_policy {
	PMCT_RMID_FIFO,
	PMCT_RMID_LIFO,
	PMCT_RMID_RANDOM,
	PMCT_RMID_NR_POLICIES,
};

/**
 * struct pmct_rmid_app - the application that has an RMID
 * @tgid: its process
 * @threads: number of its threads; 0: no application has the RMID
 * @lingers: a CPU may still have the RMID of a thread that gave it back
 */
struct pmct_rmid_app {
	pid_t tgid;
	unsigned int threads;
	bool lingers;
};

/**
 * struct pmct_rmids - all RMIDs but 0
 * @policy: which of the free RMIDs is taken
 * @waits: RMIDs are free only when their lines are gone
 * @nr: RMIDs are below this
 * @random: state of the generator
 * @app: the application that has each RMID
 * @free: RMIDs that can be taken, in the order in which they became free
 * @nr_free: number of free RMIDs
 * @stale: RMIDs whose lines, or CPUs, are still there, in the order in which they were given back
 * @nr_stale: number of stale RMIDs
 * @refused: how often there was no RMID
 */
struct pmct_rmids {
	enum pmct_rmid_policy policy;
	bool waits;
	unsigned int nr;
	u32 random;
	struct pmct_rmid_app app[PMCT_MAX_RMIDS];
	u16 free[PMCT_MAX_RMIDS];
	unsigned int nr_free;
	u16 stale[PMCT_MAX_RMIDS];
	unsigned int nr_stale;
	u64 refused;
};

void pmct_rmids_init(struct pmct_rmids *r, unsigned int nr, enum pmct_rmid_policy policy,
		     bool waits);
unsigned int pmct_rmids_get(struct pmct_rmids *r, pid_t tgid);
void pmct_rmids_put(struct pmct_rmids *r, unsigned int rmid, bool lingers);
void pmct_rmids_clean(struct pmct_rmids *r, unsigned int rmid);
void pmct_rmids_requeue(struct pmct_rmids *r, unsigned int rmid);

#endif /* _PMCT_RMIDS_H */
