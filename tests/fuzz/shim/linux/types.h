// SPDX-License-Identifier: GPL-2.0-or-later
/* Just enough of the kernel for module/core/evset.c and event_names.c in user space. */
#ifndef PMCT_SHIM_TYPES_H
#define PMCT_SHIM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <asm/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

/* From other headers, which all code gets with this one. */
#define U8_MAX		((u8)~0U)
#define U16_MAX		((u16)~0U)
#define U32_MAX		((u32)~0U)
#define U64_MAX		((u64)~0ULL)
#define S32_MAX		((s32)(U32_MAX >> 1))
#define S32_MIN		(-S32_MAX - 1)
#define S64_MAX		((s64)(U64_MAX >> 1))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define __printf(fmt, args)	__attribute__((format(printf, fmt, args)))
#define __weak			__attribute__((weak))

#endif /* PMCT_SHIM_TYPES_H */
