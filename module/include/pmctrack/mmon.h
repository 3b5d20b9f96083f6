/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contract between the core and a monitoring module (section 3.2.1 of the
 * PMCTrack paper). A monitoring module turns the samples of threads into
 * metrics for schedulers and virtual counters for users. It names events as
 * users do, and sees counts in samples: it touches no counter and no scheduler.
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
 * One module is active at a time, chosen by /proc/pmc/mmon_manager, where
 * "pmctrack-mmon-NAME" is loaded when it is wanted. It can be replaced while
 * threads are monitored: callbacks stop, and metrics and virtual counters of
 * the old one are no more.
 *
 * Context of all callbacks but enable() and disable(): interrupts disabled,
 * possibly under the runqueue lock; they must not sleep, wake anybody or take
 * a lock that is not raw. Those of one thread never run at the same time.
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
/* Private: of the core. */
struct pmct_mmon_sets;
struct seq_file;
struct task_struct;

/* Bytes of a thread's data that belong to the active module. */
#define PMCT_MMON_DATA	320

/* Events of a module, in all of its sets. */
#define PMCT_MAX_MMON_EVENTS	32

/**
 * struct pmct_vcounter - a virtual counter
 * @name: as users write it; 1 to 31 letters, digits, '-' or '_'
 * @unit: of a value ("uJ", "milli"), may be empty
 * @description: one line
 * @gauge: a value is a state at the end of an interval; otherwise what was
 *	added in the interval, so that values can be summed up
 * @sees_others: it is also made of what others do: users without CAP_PERFMON cannot have it
 * @needs_sets: it is made of the counts of the module's own event sets, and
 *	refused to users who choose others
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
 * @own_sets: its event set is one of those that the module configured;
 *	otherwise the user chose what to count
 * @ip: instruction of the user program that was interrupted at the end of the
 *	interval; of kind PMCTRACK_RECORD_EBS this is a few instructions after
 *	the one that made the window full. 0: a CPU, or a kernel thread
 * @virt: values of the module's virtual counters, see pmct_sample_virt()
 * @virt_mask: which of them have one in this interval
 * @next_set: which event set is next; the core's proposal, which the module
 *	may change, is the one that follows in turn
 * @where: private: where the counts of the module's events are in @rec, see
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
 * @value: where the count goes
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
	 * @events: the events that its sets count, with their modes: "instr",
	 * "cycles:k"; pmct_sample_count() is asked by index. An entry may be NULL
	 */
	const char *const *events;
	/** @nr_events: their number, at most PMCT_MAX_MMON_EVENTS */
	unsigned int nr_events;
	/** @virt: its virtual counters, at most PMCTRACK_MAX_VIRT */
	const struct pmct_vcounter *virt;
	/** @nr_virt: their number */
	unsigned int nr_virt;
	/** @period_ms: sampling period of threads in scheduler mode; 0: 100 ms */
	unsigned int period_ms;

	/**
	 * @enable: it becomes the active one. It calls
	 * configure_performance_counters_set() from here, if it wants counts.
	 * May sleep. Not 0: it stays inactive.
	 */
	int (*enable)(struct monitoring_module *self);
	/**
	 * @load_model: an administrator gives it a model, by writing @text to
	 * /proc/pmc/mmon_model. It is not the active one meanwhile. @text ends with NUL and may
	 * be changed; it is as hostile as any input. May sleep. 0, or a negative errno with @msg.
	 */
	int (*load_model)(struct monitoring_module *self, char *text, struct pmct_msg *msg);
	/** @show_models: print a line for each model that it has. May sleep. */
	void (*show_models)(const struct monitoring_module *self, struct seq_file *m);
	/**
	 * @show_state: print what only an administrator may see, in lines of words name=value.
	 * It is the active module. May sleep.
	 */
	void (*show_state)(const struct monitoring_module *self, struct seq_file *m);
	/** @disable: it is no more; no callback runs or will run. May sleep. */
	void (*disable)(struct monitoring_module *self);
	/**
	 * @on_enter: the first call for a thread; its data are zero.
	 * @parent is the thread that created it, or NULL for one that is older
	 * than its monitoring, or than the module's activation: then this
	 * comes with its next tick or sample.
	 */
	void (*on_enter)(struct pmct_ctx *ctx, const struct pmct_ctx *parent);
	/** @on_exec: the thread executes another program */
	void (*on_exec)(struct pmct_ctx *ctx);
	/**
	 * @on_switch_in: the thread enters @cpu, or starts itself there. On the path of each
	 * switch.
	 */
	void (*on_switch_in)(struct pmct_ctx *ctx, int cpu);
	/** @on_switch_out: the thread leaves @cpu, or stops itself; its counts are up to date */
	void (*on_switch_out)(struct pmct_ctx *ctx, int cpu);
	/** @on_tick: the clock tick hit the thread */
	void (*on_tick)(struct pmct_ctx *ctx, int cpu);
	/**
	 * @on_address: an event with ":ip=N" has happened N times more, or up to a quarter more
	 * often. @ip is the instruction of the user program at which the thread was interrupted;
	 * 0: a CPU, or a kernel thread. The interval goes on: pmct_mmon_counted() has its counts.
	 * On the path of the counter interrupt, of a switch or of a tick: keep it short
	 */
	void (*on_address)(struct pmct_ctx *ctx, u64 ip);
	/** @on_new_sample: an interval was closed */
	void (*on_new_sample)(struct pmct_ctx *ctx, struct pmct_sample *sample);
	/**
	 * @on_exit: the last call for a thread: it ends or is monitored no
	 * more, or the module is about to be disabled
	 */
	void (*on_exit)(struct pmct_ctx *ctx);
	/**
	 * @get_metric: a scheduler asks for metric @key (0 to PMCT_NR_METRICS - 1) of a
	 * thread that on_enter() has seen. It is for values that must be computed at
	 * that moment. If a module has it, it answers for all keys: values of
	 * pmct_mmon_publish() are not looked at. Any context, NMI included, possibly
	 * at the same time as other callbacks of the thread. 0 or -ENODATA.
	 * @value has the age 0 and is PMCT_MEASURED, unless the module changes it.
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

/* The module's init and exit functions; MODULE_ALIAS("pmctrack-mmon-NAME") belongs to it. */
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
