/* SPDX-License-Identifier: GPL-2.0-only */
/* On which general counters an event of x86 counts. */
#ifndef _PMCT_X86_PLACES_H
#define _PMCT_X86_PLACES_H

#include <linux/types.h>

u32 x86_places_intel(unsigned int version, u64 code, u32 umask);
u32 x86_places_amd(u64 code, u32 umask);

#endif /* _PMCT_X86_PLACES_H */
