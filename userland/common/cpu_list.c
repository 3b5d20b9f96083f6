// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu_list.h"

/* Read the digits at *@text, and advance it. strtoul() alone would accept blanks and signs, too. */
static int parse_cpu(const char **text, unsigned long *cpu)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	/* A number that is too large is ULONG_MAX here. */
	*cpu = strtoul(*text, &end, 10);
	*text = end;
	return *cpu < CPU_SETSIZE ? 0 : -EINVAL;
}

int cpu_list_parse(const char *text, cpu_set_t *set)
{
	unsigned long first, last;

	CPU_ZERO(set);
	do {
		if (parse_cpu(&text, &first))
			return -EINVAL;
		last = first;
		if (*text == '-') {
			text++;
			if (parse_cpu(&text, &last) || last < first)
				return -EINVAL;
		}
		for (; first <= last; first++)
			CPU_SET(first, set);
	} while (*text++ == ',');
	return text[-1] ? -EINVAL : 0;
}

void cpu_list_print(char *text, size_t size, const cpu_set_t *set)
{
	int first, last;
	size_t n = 0;

	*text = '\0';
	for (first = 0; first < CPU_SETSIZE && n < size; first = last + 1) {
		last = first;
		if (!CPU_ISSET(first, set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		n += snprintf(text + n, size - n, first == last ? "%s%d" : "%s%d-%d", n ? "," : "", first,
			      last);
	}
}
