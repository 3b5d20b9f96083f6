/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Predictions of the model for a program that runs alone, without a simulated machine. */
#ifndef SIMAPP_PREDICT_H
#define SIMAPP_PREDICT_H

#include <stdint.h>

#include "program.h"

/*
 * Print the time and the events of one thread that does alone all that @p's threads do, for each
 * core type of a machine (topology_find()), as a line of JSON. Returns 0, or a negative errno after
 * a message.
 */
int predict_print(const struct program *p, uint64_t seed, const char *machine);

/*
 * The same for each piece of @window instructions: a line of CSV for each piece, with the core type
 * and the number of the piece.
 */
int predict_print_windows(const struct program *p, uint64_t seed, const char *machine,
			  uint64_t window);

#endif /* SIMAPP_PREDICT_H */
