/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contract between the core and a PMU backend.
 *
 * A backend owns registers and event encodings, and does not know threads. In operations marked
 * hot, it takes no lock and allocates nothing. The core owns threads, intervals and 64-bit totals,
 * and does not know registers.
 *
 * Counters are numbered from 0 as in raw configuration strings (pmcN). On every architecture the
 * fixed counters come first.
 */
#ifndef _PMCTRACK_BACKEND_H
#define _PMCTRACK_BACKEND_H

#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/types.h>
#include <pmctrack/msg.h>
#include <pmctrack/program_id.h>
#include <uapi/linux/pmctrack.h>

#define PMCT_MAX_KEYS	6	/* architecture-specific keys of a raw string */
#define PMCT_MAX_EVENT_CODES	4	/* alternatives for one portable event name */

/* The type of CPUs whose counters the backend cannot use: nothing is counted there. */
#define PMCT_NO_CORE_TYPE	PMCTRACK_MAX_CORE_TYPES

/**
 * struct pmct_event - one counter of a parsed raw configuration string
 * @counter: N of pmcN
 * @has_code: an event code was given (fixed counters have none)
 * @usr: count in user mode
 * @os: count in kernel mode
 * @code: event code
 * @ebs: events between two samples, 0: no event-based sampling
 * @addresses: samples are instruction addresses for the monitoring module, not records
 * @extra: values of the backend's own keys, in the order of its @keys
 */
struct pmct_event {
	u8 counter;
	bool has_code;
	bool usr;
	bool os;
	bool addresses;
	u64 code;
	u64 ebs;
	u32 extra[PMCT_MAX_KEYS];
};

/**
 * struct pmct_hwset - an event set, ready for the hardware
 * @nr: number of counters
 * @core_type: core type of the CPUs that the set is for
 * @index: index of the set in its session
 * @narrow: some counter can overflow unnoticed or samples, so overflow flags are read; or some
 *	counter does not always count, see pmct_backend::missed
 * @wraps: @narrow is set, or some counter has fewer than 64 bits: account at each tick
 * @ebs_index: index (0 to @nr - 1) of the counter that samples by its events, if @ebs is not 0
 * @ebs_kernel: this counter counts in kernel mode, where taking a sample generates events, too
 * @addresses: samples close no interval: the monitoring module gets the instruction's address
 * @ebs: events between two samples; 0: no event-based sampling
 * @counters: mask of the counters
 * @counter: numbers of the counters, ascending
 * @config: register value of each counter, made by the backend's translate()
 * @mask: largest value of each counter, all bits set
 * @priv: data of a backend that has prepare()
 */
struct pmct_hwset {
	u8 nr;
	u8 core_type;
	u8 index;
	bool narrow;
	bool wraps;
	u8 ebs_index;
	bool ebs_kernel;
	bool addresses;
	u64 ebs;
	u32 counters;
	u8 counter[PMCTRACK_MAX_COUNTERS];
	u64 config[PMCTRACK_MAX_COUNTERS];
	u64 mask[PMCTRACK_MAX_COUNTERS];
	void *priv;
};

/**
 * struct pmct_core_type - a kind of CPU, with one PMU
 * @name: name of the PMU, for people
 * @model: for user-space event tables: "midr=0x…" or "x86=vendor,family,model"
 * @cpus: CPUs of this type
 * @counters: mask of the counters that may be used
 * @fixed: mask of the counters that count one event only
 * @width: bits of a general counter
 * @events: bitmap of the event codes below @nr_events that the hardware implements
 * @nr_events: limit of the codes in @events; 0: it cannot be known
 */
struct pmct_core_type {
	char name[32];
	char model[32];
	struct cpumask cpus;
	u32 counters;
	u32 fixed;
	u8 width;
	const unsigned long *events;
	unsigned int nr_events;
};

/**
 * struct pmct_event_name - a portable name of an event
 * @name: as users write it ("llc_misses")
 * @nr: number of alternatives
 * @code: the alternatives, best first; the first one that the PMU implements is counted
 */
