// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a process would escape that leaves its control group: limits and weights of this group and
 * of those above it. What is not known counts as a limit.
 */
#include "group.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/bpf.h>

#include "monotonic.h"

/* Programs of one group share an answer that is not older. */
#define LATELY_NS 1000000000

/*
 * The types of BPF programs that a group can have. Other types would be asked of something else
 * with the number of our descriptor. The last ones are of unix sockets, from Linux 6.7 on.
 */
static const unsigned int bpf_types[] = {
	BPF_CGROUP_INET_INGRESS, BPF_CGROUP_INET_EGRESS, BPF_CGROUP_INET_SOCK_CREATE, BPF_CGROUP_SOCK_OPS,
	BPF_CGROUP_DEVICE, BPF_CGROUP_INET4_BIND, BPF_CGROUP_INET6_BIND, BPF_CGROUP_INET4_CONNECT,
	BPF_CGROUP_INET6_CONNECT, BPF_CGROUP_INET4_POST_BIND, BPF_CGROUP_INET6_POST_BIND,
	BPF_CGROUP_UDP4_SENDMSG, BPF_CGROUP_UDP6_SENDMSG, BPF_CGROUP_SYSCTL, BPF_CGROUP_UDP4_RECVMSG,
	BPF_CGROUP_UDP6_RECVMSG, BPF_CGROUP_GETSOCKOPT, BPF_CGROUP_SETSOCKOPT, BPF_CGROUP_INET4_GETPEERNAME,
	BPF_CGROUP_INET6_GETPEERNAME, BPF_CGROUP_INET4_GETSOCKNAME, BPF_CGROUP_INET6_GETSOCKNAME,
	BPF_CGROUP_INET_SOCK_RELEASE, BPF_LSM_CGROUP, 49, 50, 51, 52, 53,
};

/* Files that have another value than a group without limits if they limit something. */
static const struct {
	const char *file, *none;
} settings[] = {
	{"cpu.weight", "100"}, {"cpu.idle", "0"}, {"io.weight", "default 100"},
	{"cpuset.mems", ""}, {"cpuset.cpus.partition", "member"}, {"cgroup.freeze", "0"},
};

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), more = strlen(end);

	return length >= more && !strcmp(text + length - more, end);
}

/* True if one of the words, or of the values behind '=', is a number. */
static bool has_number(const char *text)
{
	size_t length;

	for (; *text; text += length) {
		text += strspn(text, " \n=");
		length = strcspn(text, " \n=");
		if (length && strspn(text, "0123456789.") >= length)
			return true;
	}
	return false;
}

/* True if the file limits something: pids.max, memory.high, io.max, cpu.uclamp.max, misc.max… */
static bool is_limit(const char *folder, const char *name)
{
	char text[8192];
	ssize_t length;

	if (!ends_with(name, ".max") && !ends_with(name, ".high"))
		return false;
	length = group_file_read(folder, name, text, sizeof(text));
	if (length < 0)
		return length != -ENOENT;
	/* The number in cpu.max is a period if there is no quota. */
	return !strcmp(name, "cpu.max") ? strncmp(text, "max ", 4) : has_number(text);
}

/* Returns 1, 0, or a negative errno; -ENOENT: there is no such group any more. */
static int has_limit_files(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	int found = 0;

	if (!folder)
		return -errno;
	while (!found && (entry = readdir(folder)))
		found = is_limit(path, entry->d_name);
	closedir(folder);
	return found;
}

static bool has_settings(const char *path)
{
	char text[8192];
	size_t i;

	for (i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (group_file_read(path, settings[i].file, text, sizeof(text)) > 0 &&
		    strcmp(text, settings[i].none))
			return true;
	return group_file_read(path, "cpuset.cpus", text, sizeof(text)) > 0 && !group_file_is_free(text);
}

/*
 * True if BPF programs judge what the group's processes do, for example with IPAddressDeny= or
 * DevicePolicy= of systemd. Kernels without such programs do not know the types.
 */
static int has_programs(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	union bpf_attr attr;
	bool found = false;
	size_t i;

	if (fd < 0)
		return -errno;
	for (i = 0; !found && i < sizeof(bpf_types) / sizeof(*bpf_types); i++) {
		memset(&attr, 0, sizeof(attr));
		attr.query.target_fd = (unsigned int)fd;
		attr.query.attach_type = bpf_types[i];
		if (!syscall(SYS_bpf, BPF_PROG_QUERY, &attr, sizeof(attr)))
			found = attr.query.prog_cnt > 0;
		else if (errno == EPERM)
			found = true;
		else if (errno == ENOSYS)
			break;
	}
	close(fd);
	return found;
}

int group_limits_exist(const char *path)
{
	char folder[2 * GROUP_PATH];
	int found;

	snprintf(folder, sizeof(folder), "%s%s", GROUP_ROOT, path);
	while (strlen(folder) > strlen(GROUP_ROOT)) {
		found = has_limit_files(folder);
		if (!found)
			found = has_settings(folder) ? 1 : has_programs(folder);
		/* A group that is gone limits nobody. */
		if (found && found != -ENOENT)
			return found;
		*strrchr(folder, '/') = '\0';
	}
	return 0;
}

int group_limits_exist_lately(const char *path)
{
	static struct {
		char path[GROUP_PATH];
		uint64_t ns;
		int found;
	} last;
	uint64_t now = monotonic_ns();

	if (!last.ns || now - last.ns >= LATELY_NS || strcmp(last.path, path)) {
		snprintf(last.path, sizeof(last.path), "%s", path);
		last.found = group_limits_exist(path);
		/* An error is not shared. */
		last.ns = last.found < 0 ? 0 : now;
	}
	return last.found;
}
