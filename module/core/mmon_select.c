// SPDX-License-Identifier: GPL-2.0-only
/* Monitoring modules: which there are, and which one is active. */
#include <linux/ctype.h>
#include <linux/kmod.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/seq_file.h>

#include "mmon_call.h"
#include "mmon_select.h"
#include "sched_mode.h"
#include "session.h"
#include "sets.h"
#include "tie.h"

static LIST_HEAD(pmct_mmon_list);
static u32 pmct_mmon_gen;

/**
 * configure_performance_counters_set() - name the event sets that a module needs
 * @mm: the module, in its enable()
 * @raw: raw configuration strings, which stay with the module; those with
 *	"coretype=N" are for CPUs of that type only, where several take turns
 * @nr: their number
 *
 * Threads in scheduler mode are counted with these sets, and those of users who
 * ask for virtual counters and no events.
 *
 * Context: process context, sleeps.
 * Return: 0, or a negative errno if this PMU cannot count them: the kernel log
 * says why.
 */
int configure_performance_counters_set(struct monitoring_module *mm,
				       const char *const *raw, unsigned int nr)
{
	struct pmct_msg msg = {};
	int err;

	lockdep_assert_held(&pmct_mmon_mutex);

	if (!nr || nr > PMCTRACK_MAX_CORE_TYPES * PMCTRACK_MAX_SETS)
		return -EINVAL;
	err = pmct_sets_check(raw, nr, &msg);
	if (err) {
		pr_err("pmctrack: monitoring module %s: %s\n", mm->name, msg.text);
		return err;
	}
	mm->raw = raw;
	mm->nr_raw = nr;
	return 0;
}
EXPORT_SYMBOL_GPL(configure_performance_counters_set);

/*
 * Which one is active
 */

/* No module is told anything any more, nor has any thread. The mutex is held. */
static void pmct_mmon_deactivate(void)
{
	struct monitoring_module *mm = rcu_dereference_protected(pmct_mmon,
						lockdep_is_held(&pmct_mmon_mutex));

	if (!mm)
		return;
	pmct_sched_mode_end();
	/* Contexts that are being detached have said farewell, or are in the list. */
	down_write(&pmct_mmon_sem);
	RCU_INIT_POINTER(pmct_mmon, NULL);
	pmct_hooks->synchronize();
	pmct_session_each_ctx(pmct_mmon_farewell, mm);
	/* Threads that left meanwhile were in no list any more. */
	RCU_INIT_POINTER(pmct_mmon_parting, NULL);
	pmct_hooks->synchronize();
	up_write(&pmct_mmon_sem);
	if (mm->disable)
		mm->disable(mm);
	module_put(mm->owner);
}

static int pmct_mmon_activate(struct monitoring_module *mm)
{
	int err;

	if (!try_module_get(mm->owner))
		return -ENOENT;
	mm->raw = NULL;
	mm->nr_raw = 0;
	/* Never 0, which is that of contexts without a module. */
	mm->gen = ++pmct_mmon_gen ?: ++pmct_mmon_gen;
	err = mm->enable ? mm->enable(mm) : 0;
	if (err) {
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

/* Such a name can also be printed. */
bool pmct_mmon_name_ok(const char *name)
{
	size_t len = strlen(name);
	size_t i;

	for (i = 0; i < len; i++) {
		if (!isascii(name[i]) || (!isalnum(name[i]) && name[i] != '-' && name[i] != '_'))
			return false;
	}
	return len && len < PMCT_MMON_NAME && strcmp(name, "none");
}

/**
 * pmct_mmon_select() - make a monitoring module the active one
 * @name: its name, or "none"
 *
 * If it cannot be enabled, none is active afterwards.
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
	mm = pmct_mmon_find(name);
	if (!mm) {
		mutex_unlock(&pmct_mmon_mutex);
		request_module("pmctrack-mmon-%s", name);
		mutex_lock(&pmct_mmon_mutex);
		mm = pmct_mmon_find(name);
	}
	if (!mm) {
		err = -ENOENT;
	} else if (mm != pmct_mmon_active()) {
		pmct_mmon_deactivate();
		err = pmct_mmon_activate(mm);
	}
	mutex_unlock(&pmct_mmon_mutex);
	return err;
}

/* "[*] name - description" for the active one, "[ ] ..." for the others. */
void pmct_mmon_show(struct seq_file *m)
{
	const struct monitoring_module *mm;

	mutex_lock(&pmct_mmon_mutex);
	list_for_each_entry(mm, &pmct_mmon_list, node)
		seq_printf(m, "[%c] %s - %s\n", mm == pmct_mmon_active() ? '*' : ' ', mm->name,
			   mm->description);
	mutex_unlock(&pmct_mmon_mutex);
}

/**
 * register_monitoring_module() - make a monitoring module known
 * @mm: the module; stays valid until unregistered
 *
 * Context: process context, sleeps.
 * Return: 0, -EINVAL if it is incomplete, -EEXIST if there is one of that name.
 */
int register_monitoring_module(struct monitoring_module *mm)
{
	int err = 0;

	if (!mm->name || !mm->description || !mm->owner || !pmct_mmon_name_ok(mm->name) ||
	    mm->nr_virt > PMCTRACK_MAX_VIRT)
		return -EINVAL;
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
 * unregister_monitoring_module() - forget a monitoring module
 * @mm: the module, which is not active: the active one cannot be unloaded
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
