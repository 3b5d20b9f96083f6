// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"

#define MOST_KEPT	16

static bool keep;
static char kept[MOST_KEPT][512];
static unsigned int nr_kept;

void complain(const char *fmt, ...)
{
	char line[512];
	va_list args;

	/* In one piece: several processes write. */
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (!keep)
		fprintf(stderr, "showstopper: %s\n", line);
	else	/* The first ones say why; the last place is for the latest. */
		memcpy(kept[nr_kept < MOST_KEPT ? nr_kept++ : MOST_KEPT - 1], line, sizeof(line));
}

void complain_later(bool later)
{
	unsigned int i;

	keep = later;
	for (i = 0; !keep && i < nr_kept; i++)
		complain("%s", kept[i]);
	if (!keep)
		nr_kept = 0;
}

const char *complain_last(void)
{
	return nr_kept ? kept[nr_kept - 1] : NULL;
}
