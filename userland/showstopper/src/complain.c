// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "out.h"
#include "trace.h"

#define MOST_KEPT	16
/* How long a line waits for its reader, before it is lost, ns: less than RUN_SILENCE. */
#define PATIENCE	(100 * NS_PER_MS)

static bool keep;
static char kept[MOST_KEPT][512];
static unsigned int nr_kept;
/* The last line was: the next ones do not wait for that reader. */
static bool lost;

void complain(const char *fmt, ...)
{
	char line[512], text[540];
	va_list args;
	int n;

	/* In one piece: several processes write. */
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	n = snprintf(text, sizeof(text), "showstopper: %s\n", line);
	if (!keep)
		lost = out_write(2, text, n, lost ? 0 : PATIENCE) != n;
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
