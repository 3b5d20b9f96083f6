// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <unistd.h>

#include "watch/machine.h"

bool machine_stolen(uint64_t *ms)
{
	FILE *f = fopen("/proc/stat", "re");
	unsigned long long ticks;
	long hz = sysconf(_SC_CLK_TCK);
	bool known;

	/* user nice system idle iowait irq softirq steal */
	known = f && hz > 0 && fscanf(f, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &ticks) == 1;
	if (known)
		*ms = ticks * 1000 / (unsigned long long)hz;
	if (f)
		fclose(f);
	return known;
}
