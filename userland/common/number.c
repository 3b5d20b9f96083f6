// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "number.h"

/* The first character is checked, because strto*() accept leading blanks and signs. */
int number_digits(const char *text, unsigned long *value, char **end)
{
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*value = strtoul(text, end, 10);
	return -errno;
}

int number_count(const char *text, unsigned long *count)
{
	char *end;

	return number_digits(text, count, &end) || *end || !*count ? -EINVAL : 0;
}

int number_seconds(const char *text, double *seconds)
{
	char *end;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return -EINVAL;
	errno = 0;
	*seconds = strtod(text, &end);
	if (errno || end == text || *end || !isfinite(*seconds) || *seconds > 86400)
		return -EINVAL;
	return 0;
}

int number_pids(const char *text, pid_t *pids, unsigned int *nr, unsigned int max)
{
	unsigned long pid;
	char *end;

	do {
		if (number_digits(text, &pid, &end) || !pid || pid > INT32_MAX || *nr == max)
			return -EINVAL;
		pids[(*nr)++] = (pid_t)pid;
		text = end + 1;
	} while (*end == ',');
	return *end ? -EINVAL : 0;
}
