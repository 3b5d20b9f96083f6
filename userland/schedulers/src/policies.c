// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include <pmctrack/pmcs_types.h>

#include "policies.h"

#define MS	1000000ULL

/* Symbols that the linker made for the BPF object of a policy (see the Makefile). */
#define ELF(_name)	extern const char _binary_##_name##_elf_start[], _binary_##_name##_elf_end[]
#define ELF_OF(_name)	_binary_##_name##_elf_start, _binary_##_name##_elf_end

ELF(a_dwrr);
ELF(acfs);
ELF(cafs);
ELF(camps);
ELF(ef_driven);
ELF(eqp);
ELF(fps);
ELF(hsp);
ELF(prim);
ELF(rr);

static const unsigned int speedup[] = { PMCS_SPEEDUP_FACTOR, PMCS_SPEEDUP_FACTOR_2, PMCS_SPEEDUP_FACTOR_3 };
static const unsigned int efficiency[] = { PMCS_EF, PMCS_EF_2, PMCS_EF_3 };

const struct policy_kind policy_kinds[] = {
	{ "rr", "share the time on fast cores equally", NULL, NULL, 0, false, 0, 20 * MS, "ns", ELF_OF(rr) },
	{ "a-dwrr", "share scaled CPU time by priority", NULL, NULL, 0, false, 0, 20 * MS, "ns", ELF_OF(a_dwrr) },
	{ "hsp", "fast cores for the threads that gain most (throughput)", "speedup_factor", speedup, 0, false, 0, 50,
	  "thousandths", ELF_OF(hsp) },
	{ "eqp", "equal slowdown of threads, by their present factors", "ipc_sampling", speedup, 0, false, 0, 2000,
	  "millionths", ELF_OF(eqp) },
	/* A thread that changes types sooner than the module samples (200 ms) is never known. */
	{ "acfs", "equal progress of applications, by priority", "speedup_factor", speedup, 0, false, 0, 200 * MS,
	  "ns", ELF_OF(acfs) },
	{ "cafs", "equal progress despite contention, and then throughput", "contention", speedup, 0, false, 0, 100 * MS,
	  "ns", ELF_OF(cafs) },
	{ "camps", "equal progress beside others, by the best speeds lately", "speed_history", speedup, 0, false, 0, 100 * MS,
	  "ns", ELF_OF(camps) },
	{ "fps", "equal progress of threads beside others, by priority", "fair_progress", NULL, 1000, true, 100 * MS, 200 * MS,
	  "ns", ELF_OF(fps) },
	{ "ef-driven", "fast cores for the threads whose EDP gains most", "ef", efficiency, 1000, false, 0, 50,
	  "thousandths", ELF_OF(ef_driven) },
	{ "prim", "pairs drawn by lot change places if that saves energy", "ef", efficiency, 1000, false, 0, 50,
	  "thousandths", ELF_OF(prim) },
	{ 0 },
};

const struct policy_kind *policy_kind_of(const char *name)
{
	const struct policy_kind *kind;

	for (kind = policy_kinds; kind->name; kind++) {
		if (!strcmp(kind->name, name))
			return kind;
	}
	return NULL;
}
