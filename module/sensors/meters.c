// SPDX-License-Identifier: GPL-2.0-only
/*
 * Energy meters: which CPUs share a meter, and which share of its energy each CPU gets. Now and
 * then, one of the CPUs reads the meter, and gives each CPU its share of the increase, in
 * proportion to the time that the CPU was busy. If less than one CPU was busy, the rest belongs to
 * no CPU.
 *
 * No CPU waits for a meter that another CPU is reading. Each unit has one owner, so the sums are
 * those of the meter.
 */
#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kernel_stat.h>
#include <linux/lockdep.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "../compat/idle.h"
#include "asleep.h"
#include "energy.h"
#include "list.h"
#include "meters.h"

/* Visiting a CPU of a domain takes some 100 ns. So this limits visits to 0.1 % of a CPU's time. */
#define VISIT_NS	100000

/* If the meter was not read for longer than this, it is not known which threads ran. */
#define WATCHED_NS	(100 * NSEC_PER_MSEC)

/* Unit of pmct_energy_account::idle_part: 2^-10. */
#define IDLE_PART_SHIFT	10

/* A meter that shows the same value for longer than this stands still. */
#define STILL_NS	NSEC_PER_SEC

/* All of these are constant while a monitoring module uses them, except for the list's CPUs. */
static const struct pmct_sensor *pmct_sensor;
struct pmct_energy_accounts __percpu *pmct_accounts;
unsigned int pmct_nr_meters;
/* For each kind that is used: its number in the sensor. */
static unsigned int pmct_meters[PMCT_MAX_METERS];
static int pmct_energy_state;

/* Protects the list and its CPUs against CPUs that come and go. */
static DEFINE_MUTEX(pmct_energy_mutex);
static LIST_HEAD(pmct_energy_domains);

/**
 * pmct_energy_nr_meters() - how many kinds of meters there are
 *
 * Context: any, while pmct_energy_start() has succeeded.
 */
unsigned int pmct_energy_nr_meters(void)
{
	return pmct_nr_meters;
}
EXPORT_SYMBOL_GPL(pmct_energy_nr_meters);

/**
 * pmct_energy_meter() - get a kind of meter
 * @i: its index, below pmct_energy_nr_meters()
 *
 * Context: as pmct_energy_nr_meters().
 */
const struct pmct_meter *pmct_energy_meter(unsigned int i)
{
	return pmct_sensor->meter(pmct_meters[i]);
}
EXPORT_SYMBOL_GPL(pmct_energy_meter);

static u64 pmct_energy_now(void)
{
	return ktime_get_mono_fast_ns();
}

/*
 * Returns how long a CPU was idle in the last @ns. If this CPU may be switching threads
 * (@switches), some CPUs cannot be asked. These are idle as they were in the step before.
 */
static u64 pmct_energy_idle(struct pmct_energy_domain *d, int cpu, u64 ns, bool switches)
{
	struct pmct_energy_account *a = &per_cpu_ptr(pmct_accounts, cpu)->meter[d->meter];
	u64 now_us, idle_ns, late = 0;

	if (pmct_idle_waits(cpu)) {
		late = WATCHED_NS;
		if (switches) {
			d->guessed = true;
			idle_ns = ns * a->idle_part >> IDLE_PART_SHIFT;
			a->idle_us += div_u64(idle_ns, NSEC_PER_USEC);
			return idle_ns;
		}
	} else if (ns < 2 * TICK_NSEC) {
		/* In a longer time, the tick stops, and idle time is known at once. */
		late = TICK_NSEC;
	}
	now_us = pmct_cpu_idle_us(cpu);
	if (now_us == U64_MAX)
		return 0;
	idle_ns = pmct_idle_step(&a->idle_us, now_us, ns, late);
	if (pmct_idle_waits(cpu))
		a->idle_part = div64_u64(idle_ns << IDLE_PART_SHIFT, ns);
	return idle_ns;
}

