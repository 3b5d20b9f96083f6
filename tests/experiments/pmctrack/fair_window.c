// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fair_window.h"
#include "rates.h"

void fair_run_until(struct pmct_sim *sim, uint64_t end)
{
	while (sim->stepped < end)
		pmct_sim_step(sim, sim->pace.next < end ? sim->pace.next : end);
}

struct fair_point fair_point(struct pmct_sim *sim, unsigned int thread)
{
	const struct pmct_sim_thread *t = &sim->thread[thread];

	pmct_sim_settle_alone(sim, thread);
	return (struct fair_point){ t->count[PMCT_SIM_INSTR], t->count[PMCT_SIM_CYCLES],
				    t->count[PMCT_SIM_MEM_LINES], t->ran_ps / 1000,
				    (double)t->alone[0].ps * sim->machine.type[0].mhz / 1e6 };
}

static void begin_window(struct fair_watch *watch, const struct fair_point *at)
{
	memset(&watch->v, 0, sizeof(watch->v));
	memset(&watch->w, 0, sizeof(watch->w));
	watch->began = *at;
}

void fair_watch_begin(struct fair_watch *watch)
{
	pmct_progress_begin(&watch->progress);
	watch->next_address = FAIR_ADDRESS_INSTR;
}

void fair_sample(struct fair_watch *watch, const struct pmct_sim_thread *t, uint64_t to)
{
	struct pmct_sim_thread at = *t;

	for (; watch->next_address <= to;
	     watch->next_address += FAIR_ADDRESS_INSTR + (uint64_t)random() % (FAIR_ADDRESS_INSTR / 4)) {
		at.count[PMCT_SIM_INSTR] = watch->next_address;
		pmct_phase_add(&watch->v, (uint32_t)(pmct_sim_ip(&at) >> 6));
	}
}

bool fair_end_window(struct fair_watch *watch, const struct fair_point *now, unsigned int core_type,
		     struct pmct_traffic *traffic, enum pmct_contention *kind)
{
	struct pmct_window *w = &watch->w;

	if (watch->v.nr < PMCT_PHASE_ADDRESSES)
		return false;
	w->v = &watch->v;
	w->unsure = watch->unsure;
	w->core_type = core_type;
	w->instr = now->instr - watch->began.instr;
	w->cycles = now->cycles - watch->began.cycles;
	w->lines = now->lines - watch->began.lines;
	w->ns = now->ns - watch->began.ns;
	*kind = pmct_progress_window(&watch->progress, &watch->program, w, traffic);
	pmct_progress_note_typical(traffic, &watch->progress, *kind);
	begin_window(watch, now);
	return true;
}
