/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes of caches. Modules cannot use the kernel's own interface. */
#ifndef _PMCT_COMPAT_CACHE_H
#define _PMCT_COMPAT_CACHE_H

#ifdef CONFIG_X86
#include <asm/processor.h>
#endif

/* KiB of the last-level cache of the boot CPU, 0: unknown. */
static inline unsigned int pmct_cache_kib(void)
{
#ifdef CONFIG_X86
	return boot_cpu_data.x86_cache_size;
#else
	return 0;
#endif
}

#endif /* _PMCT_COMPAT_CACHE_H */
