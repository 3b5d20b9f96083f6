// SPDX-License-Identifier: LGPL-2.1-or-later
/* The active monitoring module: its virtual counters and event sets. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

void mmon_free(struct mmon *mm)
{
	free(mm->name);
	for (unsigned int i = 0; i < mm->nr_sets; i++)
		free(mm->sets[i]);
	for (unsigned int i = 0; i < mm->nr_virts; i++) {
		free(mm->virts[i].name);
		free(mm->virts[i].unit);
		free(mm->virts[i].desc);
	}
}

const char *pmctrack_ctl__mmon(const struct pmctrack_ctl *ctl)
{
	return ctl->mmon.name;
}

unsigned int pmctrack_ctl__nr_virts(const struct pmctrack_ctl *ctl)
{
	return ctl->mmon.nr_virts;
}

int pmctrack_ctl__virt_info(const struct pmctrack_ctl *ctl, unsigned int i,
			    struct pmctrack_virt_info *info)
{
	struct pmctrack_virt_info all = { .sz = info->sz };
	const struct virt *virt;

	if (i >= ctl->mmon.nr_virts)
		return fail(EINVAL, "no virtual counter %u: there are %u", i, ctl->mmon.nr_virts);
	virt = &ctl->mmon.virts[i];
	all.name = virt->name;
	all.unit = virt->unit;
	all.desc = virt->desc;
	all.gauge = virt->gauge;
	memcpy(info, &all, info->sz < sizeof(all) ? info->sz : sizeof(all));
	return 0;
}

static int find_virt(const struct mmon *mm, const char *name)
{
	char numbered[16];

	for (unsigned int i = 0; i < mm->nr_virts; i++) {
		snprintf(numbered, sizeof(numbered), "virt%u", i);
		if (strcmp(name, mm->virts[i].name) == 0 || strcmp(name, numbered) == 0)
			return (int)i;
	}
	return fail(ENOENT, "virtual counter '%.40s': monitoring module %s has none of that name; 'pmc-events -V' lists its own",
		    name, mm->name);
}

int pmctrack_ctl__parse_virts(const struct pmctrack_ctl *ctl, const char *names, uint32_t *mask)
{
	char *copy = strdup(names), *rest = copy, *name;
	int i = 0;

	*mask = 0;
	if (!copy)
		return fail(ENOMEM, "no memory");
	if (!ctl->mmon.name)
		i = fail(ENOENT, "virtual counters come from a monitoring module, and none is active; write its name to /proc/pmc/mmon_manager");
	while (i >= 0 && (name = strsep(&rest, ","))) {
		i = find_virt(&ctl->mmon, name);
		if (i >= 0)
			*mask |= 1u << i;
	}
	free(copy);
	return i < 0 ? i : 0;
}

int pmctrack_record__virt(const struct pmctrack_record *rec, unsigned int virt, uint64_t *value)
{
	unsigned int before;

	if (virt >= 32 || !(rec->virt >> virt & 1))
		return -ENODATA;
	before = (unsigned int)__builtin_popcount(rec->virt & ((1u << virt) - 1));
	*value = rec->counts[rec->nr_counts + before];
	return 0;
}

int pmctrack_evset__parse_mmon(const struct pmctrack_ctl *ctl, struct pmctrack_evset **sets,
			       unsigned int max)
{
	const struct mmon *mm = &ctl->mmon;
	unsigned int nr;

	if (!mm->nr_sets)
		return fail(ENOENT, "the monitoring module%s%s has no event sets of its own: name events to count",
			    mm->name ? " " : "", mm->name ? mm->name : "");
	if (mm->nr_sets > max)
		return fail(E2BIG, "monitoring module %s has %u event sets", mm->name, mm->nr_sets);
	for (nr = 0; nr < mm->nr_sets; nr++) {
		sets[nr] = pmctrack_evset__parse_raw(ctl, mm->sets[nr]);
		if (sets[nr])
			continue;
		while (nr)
			pmctrack_evset__free(sets[--nr]);
		return -errno;
	}
	return (int)nr;
}
