// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userland/simapp/src/program.c and topology.c: any text is refused with a reason, or is a program,
 * or a machine.
 */
#include "fuzz.h"
#include "program.c"
#include "topology.c"

static char said[1024];

static void keep(const char *program, const char *text)
{
	(void)program;
	snprintf(said, sizeof(said), "%s", text);
}

static void check(const struct program *p)
{
	uint64_t sum = 0;

	expect(p->threads && p->threads <= PROGRAM_THREADS, "%u threads", p->threads);
	expect(p->rounds && (p->serial || p->parallel), "nothing to do");
	expect(strnlen(p->profile.name, PMCT_SIM_NAME) < PMCT_SIM_NAME, "a name without end");
	expect(p->profile.nr_phases && p->profile.nr_phases <= PMCT_SIM_PHASES, "%u phases", p->profile.nr_phases);
	for (unsigned int i = 0; i < p->profile.nr_phases; i++) {
		expect(p->profile.phase[i].l2.nr <= PMCT_SIM_POINTS, "%u points", p->profile.phase[i].l2.nr);
		expect(p->profile.phase[i].llc.nr <= PMCT_SIM_POINTS, "%u points", p->profile.phase[i].llc.nr);
	}
	for (unsigned int i = 0; i < p->threads; i++)
		sum += program_parallel(p, i);
	/* Each thread's share is rounded. */
	expect(sum <= p->threads * (p->parallel + 1) && sum + p->threads >= p->threads * p->parallel,
	       "threads do %llu, not %llu", (unsigned long long)sum,
	       (unsigned long long)(p->threads * p->parallel));
}

static void check_machine(const struct pmct_sim_machine *m)
{
	expect(strnlen(m->name, PMCT_SIM_NAME) < PMCT_SIM_NAME, "a name without end");
	const char *why = NULL;

	/* A machine that was read may be invalid; then there is a reason. */
	expect(!pmct_sim_machine_check(m, &why) || why, "refused without a reason");
	expect(m->nr_types && m->nr_types <= PMCT_SIM_TYPES, "%u types", m->nr_types);
	expect(m->nr_clusters && m->nr_clusters <= PMCT_SIM_CLUSTERS, "%u clusters", m->nr_clusters);
	expect(m->nr_nodes && m->nr_nodes <= PMCT_SIM_NODES, "%u nodes", m->nr_nodes);
	expect(m->nr_cpus && m->nr_cpus <= PMCT_SIM_CPUS, "%u CPUs", m->nr_cpus);
	for (unsigned int i = 0; i < m->nr_cpus; i++)
		expect(m->cpu_type[i] < m->nr_types && m->cpu_cluster[i] < m->nr_clusters, "CPU %u", i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strict_place at = { .path = "input", .section = "Profiles" };
	char *text = fuzz_text(data, size);
	struct json_object *object = json_tokener_parse(text);
	static struct pmct_sim_machine m;
	static struct program p;

	complain_to(keep);
	memset(&p, 0, sizeof(p));
	said[0] = '\0';
	if (object && !read_program(&at, object, &p))
		check(&p);
	else
		expect(!object || said[0], "refused without a reason");
	memset(&m, 0, sizeof(m));
	said[0] = '\0';
	if (object && !read_machine(&at, object, &m))
		check_machine(&m);
	else
		expect(!object || said[0], "refused without a reason");
	json_object_put(object);
	free(text);
	return 0;
}
