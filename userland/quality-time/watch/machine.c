// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "text_file.h"
#include "watch/machine.h"

#define PARAMETERS	"/sys/module/pmctrack_mmon_quality_time/parameters/"

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

static bool read_parameter(const char *path, unsigned int *value)
{
	char line[32], *end;

	if (!text_file_line(path, line, sizeof(line)))
		return false;
	*value = (unsigned int)strtoul(line, &end, 10);
	return end != line && !*end;
}

bool machine_sampling(unsigned int *hold_us, unsigned int *budget)
{
	return read_parameter(PARAMETERS "hold_us", hold_us) && read_parameter(PARAMETERS "budget", budget);
}
