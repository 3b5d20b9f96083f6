/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulated threads: open files of /dev/pmctrack_sim. */
#ifndef SIMAPP_DEVICE_H
#define SIMAPP_DEVICE_H

#include <stdint.h>

#include <linux/pmctrack_sim.h>

/* All return a negative errno on failure, after a message. */

/* Create a simulated thread. Returns its file descriptor. */
int device_open(const struct pmct_sim_profile *profile, uint64_t seed);
/* The calling thread executes @instr instructions of it. -EINTR without a message: interrupt.h. */
int device_run(int fd, uint64_t instr);
int device_truth(int fd, struct pmct_sim_truth *truth);
int device_info(struct pmct_sim_info *info);

#endif /* SIMAPP_DEVICE_H */
