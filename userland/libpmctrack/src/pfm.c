// SPDX-License-Identifier: LGPL-2.1-or-later
/* Vendor event tables: all from libpfm4. */
#include <errno.h>
#include <pthread.h>
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

/* The table of this machine's CPU, as libpfm4 detects it; NULL: unknown to it. */
const char *pfm_present_table(void)
{
	pfm_pmu_info_t info;

	init();
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		if (get_pmu(i, &info) && info.is_present && info.type == PFM_PMU_TYPE_CORE)
			return info.name;
	}
	return NULL;
}

/* Call @fn for the events of @table with codes below @limit (0: all). */
int pfm_each(const char *table, uint64_t limit,
	     int (*fn)(const struct pmctrack_event_info *info, void *arg), void *arg)
{
	pfm_event_info_t event;
	pfm_pmu_info_t pmu;
	int ret = 0;

	init();
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		if (!get_pmu(i, &pmu) || strcmp(pmu.name, table))
			continue;
		for (int e = pmu.first_event; !ret && e != -1; e = pfm_get_event_next(e)) {
			struct pmctrack_event_info info = { 0 };

			memset(&event, 0, sizeof(event));
			event.size = sizeof(event);
			if (pfm_get_event_info(e, PFM_OS_NONE, &event) != PFM_SUCCESS)
				continue;
			if (limit && event.code >= limit)
				continue;
			info.name = event.name;
			info.desc = event.desc ? event.desc : "";
			info.code = event.code;
			ret = fn(&info, arg);
		}
		return ret;
	}
	return fail(ENOENT, "libpfm4 has no event table '%s'; install a newer libpfm4", table);
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

/* 0 and the code, or -ENOENT. */
int pfm_find(const char *table, uint64_t limit, const char *name, uint64_t *code)
{
	struct find find = { .name = name };

	if (pfm_each(table, limit, match, &find) != 1)
		return -ENOENT;
	*code = find.code;
	return 0;
}
