/* SPDX-License-Identifier: GPL-2.0-only */
/* Event sets: from a raw configuration string to a struct pmct_hwset. Pure. */
#ifndef _PMCT_EVSET_H
#define _PMCT_EVSET_H

#include <pmctrack/backend.h>

#define PMCT_ANY_CORE_TYPE	(-1)

/* With shorter windows, taking samples would leave the thread hardly any CPU time. */
#define PMCT_EBS_MIN		1000

/*
 * Counters of at least this width take minutes to wrap. With one account per tick, the difference
 * modulo their width is exact. Narrower counters need their overflow flags.
 */
#define PMCT_WIDE_MASK		GENMASK_ULL(39, 0)

/**
 * struct pmct_evset_spec - a parsed raw configuration string
 * @core_type: value of coretype=N, or PMCT_ANY_CORE_TYPE
 * @nr: number of events
 * @event: the events, by ascending counter
 */
struct pmct_evset_spec {
	int core_type;
	unsigned int nr;
	struct pmct_event event[PMCTRACK_MAX_COUNTERS];
};

int pmct_evset_parse(const char *raw, const char *const *keys,
		     struct pmct_evset_spec *spec, struct pmct_msg *msg);
int pmct_evset_print(const struct pmct_evset_spec *spec, const char *const *keys,
		     char *raw, size_t size);
int pmct_evset_build(const struct pmct_backend *backend,
		     const struct pmct_evset_spec *spec, unsigned int core_type,
		     struct pmct_hwset *set, struct pmct_msg *msg);
bool pmct_evset_counts_kernel(const struct pmct_evset_spec *spec);

/**
 * pmct_delta() - events between two reads of a counter of limited width
 * @last: the first read
 * @now: the second read
 * @mask: largest value of the counter, all bits set
 * @overflowed: the overflow flag was set before the second read, and had been cleared before the
 *	first
 *
 * Exact if the counter wraps at most once between the reads. If the flag is set and @now >= @last,
 * the counter made one full turn. If the counter wrapped but the flag was not set yet, @now <
 * @last.
 */
static inline u64 pmct_delta(u64 last, u64 now, u64 mask, bool overflowed)
{
	u64 delta = (now - last) & mask;

	if (overflowed && now >= last)
		delta += mask + 1;
	return delta;
}

#endif /* _PMCT_EVSET_H */
