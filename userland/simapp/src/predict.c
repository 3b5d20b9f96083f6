// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "complain.h"
#include "names.h"
#include "predict.h"
#include "topology.h"
#include "../../../module/pmu-backends/sim/model.h"

static unsigned int cpu_of_type(const struct pmct_sim_machine *m, unsigned int type)
{
	unsigned int cpu = 0;

	while (m->cpu_type[cpu] != type)
		cpu++;
	return cpu;
}

/* The instructions of all threads. */
static uint64_t work_of(const struct program *p)
{
	return p->rounds * (p->serial + p->parallel * p->threads);
}

/* Put one thread on a CPU of @type, alone. */
static void begin_alone(struct pmct_sim *sim, const struct pmct_sim_machine *m, unsigned int type,
			const struct program *p, uint64_t seed)
{
	pmct_sim_init(sim, m, 0);
	pmct_sim_begin(sim, 0, &p->profile, seed);
	pmct_sim_enter(sim, cpu_of_type(m, type), 0, 0);
}

/* Run the thread until it has executed @goal instructions. */
static void run_until(struct pmct_sim *sim, uint64_t goal)
{
	sim->thread[0].goal = goal;
	while (sim->thread[0].count[PMCT_SIM_INSTR] < goal)
		pmct_sim_step(sim, sim->stepped + PMCT_SIM_STEP_NS);
}

static struct pmct_sim *new_sim(const struct program *p)
{
	struct pmct_sim *sim;
	const char *why;

	if (pmct_sim_profile_check(&p->profile, &why)) {
		complain("%s cannot be simulated: %s", p->profile.name, why);
		return NULL;
	}
	sim = malloc(sizeof(*sim));
	if (!sim)
		complain("no memory");
	return sim;
}

static struct json_object *describe(const struct pmct_sim *sim)
{
	const struct pmct_sim_thread *t = &sim->thread[0];
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "seconds", json_object_new_double((double)t->ran_ps / 1e12));
	json_object_object_add(object, "energy_uj", json_object_new_double((double)t->pj / 1e6));
	json_object_object_add(object, "events", names_events(t->count));
	return object;
}

int predict_print(const struct program *p, uint64_t seed, const char *machine)
{
	const struct pmct_sim_machine *m = topology_find(machine);
	struct pmct_sim *sim = m ? new_sim(p) : NULL;
	struct json_object *object, *types;
	unsigned int type;

	if (!sim)
		return -EINVAL;
	object = json_object_new_object();
	types = json_object_new_object();
	for (type = 0; type < m->nr_types; type++) {
		begin_alone(sim, m, type, p, seed);
		run_until(sim, work_of(p));
		json_object_object_add(types, m->type[type].name, describe(sim));
	}
	json_object_object_add(object, "simulated", json_object_new_boolean(1));
	json_object_object_add(object, "machine", json_object_new_string(m->name));
	json_object_object_add(object, "program", json_object_new_string(p->profile.name));
	json_object_object_add(object, "alone", types);
	printf("%s\n", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
	json_object_put(object);
	free(sim);
	return 0;
}

static void print_windows_on(struct pmct_sim *sim, const char *type, uint64_t work, uint64_t window)
{
	const struct pmct_sim_thread *t = &sim->thread[0];
	struct pmct_sim_thread was = *t;
	uint64_t pj = pmct_sim_machine_pj(sim), done, i;
	unsigned int e;

	for (i = 0, done = 0; done < work; i++, was = *t, pj = pmct_sim_machine_pj(sim)) {
		done = window < work - done ? done + window : work;
		run_until(sim, done);
		printf("%s,%llu,%.0f,%.3f", type, (unsigned long long)i, (double)(t->ran_ps - was.ran_ps) / 1e3,
		       (double)(pmct_sim_machine_pj(sim) - pj) / 1e6);
		for (e = 0; e < PMCT_SIM_NR_EVENTS; e++)
			printf(",%llu", (unsigned long long)(t->count[e] - was.count[e]));
		printf("\n");
	}
}

int predict_print_windows(const struct program *p, uint64_t seed, const char *machine,
			  uint64_t window)
{
	const struct pmct_sim_machine *m = topology_find(machine);
	struct pmct_sim *sim = m ? new_sim(p) : NULL;
	unsigned int type, e;

	if (!sim)
		return -EINVAL;
	printf("simulated_type,window,ns,machine_energy_uj");
	for (e = 0; e < PMCT_SIM_NR_EVENTS; e++)
		printf(",%s", names_event(e));
	printf("\n");
	for (type = 0; type < m->nr_types; type++) {
		begin_alone(sim, m, type, p, seed);
		print_windows_on(sim, m->type[type].name, work_of(p), window);
	}
	free(sim);
	return 0;
}
