// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "profiles.h"
#include "strict.h"
#include "topology.h"
#include "../../../module/pmu-backends/sim/model.h"

#define NR(_array)	(sizeof(_array) / sizeof((_array)[0]))

#define TYPE(_member)	{ #_member, offsetof(struct pmct_sim_core_type, _member) }
static const struct strict_field type_fields[] = {
	TYPE(mhz), TYPE(width), TYPE(ilp_used), TYPE(overlap), TYPE(front_end), TYPE(branch_cycles),
	TYPE(walk_cycles), TYPE(l2_cycles), TYPE(l2_kib), TYPE(counters), TYPE(instr_pj),
	TYPE(active_mw), TYPE(idle_mw),
};

#define CLUSTER(_member)	{ #_member, offsetof(struct pmct_sim_cluster, _member) }
static const struct strict_field cluster_fields[] = {
	CLUSTER(llc_kib), CLUSTER(llc_ps), CLUSTER(node),
};

#define NODE(_member)	{ #_member, offsetof(struct pmct_sim_node, _member) }
static const struct strict_field node_fields[] = {
	NODE(mem_ps), NODE(mem_mbs), NODE(mem_mw),
};

#define MACHINE(_member)	{ #_member, offsetof(struct pmct_sim_machine, _member) }
static const struct strict_field machine_fields[] = {
	MACHINE(llc_pj), MACHINE(mem_pj), MACHINE(uncore_mw),
};

static const char *const nothing[] = { NULL };

static int read_types(struct strict_place *at, struct json_object *object, struct pmct_sim_machine *m)
{
	static const char *const others[] = { "name", NULL };
	size_t i, nr;
	struct json_object *list = strict_list(at, object, "types", PMCT_SIM_TYPES, &nr);
	int err = list ? 0 : -EINVAL;

	for (i = 0; !err && i < nr; i++) {
		struct json_object *type = strict_entry(at, list, "type", i, 0);

		err = strict_fields(at, type, type_fields, NR(type_fields), others, &m->type[i]);
		if (!err)
			err = strict_text(at, type, "name", m->type[i].name, sizeof(m->type[i].name));
		m->nr_types++;
	}
	at->within[0] = '\0';
	return err;
}

static int read_clusters(struct strict_place *at, struct json_object *object,
			 struct pmct_sim_machine *m)
{
	size_t i, nr;
	struct json_object *list = strict_list(at, object, "clusters", PMCT_SIM_CLUSTERS, &nr);
	int err = list ? 0 : -EINVAL;

	for (i = 0; !err && i < nr; i++) {
		err = strict_fields(at, strict_entry(at, list, "cluster", i, 0), cluster_fields,
				    NR(cluster_fields), nothing, &m->cluster[i]);
		m->nr_clusters++;
	}
	at->within[0] = '\0';
	return err;
}

static int read_nodes(struct strict_place *at, struct json_object *object, struct pmct_sim_machine *m)
{
	size_t i, nr;
	struct json_object *list = strict_list(at, object, "nodes", PMCT_SIM_NODES, &nr);
	int err = list ? 0 : -EINVAL;

	for (i = 0; !err && i < nr; i++) {
		err = strict_fields(at, strict_entry(at, list, "node", i, 0), node_fields,
				    NR(node_fields), nothing, &m->node[i]);
		m->nr_nodes++;
	}
	at->within[0] = '\0';
	return err;
}

static int read_cpu(struct strict_place *at, struct json_object *cpu, struct pmct_sim_machine *m)
{
	static const char *const known[] = { "type", "cluster", NULL };
	char type[PMCT_SIM_NAME];
	uint64_t cluster;
	unsigned int i;

	if (strict_fields(at, cpu, NULL, 0, known, NULL) ||
	    strict_text(at, cpu, "type", type, sizeof(type)) ||
	    strict_number(at, cpu, "cluster", m->nr_clusters - 1, &cluster))
		return -EINVAL;
	for (i = 0; i < m->nr_types && strcmp(m->type[i].name, type); i++)
		;
	if (i == m->nr_types)
		return strict_refuse(at, "type", "is the name of none of 'types'");
	m->cpu_type[m->nr_cpus] = (__u8)i;
	m->cpu_cluster[m->nr_cpus] = (__u8)cluster;
	m->nr_cpus++;
	return 0;
}