struct pmct_event_name {
	const char *name;
	u8 nr;
	u64 code[PMCT_MAX_EVENT_CODES];
};

/**
 * struct pmct_fixed_event - the event that a fixed counter counts
 * @counter: number of the counter; pmct_core_type::fixed says if the PMU has it
 * @only: no general counter can count the event
 * @code: code of the event
 */
struct pmct_fixed_event {
	u8 counter;
	bool only;
	u64 code;
};

/**
 * struct pmct_event_table - the events that a backend knows by name
 * @names: portable names
 * @nr_names: their number
 * @fixed: events of fixed counters
 * @nr_fixed: their number
 *
 * Tables are made from the files in events/ (module/event-tables.awk). Names whose code depends on
 * the model of the CPU are known in user space only.
 */
struct pmct_event_table {
	const struct pmct_event_name *names;
	unsigned int nr_names;
	const struct pmct_fixed_event *fixed;
	unsigned int nr_fixed;
};

struct pmct_cache_monitor;
struct pmct_sensor;

/**
 * struct pmct_backend - a PMU backend
 *
 * Each operation states its context. Most have one of two:
 *
 * - Process: process context, interrupts enabled, may sleep and allocate. Mutexes of the core may
 *   be held. The lock of CPU hotplug is not held, unless the operation says so.
 * - Hot: on the CPU concerned, interrupts disabled, possibly under the runqueue lock: in a context
 *   switch, a clock tick, the overflow interrupt, a start or stop by the thread itself, or a call
 *   from another CPU. Never in an NMI. The operation must not sleep, lock, allocate or wake a task.
 *
 * A pure operation depends only on its arguments and on what probe() found.
 *
 * probe() is called first. Hot operations are called only between claim() and release(). On a CPU
 * of PMCT_NO_CORE_TYPE the core counts with an empty set. It calls read() with this set, but not
 * program(), intact() or user_access().
 */
struct pmct_backend {
	/** @name: short, for people and /proc/pmc/info */
	const char *name;
	/**
	 * @size: sizeof(struct pmct_backend), if the backend is in a kernel module of its own. The
	 * core compares it, because that module may have been built with another version of this
	 * header.
	 */
	size_t size;
	/**
	 * @owns_counters: true: claim() takes the counters from perf; false: perf keeps them and
	 * lends the free ones
	 */
	bool owns_counters;
	/** @interrupts: number of interrupts that an overflow takes, for the limit of samples */
	unsigned int interrupts;
	/** @keys: names of the backend's own keys of raw strings ("umask"), NULL-terminated */
	const char *const *keys;
	/** @events: the events that monitoring modules can name */
	const struct pmct_event_table *events;
	/** @sensor: energy meters of the same machine; NULL: those of the hardware */
	const struct pmct_sensor *sensor;
	/** @cache_monitor: cache monitor of the same machine; NULL: that of the hardware */
	const struct pmct_cache_monitor *cache_monitor;
	/**
	 * @cache_domain: CPUs with the same number share the last-level cache. NULL: the CPUs of a
	 * package share it. Context: any. Pure.
	 */
	int (*cache_domain)(int cpu);
	/**
	 * @cache_bytes: size of the last-level cache of @cpu, 0: unknown. NULL: the kernel's value
	 * is used. Context: any. Pure.
	 */
	u64 (*cache_bytes)(int cpu);
	/**
	 * @set_code: set the code and @extra of @event to what @code of the table means. NULL:
	 * @code is also the code of raw strings. Context: process. Pure.
	 */
	void (*set_code)(struct pmct_event *event, u64 code);

