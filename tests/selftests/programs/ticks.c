// SPDX-License-Identifier: GPL-2.0-or-later
/* ticks N: report N units of throughput, and nothing else. */
#include <stdlib.h>
#include <throughput.h>

int main(int argc, char *argv[])
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

	if (throughput_begin("ticks", NULL))
		return 1;
	while (n--)
		throughput_tick(1);
	return 0;
}
