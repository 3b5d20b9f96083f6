// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include <json-c/json.h>

#include "complain.h"
#include "device.h"
#include "names.h"
#include "truth.h"

#define PS_PER_S	1e12
#define PJ_PER_UJ	1e6

int truth_print(const struct program *p, const struct run_result *result)
{
	struct pmct_sim_info info;
	unsigned int i, type;
	int err = device_info(&info);

	if (err)
		return err;
	printf("[%s on the simulated machine %s: %.6f s%s]\n", p->profile.name, info.name,
	       (double)result->ns / 1e9, result->early ? ", interrupted" : "");
	printf("%6s %16s %12s %14s %12s", "thread", "instr", "cpu_s", "energy_uJ", "llc_KiB");
	for (type = 0; type < info.nr_types; type++)
		printf("  alone_%s_s", info.type[type]);
	printf("\n");
	for (i = 0; i < p->threads; i++) {
		const struct pmct_sim_truth *t = &result->truth[i];

		printf("%6u %16llu %12.6f %14.0f %12llu", i, t->count[PMCT_SIM_INSTR],
		       (double)t->ran_ps / PS_PER_S, (double)t->pj / PJ_PER_UJ, t->llc_bytes / 1024);
		for (type = 0; type < t->nr_types; type++)
			printf("  %*.6f", (int)snprintf(NULL, 0, "alone_%s_s", info.type[type]),
			       (double)t->alone_ps[type] / PS_PER_S);
		printf("\n");
	}
	return 0;
}

static void add(struct json_object *to, const char *key, struct json_object *value)
{
	json_object_object_add(to, key, value);
}

static struct json_object *thread_object(const struct pmct_sim_info *info,
					 const struct pmct_sim_truth *t)
{
	struct json_object *object = json_object_new_object();
	struct json_object *alone = json_object_new_object();
	unsigned int i;

	for (i = 0; i < t->nr_types; i++)
		add(alone, info->type[i], json_object_new_double((double)t->alone_ps[i] / PS_PER_S));
	add(object, "cpu_s", json_object_new_double((double)t->ran_ps / PS_PER_S));
	add(object, "energy_uj", json_object_new_double((double)t->pj / PJ_PER_UJ));
	add(object, "llc_bytes", json_object_new_int64((int64_t)t->llc_bytes));
	add(object, "alone_s", alone);
	add(object, "events", names_events(t->count));
	return object;
}

int truth_print_json(const struct program *p, uint64_t seed, const struct run_result *result)
{
	struct json_object *object, *threads;
	struct pmct_sim_info info;
	unsigned int i;
	int err = device_info(&info);

	if (err)
		return err;
	object = json_object_new_object();
	threads = json_object_new_array();
	for (i = 0; i < p->threads; i++)
		json_object_array_add(threads, thread_object(&info, &result->truth[i]));
	add(object, "simulated", json_object_new_boolean(1));
	add(object, "machine", json_object_new_string(info.name));
	add(object, "program", json_object_new_string(p->profile.name));
	add(object, "seed", json_object_new_int64((int64_t)seed));
	add(object, "elapsed_s", json_object_new_double((double)result->ns / 1e9));
	add(object, "completed", json_object_new_boolean(!result->early));
	add(object, "machine_energy_uj",
	    json_object_new_double((double)result->truth[0].machine_pj / PJ_PER_UJ));
	add(object, "machine_energy_of_run_uj",
	    json_object_new_double((double)result->machine_pj / PJ_PER_UJ));
	add(object, "threads", threads);
	printf("%s\n", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
	json_object_put(object);
	return 0;
}
