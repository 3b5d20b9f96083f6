// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls to the active monitoring module, and the functions that it may call.
 *
 * pmct_mmon is published after enable() and withdrawn before disable(), with a wait for all hooks
 * in between. A context belongs to the active module if it has the module's generation. A context
 * with another generation is introduced to the module (on_enter) at its next event.
 */
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/rwsem.h>
#include <linux/sched/task_stack.h>
#include <asm/irq_regs.h>

#include "../compat/cache.h"
#include "../compat/task.h"
#include "mmon_call.h"
#include "owner.h"
#include "tie.h"

struct monitoring_module __rcu *pmct_mmon;
/* The same module, for exits of threads; withdrawn later than pmct_mmon. */
struct monitoring_module __rcu *pmct_mmon_parting;

/* Protects the list and the choice of modules; taken before all other locks. */
DEFINE_MUTEX(pmct_mmon_mutex);
/* Held for reading by code that takes contexts off their session's list in order to free them. */
DECLARE_RWSEM(pmct_mmon_sem);

/* Keep the active module until pmct_mmon_unlock(). Process context, sleeps. */
void pmct_mmon_lock(void)
{
	mutex_lock(&pmct_mmon_mutex);
}

void pmct_mmon_unlock(void)
{
	mutex_unlock(&pmct_mmon_mutex);
}

const struct monitoring_module *pmct_mmon_active(void)
{
	return rcu_dereference_protected(pmct_mmon, lockdep_is_held(&pmct_mmon_mutex));
}

/*
 * Calls to the module
 */

static DEFINE_PER_CPU(u64, cache_bytes);

/* Hooks have interrupts disabled, or are SRCU readers: pmct_mmon_select() waits for both. */
static struct monitoring_module *pmct_mmon_get(void)
{
	lockdep_assert_irqs_disabled();
	return rcu_dereference_sched(pmct_mmon);
}

static void pmct_mmon_introduce(struct monitoring_module *mm, struct pmct_ctx *ctx,
				const struct pmct_ctx *parent)
{
	/* Readers of metrics check the generation: pairs with pmct_mmon_read(). */
	WRITE_ONCE(ctx->mm.gen, 0);
	/* Before the members of that generation are overwritten. */
	smp_wmb();
	memset(&ctx->mm, 0, offsetof(struct pmct_mmon_state, metric));
	if (mm->on_switch_in || mm->on_switch_out)
		ctx->wants |= PMCT_SWITCH_MMON;
	else
		ctx->wants &= ~PMCT_SWITCH_MMON;
	/* No metric is published yet: pairs with pmct_mmon_read(). */
	smp_store_release(&ctx->mm.gen, mm->gen);
	if (mm->on_enter)
		mm->on_enter(ctx, parent && parent->mm.gen == mm->gen ? parent : NULL);
}

/* Introduce a thread if it, or the module, is new. Interrupts disabled. */
void pmct_mmon_enter(struct pmct_ctx *ctx, const struct pmct_ctx *parent)
{
	struct monitoring_module *mm = pmct_mmon_get();

	if (mm && ctx->mm.gen != mm->gen)
		pmct_mmon_introduce(mm, ctx, parent);
}

void pmct_mmon_farewell(const struct monitoring_module *mm, struct pmct_ctx *ctx)
{
	if (ctx->mm.gen != mm->gen)
		return;
	if (mm->on_exit)
		mm->on_exit(ctx);
	ctx->wants &= ~PMCT_SWITCH_MMON;
	WRITE_ONCE(ctx->mm.gen, 0);
}

/* The thread is not counted any more. Interrupts disabled. */
void pmct_mmon_exit(struct pmct_ctx *ctx)
{
	struct monitoring_module *mm;

	lockdep_assert_irqs_disabled();

	mm = rcu_dereference_sched(pmct_mmon_parting);
	if (mm)
		pmct_mmon_farewell(mm, ctx);
}

void pmct_mmon_exec(struct pmct_ctx *ctx)
{
	struct monitoring_module *mm = pmct_mmon_get();

	pmct_mmon_enter(ctx, NULL);
	if (mm && mm->on_exec)
		mm->on_exec(ctx);
}

