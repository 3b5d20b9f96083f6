/* SPDX-License-Identifier: GPL-2.0-only */
/* cpuid() and its relatives, which moved out of <asm/processor.h> with Linux 6.16. */
#ifndef _PMCT_COMPAT_CPUID_H
#define _PMCT_COMPAT_CPUID_H

#include <asm/processor.h>
#ifdef PMCT_HAVE_CPUID_API
#include <asm/cpuid/api.h>
#endif

#endif /* _PMCT_COMPAT_CPUID_H */