static int read_cpus(struct strict_place *at, struct json_object *object, struct pmct_sim_machine *m)
{
	size_t i, nr;
	struct json_object *list = strict_list(at, object, "cpus", PMCT_SIM_CPUS, &nr);
	int err = list ? 0 : -EINVAL;

	for (i = 0; !err && i < nr; i++)
		err = read_cpu(at, strict_entry(at, list, "cpu", i, 0), m);
	at->within[0] = '\0';
	return err;
}

static int read_machine(struct strict_place *at, struct json_object *object,
			struct pmct_sim_machine *m)
{
	static const char *const others[] = { "name", "types", "clusters", "nodes", "cpus", NULL };

	if (strict_fields(at, object, machine_fields, NR(machine_fields), others, m) ||
	    strict_text(at, object, "name", m->name, sizeof(m->name)) ||
	    read_types(at, object, m) || read_clusters(at, object, m) ||
	    read_nodes(at, object, m) || read_cpus(at, object, m))
		return -EINVAL;
	return 0;
}

static const struct pmct_sim_machine *of_file(const char *path)
{
	static struct pmct_sim_machine machine;
	struct strict_place at = { .path = path, .section = "Machines" };
	struct json_object *object = strict_file(path);
	const char *why;
	int err;

	if (!object)
		return NULL;
	memset(&machine, 0, sizeof(machine));
	err = read_machine(&at, object, &machine);
	json_object_put(object);
	if (!err) {
		err = pmct_sim_machine_check(&machine, &why);
		if (err)
			complain("%s cannot be simulated: %s", path, why);
	}
	return err ? NULL : &machine;
}

const struct pmct_sim_machine *topology_find(const char *name)
{
	const struct pmct_sim_machine *m;
	unsigned int i;

	if (profiles_is_path(name))
		return of_file(name);
	for (i = 0; (m = pmct_sim_topology(i)); i++) {
		if (!strcmp(m->name, name))
			return m;
	}
	complain("there is no simulated machine '%s'; a file of one's own ends with .json, and there are:", name);
	for (i = 0; (m = pmct_sim_topology(i)); i++)
		complain("  %s", m->name);
	return NULL;
}

static struct json_object *describe(const struct strict_field *fields, size_t nr, const void *structure)
{
	struct json_object *object = json_object_new_object();
	size_t i;

	for (i = 0; i < nr; i++)
		json_object_object_add(object, fields[i].key, json_object_new_int64(
				       *(const __u32 *)((const char *)structure + fields[i].offset)));
	return object;
}

static struct json_object *describe_cpu(const struct pmct_sim_machine *m, unsigned int cpu)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "type", json_object_new_string(m->type[m->cpu_type[cpu]].name));
	json_object_object_add(object, "cluster", json_object_new_int(m->cpu_cluster[cpu]));
	return object;
}

void topology_print(const struct pmct_sim_machine *m)
{
	struct json_object *object = describe(machine_fields, NR(machine_fields), m), *entry;
	struct json_object *types = json_object_new_array(), *clusters = json_object_new_array();
	struct json_object *nodes = json_object_new_array(), *cpus = json_object_new_array();
	unsigned int i;

	for (i = 0; i < m->nr_types; i++) {
		entry = describe(type_fields, NR(type_fields), &m->type[i]);
		json_object_object_add(entry, "name", json_object_new_string(m->type[i].name));
		json_object_array_add(types, entry);
	}
	for (i = 0; i < m->nr_clusters; i++)
		json_object_array_add(clusters, describe(cluster_fields, NR(cluster_fields), &m->cluster[i]));
	for (i = 0; i < m->nr_nodes; i++)
		json_object_array_add(nodes, describe(node_fields, NR(node_fields), &m->node[i]));
	for (i = 0; i < m->nr_cpus; i++)
		json_object_array_add(cpus, describe_cpu(m, i));
	json_object_object_add(object, "name", json_object_new_string(m->name));
	json_object_object_add(object, "types", types);
	json_object_object_add(object, "clusters", clusters);
	json_object_object_add(object, "nodes", nodes);
	json_object_object_add(object, "cpus", cpus);
	printf("%s\n", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED));
	json_object_put(object);
}

int topology_compile(const struct pmct_sim_machine *m)
{
	if (isatty(STDOUT_FILENO)) {
		complain("a compiled machine is no text: > /lib/firmware/" PMCT_SIM_FIRMWARE, m->name);
		return -EINVAL;
	}
	fwrite(PMCT_SIM_MAGIC, 1, strlen(PMCT_SIM_MAGIC), stdout);
	fwrite(m, sizeof(*m), 1, stdout);
	return 0;
}
