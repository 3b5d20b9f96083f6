// SPDX-License-Identifier: GPL-2.0-only
/* The events of x86 that also count other people's work. */
#include <linux/kernel.h>
#include <asm/processor.h>

#include "others.h"

#define ALL_CODE_BITS	0xfff

/*
 * Core Solo and Duo, Core 2, and Atoms of the first generation. The unit masks of their L2 and bus
 * events say which cores and agents are counted.
 */
static const u8 intel_core_models[] = {
	0x0e, 0x0f, 0x16, 0x17, 0x1d, 0x1c, 0x26, 0x27, 0x35, 0x36, 0
};

/* Nehalem and Westmere */
static const u8 intel_nehalem_models[] = {
	0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f, 0
};

/* Cores with licences for power: servers from Skylake to Ice Lake, clients to Alder Lake */
static const u8 intel_power_models[] = {
	0x55, 0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7, 0x97, 0x9a, 0
};

/* Skylake and Ice Lake of servers */
static const u8 intel_server_models[] = {
	0x55, 0x6a, 0x6c, 0
};

static const u8 intel_tremont_models[] = {
	0x86, 0x96, 0x9c, 0
};

const struct x86_others x86_others_table[] = {
	/* SDM 3, "Architectural Performance Monitoring Version 3": AnyThread, also of fixed ones */
	{ X86_VENDOR_INTEL, 0x06, U8_MAX, .any = true,
	  .who = "the other hyperthread of the core" },
	/*
	 * Event tables of Core 2 (CPU_CLK_UNHALTED.NO_OTHER), and of Core since its fourth
	 * generation (CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE): cycles in which the other thread is
	 * halted
	 */
	{ X86_VENDOR_INTEL, 0x06, U8_MAX, .code_bits = ALL_CODE_BITS, .code = 0x3c,
	  .umask_bits = 0x02, .umask = 0x02, .who = "the other hyperthread of the core" },
	/* Event tables since Ice Lake (CPU_CLK_UNHALTED.REF_DISTRIBUTED): halved likewise */
	{ X86_VENDOR_INTEL, 0x06, U8_MAX, .code_bits = ALL_CODE_BITS, .code = 0x3c,
	  .umask_bits = 0x08, .umask = 0x08, .who = "the other hyperthread of the core" },
	/* Event table of Tremont (BUS_LOCK.BLOCK_CYCLES) */
	{ X86_VENDOR_INTEL, 0x06, 0x06, intel_tremont_models, .code_bits = ALL_CODE_BITS,
	  .code = 0x63, .umask_bits = 0x02, .umask = 0x02,
	  .who = "the other cores at its L2 cache" },
	/*
	 * Event tables since Ice Lake (CPU_CLK_UNHALTED.DISTRIBUTED): halved if the other thread is
	 * not halted
	 */
	{ X86_VENDOR_INTEL, 0x06, U8_MAX, .code_bits = ALL_CODE_BITS, .code = 0xec,
	  .umask_bits = 0x02, .umask = 0x02, .who = "the other hyperthread of the core" },
	/* Event tables since Sandy Bridge (UOPS_DISPATCHED.CORE, UOPS_EXECUTED.CORE…) */
	{ X86_VENDOR_INTEL, 0x06, U8_MAX, .code_bits = ALL_CODE_BITS, .code = 0xb1,
	  .umask_bits = 0x02, .umask = 0x02, .who = "the other hyperthread of the core" },
	/* Event tables since Ice Lake (TOPDOWN.SLOTS_P): halved if the other is not halted */
	{ X86_VENDOR_INTEL, 0x06, U8_MAX, .code_bits = ALL_CODE_BITS, .code = 0xa4,
	  .umask_bits = 0x01, .umask = 0x01, .who = "the other hyperthread of the core" },
	/* CORE_POWER: vector instructions of either thread change the licence of the core */
	{ X86_VENDOR_INTEL, 0x06, 0x06, intel_power_models, .code_bits = ALL_CODE_BITS,
	  .code = 0x28, .who = "the other hyperthread of the core" },
	/* CORE_SNOOP_RESPONSE; SNOOPQ_REQUESTS_OUTSTANDING, SNOOPQ_REQUESTS, SNOOP_RESPONSE */
	{ X86_VENDOR_INTEL, 0x06, 0x06, intel_server_models, .code_bits = ALL_CODE_BITS,
	  .code = 0xef, .who = "the cores that look into its caches" },
	{ X86_VENDOR_INTEL, 0x06, 0x06, intel_nehalem_models, .code_bits = ALL_CODE_BITS,
	  .code = 0xb3, .who = "the cores that look into its caches" },
	{ X86_VENDOR_INTEL, 0x06, 0x06, intel_nehalem_models, .code_bits = ALL_CODE_BITS,
	  .code = 0xb4, .who = "the cores that look into its caches" },
	{ X86_VENDOR_INTEL, 0x06, 0x06, intel_nehalem_models, .code_bits = ALL_CODE_BITS,
	  .code = 0xb8, .who = "the cores that look into its caches" },
	/* SDM 3, "Core Specificity Encoding within a Non-Architectural Umask": 01b is this core */
	{ X86_VENDOR_INTEL, 0x06, 0x06, intel_core_models, .code_bits = 0xff0, .code = 0x20,
	  .umask_bits = 0xc0, .umask = 0x40, .differs = true,
	  .who = "the other cores at its L2 cache" },
	{ X86_VENDOR_INTEL, 0x06, 0x06, intel_core_models, .code_bits = 0xffc, .code = 0x30,
	  .umask_bits = 0xc0, .umask = 0x40, .differs = true,
	  .who = "the other cores at its L2 cache" },
	/*
	 * The same, and "Agent Specificity Encoding within a Non-Architectural Umask": 0b is this
	 * agent. Events that only know agents count for all cores of this agent.
	 */
	{ X86_VENDOR_INTEL, 0x06, 0x06, intel_core_models, .code_bits = 0xfe0, .code = 0x60,
	  .umask_bits = 0xe0, .umask = 0x40, .differs = true,
	  .who = "the other cores at its bus" },
	/*
	 * BKDG of families 0Fh to 14h, "Northbridge Events", and of family 10h, "L3 Cache Events"
	 * (4E0h and more). Later families have separate counters for them.
	 */
	{ X86_VENDOR_AMD, 0x0f, 0x14, .code_bits = 0x0e0, .code = 0x0e0,
	  .who = "all CPUs of the node" },
	/* PPR of families 17h and 19h, PMCx062: "event counts are for both threads" */
	{ X86_VENDOR_AMD, 0x17, 0x19, .code_bits = ALL_CODE_BITS, .code = 0x062,
	  .who = "the other thread of the core" },
};

const unsigned int x86_nr_others = ARRAY_SIZE(x86_others_table);

static bool x86_others_are_here(const struct x86_others *o)
{
	u8 vendor = boot_cpu_data.x86_vendor == X86_VENDOR_HYGON ? X86_VENDOR_AMD :
		    boot_cpu_data.x86_vendor;
	const u8 *model = o->models;

	if (vendor != o->vendor || boot_cpu_data.x86 < o->first_family ||
	    boot_cpu_data.x86 > o->last_family)
		return false;
	while (model && *model && *model != boot_cpu_data.x86_model)
		model++;
	return !model || *model;
}

const char *x86_sees_others(u64 code, u32 umask, bool any)
{
	const struct x86_others *o;

	for (o = x86_others_table; o < x86_others_table + x86_nr_others; o++) {
		if ((code & o->code_bits) == o->code &&
		    ((umask & o->umask_bits) == o->umask) != o->differs && any >= o->any &&
		    x86_others_are_here(o))
			return o->who;
	}
	return NULL;
}
