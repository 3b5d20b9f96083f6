// SPDX-License-Identifier: GPL-2.0-only
/* Monitoring modules: which ones exist, and which one is active. */
#include <linux/ctype.h>
#include <linux/kmod.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "event_names.h"
#include "mmon_call.h"
#include "mmon_select.h"
#include "owner.h"
#include "sched_mode.h"
#include "session.h"
#include "sets.h"
#include "tie.h"

static LIST_HEAD(pmct_mmon_list);
static u32 pmct_mmon_gen;

static_assert(PMCT_MAX_MMON_EVENTS == PMCT_MAX_NAMED_EVENTS);

/*
 * The event sets of modules
 */

static void pmct_mmon_free_sets(struct pmct_mmon_sets *sets)
{
	unsigned int i;

	for (i = 0; sets && i < sets->nr_raw; i++)
		kfree(sets->raw[i]);
	kfree(sets);
}

/* Called when the module is not active any more, or when its enable() has failed. */
static void pmct_mmon_forget_sets(struct monitoring_module *mm)
{
	mm->raw = NULL;
	mm->nr_raw = 0;
	pmct_mmon_free_sets(mm->sets);
	mm->sets = NULL;
}

/* Add the set @named, which is for @core_type, to @sets. */
static int pmct_mmon_add_set(struct pmct_mmon_sets *sets, struct pmct_named_spec *named,
			     unsigned int core_type, struct pmct_msg *msg)
{
	unsigned int index = sets->nr[core_type];
	char *raw;
	int err;

	if (index == PMCTRACK_MAX_SETS)
		return pmct_refuse(msg, -E2BIG, "core type %u: more than %d event sets",
				   core_type, PMCTRACK_MAX_SETS);
	if (pmct_backend->nr_core_types() == 1)
		named->spec.core_type = PMCT_ANY_CORE_TYPE;
	raw = kmalloc(PMCTRACK_MAX_RAW, GFP_KERNEL);
	if (!raw)
		return -ENOMEM;
	err = pmct_evset_print(&named->spec, pmct_backend->keys, raw, PMCTRACK_MAX_RAW);
	if (err) {
		kfree(raw);
		return pmct_refuse(msg, err, "an event set is longer than %d bytes as a raw string",
				   PMCTRACK_MAX_RAW - 1);
	}
	sets->raw[sets->nr_raw++] = raw;
	pmct_event_names_map(named, sets->where[core_type][index]);
	sets->nr[core_type]++;
	return 0;
}

/* Add one set for each core type that @list is for. */
static int pmct_mmon_add_list(const struct monitoring_module *mm, struct pmct_mmon_sets *sets,
			      const char *list, struct pmct_msg *msg)
{
	unsigned int i, nr_types = pmct_backend->nr_core_types();
	struct pmct_named_spec *named;
	int core_type;
	int err;

	named = kmalloc(sizeof(*named), GFP_KERNEL);
	if (!named)
		return -ENOMEM;
	err = pmct_event_names_core_type(&list, nr_types, &core_type, msg);
	for (i = 0; !err && i < nr_types; i++) {
		if (core_type != PMCT_ANY_CORE_TYPE && core_type != i)
			continue;
		err = pmct_event_names_resolve(pmct_backend, i, list, mm->events,
					       mm->nr_events, named, msg) ?:
		      pmct_mmon_add_set(sets, named, i, msg);
	}
	kfree(named);
	return err;
}

/* Check that the raw strings can be counted. */
static int pmct_mmon_check(const char *const *raw, unsigned int nr, struct pmct_msg *msg)
{
	const unsigned int max = PMCTRACK_MAX_CORE_TYPES * PMCTRACK_MAX_SETS;

	if (!nr || nr > max)
		return pmct_refuse(msg, -EINVAL, "%u event sets; there can be 1 to %u", nr, max);
	return pmct_sets_check(raw, nr, msg);
}

static int pmct_mmon_refused(const struct monitoring_module *mm, const struct pmct_msg *msg,
			     int err)
{
	pr_err("pmctrack: monitoring module %s: %s\n", mm->name,
	       msg->text[0] ? msg->text : "no memory for its event sets");
	return err;
}