	/**
	 * @probe: find the hardware. Returns 0, or -ENODEV with @msg if it does not exist. Context:
	 * process, once, when the module is loaded.
	 */
	int (*probe)(struct pmct_msg *msg);
	/** @nr_core_types: number of core types, after probe(); at least 1. Context: any. Pure. */
	unsigned int (*nr_core_types)(void);
	/**
	 * @core_type: core type @i. It is constant as long as the backend exists, except that CPUs
	 * are added to its @cpus. Context: any. Pure.
	 */
	const struct pmct_core_type *(*core_type)(unsigned int i);
	/**
	 * @cpu_core_type: the type of @cpu, or PMCT_NO_CORE_TYPE. Context: on that CPU, interrupts
	 * disabled, when it has come online, after cpu_up().
	 */
	unsigned int (*cpu_core_type)(int cpu);

	/**
	 * @cpu_online: called on @cpu when it has come online, or at module load if it was online
	 * then. Context: process, in the callback of CPU hotplug, whose lock is held:
	 * cpus_read_lock() can deadlock. No hot operation runs for a user thread of this CPU before
	 * this returns. NULL: nothing to do
	 */
	void (*cpu_online)(int cpu);
	/**
	 * @cpu_up: called on @cpu when it has come online, or when the machine has woken up. Its
	 * registers can hold any value. If the counters are claimed, stop them and take them over
	 * on this CPU, too. Context: interrupts disabled, in the callbacks of CPU hotplug (after
	 * cpu_online()) and of syscore (all other CPUs are offline), and nowhere else. It is not
	 * called for idle states in which a CPU loses its registers. After such a state, the core
	 * programs the set again. Therefore, if the hardware has such idle states, program() must
	 * not rely on what claim() or cpu_up() wrote. NULL: nothing to do
	 */
	void (*cpu_up)(int cpu);
	/**
	 * @cpu_down: called on @cpu before it goes offline, or before the machine sleeps.
	 * Afterwards the registers are as after release(). Context: as cpu_up(). NULL: nothing to
	 * do
	 */
	void (*cpu_down)(int cpu);
	/**
	 * @exit: the module is unloaded, or its last steps of loading failed. The counters are
	 * released, and cpu_online(), cpu_up() and cpu_down() are not called any more.
	 * Context: process. NULL: nothing to do
	 */
	void (*exit)(void);

	/**
	 * @translate: make the register value for an event, and the largest value of the counter
	 * (@mask). The core has checked that the counter exists and is used once. Errors have a
	 * @msg. -EINVAL: the event is malformed, and no PMU of this backend could count it, for
	 * example because a code or key is out of range, or the counter is for another event.
	 * -EOPNOTSUPP: the event is well-formed, but this PMU does not have it, or cannot count it
	 * in this way. If a name has several codes, the core then tries the next one. Context:
	 * process. Pure.
	 */
	int (*translate)(const struct pmct_core_type *type,
			 const struct pmct_event *event, u64 *config, u64 *mask,
			 struct pmct_msg *msg);

	/**
	 * @sees_others: if an event counts the work of others beside the monitored thread, a name
	 * for them in messages ("the other hyperthread of the core"); NULL: it does not. The core
	 * requires CAP_PERFMON for such events. Called before translate(), so the event may be
	 * malformed. Context: process. Pure.
	 */
	const char *(*sees_others)(const struct pmct_core_type *type,
				   const struct pmct_event *event);

	/**
	 * @prepare: acquire what a translated set needs during its session. Returns 0, or a
	 * negative errno with @msg. The counters need not be claimed yet. Context: process. NULL:
	 * nothing
	 */
	int (*prepare)(struct pmct_hwset *set, struct pmct_msg *msg);
	/**
	 * @unprepare: release what prepare() acquired. No CPU has the set any more. Not called if
	 * prepare() failed. Context: process.
	 */
	void (*unprepare)(struct pmct_hwset *set);

