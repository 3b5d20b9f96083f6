// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "complain.h"
#include "names.h"
#include "predict.h"
#include "../../../module/pmu-backends/sim/model.h"

static const struct pmct_sim_machine *find(const char *name)
{
	const struct pmct_sim_machine *m;
	unsigned int i;

	for (i = 0; (m = pmct_sim_topology(i)); i++) {
		if (!strcmp(m->name, name))
			return m;
	}
	complain("there is no simulated machine '%s'; there are:", name);
	for (i = 0; (m = pmct_sim_topology(i)); i++)
		complain("  %s", m->name);
	return NULL;
}

static unsigned int cpu_of_type(const struct pmct_sim_machine *m, unsigned int type)
{
	unsigned int cpu = 0;

	while (m->cpu_type[cpu] != type)
		cpu++;
	return cpu;
}

/* The thread runs alone on a CPU of @type until it has done its work. */
static void run_alone(struct pmct_sim *sim, const struct pmct_sim_machine *m, unsigned int type,
		      const struct program *p, uint64_t seed)
{
	unsigned int cpu = cpu_of_type(m, type);
	uint64_t goal = p->rounds * (p->serial + p->parallel * p->threads);

	pmct_sim_init(sim, m, 0);
	pmct_sim_begin(sim, 0, &p->profile, seed);
	sim->thread[0].goal = goal;
	pmct_sim_enter(sim, cpu, 0, 0);
	while (sim->thread[0].count[PMCT_SIM_INSTR] < goal)
		pmct_sim_step(sim, sim->stepped + PMCT_SIM_STEP_NS);
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
	const struct pmct_sim_machine *m = find(machine);
	struct json_object *object, *types;
	struct pmct_sim *sim;
	const char *why;
	unsigned int type;

	if (!m)
		return -EINVAL;
	if (pmct_sim_profile_check(&p->profile, &why)) {
		complain("%s cannot be simulated: %s", p->profile.name, why);
		return -EINVAL;
	}
	sim = malloc(sizeof(*sim));
	if (!sim) {
		complain("no memory");
		return -ENOMEM;
	}
	object = json_object_new_object();
	types = json_object_new_object();
	for (type = 0; type < m->nr_types; type++) {
		run_alone(sim, m, type, p, seed);
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