/* Find how long each CPU was busy in the last @ns. Returns the sum. */
static u64 pmct_energy_busy(struct pmct_energy_domain *d, u64 ns, bool switches)
{
	struct pmct_energy_account *a;
	u64 sum = 0;
	int cpu;

	for_each_cpu(cpu, &d->cpus) {
		a = &per_cpu_ptr(pmct_accounts, cpu)->meter[d->meter];
		a->busy_ns = ns - pmct_energy_idle(d, cpu, ns, switches);
		sum += a->busy_ns;
	}
	return sum;
}

/* Divide @units, by which the meter has advanced in the last @ns, among the CPUs. */
static void pmct_energy_hand_out(struct pmct_energy_domain *d, u64 units, u64 ns, bool switches)
{
	u64 busy = pmct_energy_busy(d, ns, switches);
	struct pmct_share share = { .units = units, .whole = max(busy, ns) };
	struct pmct_energy_account *a;
	bool watched = ns <= WATCHED_NS;
	u64 its;
	int cpu;

	d->total += units;
	for_each_cpu(cpu, &d->cpus) {
		a = &per_cpu_ptr(pmct_accounts, cpu)->meter[d->meter];
		if (!a->busy_ns)
			continue;
		its = pmct_share_next(&share, a->busy_ns);
		WRITE_ONCE(a->got, a->got + its);
		if (watched)
			WRITE_ONCE(a->handed, a->handed + its);
	}
	if (watched)
		d->idle += units - share.given;
	else
		d->unwatched += units;
}

static void pmct_energy_read(struct pmct_energy_domain *d, u64 now, bool switches)
{
	const struct pmct_meter *meter = pmct_energy_meter(d->meter);
	u64 asleep = pmct_asleep_ns();
	u64 ns = now - d->when;
	u64 raw, units;
	bool slept;

	if (pmct_sensor->read(pmct_meters[d->meter], &raw)) {
		WRITE_ONCE(d->gone, true);
		return;
	}
	slept = pmct_has_slept(d->asleep, asleep);
	units = pmct_meter_advance(meter, d->raw, raw);
	if (units || ns > WATCHED_NS)
		d->moved = now;
	WRITE_ONCE(d->still, now - d->moved > STILL_NS);
	/* A meter may begin anew while the machine sleeps, and any advance would be plausible. */
	if (slept || !pmct_meter_plausible(meter, units, ns, pmct_sensor->max_w)) {
		d->resets += !slept;
		units = 0;
	}
	d->raw = raw;
	d->asleep = asleep;
	d->guessed = false;
	pmct_energy_hand_out(d, units, ns, switches);
	WRITE_ONCE(d->when, now);
}

/* Signed, because another CPU may have read the meter since. */
static bool pmct_energy_is_due(const struct pmct_energy_domain *d, u64 now)
{
	return (s64)(now - READ_ONCE(d->when)) >= (s64)d->period_ns;
}

static void pmct_energy_update_if(struct pmct_energy_domain *d, bool switches)
{
	u64 now;

	lockdep_assert_irqs_disabled();

	if (READ_ONCE(d->gone))
		return;
	now = pmct_energy_now();
	/* If only switches read the meter, guesses would go on. */
	if ((!pmct_energy_is_due(d, now) && (switches || !READ_ONCE(d->guessed))) ||
	    test_and_set_bit_lock(0, &d->lock))
		return;
	if (now > d->when)
		pmct_energy_read(d, now, switches);
	clear_bit_unlock(0, &d->lock);
}

/* Read a meter of this CPU if it is due. Hot. */
void pmct_energy_update(struct pmct_energy_domain *d)
{
	/* An interrupt does not come in a switch. */
	pmct_energy_update_if(d, !in_hardirq());
}

/*
 * Meters that are rarely read must not wrap around unseen. This work also logs what is wrong with a
 * meter, because hooks must not print.
 */

static void pmct_energy_read_here(void *domain)
{
	pmct_energy_update_if(domain, false);
}

static void pmct_energy_tell(struct pmct_energy_domain *d)
{
	const char *what = READ_ONCE(d->gone) ? "cannot be read any more" :
			   READ_ONCE(d->still) ? "stands still" : NULL;

	if (what && !d->told)
		pr_warn("pmctrack: energy: meter %s of CPUs %*pbl %s: there is no energy from it\n",
			pmct_energy_meter(d->meter)->name, cpumask_pr_args(&d->cpus), what);
	d->told = what;
}

