/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the backends of x86 share: core types, event select registers, ownership
 * of the counters, and the interrupt, which is an NMI.
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
 * Event select registers, of Intel (SDM volume 3, chapter "Performance
 * Monitoring") and AMD (APM volume 2, 13.2) alike. The top byte of a
 * configuration, which no register has, is the counter as RDPMC names it.
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
 * @type: for the core; counters are numbered: fixed ones, then general ones
 * @id: what tells it from others of the machine
 * @nr_fixed: fixed counters
 * @nr_general: general counters
 * @global: bits of the global registers that stand for these counters
 */
struct x86_type {
	struct pmct_core_type type;
	u8 id;
	u8 nr_fixed;
	u8 nr_general;
	u64 global;
};

/**
 * struct x86_cpu - what a CPU's counters are doing; changed there only
 * @type: its core type, NULL: none that was seen at load
 * @interrupts: counters that raise an interrupt when they overflow
 * @reported: those whose interrupt came, until their overflow is cleared. The
 *	NMI changes it, hence nothing but this_cpu operations may.
 * @late: NMIs that may still come, whose overflows were seen, and cleared,
 *	before them. The NMI changes it, too.
 * @late_until: jiffies; what comes later is somebody else's
 * @nmis: how many there were, of anybody
 * @work: leaves NMI context
 * @lvtpc: entry of the local APIC before the counters were ours
 * @saved: registers that perf expects to find again
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
 * struct x86_vendor - what differs
 * @counter_msr: register of the @i-th general counter
 * @select_msr: its event select register
 * @describe: @t->id is set: what the PMU of this CPU has, or -ENODEV
 * @id: of the type of this CPU
 * @save: keep what perf expects to find again in this CPU's registers
 * @start: this CPU's counters are ours: all are stopped, and 0
 * @stop: all are stopped, and perf finds what was saved
 * @pending: which of x86_cpu::interrupts have overflowed. NMI.
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

static inline const struct x86_type *x86_type(const struct pmct_core_type *type)
{
	return container_of(type, struct x86_type, type);
}

/* A code of the event table is an event select register: unit mask and event. */
void x86_set_code(struct pmct_event *event, u64 code);
/* The event select register for an event, and its counter's RDPMC index. */
int x86_encode(const struct x86_type *t, const struct pmct_event *event, u64 max_code,
	       bool any, u64 *config, struct pmct_msg *msg);

/* As RDPMC wants it. */
static __always_inline u32 x86_rdpmc_index(u64 config)
{
	return (config & X86_CFG_FIXED ? X86_RDPMC_FIXED : 0) |
	       FIELD_GET(X86_CFG_INDEX, config);
}

/*
 * All counters at the same instant but for these few instructions: not with
 * those of an NMI between two of them.
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
 * Overflows are cleared between these two: the first expects the NMIs that are still
 * on their way, the second forgets those that came. In this order, because an NMI that
 * comes in between must neither be nobody's, nor be remembered for an overflow that is gone.
 */
void x86_clear_begin(struct x86_cpu *cpu, u64 overflowed);
void x86_clear_end(u64 overflowed);

/* All counters have been stopped: none of x86_cpu::interrupts does so any more. */
void x86_drop_interrupts(struct x86_cpu *cpu);

/* Let the local APIC pass on interrupts of counters: Intel's masks the entry with each. */
void x86_open_lvtpc(void);
/* Is that entry as we wrote it? An overflow that has not been cleared may have masked it. */
bool x86_lvtpc_intact(const struct x86_cpu *cpu);

/*
 * Counters without overflow flags: one that samples is loaded with its top bit
 * set, is among x86_cpu::interrupts from then on, and has overflowed when that
 * bit is clear. To clear its overflow takes it from there.
 */
u64 x86_unflagged_pending(const struct x86_cpu *cpu);
/*
 * Such a counter is about to be written, which hides its overflow.
 * Return: whether it has overflowed, or may have until then.
 */
bool x86_unload(struct x86_cpu *cpu, unsigned int counter);

static inline bool x86_is_loaded(const struct x86_cpu *cpu, unsigned int counter)
{
	return cpu->interrupts & BIT_ULL(counter);
}

/* The NMI looks at them, too. */
static inline void x86_set_loaded(struct x86_cpu *cpu, u64 counters)
{
	WRITE_ONCE(cpu->interrupts, counters);
}

#endif /* _PMCT_X86_H */
