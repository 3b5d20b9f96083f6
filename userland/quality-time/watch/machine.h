/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole machine: time that the hypervisor took, and how samples are taken. */
#ifndef WATCH_MACHINE_H
#define WATCH_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* Stolen time of all CPUs since boot (/proc/stat, "steal"). False: the kernel does not say. */
bool machine_stolen(uint64_t *ms);

/* How the monitoring module takes samples (its parameters). False: they cannot be read. */
bool machine_sampling(unsigned int *hold_us, unsigned int *budget);

#endif /* WATCH_MACHINE_H */
