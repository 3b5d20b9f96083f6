// SPDX-License-Identifier: GPL-2.0-only
/* The events of x86 that count other people's work, too. */
#include <linux/kernel.h>
#include <asm/processor.h>

#include "others.h"

#define ALL_CODE_BITS	0xfff

/*
 * Core Solo and Duo, Core 2, and Atoms of the first generation: the unit masks of
 * their L2 and bus events say of which cores and agents.
 */
static const u8 intel_core_models[] = {
	0x0e, 0x0f, 0x16, 0x17, 0x1d, 0x1c, 0x26, 0x27, 0x35, 0x36, 0
};

const struct x86_others x86_others_table[] = {
	/* SDM 3, "Architectural Performance Monitoring Version 3": AnyThread, of fixed ones, too */
	{ X86_VENDOR_INTEL, 0x06, U8_MAX, .any = true,
	  .who = "the other hyperthread of the core" },
	/*
	 * Event tables of Core 2 (CPU_CLK_UNHALTED.NO_OTHER), and of Core since its fourth
	 * generation (CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE): cycles in which the other one is halted
	 */
	{ X86_VENDOR_INTEL, 0x06, U8_MAX, .code_bits = ALL_CODE_BITS, .code = 0x3c,
	  .umask_bits = 0x02, .umask = 0x02, .who = "the other hyperthread of the core" },
	/* Event tables since Ice Lake (CPU_CLK_UNHALTED.DISTRIBUTED): halved if it is not */
	{ X86_VENDOR_INTEL, 0x06, U8_MAX, .code_bits = ALL_CODE_BITS, .code = 0xec,
	  .umask_bits = 0x02, .umask = 0x02, .who = "the other hyperthread of the core" },
	/* SDM 3, "Core Specificity Encoding within a Non-Architectural Umask": 01b is this core */
	{ X86_VENDOR_INTEL, 0x06, 0x06, intel_core_models, .code_bits = 0xff0, .code = 0x20,
	  .umask_bits = 0xc0, .umask = 0x40, .differs = true,
	  .who = "the other cores at its L2 cache" },
	{ X86_VENDOR_INTEL, 0x06, 0x06, intel_core_models, .code_bits = 0xffc, .code = 0x30,
	  .umask_bits = 0xc0, .umask = 0x40, .differs = true,
	  .who = "the other cores at its L2 cache" },
	/*
	 * The same and "Agent Specificity Encoding within a Non-Architectural Umask": 0b is this
	 * agent. Events that know agents only count for all cores of this one.
	 */
	{ X86_VENDOR_INTEL, 0x06, 0x06, intel_core_models, .code_bits = 0xfe0, .code = 0x60,
	  .umask_bits = 0xe0, .umask = 0x40, .differs = true,
	  .who = "the other cores at its bus" },
	/*
	 * BKDG of families 0Fh to 14h, "Northbridge Events", and of family 10h, "L3 Cache Events"
	 * (4E0h and more); later families have counters of their own for them
	 */
	{ X86_VENDOR_AMD, 0x0f, 0x14, .code_bits = 0x0e0, .code = 0x0e0,
	  .who = "all CPUs of the node" },
};

const unsigned int x86_nr_others = ARRAY_SIZE(x86_others_table);

static bool x86_others_are_here(const struct x86_others *o)
{
	const u8 *model = o->models;

	if (boot_cpu_data.x86_vendor != o->vendor || boot_cpu_data.x86 < o->first_family ||
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