static void pmct_energy_watch(struct work_struct *work);
static DECLARE_DELAYED_WORK(pmct_energy_work, pmct_energy_watch);

static void pmct_energy_watch(struct work_struct *work)
{
	struct pmct_energy_domain *d;

	mutex_lock(&pmct_energy_mutex);
	list_for_each_entry(d, &pmct_energy_domains, node) {
		smp_call_function_any(&d->cpus, pmct_energy_read_here, d, true);
		pmct_energy_tell(d);
	}
	mutex_unlock(&pmct_energy_mutex);
	queue_delayed_work(system_unbound_wq, &pmct_energy_work,
			   msecs_to_jiffies(pmct_sensor->watch_ms));
}

/*
 * The CPUs that share a meter
 */

static struct pmct_energy_domain *pmct_energy_find_domain(unsigned int meter, int id)
{
	struct pmct_energy_domain *d;

	lockdep_assert_held(&pmct_energy_mutex);

	list_for_each_entry(d, &pmct_energy_domains, node) {
		if (d->meter == meter && d->id == id)
			return d;
	}
	d = kzalloc(sizeof(*d), GFP_KERNEL);
	if (!d)
		return NULL;
	d->meter = meter;
	d->id = id;
	list_add_tail(&d->node, &pmct_energy_domains);
	return d;
}

/* The domain's CPUs have changed. Context: its lock is held, so no CPU visits them. */
static void pmct_energy_resize(struct pmct_energy_domain *d)
{
	d->period_ns = max_t(u64, pmct_sensor->period_us * 1000ULL,
			     cpumask_weight(&d->cpus) * VISIT_NS);
}

/* Context: interrupts disabled, as for all holders of the lock. Not in a switch of threads. */
static void pmct_energy_lock(struct pmct_energy_domain *d)
{
	lockdep_assert_irqs_disabled();

	while (test_and_set_bit_lock(0, &d->lock))
		cpu_relax();
}

static void pmct_energy_unlock(struct pmct_energy_domain *d)
{
	clear_bit_unlock(0, &d->lock);
}

/* What was used until now belongs to the CPUs until now. The lock is held. */
static void pmct_energy_settle(struct pmct_energy_domain *d)
{
	u64 now = pmct_energy_now();

	if (!d->gone && now > d->when)
		pmct_energy_read(d, now, false);
}

static void pmct_energy_join(struct pmct_energy_domain *d, int cpu)
{
	struct pmct_energy_account *a = &per_cpu_ptr(pmct_accounts, cpu)->meter[d->meter];

	local_irq_disable();
	pmct_energy_lock(d);
	if (cpumask_empty(&d->cpus)) {
		/* The last value is too old, if the meter was read at all. */
		d->gone = pmct_sensor->read(pmct_meters[d->meter], &d->raw);
		d->when = pmct_energy_now();
		d->asleep = pmct_asleep_ns();
		d->moved = d->when;
	} else {
		pmct_energy_settle(d);
	}
	a->idle_us = pmct_cpu_idle_us(cpu);
	a->domain = d;
	a->home = d;
	cpumask_set_cpu(cpu, &d->cpus);
	pmct_energy_resize(d);
	pmct_energy_unlock(d);
	local_irq_enable();
}

/*
 * Read a meter of this CPU if it is due. If another CPU is reading it, wait for that: afterwards,
 * this CPU has its energy until now, but for a period of the meter. Not in a switch of threads.
 */
void pmct_energy_catch_up(struct pmct_energy_domain *d)
{
	pmct_energy_lock(d);
	if (pmct_energy_is_due(d, pmct_energy_now()))
		pmct_energy_settle(d);
	pmct_energy_unlock(d);
}

static int pmct_energy_cpu_online(unsigned int cpu)
{
	struct pmct_energy_domain *d;
	unsigned int i;

	mutex_lock(&pmct_energy_mutex);
	for (i = 0; i < pmct_nr_meters; i++) {
		d = pmct_energy_find_domain(i, pmct_sensor->domain(pmct_meters[i], cpu));
		/* Without memory, the CPU's energy is not known, and its records do not have it. */
		if (d)
			pmct_energy_join(d, cpu);
	}
	mutex_unlock(&pmct_energy_mutex);
	return 0;
}