/**
 * configure_performance_counters_set() - name the event sets that a module needs
 * @mm: the module, in its enable()
 * @sets: event sets, each a list of names: "instr,cycles:k,llc_misses". Names are those of events/,
 *	flags are those of users (:u, :k, :uk, :ebs=N), and ":ip=N", see
 *	monitoring_module::on_address. All events are in @mm->events. "coretype=N:" before the names
 *	restricts a set to CPUs of that type.
 * @nr: number of @sets; several sets of a core type take turns
 *
 * These sets are used for threads in scheduler mode, and for users who request virtual counters but
 * no events. For each core type, the core chooses the codes of the events and the counters. The
 * strings are not needed afterwards.
 *
 * Context: process context, sleeps.
 * Return: 0. -EINVAL: an event is unknown, or not in @mm->events. -EOPNOTSUPP: the PMU
 * does not have it. -E2BIG: too many events for the counters. -ENOMEM. The kernel log
 * names the event and the PMU.
 */
int configure_performance_counters_set(struct monitoring_module *mm,
				       const char *const *sets, unsigned int nr)
{
	struct pmct_mmon_sets *named;
	struct pmct_msg msg = {};
	unsigned int i;
	int err = 0;

	lockdep_assert_held(&pmct_mmon_mutex);

	named = kzalloc(sizeof(*named), GFP_KERNEL);
	if (!named)
		return -ENOMEM;
	for (i = 0; !err && i < nr; i++)
		err = pmct_mmon_add_list(mm, named, sets[i], &msg);
	if (!err)
		err = pmct_mmon_check(named->raw, named->nr_raw, &msg);
	if (err) {
		pmct_mmon_free_sets(named);
		return pmct_mmon_refused(mm, &msg, err);
	}
	pmct_mmon_forget_sets(mm);
	mm->sets = named;
	mm->raw = named->raw;
	mm->nr_raw = named->nr_raw;
	return 0;
}
EXPORT_SYMBOL_GPL(configure_performance_counters_set);

/**
 * configure_raw_performance_counters_set() - name event sets by raw strings
 * @mm: the module, in its enable()
 * @raw: raw configuration strings for the PMU of pmct_mmon_pmu(), which stay with the module;
 *	strings with "coretype=N" are for CPUs of that type only
 * @nr: number of @raw; several sets of a core type take turns
 *
 * This is for events without a name. pmct_sample_count() has no counts of such sets. The module
 * looks into pmct_sample::rec, where counts are in the order of counters.
 *
 * Context: process context, sleeps.
 * Return: 0, or a negative errno if this PMU cannot count them: the kernel log
 * says why.
 */
int configure_raw_performance_counters_set(struct monitoring_module *mm,
					   const char *const *raw, unsigned int nr)
{
	struct pmct_msg msg = {};
	int err;

	lockdep_assert_held(&pmct_mmon_mutex);

	err = pmct_mmon_check(raw, nr, &msg);
	if (err)
		return pmct_mmon_refused(mm, &msg, err);
	pmct_mmon_forget_sets(mm);
	mm->raw = raw;
	mm->nr_raw = nr;
	return 0;
}
EXPORT_SYMBOL_GPL(configure_raw_performance_counters_set);

/*
 * Choosing the active module
 */

static void pmct_mmon_farewell_listed(struct pmct_ctx *ctx, void *mm)
{
	pmct_mmon_farewell(mm, ctx);
}

/*
 * Deactivate the active module: it gets no more calls, and threads have no data of it any more. The
 * mutex is held.
 */
static void pmct_mmon_deactivate(void)
{
	struct monitoring_module *mm = rcu_dereference_protected(pmct_mmon,
						lockdep_is_held(&pmct_mmon_mutex));

	if (!mm)
		return;
	pmct_sched_mode_end();
	/*
	 * Contexts that are being detached have told the module of their exit, or are in the list.
	 */
	down_write(&pmct_mmon_sem);
	RCU_INIT_POINTER(pmct_mmon, NULL);
	pmct_hooks->synchronize();
	pmct_session_each_ctx(pmct_mmon_farewell_listed, mm);
	/*
	 * Threads that exited meanwhile were in no list any more, and tell the module themselves.
	 */
	pmct_hooks->synchronize();
	RCU_INIT_POINTER(pmct_mmon_parting, NULL);
	pmct_hooks->synchronize();
	up_write(&pmct_mmon_sem);
	if (mm->disable)
		mm->disable(mm);
	pmct_mmon_forget_sets(mm);
	module_put(mm->owner);
}

static int pmct_mmon_activate(struct monitoring_module *mm)
{
	int err;

	if (!try_module_get(mm->owner))
		return -ENOENT;
	/* Never 0, the generation of contexts without a module. */
	mm->gen = ++pmct_mmon_gen ?: ++pmct_mmon_gen;
	err = mm->enable ? mm->enable(mm) : 0;
	if (err) {
		pmct_mmon_forget_sets(mm);
		module_put(mm->owner);
		return err;
	}
	rcu_assign_pointer(pmct_mmon_parting, mm);
	rcu_assign_pointer(pmct_mmon, mm);
	return 0;
}

