/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contract between the module and hardware that knows whose lines are in the last-level cache, by
 * a number (RMID) that each CPU is told. It knows neither threads nor who has which number.
 */
#ifndef _PMCTRACK_CACHE_MONITOR_H
#define _PMCTRACK_CACHE_MONITOR_H

#include <linux/types.h>
#include <pmctrack/msg.h>

/* RMIDs are below this, and 0 is everybody's who has none. */
#define PMCT_MAX_RMIDS	512

/**
 * enum pmct_cache_event - what is known of an RMID in a domain: CPUs that share a cache
 * @PMCT_CACHE_OCCUPANCY: bytes in the cache
 * @PMCT_CACHE_TOTAL: bytes from and to memory; a sum
 * @PMCT_CACHE_LOCAL: those of the CPUs' own node; a sum
 * @PMCT_NR_CACHE_EVENTS: their number
 */
enum pmct_cache_event {
	PMCT_CACHE_OCCUPANCY,
	PMCT_CACHE_TOTAL,
	PMCT_CACHE_LOCAL,
	PMCT_NR_CACHE_EVENTS,
};

/**
 * struct pmct_cache_monitor - the hardware
 *
 * Hot, as in <pmctrack/backend.h>: on the CPU concerned, interrupts disabled, possibly under the
 * runqueue lock; it must not sleep, allocate, wake anybody or print.
 */
struct pmct_cache_monitor {
	/** @name: short, for people */
	const char *name;
	/**
	 * @probe: find it. -ENODEV if it is not there, -EBUSY if it is somebody else's, with @msg.
	 * Context: process, whenever a monitoring module that needs it becomes the active one.
	 */
	int (*probe)(struct pmct_msg *msg);
	/** @nr_rmids: how many there are, with 0; at most PMCT_MAX_RMIDS. Context: any. */
	unsigned int (*nr_rmids)(void);
	/** @has: is an event counted? Context: any. */
	bool (*has)(enum pmct_cache_event event);
	/** @modulus: sums begin again at 0 where they would be this. Context: any. */
	u64 (*modulus)(void);
	/** @stale_bytes: less in the cache does not matter. Context: any. */
	u64 (*stale_bytes)(void);
	/** @domain: number of this CPU's domain; it never changes. Context: hot, but slow. */
	int (*domain)(void);
	/** @assign: what runs on this CPU from now on has this RMID. Context: hot. */
	void (*assign)(unsigned int rmid);
	/**
	 * @withdraw: nothing has, if it still was this one: others use it now. Context: hot. NULL
	 * if @others is
	 */
	void (*withdraw)(unsigned int rmid);
	/**
	 * @read: an event of an RMID in this CPU's domain, in bytes. -ENODATA: the hardware has
	 * none at present. Context: hot.
	 */
	int (*read)(unsigned int rmid, enum pmct_cache_event event, u64 *bytes);
	/**
	 * @others: does somebody else use the hardware? Then it must not be touched any more.
	 * Context: process, may sleep. NULL: nobody can.
	 */
	bool (*others)(void);
};

#endif /* _PMCTRACK_CACHE_MONITOR_H */