void pmct_mmon_tick(struct pmct_ctx *ctx, int cpu)
{
	struct monitoring_module *mm = pmct_mmon_get();

	if (!mm)
		return;
	pmct_mmon_enter(ctx, NULL);
	if (mm->on_tick)
		mm->on_tick(ctx, cpu);
}

/* For contexts with PMCT_SWITCH_MMON. */
void pmct_mmon_switch_in(struct pmct_ctx *ctx, int cpu)
{
	struct monitoring_module *mm = pmct_mmon_get();

	if (mm && mm->on_switch_in && ctx->mm.gen == mm->gen)
		mm->on_switch_in(ctx, cpu);
}

void pmct_mmon_switch_out(struct pmct_ctx *ctx, int cpu)
{
	struct monitoring_module *mm = pmct_mmon_get();

	if (mm && mm->on_switch_out && ctx->mm.gen == mm->gen)
		mm->on_switch_out(ctx, cpu);
}

/* Address of the user instruction at which the thread was interrupted. */
static u64 pmct_user_ip(const struct pmct_ctx *ctx)
{
	struct pt_regs *regs = get_irq_regs();
	u64 ip;

	if (ctx->task != current || !current->mm)
		return 0;
	ip = pmct_backend->user_ip ? pmct_backend->user_ip() : 0;
	if (ip)
		return ip;
	if (!regs || !user_mode(regs))
		regs = task_pt_regs(current);
	return instruction_pointer(regs);
}

/* Positions for pmct_sample_count(); NULL: the events have no names. */
static const u8 *pmct_mmon_where(const struct monitoring_module *mm, unsigned int core_type,
				 unsigned int set)
{
	const struct pmct_mmon_sets *sets = mm->sets;

	if (!sets || core_type >= ARRAY_SIZE(sets->nr) || set >= sets->nr[core_type])
		return NULL;
	return sets->where[core_type][set];
}

static bool pmct_mmon_owns_sets(const struct monitoring_module *mm, const struct pmct_ctx *ctx)
{
	return ctx->session->mm_sets && ctx->session->mm_gen == mm->gen;
}

/**
 * pmct_mmon_where_now() - the positions of the module's events in pmct_ctx::sum
 * @ctx: a thread that is counted
 *
 * Context: interrupts disabled.
 * Return: an index for each event of the active module; NULL: the set is not the active module's.
 */
const u8 *pmct_mmon_where_now(const struct pmct_ctx *ctx)
{
	const struct monitoring_module *mm = pmct_mmon_get();

	if (!mm || ctx->mm.gen != mm->gen || !pmct_mmon_owns_sets(mm, ctx))
		return NULL;
	return pmct_mmon_where(mm, ctx->set->core_type, ctx->set->index);
}

/**
 * pmct_mmon_address() - tell the module the address of a sample
 * @ctx: the thread, whose counts are up to date
 *
 * Context: hot; pmct_account() is going on.
 */
void pmct_mmon_address(struct pmct_ctx *ctx)
{
	struct monitoring_module *mm = pmct_mmon_get();

	if (mm && mm->on_address && ctx->mm.gen == mm->gen && pmct_mmon_owns_sets(mm, ctx))
		mm->on_address(ctx, pmct_user_ip(ctx));
}

/**
 * pmct_mmon_sample() - show a record to the active module
 * @mm: the module
 * @ctx: the context of the record
 * @rec: the record, complete but for the session's virtual counters. It has room for them, and they
 *	are added
 *
 * Context: interrupts disabled, no lock of ours held.
 */
void pmct_mmon_sample(struct monitoring_module *mm, struct pmct_ctx *ctx,
		      struct pmctrack_record *rec)
{
	const struct pmct_session *s = ctx->session;
	struct pmct_sample sample = {
		.rec = rec,
		.own_sets = pmct_mmon_owns_sets(mm, ctx),
		.next_set = ctx->next_turn,
	};
	u8 nr = s->sets.nr[ctx->head.core_type];
	u32 wanted;
	unsigned int i;

