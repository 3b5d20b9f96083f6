/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the hypervisor took from this machine. */
#ifndef WATCH_MACHINE_H
#define WATCH_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* Time of all CPUs together, since boot (/proc/stat, "steal"). False: the kernel does not say. */
bool machine_stolen(uint64_t *ms);

/* How the monitoring module takes samples: see its parameters. False: it does not say. */
bool machine_sampling(unsigned int *hold_us, unsigned int *budget);

#endif /* WATCH_MACHINE_H */
