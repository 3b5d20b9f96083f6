/* SPDX-License-Identifier: GPL-2.0-only */
/* A PMU in memory, for KUnit: eight counters, of which 0 is fixed. */
#ifndef _PMCT_FAKE_H
#define _PMCT_FAKE_H

#include <pmctrack/backend.h>

/**
 * struct pmct_fake_state - what the fake hardware holds
 * @value: the counters; tests let them count
 * @overflow: overflow flags
 * @set: the set that was programmed last
 * @nr_program: how often sets were programmed
 * @nr_read: how often the counters were read
 * @own: events of counter 1 while it is read, or written
 * @disturbed: other software has written the registers
 */
struct pmct_fake_state {
	u64 value[PMCTRACK_MAX_COUNTERS];
	u64 overflow;
	const struct pmct_hwset *set;
	unsigned int nr_program;
	unsigned int nr_read;
	u64 own;
	bool disturbed;
};

extern struct pmct_fake_state pmct_fake_state;
extern const struct pmct_backend pmct_fake;
/* From sensors/tests/energy_kunit.c. Fuzz targets are linked without it. */
extern const struct pmct_sensor __weak pmct_fake_sensor;
extern bool pmct_fake_narrow;	/* counters 1 and up have 32 bits */

void pmct_fake_reset(void);
/* Counter @counter counts @events, and wraps as hardware does. */
void pmct_fake_count(unsigned int counter, u64 events);

#endif /* _PMCT_FAKE_H */
