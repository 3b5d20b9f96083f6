/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes of caches. Modules cannot use the kernel's own interface. */
#ifndef _PMCT_COMPAT_CACHE_H
#define _PMCT_COMPAT_CACHE_H

#include <linux/types.h>

#ifdef CONFIG_X86
#include <linux/bits.h>
#include <linux/log2.h>
#include <asm/processor.h>
#include "cpuid.h"

/* Most kinds of caches that CPUID may describe. */
#define PMCT_CPUID_CACHES	8

/**
 * struct pmct_l3 - the cache of level 3 of the CPU that asks
 * @bytes: its size; 0: there is none, or CPUID does not describe caches
 * @shift: number of low bits of an APIC ID that differ between its CPUs
 */
struct pmct_l3 {
	u64 bytes;
	unsigned int shift;
};

static inline struct pmct_l3 pmct_find_l3(void)
{
	const u32 leaf = boot_cpu_data.x86_vendor == X86_VENDOR_INTEL ? 4 : 0x8000001d;
	struct pmct_l3 l3 = {};
	u32 eax, ebx, ecx, edx;
	unsigned int i;

	/* The flag of AMD's leaf. Where a leaf does not exist, CPUID returns another one. */
	if (leaf != 4 && !boot_cpu_has(X86_FEATURE_TOPOEXT))
		return l3;
	for (i = 0; i < PMCT_CPUID_CACHES; i++) {
		cpuid_count(leaf, i, &eax, &ebx, &ecx, &edx);
		if (!(eax & GENMASK(4, 0)))
			break;
		if ((eax >> 5 & GENMASK(2, 0)) != 3)
			continue;
		/* Ways, partitions, bytes of a line, sets. */
		l3.bytes = ((ebx >> 22) + 1ULL) * ((ebx >> 12 & GENMASK(9, 0)) + 1) *
			   ((ebx & GENMASK(11, 0)) + 1) * (ecx + 1ULL);
		l3.shift = order_base_2((eax >> 14 & GENMASK(11, 0)) + 1);
	}
	return l3;
}
#endif /* CONFIG_X86 */

/* Bytes of the last-level cache of this CPU, 0: unknown. Slow on virtual machines. */
static inline u64 pmct_cache_bytes(void)
{
#ifdef CONFIG_X86
	/* On CPUs of AMD and Hygon, the kernel's value is the size of a cache of level 2. */
	return pmct_find_l3().bytes ?: boot_cpu_data.x86_cache_size * 1024ULL;
#else
	return 0;
#endif
}

#endif /* _PMCT_COMPAT_CACHE_H */
