/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the backends of x86 share: core types, event select registers, ownership of the counters,
 * and the interrupt, which is an NMI.
 */
#ifndef _PMCT_X86_H
#define _PMCT_X86_H

#include <linux/bitfield.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <pmctrack/backend.h>

#include "../../compat/cpuid.h"
#include "../../compat/msr.h"

/*
 * Event select registers. They are the same on Intel (SDM volume 3, chapter "Performance
 * Monitoring") and AMD (APM volume 2, 13.2). The top byte of a configuration is in no register: it
 * is the counter as RDPMC names it.
 */
#define X86_SEL_UMASK		GENMASK_ULL(15, 8)
#define X86_SEL_USR		BIT_ULL(16)
#define X86_SEL_OS		BIT_ULL(17)
#define X86_SEL_EDGE		BIT_ULL(18)
#define X86_SEL_INT		BIT_ULL(20)
#define X86_SEL_ANY		BIT_ULL(21)
#define X86_SEL_EN		BIT_ULL(22)
#define X86_SEL_INV		BIT_ULL(23)
#define X86_SEL_CMASK		GENMASK_ULL(31, 24)
#define X86_CFG_REGISTER	GENMASK_ULL(55, 0)
#define X86_CFG_INDEX		GENMASK_ULL(61, 56)
#define X86_CFG_FIXED		BIT_ULL(62)
#define X86_RDPMC_FIXED		BIT(30)

/* Keys of raw strings, in the order of pmct_event::extra */
enum x86_key { X86_UMASK, X86_CMASK, X86_EDGE, X86_INV, X86_ANY };
extern const char *const x86_keys[];

/**
 * struct x86_type - a core type
 * @type: for the core; fixed counters have the first numbers, then come general ones
 * @id: identifies the core type on this machine
 * @nr_fixed: number of fixed counters
 * @nr_general: number of general counters
 * @global: bits of the global registers that stand for these counters
 * @lacking: general counters of these that cannot be used
 */
struct x86_type {
	struct pmct_core_type type;
	u8 id;
	u8 nr_fixed;
	u8 nr_general;
	u64 global;
	u32 lacking;
};

/**
 * struct x86_cpu - state of a CPU's counters; changed only on that CPU
 * @type: its core type; NULL: none that was seen at load, or the counters are not ours now
 * @interrupts: counters that raise an interrupt when they overflow
 * @reported: counters whose interrupt came, until their overflow is cleared. The NMI changes it, so
 *	only this_cpu operations may change it.
 * @late: number of NMIs that may still come for overflows that were already seen and cleared. The
 *	NMI changes it, too.
 * @late_until: jiffies; NMIs that come later are not ours
 * @nmis: number of NMIs, of any source
 * @work: leaves NMI context
 * @lvtpc: entry of the local APIC before the counters were ours
 * @saved: registers that perf expects unchanged
 */
struct x86_cpu {
	const struct x86_type *type;
	u64 interrupts;
	u64 reported;
	unsigned int late;
	unsigned long late_until;
	u32 nmis;
	struct irq_work work;
	u32 lvtpc;
	u64 saved[2];
};

DECLARE_PER_CPU(struct x86_cpu, x86_cpu);

/**
 * struct x86_vendor - what differs between vendors
 * @counter_msr: register of the @i-th general counter
 * @select_msr: its event select register
 * @id: id of this CPU's core type
 * @describe: fill in what the PMU of this CPU has, or return -ENODEV; @t->id is set
 * @save: save registers of this CPU that perf expects unchanged
 * @start: this CPU's counters become ours: stop them, and set them to 0
 * @stop: stop all counters, and restore what was saved
 * @pending: returns which of x86_cpu::interrupts have overflowed. Called in the NMI.
 */
struct x86_vendor {
	u32 (*counter_msr)(unsigned int i);
	u32 (*select_msr)(unsigned int i);
	u8 (*id)(void);
	int (*describe)(struct x86_type *t);
	void (*save)(struct x86_cpu *cpu);
	void (*start)(const struct x86_cpu *cpu);
	void (*stop)(struct x86_cpu *cpu);
	u64 (*pending)(const struct x86_cpu *cpu);
};

