/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mapped rings of a session: one for each CPU that writes, read as one. */
#ifndef PMCTRACK_RINGS_H
#define PMCTRACK_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include <pmctrack/libpmctrack.h>

/**
 * struct ring - a mapped ring
 * @ctl: control page
 * @data: records; NULL: not mapped
 * @size: bytes of them
 * @tail: how far they were read
 * @sure: how far they may be, see rings_next()
 * @seen: how far there are any
 */
struct ring {
	struct pmctrack_ring_ctl *ctl;
	const char *data;
	uint64_t size;
	uint64_t tail;
	uint64_t sure;
	uint64_t seen;
};

/**
 * struct rings - all rings of a session
 * @of: each of them
 * @nr: their number; 0: nothing is mapped
 * @last: the ring whose next record the caller has in hand, NULL: none
 * @forks: how often the program had forked when they were mapped
 */
struct rings {
	struct ring *of;
	unsigned int nr;
	struct ring *last;
	unsigned int forks;
};

int rings_map(struct rings *rings, int fd);
void rings_unmap(struct rings *rings);
/*
 * Are they mapped in this process? A child that was forked since does not have the
 * mappings; something of its own may be there. Then all below find nothing.
 */
bool rings_here(const struct rings *rings);
/* The next record, valid until the next call; NULL: there is none. */
const struct pmctrack_record *rings_next(struct rings *rings);
/* The record that rings_next() gave is done with. */
void rings_done(struct rings *rings);
uint64_t rings_lost(const struct rings *rings);
uint64_t rings_lost_count(const struct rings *rings, unsigned int core_type, unsigned int set,
			  unsigned int counter);

/* What is of the whole session is in the control page of the first ring. */
static inline const struct pmctrack_ring_ctl *rings_first(const struct rings *rings)
{
	return rings->of[0].ctl;
}

#endif /* PMCTRACK_RINGS_H */
