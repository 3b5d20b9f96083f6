/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of what no counter knows of a run, for users and for programs. */
#ifndef SIMAPP_TRUTH_H
#define SIMAPP_TRUTH_H

#include "program.h"
#include "run.h"

/* Both print on standard output, and return 0, or a negative errno after a message. */
int truth_print(const struct program *p, const struct run_result *result);
int truth_print_json(const struct program *p, uint64_t seed, const struct run_result *result);

#endif /* SIMAPP_TRUTH_H */
