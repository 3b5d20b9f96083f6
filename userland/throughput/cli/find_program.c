// SPDX-License-Identifier: GPL-2.0-or-later
#include "find_program.h"

#include <dlfcn.h>
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

/* Returns the folders of libraries, which the caller frees; NULL: they are not known. */
static Dl_serinfo *folders_of_libraries(void)
{
	void *self = dlopen(NULL, RTLD_LAZY);
	Dl_serinfo size, *all = NULL;

	if (self && !dlinfo(self, RTLD_DI_SERINFOSIZE, &size))
		all = calloc(1, size.dls_size);
	if (all && (dlinfo(self, RTLD_DI_SERINFOSIZE, all) || dlinfo(self, RTLD_DI_SERINFO, all))) {
		free(all);
		all = NULL;
	}
	if (self)
		dlclose(self);
	return all;
}

int find_library(const char *name, char *path, size_t size)
{
	Dl_serinfo *all = folders_of_libraries();
	char one[PATH_MAX];
	int err = -ENOENT;
	unsigned int i;

	for (i = 0; all && err && i < all->dls_cnt; i++)
		if ((size_t)snprintf(one, sizeof(one), "%s/%s", all->dls_serpath[i].dls_name, name) < sizeof(one) &&
		    !access(one, R_OK))
			err = take(one, path, size);
	free(all);
	return err;
}
