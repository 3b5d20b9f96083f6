// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "profiles.h"
#include "program.h"

#define SUFFIX	".json"

static int has_suffix(const char *name)
{
	size_t len = strlen(name);

	return len > strlen(SUFFIX) && !strcmp(name + len - strlen(SUFFIX), SUFFIX);
}

bool profiles_is_path(const char *name)
{
	return strchr(name, '/') || has_suffix(name);
}

int profiles_path(const char *folder, const char *name, char *path, size_t size)
{
	int len;

	if (profiles_is_path(name))
		len = snprintf(path, size, "%s", name);
	else
		len = snprintf(path, size, "%s/%s" SUFFIX, folder, name);
	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : 0;
}

static int is_profile(const struct dirent *entry)
{
	return has_suffix(entry->d_name);
}

static int print_profile(const char *folder, const char *file)
{
	static struct program p;
	char path[4096];
	int err;

	if (snprintf(path, sizeof(path), "%s/%s", folder, file) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	err = program_read(&p, path);
	if (err)
		return err;
	printf("%-14.*s  %7u  %6u  %s\n", (int)(strlen(file) - strlen(SUFFIX)), file, p.threads,
	       p.profile.nr_phases, p.description);
	return 0;
}

int profiles_list(const char *folder)
{
	struct dirent **entries;
	int nr = scandir(folder, &entries, is_profile, alphasort);
	int err = 0, i;

	if (nr < 0) {
		err = -errno;
		complain("cannot read %s: %s; --profiles names another folder", folder, strerror(errno));
		return err;
	}
	printf("%-14s  %7s  %6s  %s\n", "NAME", "THREADS", "PHASES", "DESCRIPTION");
	for (i = 0; i < nr; i++) {
		int failed = print_profile(folder, entries[i]->d_name);

		err = err ? err : failed;
		free(entries[i]);
	}
	free(entries);
	return err;
}
