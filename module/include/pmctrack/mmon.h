/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contract between the core and a monitoring module (section 3.2.1 of the PMCTrack paper). A
 * monitoring module turns the samples of threads into metrics for schedulers and virtual counters
 * for users. It names events as users do, and gets counts in samples. It touches neither counters
 * nor schedulers.
 *
 *	enum { INSTR, CYCLES };
 *	static const char *const ipc_events[] = { [INSTR] = "instr", [CYCLES] = "cycles" };
 *
 *	static struct monitoring_module ipc = {
 *		.name = "ipc", .description = "...", .owner = THIS_MODULE,
 *		.events = ipc_events, .nr_events = ARRAY_SIZE(ipc_events),
 *		.enable = ipc_enable, .on_new_sample = ipc_sample,
 *	};
 *	module_monitoring_module(ipc);
 *
 * One module is active at a time. It is chosen in /proc/pmc/mmon_manager, which loads
 * "pmctrack-mmon-NAME" if necessary. A module can be replaced while threads are monitored. Then its
 * callbacks stop, and its metrics and virtual counters disappear.
 *
 * Context of the callbacks on_...(): interrupts disabled, possibly under the runqueue lock. They
 * must not sleep, wake a task or take a lock that is not raw. Those of one thread never run at the
 * same time. get_metric() runs anywhere; all others run in process context and may sleep.
 */
#ifndef _PMCTRACK_MMON_H
#define _PMCTRACK_MMON_H

#include <linux/bits.h>
#include <linux/device/driver.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/types.h>
#include <pmctrack/msg.h>
#include <pmctrack/program_id.h>
#include <pmctrack/sched.h>
#include <uapi/linux/pmctrack.h>

/* Opaque: a monitored thread or, in a system-wide session, a CPU. */
struct pmct_ctx;
struct pmct_cache_monitor;
struct pmct_sensor;
/* Private to the core. */
struct pmct_mmon_sets;
struct seq_file;
struct task_struct;

/* Bytes that a module can store for a thread. */
#define PMCT_MMON_DATA	320

/* Maximal number of events in all sets of a module. */
#define PMCT_MAX_MMON_EVENTS	32

/**
 * struct pmct_vcounter - a virtual counter
 * @name: as users write it; 1 to 31 letters, digits, '-' or '_'
 * @unit: of a value ("uJ", "milli"), may be empty
 * @description: one line
 * @gauge: a value is a state at the end of an interval; otherwise it is what was added in the
 *	interval, so that values can be summed up
 * @sees_others: the value also shows what others do, so users without CAP_PERFMON cannot have it
 * @needs_sets: the value is made of the counts of the module's own event sets, so it is refused to
 *	users who choose other sets
 */
struct pmct_vcounter {
	const char *name;
	const char *unit;
	const char *description;
	bool gauge;
	bool sees_others;
	bool needs_sets;
};

/**
 * struct pmct_sample - a closed interval, on its way to the module
 * @rec: the record, as the user will see it
 * @own_sets: its event set is one of those that the module configured; otherwise the user chose the
 *	events
 * @ip: address of the user instruction that was interrupted at the end of the interval. In records
 *	of kind PMCTRACK_RECORD_EBS it is a few instructions after the one that filled the window.
 *	0: a CPU, or a kernel thread
 * @virt: values of the module's virtual counters, see pmct_sample_virt()
 * @virt_mask: mask of the virtual counters that have a value in this interval
 * @next_set: index of the next event set. The core proposes the following one in turn; the module
 *	may change it
 * @where: private: the positions of the module's events in the counts of @rec, see
 *	pmct_sample_count(); NULL if @own_sets is false, or the sets are raw strings
 */
struct pmct_sample {
	const struct pmctrack_record *rec;
	bool own_sets;
	u64 ip;
	u64 virt[PMCTRACK_MAX_VIRT];
	u32 virt_mask;
	u8 next_set;
	const u8 *where;
};