	pmct_mmon_enter(ctx, NULL);
	if (!mm->on_new_sample)
		return;
	sample.ip = pmct_user_ip(ctx);
	sample.where = sample.own_sets ? pmct_mmon_where(mm, rec->core_type, rec->set) : NULL;
	mm->on_new_sample(ctx, &sample);
	if (sample.next_set < nr)
		ctx->next_turn = sample.next_set;
	wanted = s->mm_gen == mm->gen ? s->virt & sample.virt_mask : 0;
	rec->virt = wanted;
	for (i = 0; wanted; wanted >>= 1, i++) {
		if (wanted & 1)
			rec->counts[rec->nr_counts + rec->nr_virt++] = sample.virt[i];
	}
}

/* If a tick is a whole number of milliseconds, avoid the division. */
static u64 pmct_ticks_to_ms(u64 ticks)
{
	return MSEC_PER_SEC % HZ ? div_u64(ticks * MSEC_PER_SEC, HZ) : ticks * (MSEC_PER_SEC / HZ);
}

static __always_inline int pmct_mmon_read_published(const struct pmct_ctx *ctx, u32 key,
						    struct pmct_metric_value *out)
{
	struct pmct_metric_copy copy;
	int err = pmct_metric_read(&ctx->mm.version[key], ctx->mm.metric[key], &copy);

	if (err)
		return err;
	out->value = copy.value;
	out->age_ms = pmct_ticks_to_ms(pmct_metric_age(copy.stamp, jiffies));
	out->confidence = pmct_metric_confidence(copy.stamp);
	return 0;
}

/* Get a metric from a module that has get_metric(), so its published values are not used. */
static int pmct_mmon_ask(const struct monitoring_module *mm, const struct pmct_ctx *ctx, u32 key,
			 struct pmct_metric_value *out)
{
	out->age_ms = 0;
	out->confidence = PMCT_MEASURED;
	return mm->get_metric(ctx, key, out);
}

static __always_inline int pmct_mmon_read_one(const struct monitoring_module *mm,
					      const struct pmct_ctx *ctx, u32 key,
					      struct pmct_metric_value *out)
{
	if (key >= PMCT_NR_METRICS)
		return -EINVAL;
	if (!mm)
		return -ENODATA;
	if (likely(!mm->get_metric))
		return pmct_mmon_read_published(ctx, key, out);
	return pmct_mmon_ask(mm, ctx, key, out);
}

/* The active module, if @ctx has been introduced to it; else NULL. */
static __always_inline const struct monitoring_module *pmct_mmon_of(const struct pmct_ctx *ctx)
{
	const struct monitoring_module *mm = rcu_dereference(pmct_mmon);

	/* Pairs with pmct_mmon_introduce(). */
	return mm && smp_load_acquire(&ctx->mm.gen) == mm->gen ? mm : NULL;
}

/* True if what was read of @ctx since pmct_mmon_of() belongs to @mm. */
static __always_inline bool pmct_mmon_is_still(const struct pmct_ctx *ctx,
					       const struct monitoring_module *mm)
{
	/* Pairs with pmct_mmon_introduce(). */
	smp_rmb();
	return !mm || READ_ONCE(ctx->mm.gen) == mm->gen;
}

/**
 * pmct_mmon_read() - a metric of a thread, with its age and confidence
 * @ctx: the thread
 * @key: enum pmct_metric
 * @out: result; undefined on failure
 *
 * Context: any, NMI included, inside an RCU reader. It takes no lock and does not wait.
 * Return: 0. -EINVAL: there is no such metric. -ENODATA: it has no value. -EAGAIN: it was published
 * several times during the read; the next call will succeed.
 */
int pmct_mmon_read(const struct pmct_ctx *ctx, int key, struct pmct_metric_value *out)
{
	const struct monitoring_module *mm;
	int err;

	if (key < 0 || key >= PMCT_NR_METRICS)
		return -EINVAL;
	mm = pmct_mmon_of(ctx);
	if (!mm)
		return -ENODATA;
	if (mm->get_metric)
		return pmct_mmon_ask(mm, ctx, key, out);
	err = pmct_mmon_read_published(ctx, key, out);
	return pmct_mmon_is_still(ctx, mm) ? err : -ENODATA;
}

/**
 * pmct_mmon_read_all() - several metrics of a thread
 * @ctx: the thread, or NULL if it is not monitored
 * @keys: the metrics, enum pmct_metric
 * @nr: number of @keys
 * @out: results; all members of each are set, including the error
 *
 * Context: as pmct_mmon_read().
 * Return: number of metrics that have a value.
 */
