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

static int read_type(struct strict_place *at, struct json_object *type, struct pmct_sim_machine *m)
{
	static const char *const others[] = { "name", NULL };
	struct pmct_sim_core_type *t = &m->type[m->nr_types++];

	if (strict_fields(at, type, type_fields, NR(type_fields), others, t) ||
	    strict_text(at, type, "name", t->name, sizeof(t->name)))
		return -EINVAL;
	return 0;
}

static int read_cluster(struct strict_place *at, struct json_object *cluster,
			struct pmct_sim_machine *m)
{
	return strict_fields(at, cluster, cluster_fields, NR(cluster_fields), nothing,
			     &m->cluster[m->nr_clusters++]);
}

static int read_node(struct strict_place *at, struct json_object *node, struct pmct_sim_machine *m)
{
	return strict_fields(at, node, node_fields, NR(node_fields), nothing,
			     &m->node[m->nr_nodes++]);
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

/**
 * struct part - a list of a machine's file
 * @list: its key
 * @entry: what an entry is, for messages
 * @most: the largest number of entries
 * @read: reads an entry, and counts it
 */
struct part {
	const char *list;
	const char *entry;
	size_t most;
	int (*read)(struct strict_place *at, struct json_object *entry, struct pmct_sim_machine *m);
};

/* CPUs name types and clusters, so these come first. */
static const struct part parts[] = {
	{ "types", "type", PMCT_SIM_TYPES, read_type },
	{ "clusters", "cluster", PMCT_SIM_CLUSTERS, read_cluster },
	{ "nodes", "node", PMCT_SIM_NODES, read_node },
	{ "cpus", "cpu", PMCT_SIM_CPUS, read_cpu },
};

static int read_part(struct strict_place *at, struct json_object *object, const struct part *part,
		     struct pmct_sim_machine *m)
{
	size_t i, nr;
	struct json_object *list = strict_list(at, object, part->list, part->most, &nr);
	int err = list ? 0 : -EINVAL;

	for (i = 0; !err && i < nr; i++)
		err = part->read(at, strict_entry(at, list, part->entry, i, 0), m);
	at->within[0] = '\0';
	return err;
}

static int read_machine(struct strict_place *at, struct json_object *object,
			struct pmct_sim_machine *m)
{
	static const char *const others[] = { "name", "types", "clusters", "nodes", "cpus", NULL };

	size_t i;
	int err;

	err = strict_fields(at, object, machine_fields, NR(machine_fields), others, m);
	if (!err)
		err = strict_text(at, object, "name", m->name, sizeof(m->name));
	for (i = 0; !err && i < NR(parts); i++)
		err = read_part(at, object, &parts[i], m);
	return err;
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
	unsigned int i;

	for (i = 0; pmct_sim_topology(i); i++) {
		if (!strcmp(m->name, pmct_sim_topology(i)->name)) {
			complain("pmctrack_sim has a machine '%s' of its own, which it would take instead: choose another 'name'",
				 m->name);
			return -EINVAL;
		}
	}
	if (isatty(STDOUT_FILENO)) {
		complain("a compiled machine is no text: > /lib/firmware/" PMCT_SIM_FIRMWARE, m->name);
		return -EINVAL;
	}
	fwrite(PMCT_SIM_MAGIC, 1, strlen(PMCT_SIM_MAGIC), stdout);
	fwrite(m, sizeof(*m), 1, stdout);
	return 0;
}
