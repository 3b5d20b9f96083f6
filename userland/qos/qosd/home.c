// SPDX-License-Identifier: GPL-2.0-or-later
#include "home.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "complain.h"
#include "group_file.h"
#include "unit.h"

#define DEFAULT_GROUP "qosd"

static char base[GROUP_PATH];

/* Enable the controllers for the groups in @folder. */
static int enable(const char *folder, bool with_cpus)
{
	char text[512];
	int err;

	if (group_file_read(folder, "cgroup.controllers", text, sizeof(text)) < 0)
		text[0] = '\0';
	if (!group_file_has(text, "cpu") || (with_cpus && !group_file_has(text, "cpuset"))) {
		complain("%s has the controllers '%s', and not %s: enable them in the group above", folder, text,
			 with_cpus ? "both cpu and cpuset" : "cpu");
		return -ENODEV;
	}
	err = group_file_write(folder, "cgroup.subtree_control", with_cpus ? "+cpu +cpuset" : "+cpu");
	if (err)
		complain("%s/cgroup.subtree_control: %s%s", folder, strerror(-err),
			 err == -EBUSY ? ": there are processes in this group itself" : "");
	return err;
}

int home_begin(const char *name, bool with_cpus)
{
	static bool by_systemd;
	struct statfs fs;
	int err;

	/* systemd has the groups: controllers are enabled for each unit. */
	if (by_systemd)
		return 0;

	if (statfs(GROUP_ROOT, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC) {
		complain("%s is not of control groups version 2: boot with "
			 "systemd.unified_cgroup_hierarchy=1, or mount -t cgroup2 none %s",
			 GROUP_ROOT, GROUP_ROOT);
		return -ENOTSUP;
	}
	if (!*name && unit_is_wanted()) {
		err = unit_can_be_asked();
		by_systemd = !err;
		return err;
	}
	if ((size_t)snprintf(base, sizeof(base), "%s/%s", GROUP_ROOT, *name ? name : DEFAULT_GROUP) >=
	    sizeof(base) - 64)
		return -ENAMETOOLONG;
	err = enable(GROUP_ROOT, with_cpus);
	if (err)
		return err;
	if (mkdir(base, 0755) && errno != EEXIST) {
		complain("%s: %s", base, strerror(errno));
		return -errno;
	}
	return enable(base, with_cpus);
}

const char *home_folder(void)
{
	return *base ? base : NULL;
}

bool home_has(const char *group)
{
	size_t length = strlen(base) - strlen(GROUP_ROOT);

	return *base && !strncmp(group, base + strlen(GROUP_ROOT), length) && (group[length] == '/' || !group[length]);
}

void home_end(void)
{
	if (*base)
		rmdir(base);
}