int pmct_mmon_read_all(const struct pmct_ctx *ctx, const u32 *keys, unsigned int nr,
		       struct pmct_metric_value *out)
{
	const struct monitoring_module *mm = ctx ? pmct_mmon_of(ctx) : NULL;
	unsigned int i;
	int found = 0, err;

	for (i = 0; i < nr; i++) {
		err = pmct_mmon_read_one(mm, ctx, keys[i], &out[i]);
		if (unlikely(err))
			out[i] = (struct pmct_metric_value){};
		out[i].error = err;
		found += !err;
	}
	if (likely(pmct_mmon_is_still(ctx, mm)))
		return found;
	while (nr--)
		out[nr] = (struct pmct_metric_value){ .error = -ENODATA };
	return 0;
}

/**
 * pmct_mmon_task_metric() - pmc_ops::pmcs_get_current_metric_value
 * @task: the thread
 * @key: enum pmct_metric
 * @value: result
 *
 * Context: any, inside an RCU reader.
 * Return: 0, -EINVAL, -ENODATA, -EAGAIN.
 */
int pmct_mmon_task_metric(struct task_struct *task, int key, u64 *value)
{
	const struct pmct_ctx *ctx = pmct_tie_ctx(task);
	struct pmct_metric_value metric;
	int err;

	if (!ctx)
		return -ENODATA;
	err = pmct_mmon_read(ctx, key, &metric);
	if (!err)
		*value = metric.value;
	return err;
}

/*
 * Functions that a module calls
 */

/**
 * pmct_mmon_data() - the module's own data of a thread
 * @ctx: the thread
 *
 * Context: any callback.
 * Return: PMCT_MMON_DATA bytes, aligned as a u64, zero when the thread enters.
 */
void *pmct_mmon_data(const struct pmct_ctx *ctx)
{
	return (void *)ctx->mm.data;
}
EXPORT_SYMBOL_GPL(pmct_mmon_data);

/**
 * pmct_mmon_is_asked() - are the module's values of a thread wanted?
 * @ctx: the thread
 *
 * Scarce hardware is not used for threads whose users did not request it, and may not be allowed
 * to.
 *
 * Context: any callback.
 * Return: true if its session has virtual counters of the module, or the thread is in scheduler
 * mode.
 */
bool pmct_mmon_is_asked(const struct pmct_ctx *ctx)
{
	const struct pmct_session *s = ctx->session;

	return !s->rings.ring || (s->virt && s->mm_gen == ctx->mm.gen);
}
EXPORT_SYMBOL_GPL(pmct_mmon_is_asked);

/**
 * pmct_mmon_waited() - how long a thread has waited in run queues, by the kernel's accounting
 * @ctx: the thread
 * @ns: result: waiting time since the thread was created
 *
 * Context: any callback.
 * Return: false if it is a CPU, or this kernel does not know.
 */
bool pmct_mmon_waited(const struct pmct_ctx *ctx, u64 *ns)
{
	return ctx->task && pmct_task_waited(ctx->task, ns);
}
EXPORT_SYMBOL_GPL(pmct_mmon_waited);

/**
 * pmct_mmon_task() - the thread itself
 * @ctx: the thread
 *
 * Context: any callback; the task is valid until the callback returns.
 * Return: the task, NULL for a CPU.
 */
struct task_struct *pmct_mmon_task(const struct pmct_ctx *ctx)
{
	return ctx->task;
}
EXPORT_SYMBOL_GPL(pmct_mmon_task);

/**
 * pmct_mmon_publish() - let schedulers know a metric of a thread
 * @ctx: the thread
 * @metric: the metric
 * @value: in the unit that the metric defines
 * @confidence: how it was obtained
 *
 * The age of the value is 0 now. See pmct_mmon_mark_stale() for a value that only gets older.
 *
 * Context: any callback but get_metric().
 */
void pmct_mmon_publish(struct pmct_ctx *ctx, enum pmct_metric metric, u64 value,
		       enum pmct_confidence confidence)
{
	if (WARN_ON_ONCE(metric >= PMCT_NR_METRICS))
		return;
	pmct_metric_write(&ctx->mm.version[metric], ctx->mm.metric[metric], value,
			  pmct_metric_stamp(jiffies, confidence));
}
EXPORT_SYMBOL_GPL(pmct_mmon_publish);

