/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contract between the module and hardware that attributes lines of the last-level cache to a
 * number (RMID). Each CPU is told the RMID of the running thread. A cache monitor does not know
 * threads, or how RMIDs are assigned to them.
 */
#ifndef _PMCTRACK_CACHE_MONITOR_H
#define _PMCTRACK_CACHE_MONITOR_H

#include <linux/types.h>
#include <pmctrack/msg.h>

/* RMIDs are below this. RMID 0 is shared by all threads that have none of their own. */
#define PMCT_MAX_RMIDS	512

/**
 * enum pmct_cache_event - what is known of an RMID in a domain (CPUs that share a cache)
 * @PMCT_CACHE_OCCUPANCY: bytes in the cache
 * @PMCT_CACHE_TOTAL: bytes from and to memory; a sum
 * @PMCT_CACHE_LOCAL: bytes from and to the memory of the CPUs' own node; a sum
 * @PMCT_NR_CACHE_EVENTS: number of events
 */
enum pmct_cache_event {
	PMCT_CACHE_OCCUPANCY,
	PMCT_CACHE_TOTAL,
	PMCT_CACHE_LOCAL,
	PMCT_NR_CACHE_EVENTS,
};

/**
 * struct pmct_cache_monitor - a cache monitor
 *
 * Hot, as in <pmctrack/backend.h>: on the CPU concerned, interrupts disabled, possibly under the
 * runqueue lock. Hot operations must not sleep, allocate, wake a task or print.
 */
struct pmct_cache_monitor {
	/** @name: short, for people */
	const char *name;
	/**
	 * @probe: find the hardware. Returns 0, or with @msg: -ENODEV if it does not exist, -EBUSY
	 * if other software uses it. Context: process, whenever a monitoring module that needs it
	 * becomes the active one.
	 */
	int (*probe)(struct pmct_msg *msg);
	/** @nr_rmids: number of RMIDs, including 0; at most PMCT_MAX_RMIDS. Context: any. */
	unsigned int (*nr_rmids)(void);
	/** @has: true if the hardware counts @event. Context: any. */
	bool (*has)(enum pmct_cache_event event);
	/** @modulus: sums wrap to 0 when they reach this value. Context: any. */
	u64 (*modulus)(void);
	/** @stale_bytes: an RMID with at most so many bytes cached can be reused. Context: any. */
	u64 (*stale_bytes)(void);
	/** @domain: number of this CPU's domain; it never changes. Context: hot, but slow. */
	int (*domain)(void);
	/** @assign: from now on, what runs on this CPU has this RMID. Context: hot. */
	void (*assign)(unsigned int rmid);
	/**
	 * @withdraw: if this CPU still has this RMID, assign 0, because other software uses the
	 * hardware now. Context: hot. NULL if @others is
	 */
	void (*withdraw)(unsigned int rmid);
	/**
	 * @read: read an event of an RMID in this CPU's domain, in bytes. Returns 0, or -ENODATA if
	 * the hardware has no value at present. Context: hot.
	 */
	int (*read)(unsigned int rmid, enum pmct_cache_event event, u64 *bytes);
	/**
	 * @others: true if other software uses the hardware. Then we must not touch it any more.
	 * Context: process, may sleep. NULL: no other software can.
	 */
	bool (*others)(void);
};

#endif /* _PMCTRACK_CACHE_MONITOR_H */
