// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "complain.h"
#include "messages.h"
#include "out.h"
#include "trace.h"

#define MOST_KEPT	16
/* How long a line waits for its reader, before it is lost, ns: less than RUN_SILENCE. */
#define PATIENCE	(100 * NS_PER_MS)

static bool keep;
static char kept[MOST_KEPT][512];
static unsigned int nr_kept;
/* The last message was lost, so the next ones do not wait for the reader. */
static bool lost;

static void print(const char *program, const char *text)
{
	char line[540];
	int n;

	if (keep) {
		/* The first messages say why; the last place is for the latest one. */
		snprintf(kept[nr_kept < MOST_KEPT ? nr_kept++ : MOST_KEPT - 1], sizeof(kept[0]), "%s", text);
		return;
	}
	/* In one piece, because several processes write. */
	n = snprintf(line, sizeof(line), "%s: %.*s\n", program, (int)sizeof(kept[0]) - 1, text);
	lost = out_write(2, line, n, lost ? 0 : PATIENCE) != n;
}

void messages_begin(void)
{
	complain_as("showstopper");
	complain_to(print);
}

void messages_later(bool later)
{
	unsigned int i;

	keep = later;
	for (i = 0; !keep && i < nr_kept; i++)
		complain("%s", kept[i]);
	if (!keep)
		nr_kept = 0;
}

const char *messages_last(void)
{
	return nr_kept ? kept[nr_kept - 1] : NULL;
}
