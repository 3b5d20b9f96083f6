// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks whether a machine or a program can be simulated. Both come from files. If they are
 * accepted here, all products of the model stay below 2^64.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "rates.h"

/**
 * struct pmct_sim_range - limits of a number
 * @value: the number
 * @low: smallest value
 * @high: largest value
 * @why: what is wrong with other values
 */
struct pmct_sim_range {
	u64 value;
	u64 low;
	u64 high;
	const char *why;
};

static int pmct_sim_in_range(const struct pmct_sim_range *r, unsigned int nr, const char **why)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (r[i].value < r[i].low || r[i].value > r[i].high) {
			*why = r[i].why;
			return -EINVAL;
		}
	}
	return 0;
}

static int pmct_sim_name_check(const char *name, const char **why)
{
	unsigned int i;

	/* Names are a part of file names, of lists with commas, and of names of PMUs. */
	for (i = 0; i < PMCT_SIM_NAME && name[i]; i++) {
		if (!isascii(name[i]) || (!isalnum(name[i]) && !strchr("-_.+", name[i])))
			break;
	}
	if (i && i < PMCT_SIM_NAME && !name[i])
		return 0;
	*why = "a name must have 1 to 23 characters of A-Z, a-z, 0-9, '-', '_', '.' and '+'";
	return -EINVAL;
}

/* Users see a core type by the name of its PMU, "simulated_MACHINE_TYPE". */
static int pmct_sim_type_names_check(const struct pmct_sim_machine *m, const char **why)
{
	unsigned int i, j;

	for (i = 0; i < m->nr_types; i++) {
		*why = "machine and core type: their names must have at most 20 characters in all";
		if (strlen(m->name) + strlen(m->type[i].name) > PMCT_SIM_NAMES)
			return -EINVAL;
		*why = "two core types have the same name";
		for (j = 0; j < i; j++) {
			if (!strcmp(m->type[i].name, m->type[j].name))
				return -EINVAL;
		}
	}
	return 0;
}

static int pmct_sim_core_check(const struct pmct_sim_core_type *c, const char **why)
{
	const struct pmct_sim_range ranges[] = {
		{ c->mhz, 100, 10000, "mhz must be 100 to 10000" },
		{ c->width, 100, 16000, "width must be 100 to 16000" },
		/* Each phase of a program (at least a million instructions) is an interrupt. */
		{ (u64)c->mhz * c->width, 0, 30000000, "mhz times width must be at most 30000000" },
		{ c->ilp_used, 1, 1000, "ilp_used must be 1 to 1000" },
		{ c->overlap, 0, 1000, "overlap must be at most 1000" },
		{ c->front_end, 0, 10000, "front_end must be at most 10000" },
		{ c->branch_cycles, 0, 1000, "branch_cycles must be at most 1000" },
		{ c->walk_cycles, 0, 1000, "walk_cycles must be at most 1000" },
		{ c->l2_cycles, 0, 1000, "l2_cycles must be at most 1000" },
		{ c->l2_kib, 1, 65536, "l2_kib must be 1 to 65536" },
		{ c->counters, 1, PMCT_SIM_GENERAL, "counters must be 1 to 6" },
		{ c->instr_pj, 0, 100000, "instr_pj must be at most 100000" },
		{ c->active_mw, 0, 1000000, "active_mw must be at most 1000000" },
		{ c->idle_mw, 0, 1000000, "idle_mw must be at most 1000000" },
	};

	return pmct_sim_name_check(c->name, why) ?:
	       pmct_sim_in_range(ranges, ARRAY_SIZE(ranges), why);
}

