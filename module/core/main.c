// SPDX-License-Identifier: GPL-2.0-only
/* Starting and stopping the module: the order of initialisation, and nothing else. */
#include <linux/module.h>

#include "../compat/sysctl.h"
#include "config.h"
#include "count.h"
#include "cpu.h"
#include "ebs_limit.h"
#include "hooks.h"
#include "netlink.h"
#include "owner.h"
#include "procfs.h"
#include "sample.h"
#include "sched_mode.h"
#include "tie.h"
#include "turn.h"

static char *hooks = "auto";
module_param(hooks, charp, 0444);
MODULE_PARM_DESC(hooks, "where scheduling events come from: auto (default), patch or tracepoint");

static char *backend = "auto";
module_param(backend, charp, 0444);
MODULE_PARM_DESC(backend, "whose counters: auto (default), native, perf, or the name of one; sim: a simulated machine");

/* The symbol of a backend in a kernel module of its own, while this backend is used. */
static char pmct_backend_symbol[MODULE_NAME_LEN];

static bool __init pmct_wanted(const struct pmct_backend *b)
{
	if (!strcmp(backend, "native"))
		return b->owns_counters;
	return !strcmp(backend, "auto") || !strcmp(backend, b->name);
}

static void pmct_unload_backend(void)
{
	if (pmct_backend_symbol[0])
		__symbol_put(pmct_backend_symbol);
	pmct_backend_symbol[0] = '\0';
}

/* Load the kernel module pmctrack_NAME and get its backend, if there is one. */
static const struct pmct_backend *__init pmct_load_backend(void)
{
	const struct pmct_backend *b;

	scnprintf(pmct_backend_symbol, sizeof(pmct_backend_symbol), "pmct_backend_%s", backend);
	request_module("pmctrack_%s", backend);
	b = __symbol_get(pmct_backend_symbol);
	if (!b) {
		pmct_backend_symbol[0] = '\0';
		pr_err("pmctrack: backend=%s: this kernel has no such backend; there are auto, native and perf, and sim with the module pmctrack_sim\n",
		       backend);
	} else if (b->size != sizeof(*b)) {
		pmct_unload_backend();
		pr_err("pmctrack: pmctrack_%s is of another version of pmctrack than this one (%s)\n",
		       backend, THIS_MODULE->version ?: "");
		b = NULL;
	}
	return b;
}

static const struct pmct_backend *__init pmct_probe_loaded(void)
{
	const struct pmct_backend *b = pmct_load_backend();
	struct pmct_msg msg = {};
	int err;

	if (!b)
		return ERR_PTR(-EINVAL);
	err = b->probe(&msg);
	if (!err)
		return b;
	pr_err("pmctrack: %s: %s\n", b->name, msg.text);
	pmct_unload_backend();
	return ERR_PTR(err);
}

static const struct pmct_backend *__init pmct_probe(void)
{
	const struct pmct_backend *const *b;
	int err = -EINVAL;

	for (b = pmct_backends; *b; b++) {
		struct pmct_msg msg = {};

		if (!pmct_wanted(*b))
			continue;
		err = (*b)->probe(&msg);
		if (!err)
			return *b;
		if (msg.text[0])
			pr_warn("pmctrack: %s: %s\n", (*b)->name, msg.text);
	}
	return err == -EINVAL ? pmct_probe_loaded() : ERR_PTR(err);
}

/* Use perf's limit, if there is one. Its values 0 and 100 mean no limit here, too. */
static void __init pmct_init_config(void)
{
	int percent;

	if (!pmct_sysctl("proc/sys/kernel/perf_cpu_time_max_percent", &percent) &&
	    percent >= 0 && percent <= 100)
		pmct_config.ebs_cpu_percent = percent;
}

static int __init pmct_init(void)
{
	const struct pmct_backend *found;
	struct pmct_msg msg = {};
	int err;

	err = pmct_hooks_choose(hooks, &msg);
	if (err) {
		pr_err("pmctrack: %s\n", msg.text);
		return err;
	}
	found = pmct_probe();
	if (IS_ERR(found))
		return PTR_ERR(found);
	pmct_init_config();
	pmct_turn_init();
	pmct_sample_init();
	pmct_ebs_limit_init(found->interrupts);
	pmct_sched_mode_init();
	pmct_owner_init(found, pmct_overflow);
	err = pmct_cpu_init();
	if (err)
		goto err_backend;
	err = pmct_hooks->start(&msg);
	if (err) {
		pr_err("pmctrack: %s\n", msg.text);
		goto err_cpu;
	}
	err = pmct_procfs_init();
	if (err)
		goto err_hooks;
	err = pmct_netlink_init();
	if (err)
		goto err_procfs;
	pr_info("pmctrack: version %s, backend %s, hooks %s\n", THIS_MODULE->version ?: "",
		found->name, pmct_hooks->name);
	return 0;

err_procfs:
	pmct_procfs_exit();
err_hooks:
	pmct_hooks->stop();
err_cpu:
	pmct_cpu_exit();
err_backend:
	pmct_owner_exit();
	pmct_unload_backend();
	return err;
}

/*
 * No session is open, and no monitoring module is loaded, because each of them holds this module.
 * Hence no thread has a context.
 */
static void __exit pmct_exit(void)
{
	pmct_netlink_exit();
	pmct_procfs_exit();
	pmct_hooks->stop();
	pmct_sched_mode_exit();
	pmct_count_exit();
	pmct_cpu_exit();
	pmct_owner_exit();
	pmct_unload_backend();
}

module_init(pmct_init);
module_exit(pmct_exit);

MODULE_DESCRIPTION("PMCTrack: per-thread performance counters for users and schedulers");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(PMCT_VERSION);
