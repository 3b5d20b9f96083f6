// SPDX-License-Identifier: GPL-2.0-or-later
#include "group.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "complain.h"
#include "cpu_list.h"
#include "proc.h"
#include "text_file.h"

/* Forks that go on while a program is moved are found at the next look. */
#define MOST_LOOKS 10

static char base[GROUP_PATH];

static int write_to(const char *folder, const char *name, const char *text)
{
	char path[GROUP_PATH + 64];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static ssize_t read_from(const char *folder, const char *name, char *text, size_t size)
{
	char path[GROUP_PATH + 64];
	ssize_t length;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	length = text_file_read(path, text, size);
	while (length > 0 && text[length - 1] == '\n')
		text[--length] = '\0';
	return length;
}

/* The same of a file that is open. */
static ssize_t read_open(int fd, char *text, size_t size)
{
	ssize_t length = pread(fd, text, size - 1, 0);

	if (length < 0)
		return -errno;
	while (length > 0 && text[length - 1] == '\n')
		length--;
	text[length] = '\0';
	return length;
}

static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);
	const char *found = text;

	while ((found = strstr(found, word))) {
		if ((found == text || found[-1] == ' ') && (!found[length] || found[length] == ' '))
			return true;
		found += length;
	}
	return false;
}

/* Groups in @folder get the controllers. */
static int enable(const char *folder, bool with_cpus)
{
	char text[512];
	int err;

	if (read_from(folder, "cgroup.controllers", text, sizeof(text)) < 0)
		text[0] = '\0';
	if (!has_word(text, "cpu") || (with_cpus && !has_word(text, "cpuset"))) {
		complain("%s has the controllers '%s', and not %s: enable them in the group above, or "
			 "let systemd do that ('Delegate=cpu cpuset' in the unit)",
			 folder, text, with_cpus ? "both cpu and cpuset" : "cpu");
		return -ENODEV;
	}
	err = write_to(folder, "cgroup.subtree_control", with_cpus ? "+cpu +cpuset" : "+cpu");
	if (err)
		complain("%s/cgroup.subtree_control: %s%s", folder, strerror(-err),
			 err == -EBUSY ? ": there are processes in this group itself" : "");
	return err;
}

int group_begin(const char *name, bool with_cpus)
{
	struct statfs fs;
	int err;

	if (statfs(GROUP_ROOT, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC) {
		complain("%s is not of control groups version 2: boot with "
			 "systemd.unified_cgroup_hierarchy=1, or mount -t cgroup2 none %s",
			 GROUP_ROOT, GROUP_ROOT);
		return -ENOTSUP;
	}
	if ((size_t)snprintf(base, sizeof(base), "%s/%s", GROUP_ROOT, name) >= sizeof(base) - 64)
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

int group_machine_cpus(cpu_set_t *cpus)
{
	char text[8192];

	if (read_from(base, "cpuset.cpus.effective", text, sizeof(text)) > 0 && !cpu_list_parse(text, cpus))
		return 0;
	if (read_from("/sys/devices/system/cpu", "online", text, sizeof(text)) > 0)
		return cpu_list_parse(text, cpus);
	return -EIO;
}

/* Where it is, below GROUP_ROOT: "/…". */
static int path_of(pid_t pid, char *path, size_t size)
{
	char file[32], text[4096], *line, *end;

	snprintf(file, sizeof(file), "/proc/%d/cgroup", (int)pid);
	if (text_file_read(file, text, sizeof(text)) <= 0)
		return -ESRCH;
	line = strstr(text, "0::");
	if (!line)
		return -ENOTSUP;
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	return (size_t)snprintf(path, size, "%s", line + 3) < size ? 0 : -ENAMETOOLONG;
}

static int move(pid_t pid, const char *folder)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)pid);
	return write_to(folder, "cgroup.procs", text);
}

static int move_back(pid_t pid, const char *origin)
{
	char folder[2 * GROUP_PATH];
	int err;

	snprintf(folder, sizeof(folder), "%s%s", GROUP_ROOT, origin);
	err = move(pid, folder);
	if (!err || err == -ESRCH)
		return err;
	/* It may have gone, or must not have processes any more. */
	complain("process %d cannot be moved back to %s: %s", (int)pid, folder, strerror(-err));
	return move(pid, GROUP_ROOT);
}

