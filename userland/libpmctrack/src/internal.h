/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The structs and functions that the files of the library share. */
#ifndef PMCTRACK_INTERNAL_H
#define PMCTRACK_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "pmctrack/libpmctrack.h"

struct nl_sock;
struct event_file;

struct pmu {
	char *name;
	char *model;
	char *cpus;
	uint32_t counters;
	uint32_t fixed;
	uint32_t width;
	uint8_t *events;	/* bitmap of the event codes that the PMU implements */
	unsigned int nr_events;	/* number of codes in @events; further codes are not known */
	struct event_file *file;
};

struct virt {
	char *name;
	char *unit;
	char *desc;
	bool gauge;
};

/* The active monitoring module. If no module is active, @name is NULL. */
struct mmon {
	char *name;
	unsigned int nr_sets;
	char *sets[PMCTRACK_MAX_SETS * PMCTRACK_MAX_CORE_TYPES];
	unsigned int nr_virts;
	struct virt virts[PMCTRACK_MAX_VIRT];
};

struct pmctrack_ctl {
	struct nl_sock *sock;
	int family;
	uint32_t abi;
	char *version;
	char *backend;
	uint64_t tick_ns;
	unsigned int nr_pmus;
	struct pmu pmus[PMCTRACK_MAX_CORE_TYPES];
	struct mmon mmon;
};

/* error.c: store a message and set errno to @err; return -@err, or NULL */
int fail(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void *fail_null(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* netlink.c */
struct session_request {
	const struct pmctrack_session_opts *opts;
	struct pmctrack_evset *const *sets;
	unsigned int nr_sets;
	int cgroup;		/* -1: none */
	/* results */
	int fd;
	uint64_t period_ns;
	uint32_t ring_size;
	uint32_t ring_wanted;
};

int module_connect(struct pmctrack_ctl *ctl);
void module_disconnect(struct pmctrack_ctl *ctl);
int module_get_info(struct pmctrack_ctl *ctl);
int module_session_new(const struct pmctrack_ctl *ctl, struct session_request *req);

/* mmon.c */
void mmon_free(struct mmon *mm);

/* event_file.c: portable names, event codes and fixed counters of an architecture */
struct event_file *event_file_load(const char *name);
/* The event file for a PMU of @model. On failure: NULL, errno, and a text that names the cause. */
struct event_file *event_file_of_model(const char *model);
struct event_file *event_file_read(const char *path);
void event_file_free(struct event_file *file);
const char *event_file_table(const struct event_file *file, uint64_t *limit);
bool event_file_fixed(const struct event_file *file, uint64_t code, unsigned int *counter);
bool event_file_fixed_only(const struct event_file *file, uint64_t code);
/* Look up the code of an event of the architecture. Returns 0 or -ENOENT. */
int event_file_code(const struct event_file *file, const char *name, uint64_t *code);
int event_file_each_code(const struct event_file *file,
			 int (*fn)(const char *name, uint64_t code, void *arg), void *arg);
const char *const *event_file_alias(const struct event_file *file, const char *name);
int event_file_each_alias(const struct event_file *file,
			  int (*fn)(const char *name, const char *const *events, void *arg),
			  void *arg);

/* vendor_table.c: the vendors' event tables, from libpfm4 */
int vendor_table_find(const char *table, uint64_t limit, const char *name, uint64_t *code);
int vendor_table_each(const char *table, uint64_t limit,
		      int (*fn)(const struct pmctrack_event_info *info, void *arg), void *arg);
const char *vendor_table_present(void);
int vendor_table_find_x86(const char *table, const char *name, uint64_t *code);
int vendor_table_each_x86(const char *table,
			  int (*fn)(const struct pmctrack_event_info *info, void *arg), void *arg);

/* event_set.c, events.c */
struct pmctrack_evset *evset_copy(const struct pmctrack_evset *set);
const char *pmu_table(const struct pmu *pmu, uint64_t *limit);
bool pmu_is_perf(const struct pmu *pmu);
bool pmu_implements(const struct pmu *pmu, uint64_t code);

#endif /* PMCTRACK_INTERNAL_H */