	/**
	 * @claim: take the counters of all CPUs until release(). Returns 0, or -EBUSY with @msg if
	 * other software has them.
	 *
	 * The backend calls @overflow in the counter interrupt, in a hot context. @overflow reads
	 * overflow_pending() itself. It returns true if a counter of ours had overflowed, and false
	 * if the interrupt was not ours. The backend must not call it in an NMI. If the counter
	 * interrupt is an NMI, its handler leaves the overflow flag set. Then it either masks the
	 * counter's interrupt until overflow_clear(), so that the next tick or switch accounts for
	 * the overflow, or requests an ordinary interrupt (irq_work) that calls @overflow. When
	 * release() returns, no call of @overflow is running or will come.
	 *
	 * Context: process. A CPU may come online at the same time, unless the backend takes
	 * cpus_read_lock().
	 */
	int (*claim)(bool (*overflow)(void), struct pmct_msg *msg);
	/**
	 * @release: stop all counters of all CPUs, and give them back to perf. Afterwards, on each
	 * CPU no counter runs, no counter interrupt is enabled, no overflow flag is set and user
	 * mode has no access. Registers whose earlier value perf's driver relies on have the value
	 * that they had before claim(). Values and event selections of stopped counters may stay,
	 * because perf writes these before it starts a counter. Context: process.
	 */
	void (*release)(void);

	/**
	 * @program: program @set, which is not empty, on this CPU and start counting. Context: hot.
	 */
	void (*program)(const struct pmct_hwset *set);
	/**
	 * @read: read the counters of @set, which is on this CPU or empty. Overflow flags are read
	 * before the counters. Returns the flags of the counters of @set if @set->narrow, else 0.
	 * Context: hot. Called at each switch.
	 */
	u64 (*read)(const struct pmct_hwset *set, u64 *values);
	/**
	 * @missed: ns between the last two calls of read() on this CPU, both for the same set, in
	 * which some counter of the set did not count. Context: hot. NULL: always 0, because the
	 * counters are ours.
	 */
	u64 (*missed)(void);
	/**
	 * @intact: true if the registers of this CPU still hold what program() wrote for @set. This
	 * detects other writers (a hypervisor, firmware). Context: hot; at each tick, and before
	 * the last record of a period or thread. If it returns false, the core calls program(),
	 * then intact() once more. NULL: the registers are not ours.
	 */
	bool (*intact)(const struct pmct_hwset *set);
	/**
	 * @write: set a counter of the set on this CPU; it continues counting. @value is within its
	 * mask. Context: hot.
	 */
	void (*write)(unsigned int counter, u64 value);
	/**
	 * @user_access: let user mode read the counters of @set, which is on this CPU; all counters
	 * are set to 0 before. If @set is NULL, end this access. program() ends access, too.
	 * Context: hot. NULL if the hardware cannot.
	 */
	void (*user_access)(const struct pmct_hwset *set);
	/**
	 * @overflow_pending: mask of counters that have overflowed since
	 * their flags were cleared. Context: hot.
	 */
	u64 (*overflow_pending)(void);
	/**
	 * @overflow_clear: clear the flags of these counters, and re-enable their interrupts if the
	 * handler masked them. Context: hot.
	 */
	void (*overflow_clear)(u64 counters);
	/**
	 * @user_ip: address of the user instruction at which current was interrupted, if it differs
	 * from that of the real CPU; 0: it does not. Context: hot. NULL: it never differs.
	 */
	u64 (*user_ip)(void);
	/**
	 * @user_program: set @id to the program that current executes, if it differs from that of
	 * the real CPU. Returns false if current executes no program that can be counted. Context:
	 * hot. NULL: it never differs
	 */
	bool (*user_program)(struct pmct_program_id *id);
};

/*
 * The built-in backends, in the order of probing; ends with NULL. A backend NAME in a kernel module
 * of its own, pmctrack_NAME, is exported as pmct_backend_NAME (EXPORT_SYMBOL_GPL). The core loads
 * this module if backend=NAME is given, and keeps it until the core itself is unloaded.
 */
extern const struct pmct_backend *const pmct_backends[];

#endif /* _PMCTRACK_BACKEND_H */
