/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The graph of a process over time: its quality in steps of 10 %, and the CPUs where it ran. */
#ifndef QTOP_GRAPH_H
#define QTOP_GRAPH_H

#include "watch/processes.h"

#define GRAPH_COLUMNS	(PROCESS_SLOTS - 1)
/* Ten steps; two lines with the CPU's number; one with moves. */
#define GRAPH_STEPS	10
#define GRAPH_LINES	(GRAPH_STEPS + 3)
#define GRAPH_MARGIN	6

struct graph {
	char line[GRAPH_LINES][GRAPH_MARGIN + GRAPH_COLUMNS + 1];
};

/*
 * Draws the last slots of @of, the latest at the right. Below each dot is the CPU where the process
 * ran last in that slot. 'm': it is not the CPU of the dot before. 's': another process of the
 * table made the opposite move meanwhile.
 */
void graph_draw(struct graph *g, struct processes *p, const struct process *of);

#endif /* QTOP_GRAPH_H */
