// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "qtop/graph.h"

enum { LINE_TENS = GRAPH_STEPS, LINE_ONES, LINE_MOVES };

struct move {
	const struct process *of;
	unsigned int slot;
	unsigned int before;
	bool swapped;
};

/* Sets move::swapped if @other made the opposite move. */
static bool look_for_swap(struct process *other, void *arg)
{
	struct move *m = arg;

	if (other != m->of && other->slot_cpu[m->before] == m->of->slot_cpu[m->slot] &&
	    other->slot_cpu[m->slot] == m->of->slot_cpu[m->before])
		m->swapped = true;
	return false;
}

/* Find the last slot before the @back-th in which the process ran. False: there is none. */
static bool ran_before(const struct processes *p, const struct process *of, unsigned int back,
		       unsigned int *slot)
{
	for (back++; back < PROCESS_SLOTS; back++) {
		*slot = processes_slot(p, back);
		if (of->slot_cpu[*slot] >= 0)
			return true;
	}
	return false;
}

static char move_of(struct processes *p, const struct process *of, unsigned int back)
{
	struct move m = { .of = of, .slot = processes_slot(p, back) };

	if (!ran_before(p, of, back, &m.before) || of->slot_cpu[m.before] == of->slot_cpu[m.slot])
		return ' ';
	processes_each(p, look_for_swap, &m);
	return m.swapped ? 's' : 'm';
}

void graph_draw(struct graph *g, struct processes *p, const struct process *of)
{
	for (unsigned int i = 0; i < GRAPH_LINES; i++) {
		memset(g->line[i], ' ', sizeof(g->line[i]) - 1);
		g->line[i][sizeof(g->line[i]) - 1] = '\0';
		if (i < GRAPH_STEPS)
			snprintf(g->line[i], GRAPH_MARGIN + 1, "%3u%% |", 10 * (GRAPH_STEPS - i));
		else
			snprintf(g->line[i], GRAPH_MARGIN + 1, "%5s ", i == LINE_ONES ? "CPU" : i == LINE_MOVES ? "moves" : "");
		g->line[i][GRAPH_MARGIN] = ' ';
	}
	for (unsigned int x = 0; x < GRAPH_COLUMNS; x++) {
		unsigned int back = GRAPH_COLUMNS - x, slot = processes_slot(p, back);
		int cpu = of->slot_cpu[slot];
		double quality;

		if (cpu < 0)
			continue;
		if (sum_quality(&of->slot[slot], &quality)) {
			unsigned int step = quality >= 1 ? GRAPH_STEPS - 1 : (unsigned int)(quality * 10);

			g->line[GRAPH_STEPS - 1 - step][GRAPH_MARGIN + x] = 'o';
		}
		g->line[LINE_ONES][GRAPH_MARGIN + x] = (char)('0' + cpu % 10);
		if (cpu >= 10)
			g->line[LINE_TENS][GRAPH_MARGIN + x] = (char)(cpu < 360 ? (cpu / 10 < 10 ? '0' + cpu / 10 : 'a' + cpu / 10 - 10) : '+');
		g->line[LINE_MOVES][GRAPH_MARGIN + x] = move_of(p, of, back);
	}
}
