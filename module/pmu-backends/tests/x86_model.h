/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of x86 in memory, for KUnit: CPUID, registers, local APIC and
 * reservations, with the backends of x86 built a second time to use them. What
 * the manuals forbid (a register that the CPU lacks, a reserved bit, another
 * event for a counter that counts) is a fault, which no test may leave.
 */
#ifndef _PMCT_X86_MODEL_H
#define _PMCT_X86_MODEL_H

#include <kunit/test.h>
#include <asm/processor.h>
#include <pmctrack/backend.h>

#define X86_MODEL_TYPES		2	/* CPUs with an odd number are of the second, if hybrid */
#define X86_MODEL_WRITES	64

/**
 * struct x86_model_pmu - what a kind of core has, and what its CPUID says
 * @version: of architectural perfmon (Intel)
 * @said: general counters, as CPUID has it
 * @general: those that there are
 * @fixed: fixed counters (Intel)
 * @width: bits of a counter
 * @missing: bits of EBX of leaf 0xa: events that this CPU lacks
 * @full_width: counters can be written whole (Intel)
 * @no_any: version 5 without AnyThread
 * @core_type: of leaf 0x1a
 */
struct x86_model_pmu {
	u8 version;
	u8 said;
	u8 general;
	u8 fixed;
	u8 width;
	u8 missing;
	bool full_width;
	bool no_any;
	u8 core_type;
};

/**
 * struct x86_model_write - a register was written
 * @msr: which one
 * @value: with what
 */
struct x86_model_write {
	u32 msr;
	u64 value;
};

/**
 * struct x86_model - the machine
 * @boot: what the kernel found
 * @pmu: its kinds of cores
 * @busy: counter register that somebody else has reserved, 0: none
 * @nmi_error: what registering a handler of NMIs returns
 * @reserved: registers that are reserved now
 * @handler: of NMIs, NULL: none
 * @writes: of the model's registers in their order, by CPU @traced
 * @nr_writes: how many
 * @traced: a CPU, or -1
 * @fault: the first forbidden access, in words
 */
struct x86_model {
	struct cpuinfo_x86 boot;
	struct x86_model_pmu pmu[X86_MODEL_TYPES];
	u32 busy;
	int nmi_error;
	int reserved;
	int (*handler)(unsigned int type, struct pt_regs *regs);
	struct x86_model_write writes[X86_MODEL_WRITES];
	unsigned int nr_writes;
	int traced;
	char fault[80];
};

extern struct x86_model x86_model;
extern const struct pmct_backend x86_model_intel, x86_model_amd;

/* A machine of that vendor, all of whose CPUs are as @pmu. */
void x86_model_reset(u8 vendor, const struct x86_model_pmu *pmu);
/* A register of this CPU, as it is, without the checks of an access. */
u64 x86_model_get(u32 msr);
void x86_model_set(u32 msr, u64 value);
/* This CPU's counters that are enabled count @events each; did one ask for an NMI? */
bool x86_model_count(u64 events);
/* This CPU takes an NMI: was it ours? The interrupt that follows has come. */
bool x86_model_nmi(void);

/* Trace the writes of this CPU, and compare: @expected ends with MSR 0. */
void x86_model_trace(void);
void x86_model_expect(struct kunit *test, const struct x86_model_write *expected);

int x86_model_init(struct kunit *test);
void x86_model_exit(struct kunit *test);

/* The set of a raw string, made by @backend for its first core type. */
int x86_model_build(const struct pmct_backend *backend, const char *raw,
		    struct pmct_hwset *set, struct pmct_msg *msg);

#endif /* _PMCT_X86_MODEL_H */