static struct monitoring_module *pmct_mmon_find(const char *name)
{
	struct monitoring_module *mm;

	lockdep_assert_held(&pmct_mmon_mutex);

	list_for_each_entry(mm, &pmct_mmon_list, node) {
		if (!strcmp(mm->name, name))
			return mm;
	}
	return NULL;
}

/* Find a module, or load its kernel module; the mutex is released while it is loaded. */
static struct monitoring_module *pmct_mmon_find_or_load(const char *name)
{
	struct monitoring_module *mm = pmct_mmon_find(name);

	if (mm)
		return mm;
	mutex_unlock(&pmct_mmon_mutex);
	request_module("pmctrack-mmon-%s", name);
	mutex_lock(&pmct_mmon_mutex);
	return pmct_mmon_find(name);
}

/* True for a word that can be printed, and can be an item of a list. */
static bool pmct_mmon_is_word(const char *word)
{
	size_t len = strlen(word);
	size_t i;

	for (i = 0; i < len; i++) {
		if (!isascii(word[i]) || (!isalnum(word[i]) && word[i] != '-' && word[i] != '_'))
			return false;
	}
	return len && len < PMCT_MMON_NAME;
}

bool pmct_mmon_name_ok(const char *name)
{
	return pmct_mmon_is_word(name) && strcmp(name, "none");
}

/**
 * pmct_mmon_select() - make a monitoring module the active one
 * @name: its name, or "none"
 *
 * If the module cannot be enabled, no module is active afterwards.
 *
 * Context: process context, sleeps; may load a kernel module.
 * Return: 0, -ENOENT: no such module; or the error of its enable().
 */
int pmct_mmon_select(const char *name)
{
	struct monitoring_module *mm;
	int err = 0;

	if (!strcmp(name, "none")) {
		mutex_lock(&pmct_mmon_mutex);
		pmct_mmon_deactivate();
		mutex_unlock(&pmct_mmon_mutex);
		return 0;
	}
	if (!pmct_mmon_name_ok(name))
		return -EINVAL;
	mutex_lock(&pmct_mmon_mutex);
	mm = pmct_mmon_find_or_load(name);
	if (!mm) {
		err = -ENOENT;
	} else if (mm != pmct_mmon_active()) {
		pmct_mmon_deactivate();
		err = pmct_mmon_activate(mm);
	}
	mutex_unlock(&pmct_mmon_mutex);
	if (!err)
		pmct_sched_mode_look();
	return err;
}

static int pmct_mmon_give_model(const char *name, char *text, struct pmct_msg *msg)
{
	struct monitoring_module *mm = pmct_mmon_find_or_load(name);

	if (!mm)
		return pmct_refuse(msg, -ENOENT, "there is no monitoring module '%s'", name);
	if (!mm->load_model)
		return pmct_refuse(msg, -EOPNOTSUPP, "monitoring module %s takes no models", name);
	if (mm == pmct_mmon_active())
		return pmct_refuse(msg, -EBUSY,
				   "monitoring module %s is active: write 'none' to /proc/pmc/mmon_manager first",
				   name);
	return mm->load_model(mm, text, msg);
}

/**
 * pmct_mmon_load_model() - give a model to its monitoring module
 * @text: the model; its first line is "pmctrack-model VERSION NAME". The text is changed
 *
 * Context: process context, sleeps; may load a kernel module.
 * Return: 0, or a negative errno; the kernel log says why.
 */
int pmct_mmon_load_model(char *text)
{
	char name[PMCT_MMON_NAME] = "";
	struct pmct_msg msg = {};
	int err;

	static_assert(PMCT_MMON_NAME == 32);	/* %31s */
	if (sscanf(text, "pmctrack-model %*u %31s", name) != 1 || !pmct_mmon_name_ok(name)) {
		err = pmct_refuse(&msg, -EINVAL,
				  "no model: its first line is 'pmctrack-model VERSION NAME-OF-MONITORING-MODULE'");
	} else {
		mutex_lock(&pmct_mmon_mutex);
		err = pmct_mmon_give_model(name, text, &msg);
		mutex_unlock(&pmct_mmon_mutex);
	}
	if (err)
		pr_err("pmctrack: mmon_model: %s\n", msg.text[0] ? msg.text : "no memory");
	return err;
}

