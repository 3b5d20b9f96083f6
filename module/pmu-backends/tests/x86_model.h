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
 * @before: a register before whose next write @events happen, with their NMI; 0: none
 * @events: to each counter that is enabled
 * @raised: did they ask for an NMI?
 * @nmi: it comes at once
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
	u32 before;
	u64 events;
	bool raised;
	bool nmi;
	char fault[80];
};

extern struct x86_model x86_model;
extern const struct pmct_backend x86_model_intel, x86_model_amd;

struct x86_others;

/* A machine of that vendor, all of whose CPUs are as @pmu. */
void x86_model_reset(u8 vendor, const struct x86_model_pmu *pmu);
/* A register of this CPU, as it is, without the checks of an access. */
u64 x86_model_get(u32 msr);
void x86_model_set(u32 msr, u64 value);
/* The entry of this CPU's local APIC. */
u32 *x86_model_lvtpc(void);
/* Rows of the table of events that count other people's work; NULL: no more. */
const struct x86_others *x86_model_others(unsigned int i);
/* This CPU's counters that are enabled count @events each; did one ask for an NMI? */
bool x86_model_count(u64 events);
/* This CPU takes an NMI: was it ours? The interrupt that follows has come. */
bool x86_model_nmi(void);

/* Trace the writes of this CPU, and compare: @expected ends with MSR 0. */
void x86_model_trace(void);
void x86_model_expect(struct kunit *test, const struct x86_model_write *expected);

int x86_model_init(struct kunit *test);
void x86_model_exit(struct kunit *test);

/**
 * struct x86_machine - one of each kind, for tests of what all have in common
 * @desc: for people
 * @vendor: X86_VENDOR_…
 * @core: it has the registers of AMD's family 15h
 * @pmu: its counters
 * @backend: for it
 * @ebs: a raw string with a counter that samples
 * @counter: that one
 * @plain: a raw string without
 * @select: event select register of that counter
 * @value: the counter's own register
 * @global: register that enables counters, 0: it has none
 */
struct x86_machine {
	const char *desc;
	u8 vendor;
	bool core;
	struct x86_model_pmu pmu;
	const struct pmct_backend *backend;
	const char *ebs;
	unsigned int counter;
	const char *plain;
	u32 select;
	u32 value;
	u32 global;
};

extern const struct x86_machine x86_machines[];
/* For KUNIT_CASE_PARAM. */
const void *x86_machine_gen_params(const void *prev, char *desc);
/* The machine that the test is for, and its counters: ours, on this CPU, to which it keeps. */
const struct x86_machine *x86_machine_begin(struct kunit *test, bool (*overflow)(void));
void x86_machine_end(const struct x86_machine *m);
/* Put the raw string on this CPU. */
void x86_machine_program(struct kunit *test, const struct x86_machine *m, const char *raw,
			 struct pmct_hwset *set);

/* The first event of a raw string; the set of one, made by @backend for its first core type. */
int x86_model_parse(const struct pmct_backend *backend, const char *raw,
		    struct pmct_event *first, struct pmct_msg *msg);
int x86_model_build(const struct pmct_backend *backend, const char *raw,
		    struct pmct_hwset *set, struct pmct_msg *msg);

#endif /* _PMCT_X86_MODEL_H */
