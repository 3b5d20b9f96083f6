/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the model says of a program that is alone, without a simulated machine. */
#ifndef SIMAPP_PREDICT_H
#define SIMAPP_PREDICT_H

#include <stdint.h>

#include "program.h"

/*
 * Print, for each core type of a machine (topology_find()), the time and the events of one thread
 * that does all that @p's threads do alone, as a line of JSON. 0, or a negative errno after a
 * message.
 */
int predict_print(const struct program *p, uint64_t seed, const char *machine);

/*
 * The same for each piece of @window instructions, a line for each: columns of CSV, with the core
 * type and the number of the piece.
 */
int predict_print_windows(const struct program *p, uint64_t seed, const char *machine,
			  uint64_t window);

#endif /* SIMAPP_PREDICT_H */
