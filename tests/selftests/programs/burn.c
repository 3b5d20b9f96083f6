// SPDX-License-Identifier: GPL-2.0-or-later
/* burn ROUNDS: a CPU-bound loop; prints how long it took in nanoseconds. */
#include <stdio.h>
#include <stdlib.h>

#include "timing.h"
#include "spin.h"

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	long long start = now();

	spin_inline(rounds);
	printf("burn %lld\n", now() - start);
	return 0;
}