static int pmct_energy_cpu_offline(unsigned int cpu)
{
	struct pmct_energy_account *a;
	unsigned int i;

	mutex_lock(&pmct_energy_mutex);
	for (i = 0; i < pmct_nr_meters; i++) {
		struct pmct_energy_domain *d;

		a = &per_cpu_ptr(pmct_accounts, cpu)->meter[i];
		d = a->domain;
		if (!d)
			continue;
		local_irq_disable();
		pmct_energy_lock(d);
		pmct_energy_settle(d);
		a->domain = NULL;
		a->taken = a->handed;
		cpumask_clear_cpu(cpu, &d->cpus);
		pmct_energy_resize(d);
		pmct_energy_unlock(d);
		local_irq_enable();
	}
	mutex_unlock(&pmct_energy_mutex);
	return 0;
}

/*
 * The choice of the sensor
 */

static const struct pmct_sensor *pmct_energy_find_sensor(struct pmct_msg *msg)
{
	const struct pmct_sensor *sensor = pmct_mmon_sensor();

	if (sensor)
		return sensor;
#ifdef CONFIG_X86
	return &pmct_sensor_rapl;
#else
	pmct_refuse(msg, -ENODEV, "there is no energy meter that it knows on this architecture");
	return NULL;
#endif
}

struct pmct_energy_test {
	unsigned int meter;
	u64 value;
	int err;
};

static void pmct_energy_test_read(void *arg)
{
	struct pmct_energy_test *test = arg;

	test->err = pmct_sensor->read(test->meter, &test->value);
}

/* Does a meter of CPU @cpu advance? Many meters that do not exist show a constant. */
static bool pmct_energy_moves(unsigned int meter, int cpu)
{
	struct pmct_energy_test test = { .meter = meter };
	unsigned long end = jiffies + HZ / 2;
	u64 first;

	if (smp_call_function_single(cpu, pmct_energy_test_read, &test, true) || test.err)
		return false;
	first = test.value;
	do {
		usleep_range(2000, 4000);
		if (smp_call_function_single(cpu, pmct_energy_test_read, &test, true) || test.err)
			return false;
	} while (test.value == first && time_before(jiffies, end));
	return test.value != first;
}

/* Use the meters of the sensor that advance. */
static int pmct_energy_choose(const char *user, struct pmct_msg *msg)
{
	unsigned int i;

	pmct_nr_meters = 0;
	cpus_read_lock();
	for (i = 0; i < pmct_sensor->nr_meters(); i++) {
		if (pmct_energy_moves(i, raw_smp_processor_id()))
			pmct_meters[pmct_nr_meters++] = i;
		else
			pr_info("pmctrack: %s: meter %s of %s stands still: it is not used\n",
				user, pmct_sensor->meter(i)->name, pmct_sensor->name);
	}
	cpus_read_unlock();
	return pmct_nr_meters ? 0 :
	       pmct_refuse(msg, -EIO, "all energy meters of %s stand still", pmct_sensor->name);
}

static void pmct_energy_free(void)
{
	struct pmct_energy_domain *d, *next;

	list_for_each_entry_safe(d, next, &pmct_energy_domains, node) {
		list_del(&d->node);
		kfree(d);
	}
	free_percpu(pmct_accounts);
	pmct_accounts = NULL;
}

static int pmct_energy_try(const char *user, struct pmct_msg *msg)
{
	int err;

	pmct_sensor = pmct_energy_find_sensor(msg);
	if (!pmct_sensor)
		return -ENODEV;
	err = pmct_sensor->probe(msg) ?: pmct_energy_choose(user, msg);
	if (err)
		return err;
	if (pmct_cpu_idle_us(raw_smp_processor_id()) == U64_MAX)
		pr_warn("pmctrack: %s: this kernel does not know how long CPUs are idle (nohz=off?): idle CPUs get shares of the energy, too\n",
			user);
	pmct_accounts = alloc_percpu(struct pmct_energy_accounts);
	if (!pmct_accounts)
		return -ENOMEM;
	pmct_energy_state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "pmctrack:energy",
					      pmct_energy_cpu_online, pmct_energy_cpu_offline);
	if (pmct_energy_state < 0) {
		pmct_energy_free();
		return pmct_refuse(msg, pmct_energy_state,
				   "cannot follow CPUs that come and go (error %d)",
				   pmct_energy_state);
	}
	queue_delayed_work(system_unbound_wq, &pmct_energy_work,
			   msecs_to_jiffies(pmct_sensor->watch_ms));
	return 0;
}

