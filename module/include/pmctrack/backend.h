/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contract between the core and a PMU backend.
 *
 * A backend owns registers and event encodings. It knows no thread, takes no
 * lock and allocates nothing in the calls marked hot. The core owns threads,
 * intervals and 64-bit totals, and knows no register.
 *
 * Counters are numbered from 0 as in raw configuration strings (pmcN). On
 * every architecture the fixed counters come first.
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
 * @addresses: of a monitoring module: a sample is an instruction's address, and no record
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
 * @core_type: for which CPUs
 * @index: of the set in its session
 * @narrow: some counter can overflow unseen, or samples: flags are looked at; or
 *	does not always count, see pmct_backend::missed
 * @wraps: @narrow, or some counter has fewer than 64 bits: accounted for at
 *	each tick
 * @ebs_index: which counter (0 to @nr - 1) samples by its events, if @ebs
 * @ebs_kernel: it counts in kernel mode, where samples are events themselves
 * @addresses: samples close no interval: the monitoring module gets the instruction's address
 * @ebs: events between two samples; 0: no event-based sampling
 * @counters: mask of the counters
 * @counter: their numbers, ascending
 * @config: what the backend's translate() made of each
 * @mask: largest value of each counter, all bits set
 * @priv: of a backend with prepare()
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
 * @name: of the PMU, for people
 * @model: for user-space event tables: "midr=0x…" or "x86=vendor,family,model"
 * @cpus: which CPUs are of this type
 * @counters: mask of the counters that may be used
 * @fixed: mask of those that count one event only
 * @width: bits of a general counter
 * @events: which event codes below @nr_events the hardware implements
 * @nr_events: 0 if it cannot be known
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
 * @code: the alternatives, best first; the one is counted that the PMU implements
 */
struct pmct_event_name {
	const char *name;
	u8 nr;
	u64 code[PMCT_MAX_EVENT_CODES];
};

/**
 * struct pmct_fixed_event - the event that a fixed counter counts
 * @counter: number of the counter. Whether the PMU has it, is in pmct_core_type::fixed.
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
 * Tables are made from the files in events/ (module/event-tables.awk). Names whose code
 * depends on the model of the CPU are in user space only.
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
 * - Process: process context, interrupts enabled, may sleep and allocate. Mutexes of the core
 *   may be held. The lock of CPU hotplug is not, unless the operation says so.
 * - Hot: on the CPU concerned, interrupts disabled, possibly under the runqueue lock: in a
 *   context switch, a clock tick, the overflow interrupt, a start or stop by the thread itself,
 *   or a call from another CPU. Never in an NMI. The operation must not sleep, lock, allocate or
 *   wake anybody.
 *
 * An operation that is named pure depends only on its arguments and on what probe() found.
 *
 * probe() comes first, hot operations come between claim() and release(). On a CPU of
 * PMCT_NO_CORE_TYPE the core counts with an empty set: read() is called with it, but not
 * program(), intact() or user_access().
 */
struct pmct_backend {
	/** @name: short, for people and /proc/pmc/info */
	const char *name;
	/**
	 * @size: sizeof(struct pmct_backend), of a backend in a kernel module of its own. It is
	 * compared, because the module may have been built with another version of this header.
	 */
	size_t size;
	/**
	 * @owns_counters: claim() takes the counters from perf; false: perf keeps
	 * them, and lends what is free
	 */
	bool owns_counters;
	/** @interrupts: how many interrupts an overflow takes, for the limit of samples */
	unsigned int interrupts;
	/** @keys: names of further keys of raw strings ("umask"), NULL-terminated */
	const char *const *keys;
	/** @events: the events that monitoring modules can name */
	const struct pmct_event_table *events;
	/** @sensor: energy meters of the same machine; NULL: those of the hardware */
	const struct pmct_sensor *sensor;
	/** @cache_monitor: likewise */
	const struct pmct_cache_monitor *cache_monitor;
	/**
	 * @cache_domain: CPUs for which it is the same number share the last-level cache. NULL:
	 * those of a package do. Context: any. Pure.
	 */
	int (*cache_domain)(int cpu);
	/**
	 * @cache_bytes: the size of that cache, 0: unknown. NULL: what the kernel knows. Context:
	 * any. Pure.
	 */
	u64 (*cache_bytes)(int cpu);
	/**
	 * @set_code: set the code of @event, and of its @extra, as @code of the
	 * table means it. NULL: it is the code of raw strings. Context: process. Pure.
	 */
	void (*set_code)(struct pmct_event *event, u64 code);

