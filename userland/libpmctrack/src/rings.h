/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mapped rings of a session, one for each CPU that writes; they are read as one ring. */
#ifndef PMCTRACK_RINGS_H
#define PMCTRACK_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include <pmctrack/libpmctrack.h>

/**
 * struct ring - a mapped ring
 * @ctl: control page
 * @data: records; NULL: not mapped
 * @size: size of @data in bytes
 * @tail: position up to which records were read
 * @sure: position up to which records may be read now, see rings_look()
 * @seen: position up to which there are records
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
 * @of: the rings
 * @nr: number of rings; 0: nothing is mapped
 * @last: the ring of the record that the caller is using; NULL: none
 * @forks: generation of forks (of children of children) in which the rings were mapped
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
 * True if the rings are mapped in this process. A child that was forked after
 * rings_map() does not have the mappings, and may have mapped something else there.
 * In such a child, all functions below find no records and no losses.
 */
bool rings_here(const struct rings *rings);
/* Returns the next record, which is valid until the next call; NULL: there is none. */
const struct pmctrack_record *rings_next(struct rings *rings);
/* Consume the record that rings_next() returned. */
void rings_done(struct rings *rings);
uint64_t rings_lost(const struct rings *rings);
uint64_t rings_lost_count(const struct rings *rings, unsigned int core_type, unsigned int set,
			  unsigned int counter);

/* The control page of the first ring has the members that describe the whole session. */
static inline const struct pmctrack_ring_ctl *rings_first(const struct rings *rings)
{
	return rings->of[0].ctl;
}

#endif /* PMCTRACK_RINGS_H */