/* Of a process that was started meanwhile: where the one that started it was. */
static const char *origin_of(const struct origin *origin, size_t nr, pid_t pid)
{
	const char *found = nr ? origin[0].path : "/";
	struct proc p;
	size_t i, looks;

	for (looks = 0; looks < MOST_LOOKS && !proc_read(pid, &p); looks++) {
		for (i = 0; i < nr; i++)
			if (origin[i].pid == p.pid && origin[i].start == p.start)
				return origin[i].path;
		pid = p.parent;
	}
	return found;
}

/*
 * Move all away, and remove the folder. As long as that is not possible nothing holds them back.
 * Returns how many processes there were, or a negative errno: the folder is still there.
 */
static int dissolve(const char *folder, const struct origin *origin, size_t nr)
{
	char text[65536], *rest, *word;
	int looks, moved = 0;

	write_to(folder, "cpu.max", "max");
	for (looks = 0; looks < MOST_LOOKS; looks++) {
		if (read_from(folder, "cgroup.procs", text, sizeof(text)) <= 0)
			break;
		for (word = strtok_r(text, "\n", &rest); word; word = strtok_r(NULL, "\n", &rest)) {
			/* As long as there are some to move, it is not a look in vain. */
			if (!move_back(atoi(word), origin_of(origin, nr, atoi(word))))
				looks = 0;
			moved++;
		}
	}
	return rmdir(folder) && errno != ENOENT ? -errno : moved;
}

/* The lines of a state that are of @name: GROUP PID START PATH. */
static size_t read_state(const char *state, const char *name, struct origin **origin)
{
	FILE *in = fopen(state, "re");
	struct origin one, *more;
	char group[GROUP_PATH];
	unsigned long long start;
	size_t nr = 0;
	int pid;

	*origin = NULL;
	while (in && fscanf(in, "%255s %d %llu %255[^\n]", group, &pid, &start, one.path) == 4) {
		if (strcmp(group, name))
			continue;
		one.pid = pid;
		one.start = start;
		more = realloc(*origin, (nr + 1) * sizeof(**origin));
		if (!more)
			break;
		*origin = more;
		more[nr++] = one;
	}
	if (in)
		fclose(in);
	return nr;
}

int group_recover(const char *state)
{
	DIR *folder = opendir(base);
	char path[2 * GROUP_PATH];
	struct origin *origin;
	struct dirent *entry;
	int moved = 0, end, err;
	size_t nr;

	if (!folder)
		return -errno;
	while ((entry = readdir(folder))) {
		end = 0;
		/* Others may have groups there, too. */
		if (entry->d_type != DT_DIR || sscanf(entry->d_name, "app-%*u%n", &end) || !end ||
		    entry->d_name[end])
			continue;
		snprintf(path, sizeof(path), "%s/%s", base, entry->d_name);
		nr = read_state(state, entry->d_name, &origin);
		err = dissolve(path, origin, nr);
		if (err < 0)
			complain("%s: %s", path, strerror(-err));
		moved += err > 0 ? err : 0;
		free(origin);
	}
	closedir(folder);
	return moved;
}

void group_end(void)
{
	rmdir(base);
}