	/**
	 * @probe: find the hardware. -ENODEV if it is not there, with @msg. Context: process,
	 * once, when the module is loaded.
	 */
	int (*probe)(struct pmct_msg *msg);
	/** @nr_core_types: how many, after probe(); at least one. Context: any. Pure. */
	unsigned int (*nr_core_types)(void);
	/**
	 * @core_type: the @i-th; constant until the backend goes away, but for CPUs that are
	 * added to its @cpus. Context: any. Pure.
	 */
	const struct pmct_core_type *(*core_type)(unsigned int i);
	/**
	 * @cpu_core_type: which type @cpu is of, or PMCT_NO_CORE_TYPE. Context: on that CPU,
	 * interrupts disabled, when it came online, after cpu_up().
	 */
	unsigned int (*cpu_core_type)(int cpu);

	/**
	 * @cpu_online: @cpu, on which this runs, came online, or was online when the module
	 * was loaded. Context: process, in the callback of CPU hotplug, whose lock is held:
	 * cpus_read_lock() can deadlock. No hot operation runs for a user thread of this CPU
	 * before it returns. NULL: nothing to do
	 */
	void (*cpu_online)(int cpu);
	/**
	 * @cpu_up: @cpu, on which this runs, came online, or the machine woke up: its registers
	 * hold anything. If the counters are claimed, stop them and make them ours on this CPU,
	 * too. Context: interrupts disabled, in the callbacks of CPU hotplug (after cpu_online())
	 * and of syscore (all other CPUs are offline), and nowhere else. It is not called for
	 * idle states in which a CPU loses its registers: after these the core programs the set
	 * anew, so program() must not rely on what claim() or cpu_up() wrote, if the hardware
	 * has such idle states. NULL: nothing to do
	 */
	void (*cpu_up)(int cpu);
	/**
	 * @cpu_down: @cpu, on which this runs, is about to go offline, or the machine to sleep.
	 * Afterwards the registers are as after release(). Context: as cpu_up(). NULL: nothing
	 * to do
	 */
	void (*cpu_down)(int cpu);
	/**
	 * @exit: the module is unloaded, or could not be loaded after all. The counters are
	 * released, and cpu_online(), cpu_up() and cpu_down() are not called any more.
	 * Context: process. NULL: nothing to do
	 */
	void (*exit)(void);

	/**
	 * @translate: make the register value for an event, and the largest value of the
	 * counter (@mask). The core has checked that the counter exists and is used once.
	 * Errors have a @msg. -EINVAL: the event is malformed, and no PMU of this backend could
	 * count it: a code or key that is out of range, or a counter that is for another event.
	 * -EOPNOTSUPP: the event is well-formed, but this PMU does not have it, or cannot count
	 * it in this way; where a name has several codes, the core tries the next one.
	 * Context: process. Pure.
	 */
	int (*translate)(const struct pmct_core_type *type,
			 const struct pmct_event *event, u64 *config, u64 *mask,
			 struct pmct_msg *msg);

	/**
	 * @sees_others: whose work beside the monitored thread's an event counts,
	 * in words for a message ("the other hyperthread of the core"), or NULL:
	 * nobody's. The core wants CAP_PERFMON for such events. Called before translate(), so
	 * the event may be malformed. Context: process. Pure.
	 */
	const char *(*sees_others)(const struct pmct_core_type *type,
				   const struct pmct_event *event);

	/**
	 * @prepare: get what a translated set needs while its session lasts;
	 * a negative errno with @msg. The counters need not be claimed yet. Context: process.
	 * NULL: nothing
	 */
	int (*prepare)(struct pmct_hwset *set, struct pmct_msg *msg);
	/**
	 * @unprepare: give it back; no CPU has the set any more. Not called if prepare() failed.
	 * Context: process.
	 */
	void (*unprepare)(struct pmct_hwset *set);

