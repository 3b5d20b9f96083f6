/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Choose the monitoring module that a policy asks, and restore the one that was active before. */
#ifndef SCHEDULERS_MODULE_H
#define SCHEDULERS_MODULE_H

#include "core_types.h"

struct module;

/*
 * Load pmctrack_bpf.ko if need be, and make the monitoring module @name the active one. The user
 * is told what is wrong, also if the module's models call a core type other than @fastest the
 * fastest one. When this process ends, for any reason, another process makes the former module
 * active again, unless yet another module was chosen meanwhile. Returns NULL on failure.
 */
struct module *module_choose(const char *name, const struct core_type *fastest);

/* Restore the module that was active before, and wait for that. NULL is allowed. */
void module_restore(struct module *module);

#endif /* SCHEDULERS_MODULE_H */