/* Print a line for each model. */
void pmct_mmon_show_models(struct seq_file *m)
{
	const struct monitoring_module *mm;

	mutex_lock(&pmct_mmon_mutex);
	list_for_each_entry(mm, &pmct_mmon_list, node) {
		if (mm->show_models)
			mm->show_models(mm, m);
	}
	mutex_unlock(&pmct_mmon_mutex);
}

/* Print what the active module tells an administrator. */
void pmct_mmon_show_state(struct seq_file *m)
{
	const struct monitoring_module *mm;

	mutex_lock(&pmct_mmon_mutex);
	mm = pmct_mmon_active();
	if (mm && mm->show_state)
		mm->show_state(mm, m);
	mutex_unlock(&pmct_mmon_mutex);
}

/* Print "[*] name - description" for the active module, "[ ] ..." for the others. */
void pmct_mmon_show(struct seq_file *m)
{
	const struct monitoring_module *mm;

	mutex_lock(&pmct_mmon_mutex);
	list_for_each_entry(mm, &pmct_mmon_list, node)
		seq_printf(m, "[%c] %s - %s\n", mm == pmct_mmon_active() ? '*' : ' ', mm->name,
			   mm->description);
	mutex_unlock(&pmct_mmon_mutex);
}

/* True for the text of one line. UTF-8 has no control characters but those of ASCII. */
static bool pmct_mmon_is_line(const char *text)
{
	if (!text)
		return false;
	while (*text && !iscntrl(*text))
		text++;
	return !*text;
}

/*
 * The name itself may be invalid, so it is printed with escapes, and only up to the allowed length.
 */
static int pmct_mmon_invalid(const char *name, const char *what)
{
	pr_err("pmctrack: monitoring module '%*pE': %s\n",
	       (int)strnlen(name, PMCT_MMON_NAME), name, what);
	return -EINVAL;
}

static int pmct_mmon_check_virt(const struct monitoring_module *mm,
				const struct pmct_vcounter *virt)
{
	if (!virt->name || !pmct_mmon_is_word(virt->name))
		return pmct_mmon_invalid(mm->name,
					 "the name of a virtual counter is not 1 to 31 letters, digits, '-' or '_'");
	if (!pmct_mmon_is_line(virt->unit) || !pmct_mmon_is_line(virt->description))
		return pmct_mmon_invalid(mm->name,
					 "unit or description of a virtual counter is not one line");
	return 0;
}

static int pmct_mmon_check_module(const struct monitoring_module *mm)
{
	unsigned int i;
	int err = 0;

	if (!mm->name)
		return pmct_mmon_invalid("", "it has no name");
	if (!pmct_mmon_name_ok(mm->name))
		return pmct_mmon_invalid(mm->name,
					 "its name is not 1 to 31 letters, digits, '-' or '_', or is 'none'");
	if (!pmct_mmon_is_line(mm->description))
		return pmct_mmon_invalid(mm->name, "its description is not one line");
	if (!mm->owner)
		return pmct_mmon_invalid(mm->name, "it has no owner (THIS_MODULE)");
	if (mm->nr_virt > PMCTRACK_MAX_VIRT || mm->nr_events > PMCT_MAX_MMON_EVENTS)
		return pmct_mmon_invalid(mm->name, "it has too many virtual counters or events");
	for (i = 0; !err && i < mm->nr_virt; i++)
		err = pmct_mmon_check_virt(mm, &mm->virt[i]);
	return err;
}

/**
 * register_monitoring_module() - register a monitoring module
 * @mm: the module; it stays valid until it is unregistered
 *
 * Names that users write must be words, because /proc/pmc/mmon_manager and lists of virtual
 * counters are text.
 *
 * Context: process context, sleeps.
 * Return: 0. -EINVAL: the module is incomplete, or a name is not a word; the kernel log says which.
 * -EEXIST: a module of that name exists.
 */
int register_monitoring_module(struct monitoring_module *mm)
{
	int err = pmct_mmon_check_module(mm);

	if (err)
		return err;
	mutex_lock(&pmct_mmon_mutex);
	if (pmct_mmon_find(mm->name))
		err = -EEXIST;
	else
		list_add_tail(&mm->node, &pmct_mmon_list);
	mutex_unlock(&pmct_mmon_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(register_monitoring_module);

/**
 * unregister_monitoring_module() - unregister a monitoring module
 * @mm: the module; it is not active, because the active one cannot be unloaded
 *
 * Context: process context, sleeps.
 */
void unregister_monitoring_module(struct monitoring_module *mm)
{
	mutex_lock(&pmct_mmon_mutex);
	list_del(&mm->node);
	mutex_unlock(&pmct_mmon_mutex);
}
EXPORT_SYMBOL_GPL(unregister_monitoring_module);