/**
 * pmct_sample_virt() - give a virtual counter its value for this interval
 * @sample: the interval
 * @i: index of the virtual counter in monitoring_module::virt, smaller than
 *	monitoring_module::nr_virt. Nothing happens if it is PMCTRACK_MAX_VIRT or more.
 * @value: its value
 *
 * Context: on_new_sample().
 */
static inline void pmct_sample_virt(struct pmct_sample *sample, unsigned int i, u64 value)
{
	if (i >= PMCTRACK_MAX_VIRT)
		return;
	sample->virt[i] = value;
	sample->virt_mask |= BIT(i);
}

/**
 * pmct_sample_count() - how often an event happened in an interval
 * @sample: the interval
 * @event: index of the event in monitoring_module::events
 * @value: result
 *
 * Context: on_new_sample().
 * Return: 0. -ENODATA: the event set of this interval does not count the event, or is not
 * the module's own.
 */
static inline int pmct_sample_count(const struct pmct_sample *sample, unsigned int event,
				    u64 *value)
{
	u8 i;

	if (!sample->where || event >= PMCT_MAX_MMON_EVENTS)
		return -ENODATA;
	i = sample->where[event];
	if (i >= sample->rec->nr_counts)
		return -ENODATA;
	*value = sample->rec->counts[i];
	return 0;
}

/**
 * struct monitoring_module - a monitoring module
 *
 * Unused callbacks are NULL.
 */
struct monitoring_module {
	/** @name: as users write it; 1 to 31 letters, digits, '-' or '_'; not "none" */
	const char *name;
	/** @description: one line for people */
	const char *description;
	/** @owner: THIS_MODULE */
	struct module *owner;
	/**
	 * @events: the events that the module's sets count, with their modes: "instr", "cycles:k".
	 * Their index is the argument of pmct_sample_count(). An entry may be NULL
	 */
	const char *const *events;
	/** @nr_events: number of @events, at most PMCT_MAX_MMON_EVENTS */
	unsigned int nr_events;
	/** @virt: the module's virtual counters */
	const struct pmct_vcounter *virt;
	/** @nr_virt: number of @virt, at most PMCTRACK_MAX_VIRT */
	unsigned int nr_virt;
	/** @period_ms: sampling period of threads in scheduler mode; 0: 100 ms */
	unsigned int period_ms;

	/**
	 * @enable: the module becomes the active one. If it wants counts, it calls
	 * configure_performance_counters_set() here. May sleep. If it does not return 0, the module
	 * stays inactive.
	 */
	int (*enable)(struct monitoring_module *self);
	/**
	 * @load_model: an administrator has written the model @text to /proc/pmc/mmon_model. The
	 * module is not active during this call. @text ends with NUL and may be changed. It must
	 * not be trusted. May sleep. Returns 0, or a negative errno with @msg.
	 */
	int (*load_model)(struct monitoring_module *self, char *text, struct pmct_msg *msg);
	/** @show_models: print a line for each model that the module has. May sleep. */
	void (*show_models)(const struct monitoring_module *self, struct seq_file *m);
	/**
	 * @show_state: print what only an administrator may see, in lines of words name=value.
	 * Called only if the module is active. May sleep.
	 */
	void (*show_state)(const struct monitoring_module *self, struct seq_file *m);
	/** @disable: the module is not active any more. No callback runs or will run. May sleep. */
	void (*disable)(struct monitoring_module *self);
	/**
	 * @on_enter: the first call for a thread; the module's data of the thread are zero. @parent
	 * is the thread that created it. @parent is NULL if the thread is older than its
	 * monitoring, or than the module's activation. In these cases this call comes when the
	 * counting begins, if the session has virtual counters, or else with the thread's next tick
	 * or sample.
	 */
	void (*on_enter)(struct pmct_ctx *ctx, const struct pmct_ctx *parent);
	/** @on_exec: the thread executes another program */
	void (*on_exec)(struct pmct_ctx *ctx);
	/**
	 * @on_switch_in: the thread enters @cpu, or starts counting itself there. Called at each
	 * context switch.
	 */
	void (*on_switch_in)(struct pmct_ctx *ctx, int cpu);
	/**
	 * @on_switch_out: the thread leaves @cpu, or stops counting itself; its counts are up to
	 * date
	 */
	void (*on_switch_out)(struct pmct_ctx *ctx, int cpu);
	/** @on_tick: the clock tick interrupted the thread */
	void (*on_tick)(struct pmct_ctx *ctx, int cpu);
	/**
	 * @on_address: an event with ":ip=N" has happened N times more, or up to a quarter more
	 * often. @ip is the address of the user instruction at which the thread was interrupted; 0:
	 * a CPU, or a kernel thread. The interval stays open; pmct_mmon_counted() has its counts.
	 * Called in the counter interrupt, a switch or a tick, so keep it short
	 */
	void (*on_address)(struct pmct_ctx *ctx, u64 ip);
	/** @on_new_sample: an interval was closed */
	void (*on_new_sample)(struct pmct_ctx *ctx, struct pmct_sample *sample);
	/**
	 * @on_exit: the last call for a thread: the thread ends or is not monitored any more, or
	 * the module is about to be disabled
	 */
	void (*on_exit)(struct pmct_ctx *ctx);
	/**
	 * @get_metric: a scheduler asks for metric @key (0 to PMCT_NR_METRICS - 1) of a thread that
	 * on_enter() has seen. This is for values that must be computed at that moment. If a module
	 * has this callback, it answers for all keys, and the core ignores values of
	 * pmct_mmon_publish(). Any context, NMI included, possibly at the same time as other
	 * callbacks of the thread. Returns 0 or -ENODATA. @value has the age 0 and is
	 * PMCT_MEASURED, unless the module changes it.
	 */
	int (*get_metric)(const struct pmct_ctx *ctx, int key, struct pmct_metric_value *value);