static int pmct_sim_memory_check(const struct pmct_sim_machine *m, const char **why)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < m->nr_clusters; i++) {
		const struct pmct_sim_range ranges[] = {
			{ m->cluster[i].llc_kib, 1, 1 << 18, "llc_kib must be 1 to 262144" },
			{ m->cluster[i].llc_ps, 0, 1000000, "llc_ps must be at most 1000000" },
			{ m->cluster[i].node, 0, m->nr_nodes - 1, "a cluster names no node" },
		};

		err = pmct_sim_in_range(ranges, ARRAY_SIZE(ranges), why);
	}
	for (i = 0; !err && i < m->nr_nodes; i++) {
		const struct pmct_sim_range ranges[] = {
			{ m->node[i].mem_ps, 1000, 1000000, "mem_ps must be 1000 to 1000000" },
			{ m->node[i].mem_mbs, 100, 1000000, "mem_mbs must be 100 to 1000000" },
			{ m->node[i].mem_mw, 0, 100000, "mem_mw must be at most 100000" },
		};

		err = pmct_sim_in_range(ranges, ARRAY_SIZE(ranges), why);
	}
	return err;
}

static int pmct_sim_cpus_check(const struct pmct_sim_machine *m, const char **why)
{
	unsigned int i, types = 0;

	for (i = 0; i < m->nr_cpus; i++) {
		if (m->cpu_type[i] >= m->nr_types || m->cpu_cluster[i] >= m->nr_clusters) {
			*why = "a CPU names no core type, or no cluster";
			return -EINVAL;
		}
		types |= 1U << m->cpu_type[i];
	}
	if (types == (1U << m->nr_types) - 1)
		return 0;
	*why = "no CPU is of a core type";
	return -EINVAL;
}

/* Watts of a core of this type that executes the costliest instructions at full speed. */
static u64 pmct_sim_core_watts(const struct pmct_sim_machine *m, const struct pmct_sim_core_type *c)
{
	u64 instr_pj = (u64)c->instr_pj * PMCT_SIM_ENERGY_MAX / 1000;

	/* Each instruction may miss in the private cache. MHz x thousandths x pJ are nW. */
	return div_u64((u64)c->mhz * c->width * (instr_pj + m->llc_pj), 1000000000) +
	       c->active_mw / 1000 + c->idle_mw / 1000 + 1;
}

/**
 * pmct_sim_machine_watts() - more power than a machine can take
 * @m: a machine whose numbers are in their ranges
 *
 * Return: W.
 */
u64 pmct_sim_machine_watts(const struct pmct_sim_machine *m)
{
	u64 watts = m->uncore_mw / 1000 + 1;
	unsigned int i;

	for (i = 0; i < m->nr_cpus; i++)
		watts += pmct_sim_core_watts(m, &m->type[m->cpu_type[i]]);
	for (i = 0; i < m->nr_nodes; i++)
		watts += div_u64((u64)m->node[i].mem_mbs * m->mem_pj, PMCT_SIM_LINE * 1000000) +
			 m->node[i].mem_mw / 1000 + 1;
	return watts;
}

/**
 * pmct_sim_machine_check() - can this machine be simulated?
 * @m: the machine, from any source
 * @why: on failure, what is wrong, for a person
 *
 * Return: 0 or -EINVAL.
 */
int pmct_sim_machine_check(const struct pmct_sim_machine *m, const char **why)
{
	const struct pmct_sim_range ranges[] = {
		{ m->nr_types, 1, PMCT_SIM_TYPES, "a machine has 1 to 4 core types" },
		{ m->nr_clusters, 1, PMCT_SIM_CLUSTERS, "a machine has 1 to 8 clusters" },
		{ m->nr_nodes, 1, PMCT_SIM_NODES, "a machine has 1 or 2 nodes" },
		{ m->nr_cpus, 1, PMCT_SIM_CPUS, "a machine has 1 to 16 CPUs" },
		{ m->llc_pj, 0, 1000000, "llc_pj must be at most 1000000" },
		{ m->mem_pj, 0, 1000000, "mem_pj must be at most 1000000" },
		{ m->uncore_mw, 0, 1000000, "uncore_mw must be at most 1000000" },
	};
	unsigned int i;
	int err;

	err = pmct_sim_name_check(m->name, why) ?:
	      pmct_sim_in_range(ranges, ARRAY_SIZE(ranges), why);
	for (i = 0; !err && i < m->nr_types; i++)
		err = pmct_sim_core_check(&m->type[i], why);
	err = err ?: pmct_sim_type_names_check(m, why) ?:
	      pmct_sim_memory_check(m, why) ?: pmct_sim_cpus_check(m, why);
	if (!err && pmct_sim_machine_watts(m) > PMCT_SIM_WATTS) {
		*why = "it could take more than 10000 W";
		err = -EINVAL;
	}
	return err;
}

