/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests to pmctrack.ko by kernel modules that act for a scheduler: metrics of threads with age
 * and confidence, monitoring of threads, and the core types of CPUs. pmctrack_bpf.ko offers the
 * same to BPF programs (<pmctrack/pmcs.bpf.h>). A scheduling class, which is part of the kernel,
 * uses <linux/pmctrack.h> of the kernel patch instead, which works without any module.
 *
 * Works with and without the kernel patch.
 */
#ifndef _PMCTRACK_CLIENT_H
#define _PMCTRACK_CLIENT_H

#include <linux/list.h>
#include <linux/types.h>
#include <pmctrack/sched.h>

struct task_struct;

/**
 * struct pmct_client - a kernel module that acts for a scheduler
 * @name: for people and /proc/pmc/info
 * @node: private
 */
struct pmct_client {
	const char *name;
	struct list_head node;
};

int pmct_client_register(struct pmct_client *client);
void pmct_client_unregister(struct pmct_client *client);

int pmct_client_metric(struct task_struct *task, int key, struct pmct_metric_value *value);
int pmct_client_metrics(struct task_struct *task, const u32 *keys, unsigned int nr,
			struct pmct_metric_value *values);
int pmct_client_monitor(struct task_struct *task, bool on);
int pmct_client_cpu_type(int cpu);
unsigned int pmct_client_nr_types(void);
int pmct_client_type_name(unsigned int type, char *name, size_t size);
int pmct_client_module(char *name, size_t size);

#endif /* _PMCTRACK_CLIENT_H */
