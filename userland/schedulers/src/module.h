/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The monitoring module that a policy asks, and the one that was active before. */
#ifndef SCHEDULERS_MODULE_H
#define SCHEDULERS_MODULE_H

#include "core_types.h"

struct module;

/*
 * Load pmctrack_bpf.ko if need be, and make the monitoring module @name the active one. The user
 * is told what is wrong, also if the module's models call another core type the fastest one than
 * @fastest. Whatever ends this process, another one makes the module active again
 * that was before, unless somebody chose yet another one meanwhile. Returns NULL on failure.
 */
struct module *module_choose(const char *name, const struct core_type *fastest);

/* Restore what was before, and wait for that. NULL is allowed. */
void module_restore(struct module *module);

#endif /* SCHEDULERS_MODULE_H */
