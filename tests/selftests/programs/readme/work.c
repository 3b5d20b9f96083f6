// SPDX-License-Identifier: GPL-2.0-or-later
/* What README's program counts: a loop of $ROUNDS rounds, two instructions each. */
#include <stdlib.h>

#include "spin.h"

void work(void);

static unsigned long rounds;

/* Before main(), so that the call is not counted. */
static void __attribute__((constructor)) read_rounds(void)
{
	const char *text = getenv("ROUNDS");

	rounds = text ? strtoul(text, NULL, 10) : 1;
}

void work(void)
{
	spin(rounds);
}