	/* private: of the core */
	struct list_head node;
	const char *const *raw;
	unsigned int nr_raw;
	struct pmct_mmon_sets *sets;
	u32 gen;
};

int register_monitoring_module(struct monitoring_module *mm);
void unregister_monitoring_module(struct monitoring_module *mm);

/* The module's init and exit functions. It also needs MODULE_ALIAS("pmctrack-mmon-NAME"). */
#define module_monitoring_module(mm) \
	module_driver(mm, register_monitoring_module, unregister_monitoring_module)

const char *pmct_mmon_pmu(void);
const struct pmct_sensor *pmct_mmon_sensor(void);
const struct pmct_cache_monitor *pmct_mmon_cache_monitor(void);
int pmct_mmon_cache_domain(int cpu);
u64 pmct_mmon_cache_bytes(int cpu);
unsigned int pmct_mmon_nr_core_types(void);
const char *pmct_mmon_core_type(unsigned int i);
int configure_performance_counters_set(struct monitoring_module *mm,
				       const char *const *sets, unsigned int nr);
int configure_raw_performance_counters_set(struct monitoring_module *mm,
					   const char *const *raw, unsigned int nr);
void *pmct_mmon_data(const struct pmct_ctx *ctx);
bool pmct_mmon_is_asked(const struct pmct_ctx *ctx);
struct task_struct *pmct_mmon_task(const struct pmct_ctx *ctx);
bool pmct_mmon_program(const struct pmct_ctx *ctx, struct pmct_program_id *id);
bool pmct_mmon_waited(const struct pmct_ctx *ctx, u64 *ns);
unsigned int pmct_mmon_core_type_now(const struct pmct_ctx *ctx);
bool pmct_mmon_is_counted(const struct pmct_ctx *ctx);
u64 pmct_mmon_counted(const struct pmct_ctx *ctx, unsigned int event);
u64 pmct_mmon_counted_ns(const struct pmct_ctx *ctx);
int pmct_mmon_counts_now(const struct pmct_ctx *ctx, u64 *counts, unsigned int nr, u64 *ns);
void pmct_mmon_publish(struct pmct_ctx *ctx, enum pmct_metric metric, u64 value,
		       enum pmct_confidence confidence);
void pmct_mmon_mark_stale(struct pmct_ctx *ctx, enum pmct_metric metric);

#endif /* _PMCTRACK_MMON_H */
