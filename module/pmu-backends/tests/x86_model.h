/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of x86 in memory, for KUnit: CPUID, registers, local APIC and reservations. The backends
 * of x86 are built a second time to use them. What the manuals forbid is a fault, which no test may
 * leave: access to a register that the CPU lacks, a reserved bit, or another event for a counter
 * that counts.
 */
#ifndef _PMCT_X86_MODEL_H
#define _PMCT_X86_MODEL_H

#include <kunit/test.h>
#include <asm/processor.h>
#include <pmctrack/backend.h>

#define X86_MODEL_TYPES		2	/* if hybrid, CPUs with an odd number are of the second */
#define X86_MODEL_WRITES	64

/**
 * struct x86_model_pmu - what a kind of core has, and what its CPUID says
 * @version: version of architectural perfmon (Intel)
 * @said: number of general counters, as CPUID says
 * @general: number of general counters that exist
 * @fixed: number of fixed counters (Intel)
 * @width: bits of a counter
 * @missing: bits of EBX of leaf 0xa: events that this CPU lacks
 * @full_width: counters can be written in full width (Intel)
 * @no_any: version 5 without AnyThread
 * @core_type: core type in leaf 0x1a
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
 * @msr: the register
 * @value: the value
 */
struct x86_model_write {
	u32 msr;
	u64 value;
};

/**
 * struct x86_model - the machine
 * @boot: what the kernel found
 * @pmu: its kinds of cores
 * @busy: counter register that other software has reserved, 0: none
 * @nmi_error: what registering a handler of NMIs returns
 * @reserved: number of registers that are reserved now
 * @handler: handler of NMIs, NULL: none
 * @writes: writes of the model's registers by CPU @traced, in their order
 * @nr_writes: number of these writes
 * @traced: a CPU, or -1
 * @before: @events happen before the next write of this register, with their NMI; 0: none
 * @events: events that each enabled counter counts then
 * @raised: did they ask for an NMI?
 * @nmi: the NMI comes at once
 * @smt: cores may have two threads
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
	bool smt;
	char fault[80];
};

extern struct x86_model x86_model;
extern const struct pmct_backend x86_model_intel, x86_model_amd;

struct x86_others;

/* Set up a machine of that vendor. All its CPUs are as @pmu. */
void x86_model_reset(u8 vendor, const struct x86_model_pmu *pmu);
/* Access a register of this CPU as it is, without the checks of an access. */
u64 x86_model_get(u32 msr);
void x86_model_set(u32 msr, u64 value);
/* The entry of this CPU's local APIC. */
u32 *x86_model_lvtpc(void);
/* Returns a row of the table of events that count other people's work, NULL: no more. */
const struct x86_others *x86_model_others(unsigned int i);
/* Each enabled counter of this CPU counts @events. Returns true if one asked for an NMI. */
bool x86_model_count(u64 events);
/* Let this CPU take an NMI. Returns true if it was ours, after the interrupt that follows. */
bool x86_model_nmi(void);

/* Trace the writes of this CPU, and compare them with @expected, which ends with MSR 0. */
void x86_model_trace(void);
void x86_model_expect(struct kunit *test, const struct x86_model_write *expected);

int x86_model_init(struct kunit *test);
void x86_model_exit(struct kunit *test);

/**
 * struct x86_machine - one machine of each kind, for tests that apply to all
 * @desc: for people
 * @vendor: X86_VENDOR_…
 * @core: it has the registers of AMD's family 15h
 * @pmu: its counters
 * @backend: its backend
 * @ebs: a raw string with a counter that samples
 * @counter: the counter that samples
 * @plain: a raw string without such a counter
 * @select: event select register of @counter
 * @value: register of @counter
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
/* Set up the test's machine on this CPU, which the test does not leave. Its counters are ours. */
const struct x86_machine *x86_machine_begin(struct kunit *test, bool (*overflow)(void));
void x86_machine_end(const struct x86_machine *m);
/* Put the raw string on this CPU. */
void x86_machine_program(struct kunit *test, const struct x86_machine *m, const char *raw,
			 struct pmct_hwset *set);

/* The first event of a raw string; its set, made by @backend for its first core type. */
int x86_model_parse(const struct pmct_backend *backend, const char *raw,
		    struct pmct_event *first, struct pmct_msg *msg);
int x86_model_build(const struct pmct_backend *backend, const char *raw,
		    struct pmct_hwset *set, struct pmct_msg *msg);

#endif /* _PMCT_X86_MODEL_H */
