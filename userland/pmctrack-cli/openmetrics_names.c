// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of metric families: they have letters, digits and '_', and end with the unit. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "openmetrics_names.h"

#define MAX_UNIT	16	/* bytes */

const char *openmetrics_unit(const struct virtual_counter *virt)
{
	const char *p = virt->unit;

	while (isalnum((unsigned char)*p))
		p++;
	return *p || p == virt->unit || p - virt->unit > MAX_UNIT ? NULL : virt->unit;
}

static void remove_end(char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	if (n >= m && strcmp(text + n - m, end) == 0)
		text[n - m] = '\0';
}

/* Make a name. @more is added to make it different from the name of another counter. */
static void make_name(char *name, size_t size, const struct virtual_counter *virt, const char *more)
{
	const char *unit = openmetrics_unit(virt);
	char end[MAX_UNIT + 2] = "";
	size_t used;

	if (unit)
		snprintf(end, sizeof(end), "_%s", unit);
	snprintf(name, size / 2, "%s", virt->name);
	for (char *p = name; *p; p++) {
		if (!isalnum((unsigned char)*p))
			*p = '_';
	}
	/* "_total" ends only a counter's samples; names of families and gauges must not have it. */
	remove_end(name, "_total");
	remove_end(name, end);
	used = strlen(name);
	snprintf(name + used, size - used, "%s%s", more, end);
}

void openmetrics_names(struct openmetrics_names *names, const struct sets *sets)
{
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		char *name = names->of[i], more[16];

		if (!(sets->virts >> i & 1))
			continue;
		make_name(name, sizeof(names->of[i]), &sets->virt[i], "");
		snprintf(more, sizeof(more), "_virt%u", i);
		for (unsigned int j = 0; j < i; j++) {
			if (strcmp(name, names->of[j]) == 0)
				make_name(name, sizeof(names->of[i]), &sets->virt[i], more);
		}
	}
}