/**
 * pmct_energy_start() - find the machine's energy meters
 * @user: name of the monitoring module that needs them
 *
 * Context: monitoring_module::enable.
 * Return: 0. -ENODEV: there are none. -EIO: they stand still. -ENOMEM. The kernel log says why.
 */
int pmct_energy_start(const char *user)
{
	struct pmct_msg msg = {};
	int err = pmct_energy_try(user, &msg);

	if (err)
		pr_err("pmctrack: monitoring module %s: %s\n", user,
		       msg.text[0] ? msg.text : "no memory");
	return err;
}
EXPORT_SYMBOL_GPL(pmct_energy_start);

/**
 * pmct_energy_rate_ms() - how long an interval must be at least to have power and EDP
 *
 * Context: after pmct_energy_start().
 */
unsigned int pmct_energy_rate_ms(void)
{
	const struct pmct_energy_domain *d;
	u64 period_ns = 0;

	mutex_lock(&pmct_energy_mutex);
	list_for_each_entry(d, &pmct_energy_domains, node)
		period_ns = max(period_ns, d->period_ns);
	mutex_unlock(&pmct_energy_mutex);
	return DIV_ROUND_UP_ULL(period_ns * PMCT_ENERGY_STEPS, NSEC_PER_MSEC);
}
EXPORT_SYMBOL_GPL(pmct_energy_rate_ms);

/**
 * pmct_energy_stop() - stop reading the meters
 *
 * Context: monitoring_module::disable, or enable() if something else has failed.
 */
void pmct_energy_stop(void)
{
	cpuhp_remove_state_nocalls(pmct_energy_state);
	cancel_delayed_work_sync(&pmct_energy_work);
	pmct_energy_free();
}
EXPORT_SYMBOL_GPL(pmct_energy_stop);

/*
 * Output for an administrator
 */

static void pmct_energy_show_domain(struct seq_file *m, struct pmct_energy_domain *d)
{
	const struct pmct_meter *meter = pmct_energy_meter(d->meter);
	u64 handed = 0, given = 0, total, idle, unwatched, resets, raw;
	const struct pmct_energy_account *a;
	int cpu;

	local_irq_disable();
	pmct_energy_lock(d);
	total = d->total;
	idle = d->idle;
	unwatched = d->unwatched;
	resets = d->resets;
	raw = d->raw;
	for_each_possible_cpu(cpu) {
		a = &per_cpu_ptr(pmct_accounts, cpu)->meter[d->meter];
		if (a->home != d)
			continue;
		handed += a->handed;
		given += READ_ONCE(a->given);
	}
	pmct_energy_unlock(d);
	local_irq_enable();
	seq_printf(m, "meter=%s cpus=%*pbl raw=%llu unit_uj=%u/2^%u total=%llu threads=%llu others=%llu idle=%llu unwatched=%llu resets=%llu%s\n",
		   meter->name, cpumask_pr_args(&d->cpus), raw, meter->uj_mul, meter->uj_shift,
		   total, given, handed - given, idle, unwatched, resets,
		   d->gone ? " gone" : d->still ? " still" : "");
}

/**
 * pmct_energy_show() - print a line for each meter: how its energy was used
 * @m: where to print
 *
 * Context: monitoring_module::show_state.
 */
void pmct_energy_show(struct seq_file *m)
{
	struct pmct_energy_domain *d;

	mutex_lock(&pmct_energy_mutex);
	list_for_each_entry(d, &pmct_energy_domains, node) {
		smp_call_function_any(&d->cpus, pmct_energy_read_here, d, true);
		pmct_energy_show_domain(m, d);
	}
	mutex_unlock(&pmct_energy_mutex);
}
EXPORT_SYMBOL_GPL(pmct_energy_show);