/**
 * pmct_mmon_mark_stale() - let schedulers know that a metric has no new value
 * @ctx: the thread
 * @metric: the metric; it need not have a value
 *
 * The value stays, and gets older, but its confidence is PMCT_STALE.
 *
 * Context: any callback but get_metric().
 */
void pmct_mmon_mark_stale(struct pmct_ctx *ctx, enum pmct_metric metric)
{
	struct pmct_metric_copy copy;

	if (WARN_ON_ONCE(metric >= PMCT_NR_METRICS))
		return;
	/* There is no other writer, so this does not fail if there is a value. */
	if (pmct_metric_read(&ctx->mm.version[metric], ctx->mm.metric[metric], &copy))
		return;
	pmct_metric_write(&ctx->mm.version[metric], ctx->mm.metric[metric], copy.value,
			  pmct_metric_stamp(pmct_metric_time(copy.stamp), PMCT_STALE));
}
EXPORT_SYMBOL_GPL(pmct_mmon_mark_stale);

/**
 * pmct_mmon_pmu() - the kind of counters of this machine
 *
 * Raw configuration strings are made for one kind of counters.
 *
 * Return: pmct_backend::name, as shown in /proc/pmc/info: "x86-intel".
 */
const char *pmct_mmon_pmu(void)
{
	return pmct_backend->name;
}
EXPORT_SYMBOL_GPL(pmct_mmon_pmu);

/**
 * pmct_mmon_sensor() - the energy meters that belong to the backend's machine
 *
 * Return: pmct_backend::sensor; NULL: those of the hardware.
 */
const struct pmct_sensor *pmct_mmon_sensor(void)
{
	return pmct_backend->sensor;
}
EXPORT_SYMBOL_GPL(pmct_mmon_sensor);

/**
 * pmct_mmon_cache_monitor() - the cache monitor of the backend's machine
 *
 * Return: pmct_backend::cache_monitor; NULL: that of the hardware.
 */
const struct pmct_cache_monitor *pmct_mmon_cache_monitor(void)
{
	return pmct_backend->cache_monitor;
}
EXPORT_SYMBOL_GPL(pmct_mmon_cache_monitor);

/**
 * pmct_mmon_cache_domain() - which CPUs share the last-level cache
 * @cpu: a possible CPU
 *
 * Context: any, while the module is active.
 * Return: a number that is the same for CPUs that share the cache; on hardware, the number of the
 * package.
 */
int pmct_mmon_cache_domain(int cpu)
{
	return pmct_backend->cache_domain ? pmct_backend->cache_domain(cpu) :
	       topology_physical_package_id(cpu);
}
EXPORT_SYMBOL_GPL(pmct_mmon_cache_domain);

/* This CPU has come online. Caches of a package can differ. */
void pmct_mmon_note_cache(void)
{
	this_cpu_write(cache_bytes, pmct_cache_bytes());
}

/**
 * pmct_mmon_cache_bytes() - the size of the last-level cache
 * @cpu: a possible CPU that uses it
 *
 * Context: any, while the module is active.
 * Return: bytes, 0: unknown; also for a CPU that was never online.
 */
u64 pmct_mmon_cache_bytes(int cpu)
{
	return pmct_backend->cache_bytes ? pmct_backend->cache_bytes(cpu) :
	       READ_ONCE(per_cpu(cache_bytes, cpu));
}
EXPORT_SYMBOL_GPL(pmct_mmon_cache_bytes);

/**
 * pmct_mmon_nr_core_types() - the number of core types of the machine
 *
 * Return: their number; records and "coretype=N" have indices below it.
 */
unsigned int pmct_mmon_nr_core_types(void)
{
	return pmct_backend->nr_core_types();
}
EXPORT_SYMBOL_GPL(pmct_mmon_nr_core_types);

/**
 * pmct_mmon_core_type() - the name of a core type
 * @i: index of the core type
 *
 * Return: pmct_core_type::name, as shown in /proc/pmc/info: "intel_atom".
 */
const char *pmct_mmon_core_type(unsigned int i)
{
	return pmct_backend->core_type(i)->name;
}
EXPORT_SYMBOL_GPL(pmct_mmon_core_type);
