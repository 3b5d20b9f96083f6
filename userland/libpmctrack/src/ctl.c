// SPDX-License-Identifier: LGPL-2.1-or-later
/* The connection to the kernel module: opening, closing, and reading its properties. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct pmctrack_ctl *pmctrack_ctl__open(void)
{
	struct pmctrack_ctl *ctl = calloc(1, sizeof(*ctl));
	int err;

	if (!ctl)
		return fail_null(ENOMEM, "no memory");
	err = module_connect(ctl);
	if (!err)
		err = module_get_info(ctl);
	for (unsigned int i = 0; !err && i < ctl->nr_pmus; i++) {
		ctl->pmus[i].file = event_file_of_model(ctl->pmus[i].model);
		if (!ctl->pmus[i].file)
			err = -errno;
	}
	if (err) {
		pmctrack_ctl__close(ctl);
		errno = -err;
		return NULL;
	}
	return ctl;
}

void pmctrack_ctl__close(struct pmctrack_ctl *ctl)
{
	if (!ctl)
		return;
	module_disconnect(ctl);
	for (unsigned int i = 0; i < ctl->nr_pmus; i++) {
		event_file_free(ctl->pmus[i].file);
		free(ctl->pmus[i].name);
		free(ctl->pmus[i].model);
		free(ctl->pmus[i].cpus);
		free(ctl->pmus[i].events);
	}
	mmon_free(&ctl->mmon);
	free(ctl->version);
	free(ctl->backend);
	free(ctl);
}

const char *pmctrack_ctl__version(const struct pmctrack_ctl *ctl)
{
	return ctl->version;
}

const char *pmctrack_ctl__backend(const struct pmctrack_ctl *ctl)
{
	return ctl->backend;
}

uint64_t pmctrack_ctl__tick_ns(const struct pmctrack_ctl *ctl)
{
	return ctl->tick_ns;
}

unsigned int pmctrack_ctl__nr_pmus(const struct pmctrack_ctl *ctl)
{
	return ctl->nr_pmus;
}

int pmctrack_ctl__pmu_info(const struct pmctrack_ctl *ctl, unsigned int i,
			   struct pmctrack_pmu_info *info)
{
	struct pmctrack_pmu_info all = { .sz = info->sz };
	const struct pmu *pmu;
	uint64_t limit;

	if (i >= ctl->nr_pmus)
		return fail(EINVAL, "no PMU %u: this machine has %u", i, ctl->nr_pmus);
	pmu = &ctl->pmus[i];
	all.name = pmu->name;
	all.model = pmu->model;
	all.cpus = pmu->cpus;
	all.table = pmu_table(pmu, &limit);
	all.counters = pmu->counters;
	all.fixed = pmu->fixed;
	all.width = pmu->width;
	memcpy(info, &all, info->sz < sizeof(all) ? info->sz : sizeof(all));
	return 0;
}
