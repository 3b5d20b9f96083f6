// SPDX-License-Identifier: LGPL-2.1-or-later
/* Event tables of CPU vendors, which all come from libpfm4. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <perfmon/pfmlib.h>

#include "internal.h"

static void init_once(void)
{
	pfm_initialize();
}

static void init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init_once);
}

static bool get_pmu(int i, pfm_pmu_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pfm_get_pmu_info(i, info) == PFM_SUCCESS;
}

/* The name of the table of this machine's CPU; NULL: libpfm4 does not know the CPU. */
const char *vendor_table_present(void)
{
	const char *table = NULL;
	pfm_pmu_info_t info;

	init();
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		if (!get_pmu(i, &info) || !info.is_present || info.type != PFM_PMU_TYPE_CORE)
			continue;
		table = info.name;
		/* This table, common to all x86 models, comes first: look for a better one. */
		if (strcmp(table, "ix86arch"))
			break;
	}
	return table;
}

struct visit {
	const char *table;
	uint64_t limit;
	int (*fn)(const struct pmctrack_event_info *info, void *arg);
	void *arg;
};

/* Call @fn for each event of libpfm4's table until @fn returns a value other than 0. */
static int each_event(const struct visit *v,
		      int (*fn)(const pfm_event_info_t *event, const struct visit *v))
{
	pfm_event_info_t event;
	pfm_pmu_info_t pmu;
	int ret = 0;

	init();
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		if (!get_pmu(i, &pmu) || strcmp(pmu.name, v->table))
			continue;
		for (int e = pmu.first_event; !ret && e != -1; e = pfm_get_event_next(e)) {
			memset(&event, 0, sizeof(event));
			event.size = sizeof(event);
			if (pfm_get_event_info(e, PFM_OS_NONE, &event) == PFM_SUCCESS)
				ret = fn(&event, v);
		}
		return ret;
	}
	return fail(ENOENT, "libpfm4 has no event table '%s'; install a newer libpfm4", v->table);
}

static int visit_event(const pfm_event_info_t *event, const struct visit *v)
{
	struct pmctrack_event_info info = { .name = event->name, .code = event->code };

	if (v->limit && event->code >= v->limit)
		return 0;
	info.desc = event->desc ? event->desc : "";
	return v->fn(&info, v->arg);
}

/* Call @fn for the events of @table with codes below @limit (0: all). */
int vendor_table_each(const char *table, uint64_t limit,
	     int (*fn)(const struct pmctrack_event_info *info, void *arg), void *arg)
{
	const struct visit v = { .table = table, .limit = limit, .fn = fn, .arg = arg };

	return each_event(&v, visit_event);
}

/*
 * On x86, users select an event and a unit of it, EVENT.UNIT. The code is the value of
 * the event select register without the bits that say when the counter counts.
 */
#define X86_SELECT	(~(1ull << 16 | 1ull << 17 | 1ull << 20 | 1ull << 22))

int vendor_table_find_x86(const char *table, const char *name, uint64_t *code)
{
	uint64_t *codes = NULL;
	char text[256];
	int count = 0;

	init();
	if (snprintf(text, sizeof(text), "%s::%s", table, name) >= (int)sizeof(text) ||
	    pfm_get_event_encoding(text, PFM_PLM3, NULL, NULL, &codes, &count) != PFM_SUCCESS)
		return -ENOENT;
	/* Several codes: the event needs a second register, which PMCTrack does not write. */
	if (count == 1)
		*code = codes[0] & X86_SELECT;
	free(codes);
	return count == 1 ? 0 : -ENOENT;
}

static int visit_x86(const char *name, const char *desc, const struct visit *v)
{
	struct pmctrack_event_info info = { .name = name, .desc = desc ? desc : "" };

	return vendor_table_find_x86(v->table, name, &info.code) ? 0 : v->fn(&info, v->arg);
}

static int visit_units_x86(const pfm_event_info_t *event, const struct visit *v)
{
	pfm_event_attr_info_t attr;
	bool units = false;
	char name[256];
	int ret = 0;

	for (int a = 0; !ret && a < event->nattrs; a++) {
		memset(&attr, 0, sizeof(attr));
		attr.size = sizeof(attr);
		if (pfm_get_event_attr_info(event->idx, a, PFM_OS_NONE, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		units = true;
		snprintf(name, sizeof(name), "%s.%s", event->name, attr.name);
		ret = visit_x86(name, attr.desc, v);
	}
	return units ? ret : visit_x86(event->name, event->desc, v);
}

/* The same for x86: call @fn for each unit of each event, or for an event without units. */
int vendor_table_each_x86(const char *table,
		 int (*fn)(const struct pmctrack_event_info *info, void *arg), void *arg)
{
	const struct visit v = { .table = table, .fn = fn, .arg = arg };

	return each_event(&v, visit_units_x86);
}

struct find {
	const char *name;
	uint64_t code;
};

static int match(const struct pmctrack_event_info *info, void *arg)
{
	struct find *find = arg;

	if (strcasecmp(info->name, find->name))
		return 0;
	find->code = info->code;
	return 1;
}

/* Returns 0 and the code, or -ENOENT. */
int vendor_table_find(const char *table, uint64_t limit, const char *name, uint64_t *code)
{
	struct find find = { .name = name };

	if (vendor_table_each(table, limit, match, &find) != 1)
		return -ENOENT;
	*code = find.code;
	return 0;
}
