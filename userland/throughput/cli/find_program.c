// SPDX-License-Identifier: GPL-2.0-or-later
#include "find_program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int take(const char *found, char *path, size_t size)
{
	char whole[PATH_MAX];

	return !realpath(found, whole) || (size_t)snprintf(path, size, "%s", whole) >= size ? -ENOENT : 0;
}

int find_program(const char *name, char *path, size_t size)
{
	const char *folders = getenv("PATH"), *end;
	char one[PATH_MAX];

	if (strchr(name, '/'))
		return take(name, path, size);
	for (folders = folders ? folders : "/usr/bin:/bin"; *folders; folders = *end ? end + 1 : end) {
		end = strchrnul(folders, ':');
		if ((size_t)snprintf(one, sizeof(one), "%.*s/%s", (int)(end - folders), folders, name) < sizeof(one) &&
		    !access(one, X_OK))
			return take(one, path, size);
	}
	return -ENOENT;
}