	/**
	 * @claim: own the counters of all CPUs until release(). -EBUSY with @msg if
	 * somebody else has them.
	 *
	 * @overflow tells the core of a counter interrupt. It runs as hot, and reads
	 * overflow_pending() itself. It returns true if a counter of ours had overflowed, false
	 * if the interrupt was somebody else's. The backend must not call it in an NMI. Where
	 * the counter interrupt is an NMI, the handler leaves the overflow flag set, and either
	 * masks the counter's interrupt until overflow_clear(), so that the next tick or
	 * switch accounts for the overflow, or asks for an ordinary interrupt (irq_work) that
	 * calls @overflow. When release() returns, no call of @overflow is running or will come.
	 *
	 * Context: process. A CPU may come online at the same time, unless the backend takes
	 * cpus_read_lock().
	 */
	int (*claim)(bool (*overflow)(void), struct pmct_msg *msg);
	/**
	 * @release: stop all counters of all CPUs, give them back to perf. On each CPU no
	 * counter runs, no counter interrupt is enabled, no overflow flag is set and user mode
	 * has no access. Registers in which perf's driver relies on an earlier value have the
	 * value that they had before claim(). Values and event selections of stopped counters
	 * may stay, because perf writes these before it starts a counter. Context: process.
	 */
	void (*release)(void);

	/**
	 * @program: put @set, which is not empty, on this CPU and let it count. Context: hot.
	 */
	void (*program)(const struct pmct_hwset *set);
	/**
	 * @read: read the counters of @set, which is on this CPU or empty.
	 * Overflow flags are read before the counters; returns them for the
	 * counters of @set if @set->narrow, else 0. Context: hot. It is called at each switch.
	 */
	u64 (*read)(const struct pmct_hwset *set, u64 *values);
	/**
	 * @missed: for how many ns between the last two read() of this CPU,
	 * which were of the same set, some counter of it did not count. Context: hot.
	 * NULL: never, the counters are ours.
	 */
	u64 (*missed)(void);
	/**
	 * @intact: do the registers of this CPU still hold what program() wrote
	 * for @set? Whoever else writes them (a hypervisor, firmware) is noticed
	 * by this. Context: hot; at each tick, and before the last record of a period or thread.
	 * If it returns false, the core calls program(), then intact() once more. NULL: they are
	 * not ours.
	 */
	bool (*intact)(const struct pmct_hwset *set);
	/**
	 * @write: set a counter of the set on this CPU, which counts on. @value is within its
	 * mask. Context: hot.
	 */
	void (*write)(unsigned int counter, u64 value);
	/**
	 * @user_access: let user mode read the counters of the set on this CPU
	 * (all others, and these, are set to 0), or no more if @set is NULL.
	 * program() ends access, too. Context: hot. NULL if the hardware cannot.
	 */
	void (*user_access)(const struct pmct_hwset *set);
	/**
	 * @overflow_pending: mask of counters that have overflowed since
	 * their flags were cleared. Context: hot.
	 */
	u64 (*overflow_pending)(void);
	/**
	 * @overflow_clear: clear the flags of these counters, and enable their interrupts again
	 * if the handler masked them. Context: hot.
	 */
	void (*overflow_clear)(u64 counters);
	/**
	 * @user_ip: the instruction at which current was interrupted in user mode, where that is
	 * another than the real CPU's; 0: it is not. Context: hot. NULL: it never is.
	 */
	u64 (*user_ip)(void);
	/**
	 * @user_program: which program current executes, where that is another than the real
	 * CPU's; false: it executes none that can be counted. Context: hot. NULL: the real one
	 */
	bool (*user_program)(struct pmct_program_id *id);
};

/*
 * Those built in, to be probed in this order; ends with NULL. A backend NAME in a kernel
 * module of its own, pmctrack_NAME, is exported as pmct_backend_NAME (EXPORT_SYMBOL_GPL). The
 * core loads it if it is asked for backend=NAME, and keeps it until it is unloaded itself.
 */
extern const struct pmct_backend *const pmct_backends[];

#endif /* _PMCTRACK_BACKEND_H */