/* The parts of struct pmct_backend that do not depend on the vendor */
int x86_probe(const struct x86_vendor *vendor, struct pmct_msg *msg);
unsigned int x86_nr_core_types(void);
const struct pmct_core_type *x86_core_type(unsigned int i);
unsigned int x86_cpu_core_type(int cpu);
void x86_cpu_online(int cpu);
void x86_cpu_up(int cpu);
void x86_cpu_down(int cpu);
void x86_exit(void);
int x86_claim(bool (*overflow)(void), struct pmct_msg *msg);
void x86_release(void);

/*
 * Refuse an event on a general counter where it does not count. @places: mask of the general
 * counters where it does.
 */
int x86_check_place(const struct x86_type *t, const struct pmct_event *event, u32 places,
		    struct pmct_msg *msg);

static inline const struct x86_type *x86_type(const struct pmct_core_type *type)
{
	return container_of(type, struct x86_type, type);
}

/* A code of the event table has the format of an event select register: unit mask and event. */
void x86_set_code(struct pmct_event *event, u64 code);
/* Make the event select register for an event, and its counter's RDPMC index. */
int x86_encode(const struct x86_type *t, const struct pmct_event *event, u64 max_code,
	       bool any, u64 *config, struct pmct_msg *msg);

/* The index of a counter, as RDPMC needs it. */
static __always_inline u32 x86_rdpmc_index(u64 config)
{
	return (config & X86_CFG_FIXED ? X86_RDPMC_FIXED : 0) |
	       FIELD_GET(X86_CFG_INDEX, config);
}

/*
 * Read all counters at the same instant, except for these few instructions. If an NMI came between
 * two reads, read again, because its instructions would be counted, too.
 */
static __always_inline void x86_read(const struct pmct_hwset *set, u64 *values)
{
	unsigned int i;
	u32 nmis;

	do {
		nmis = this_cpu_read(x86_cpu.nmis);
		for (i = 0; i < set->nr; i++)
			values[i] = pmct_rdpmc(x86_rdpmc_index(set->config[i]));
	} while (unlikely(this_cpu_read(x86_cpu.nmis) != nmis));
}

/*
 * Overflows are cleared between these two functions. The first one expects the NMIs that are still
 * on their way, the second one forgets the NMIs that came. The order matters: an NMI in between
 * must neither look unknown, nor be remembered for an overflow that is gone.
 */
void x86_clear_begin(struct x86_cpu *cpu, u64 overflowed);
void x86_clear_end(u64 overflowed);

/* All counters have been stopped: none of x86_cpu::interrupts raises an interrupt any more. */
void x86_drop_interrupts(struct x86_cpu *cpu);

/* Let the local APIC pass on counter interrupts. Intel's APIC masks the entry at each of them. */
void x86_open_lvtpc(void);
/* Is the entry as we wrote it? An overflow that was not cleared yet may have masked it. */
bool x86_lvtpc_intact(const struct x86_cpu *cpu);

/*
 * Counters without overflow flags. A counter that samples is loaded with its top bit set, and is in
 * x86_cpu::interrupts from then on. It has overflowed when that bit is clear. Clearing the overflow
 * removes the counter from x86_cpu::interrupts.
 */
u64 x86_unflagged_pending(const struct x86_cpu *cpu);
/*
 * Call this before such a counter is written, because a write hides its overflow.
 * Return: whether it has overflowed, or may have overflowed until the write.
 */
bool x86_unload(struct x86_cpu *cpu, unsigned int counter);

static inline bool x86_is_loaded(const struct x86_cpu *cpu, unsigned int counter)
{
	return cpu->interrupts & BIT_ULL(counter);
}

/* The NMI reads x86_cpu::interrupts, too. */
static inline void x86_set_loaded(struct x86_cpu *cpu, u64 counters)
{
	WRITE_ONCE(cpu->interrupts, counters);
}

#endif /* _PMCT_X86_H */