static int open_in(const char *folder, const char *name, int mode)
{
	char path[GROUP_PATH + 64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, mode | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void close_files(struct group *g)
{
	const int fd[] = {g->max_fd, g->burst_fd, g->stat_fd};
	size_t i;

	for (i = 0; i < sizeof(fd) / sizeof(*fd); i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

int group_open(struct group *g, const char *name)
{
	snprintf(g->path, sizeof(g->path), "%.200s/%.50s", base, name);
	if (mkdir(g->path, 0755) && errno != EEXIST) {
		int err = -errno;

		g->path[0] = '\0';
		return err;
	}
	g->max_fd = open_in(g->path, "cpu.max", O_RDWR);
	g->stat_fd = open_in(g->path, "cpu.stat", O_RDONLY);
	/* Kernels before 5.14 have none. */
	g->burst_fd = open_in(g->path, "cpu.max.burst", O_WRONLY);
	return g->max_fd < 0 ? g->max_fd : g->stat_fd < 0 ? g->stat_fd : 0;
}

static bool is_below(pid_t pid, pid_t ancestor)
{
	struct proc p;
	int looks;

	for (looks = 0; looks < 64 && pid > 1; looks++) {
		if (pid == ancestor)
			return true;
		if (proc_read(pid, &p))
			return false;
		pid = p.parent;
	}
	return false;
}

/* Processes of another user stay where they are. */
static bool is_of(pid_t pid, uid_t uid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return !stat(path, &st) && st.st_uid == uid;
}

/* Would a process that leaves this group escape what an administrator allows it? */
static bool has_limits(const char *path)
{
	static const char *const limits[] = {"memory.max", "memory.high", "pids.max", "cpu.max"};
	char folder[2 * GROUP_PATH], text[64], *end;
	size_t i;

	snprintf(folder, sizeof(folder), "%s%s", GROUP_ROOT, path);
	while (strlen(folder) > strlen(GROUP_ROOT)) {
		for (i = 0; i < sizeof(limits) / sizeof(*limits); i++)
			if (read_from(folder, limits[i], text, sizeof(text)) > 0 && strncmp(text, "max", 3))
				return true;
		end = strrchr(folder, '/');
		*end = '\0';
	}
	return false;
}

struct finding {
	struct group *g;
	pid_t pid;
	uid_t uid;
	const char *from;
	int found;
};

static bool is_known(const struct group *g, const struct proc *p)
{
	size_t i;

	for (i = 0; i < g->nr; i++)
		if (g->origin[i].pid == p->pid && g->origin[i].start == p->start)
			return true;
	return false;
}

/* Only those beside it: what somebody has put elsewhere is to be there. */
static void find_one(const struct proc *p, void *data)
{
	struct finding *f = data;
	struct origin one = {.pid = p->pid, .start = p->start}, *more;

	if (p->kernel || p->state == 'Z' || is_known(f->g, p) || !is_below(p->pid, f->pid) ||
	    !is_of(p->pid, f->uid) || path_of(p->pid, one.path, sizeof(one.path)) ||
	    strcmp(one.path, f->from))
		return;
	more = realloc(f->g->origin, (f->g->nr + 1) * sizeof(*more));
	if (!more)
		return;
	f->g->origin = more;
	more[f->g->nr++] = one;
	f->found++;
}

int group_find(struct group *g, pid_t pid, uint64_t start, uid_t uid)
{
	char from[GROUP_PATH];
	struct finding f = {.g = g, .pid = pid, .uid = uid, .from = from};
	size_t length = strlen(base) - strlen(GROUP_ROOT);

	if (!proc_exists(pid, start) || !is_of(pid, uid) || path_of(pid, from, sizeof(from)))
		return -ESRCH;
	if (!strncmp(from, base + strlen(GROUP_ROOT), length) && (from[length] == '/' || !from[length]))
		return -EALREADY;
	if (has_limits(from))
		return -EPERM;
	proc_each(find_one, &f);
	return g->nr ? 0 : -ESRCH;
}

int group_take(struct group *g, pid_t pid, uid_t uid)
{
	char from[GROUP_PATH];
	struct finding f = {.g = g, .pid = pid, .uid = uid, .from = from};
	size_t moved = 0, done = 0;
	int looks, err = 0;

	strcpy(from, g->origin[0].path);
	for (looks = 0; looks < MOST_LOOKS; looks++) {
		for (; done < g->nr; done++) {
			if (!proc_exists(g->origin[done].pid, g->origin[done].start))
				continue;
			err = move(g->origin[done].pid, g->path);
			if (err && err != -ESRCH)
				return err;
			moved += !err;
		}
		/* Those that were started meanwhile. From now on they are started in the group. */
		f.found = 0;
		proc_each(find_one, &f);
		if (!f.found)
			break;
	}
	return moved ? 0 : -ESRCH;
}

/* The kernel takes no burst above the quota, neither before nor after. */
static void set_burst(const struct group *g, long us)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", us);
	if (g->burst_fd >= 0 && pwrite(g->burst_fd, text, strlen(text), 0) < 0)
		return;
}

/* What is there is not what we wrote. */
static bool is_others_bandwidth(const struct group *g)
{
	char text[64];

	return g->max[0] && read_open(g->max_fd, text, sizeof(text)) > 0 && strcmp(text, g->max);
}

static bool is_others_cpus(const struct group *g)
{
	char text[sizeof(g->cpus)];

	return g->cpus[0] && read_from(g->path, "cpuset.cpus", text, sizeof(text)) >= 0 && strcmp(text, g->cpus);
}

int group_set_bandwidth(struct group *g, double cpus)
{
	long quota = (long)(cpus * GROUP_PERIOD_US + 0.5);
	char text[64];

	/* The kernel has no less than 1 ms. */
	quota = quota < 1000 ? 1000 : quota;
	if (quota == g->quota_us)
		return 0;
	if (is_others_bandwidth(g))
		return -EBUSY;
	snprintf(text, sizeof(text), "%ld %d", quota, GROUP_PERIOD_US);
	if (quota < g->quota_us)
		set_burst(g, quota);
	if (pwrite(g->max_fd, text, strlen(text), 0) < 0)
		return -errno;
	if (quota > g->quota_us)
		set_burst(g, quota);
	g->quota_us = quota;
	strcpy(g->max, text);
	return 0;
}

int group_free_bandwidth(struct group *g)
{
	if (!g->max[0])
		return 0;
	if (is_others_bandwidth(g))
		return -EBUSY;
	g->max[0] = '\0';
	g->quota_us = 0;
	set_burst(g, 0);
	return pwrite(g->max_fd, "max", 3, 0) < 0 ? -errno : 0;
}

int group_set_cpus(struct group *g, const cpu_set_t *cpus)
{
	char text[sizeof(g->cpus)];
	int err;

	cpu_list_print(text, sizeof(text), cpus);
	if (!strcmp(text, g->cpus))
		return 0;
	if (is_others_cpus(g))
		return -EBUSY;
	err = write_to(g->path, "cpuset.cpus", text);
	if (!err)
		strcpy(g->cpus, text);
	return err;
}

int group_free_cpus(struct group *g)
{
	if (!g->cpus[0])
		return 0;
	if (is_others_cpus(g))
		return -EBUSY;
	g->cpus[0] = '\0';
	/* None of its own: those of the group above. */
	return write_to(g->path, "cpuset.cpus", "\n");
}

int group_check(const struct group *g, pid_t pid, const char **what)
{
	char text[sizeof(g->cpus)];

	*what = "the process was moved to another control group";
	if (!path_of(pid, text, sizeof(text)) && strcmp(text, g->path + strlen(GROUP_ROOT)))
		return -EBUSY;
	*what = "its cpu.max was changed";
	if (is_others_bandwidth(g))
		return -EBUSY;
	*what = "its cpuset.cpus was changed";
	if (is_others_cpus(g))
		return -EBUSY;
	*what = NULL;
	return 0;
}

int group_usage(const struct group *g, uint64_t *us)
{
	unsigned long long value;
	char text[1024];

	if (read_open(g->stat_fd, text, sizeof(text)) <= 0 || sscanf(text, "usage_usec %llu", &value) != 1)
		return -EIO;
	*us = value;
	return 0;
}

/* The kernel gives a page at a time. */
int group_threads(const struct group *g, unsigned int *threads)
{
	char text[4096];
	ssize_t n, i;
	int fd = open_in(g->path, "cgroup.threads", O_RDONLY);

	if (fd < 0)
		return fd;
	*threads = 0;
	while ((n = read(fd, text, sizeof(text))) > 0)
		for (i = 0; i < n; i++)
			*threads += text[i] == '\n';
	close(fd);
	return n < 0 ? -EIO : 0;
}

int group_close(struct group *g)
{
	int err = g->path[0] ? dissolve(g->path, g->origin, g->nr) : 0;

	if (err < 0)
		return err;
	if (g->path[0])
		close_files(g);
	free(g->origin);
	memset(g, 0, sizeof(*g));
	return 0;
}