static int pmct_sim_curve_check(const struct pmct_sim_curve *c, const char **why)
{
	unsigned int i;

	*why = "a curve has 1 to 6 points: KiB ascend from 0, misses from at most 1000000 do not";
	if (!c->nr || c->nr > PMCT_SIM_POINTS || c->kib[0] || c->ppm[0] > 1000000)
		return -EINVAL;
	for (i = 1; i < c->nr; i++) {
		if (c->kib[i] <= c->kib[i - 1] || c->kib[i] > 1 << 20 || c->ppm[i] > c->ppm[i - 1])
			return -EINVAL;
	}
	return 0;
}

static int pmct_sim_phase_check(const struct pmct_sim_phase *p, const char **why)
{
	const struct pmct_sim_range ranges[] = {
		/* The end of a phase takes some microseconds, with interrupts disabled. */
		{ p->instr, 1000000, 1ULL << 50, "a phase has 1000000 to 2^50 instructions" },
		{ p->ilp, 10, 16000, "ilp must be 10 to 16000" },
		{ p->mlp, 1000, 64000, "mlp must be 1000 to 64000" },
		{ p->front_end, 0, 10000000, "front_end must be at most 10000000" },
		{ p->branches, 0, 1000000, "branches must be at most 1000000" },
		{ p->cond_branches, 0, p->branches, "more conditional branches than branches" },
		{ p->branch_misses, 0, p->branches, "more mispredicted branches than branches" },
		{ p->l1d, 0, 1000000, "l1d must be at most 1000000" },
		{ p->l1d_misses, 0, p->l1d, "more misses than accesses of the L1 cache" },
		{ p->itlb_misses, 0, 1000000, "itlb_misses must be at most 1000000" },
		{ p->dtlb_misses, 0, p->l1d, "more TLB misses than accesses" },
		{ p->write_backs, 0, 1000, "write_backs must be at most 1000" },
		{ p->energy, 1, PMCT_SIM_ENERGY_MAX, "energy must be 1 to 10000" },
		{ p->wander, 0, 900, "wander must be at most 900" },
		{ p->code, 0, 1000000, "code must be at most 1000000" },
		{ p->blocks, 1, 10000, "blocks must be 1 to 10000" },
	};

	return pmct_sim_in_range(ranges, ARRAY_SIZE(ranges), why) ?:
	       pmct_sim_curve_check(&p->l2, why) ?: pmct_sim_curve_check(&p->llc, why);
}

/**
 * pmct_sim_profile_check() - can this program be simulated?
 * @profile: the program, from any source
 * @why: on failure, what is wrong, for a person
 *
 * Return: 0 or -EINVAL.
 */
int pmct_sim_profile_check(const struct pmct_sim_profile *profile, const char **why)
{
	unsigned int i;
	int err;

	err = pmct_sim_name_check(profile->name, why);
	if (err)
		return err;
	*why = "a program has 1 to 16 phases";
	if (!profile->nr_phases || profile->nr_phases > PMCT_SIM_PHASES)
		return -EINVAL;
	for (i = 0; !err && i < profile->nr_phases; i++)
		err = pmct_sim_phase_check(&profile->phase[i], why);
	return err;
}
