/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Raw events of x86 that also count other people's work. With them, a user without CAP_PERFMON
 * could watch a neighbour. Used for the native backends, and for raw events of perf.
 */
#ifndef _PMCT_X86_OTHERS_H
#define _PMCT_X86_OTHERS_H

#include <linux/types.h>

/**
 * struct x86_others - a class of such events
 * @vendor: X86_VENDOR_… of the CPUs that have them
 * @first_family: first family of these CPUs
 * @last_family: last family of these CPUs
 * @models: models of these CPUs; ends with 0. NULL: all
 * @code_bits: bits of the event code that matter
 * @code: value of these bits
 * @umask_bits: bits of the unit mask that matter
 * @umask: value of these bits
 * @differs: the bits of the unit mask must differ from @umask
 * @any: the AnyThread bit is set
 * @who: whose work they count, in words for a message
 */
struct x86_others {
	u8 vendor;
	u8 first_family;
	u8 last_family;
	const u8 *models;
	u16 code_bits;
	u16 code;
	u8 umask_bits;
	u8 umask;
	bool differs;
	bool any;
	const char *who;
};

extern const struct x86_others x86_others_table[];
extern const unsigned int x86_nr_others;

/**
 * x86_sees_others() - whose work does an event of this machine also count?
 * @code: event code, 0 for a fixed counter
 * @umask: unit mask
 * @any: AnyThread bit
 *
 * Return: words for a message, or NULL if it counts nobody else's work.
 */
const char *x86_sees_others(u64 code, u32 umask, bool any);

#endif /* _PMCT_X86_OTHERS_H */
