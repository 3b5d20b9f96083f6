// SPDX-License-Identifier: GPL-2.0-or-later
/* The limits of a control group, and what it uses. */
#include "group.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "cpu_list.h"
#include "home.h"
#include "text_file.h"
#include "unit.h"

/* systemd is asked for a missing file every ASK_AGAIN steps, for MOST_ASKED steps in all. */
#define ASK_AGAIN 20
#define MOST_ASKED (3 * ASK_AGAIN)
/* Where a program was is looked at in one of so many checks. */
#define CHECK_LIMITS 5
/* File of the CPUs that a program's unit was given, for a qosd that starts after a crash. */
#define NOTE "/run/qosd/cpus-%d"
/* Instead of its descriptor: there is none so far; or making it has failed, which was reported. */
#define NO_NOTE -1
#define NO_NOTE_CAN_BE -2

static int read_cpus(const char *folder, const char *name, cpu_set_t *cpus)
{
	char text[8192];

	return group_file_read(folder, name, text, sizeof(text)) > 0 && !cpu_list_parse(text, cpus) ? 0 : -EIO;
}

int group_machine_cpus(cpu_set_t *cpus)
{
	const char *folder = home_folder() ? home_folder() : GROUP_ROOT;
	/* Programs run there only if somebody puts them there. isolcpus= is constant. */
	static cpu_set_t isolated;
	static bool looked;

	if (read_cpus(folder, "cpuset.cpus.effective", cpus) && read_cpus("/sys/devices/system/cpu", "online", cpus))
		return -EIO;
	if (!looked && read_cpus("/sys/devices/system/cpu", "isolated", &isolated))
		CPU_ZERO(&isolated);
	looked = true;
	CPU_OR(cpus, cpus, &isolated);
	CPU_XOR(cpus, cpus, &isolated);
	return CPU_COUNT(cpus) ? 0 : -EIO;
}

static void close_files(struct group *g)
{
	const int fd[] = {g->max_fd, g->burst_fd, g->stat_fd, g->threads_fd, g->of_fd, g->note_fd};
	size_t i;

	for (i = 0; i < sizeof(fd) / sizeof(*fd); i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

static int access_in(const struct group *g, const char *name)
{
	char path[2 * GROUP_PATH];

	snprintf(path, sizeof(path), "%s/%s", g->path, name);
	return access(path, F_OK);
}

static int open_files(struct group *g)
{
	g->max_fd = group_file_open(g->path, "cpu.max", O_RDWR);
	g->stat_fd = group_file_open(g->path, "cpu.stat", O_RDONLY);
	/*
	 * Kernels before 5.14 have no burst. A unit gets none, because the kernel would refuse each
	 * quota below the burst, and systemd does not know of it.
	 */
	g->burst_fd = g->in_unit ? -1 : group_file_open(g->path, "cpu.max.burst", O_WRONLY);
	g->threads_fd = group_file_open(g->path, "cgroup.threads", O_RDONLY);
	g->of_fd = -1;
	g->note_fd = NO_NOTE;
	if (g->stat_fd < 0)
		return g->stat_fd;
	if (g->threads_fd < 0)
		return g->threads_fd;
	/* The cpu.max of a unit is there as soon as systemd has been asked for it. */
	return g->max_fd < 0 && !g->in_unit ? g->max_fd : 0;
}

static void note_path(char *path, size_t size, pid_t pid)
{
	snprintf(path, size, NOTE, (int)pid);
}

int group_open(struct group *g, const char *name)
{
	char note[64];
	int err;

	if (g->in_unit) {
		if ((size_t)snprintf(g->path, sizeof(g->path), "%s%s", GROUP_ROOT, g->origin[0].path) >= sizeof(g->path)) {
			g->path[0] = '\0';
			return -ENAMETOOLONG;
		}
		/* A note with this PID is of a program that ended while no qosd ran. */
		note_path(note, sizeof(note), g->origin[0].pid);
		unlink(note);
		return open_files(g);
	}
	snprintf(g->path, sizeof(g->path), "%.200s/%.50s", home_folder(), name);
	if (mkdir(g->path, 0755) && errno != EEXIST) {
		err = -errno;
		g->path[0] = '\0';
		return err;
	}
	return open_files(g);
}

/* The kernel refuses a burst above the quota, both before and after the quota is changed. */
static void set_burst(const struct group *g, long us)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", us);
	if (g->burst_fd >= 0 && pwrite(g->burst_fd, text, strlen(text), 0) < 0)
		return;
}

/*
 * The group of a unit has a file only if systemd thinks that it is needed. systemd is asked for the
 * file, which takes a while, and is asked again if it has removed the file.
 */
static int ask_for_file(struct group *g, const char *name, int (*ask)(const char *unit))
{
	int err = 0;

	if (g->asked >= MOST_ASKED)
		return -ENODEV;
	if (g->asked++ % ASK_AGAIN == 0 && *g->unit)
		err = ask(g->unit);
	return err ? err : access_in(g, name) ? -EAGAIN : 0;
}

static int begin_bandwidth(struct group *g)
{
	int fd, err;

	if (g->max_fd >= 0)
		return 0;
	fd = group_file_open(g->path, "cpu.max", O_RDWR);
	if (fd == -ENOENT) {
		err = ask_for_file(g, "cpu.max", unit_enable_cpu);
		if (err)
			return err;
		fd = group_file_open(g->path, "cpu.max", O_RDWR);
	}
	if (fd < 0)
		return fd == -ENOENT ? -EAGAIN : fd;
	g->max_fd = fd;
	g->asked = 0;
	return 0;
}

static int begin_cpus(struct group *g)
{
	int err;

	if (!g->in_unit || !access_in(g, "cpuset.cpus"))
		return 0;
	err = ask_for_file(g, "cpuset.cpus", unit_enable_cpuset);
	g->asked = err ? g->asked : 0;
	return err;
}

/*
 * True if cpu.max is not what qosd wrote. Whenever systemd reads its settings again, it writes to a
 * unit's group that there is no limit. In this case, qosd's limit is written again, and false is
 * returned.
 */
static bool is_others_bandwidth(const struct group *g)
{
	char text[64];

	if (!g->max[0] || group_file_read_open(g->max_fd, text, sizeof(text)) <= 0 || !strcmp(text, g->max))
		return false;
	return !g->in_unit || strncmp(text, "max ", 4) || pwrite(g->max_fd, g->max, strlen(g->max), 0) < 0;
}

static bool is_others_cpus(const struct group *g)
{
	char text[sizeof(g->cpus)];

	if (!g->cpus[0] || group_file_read(g->path, "cpuset.cpus", text, sizeof(text)) < 0 || !strcmp(text, g->cpus))
		return false;
	return !g->in_unit || !group_file_is_free(text) || group_file_write(g->path, "cpuset.cpus", g->cpus);
}

/* Forget a file that is gone, because systemd has made it anew, or the unit has ended. */
static int forget_bandwidth(struct group *g)
{
	close(g->max_fd);
	g->max_fd = -1;
	g->max[0] = '\0';
	g->quota_us = 0;
	return -EAGAIN;
}

int group_set_bandwidth(struct group *g, double cpus)
{
	long quota = (long)(cpus * GROUP_PERIOD_US + 0.5);
	char text[64];
	int err;

	/* The kernel's smallest quota is 1 ms. */
	quota = quota < 1000 ? 1000 : quota;
	if (quota == g->quota_us)
		return 0;
	err = begin_bandwidth(g);
	if (err)
		return err;
	if (is_others_bandwidth(g))
		return -EBUSY;
	snprintf(text, sizeof(text), "%ld %d", quota, GROUP_PERIOD_US);
	if (quota < g->quota_us)
		set_burst(g, quota);
	if (pwrite(g->max_fd, text, strlen(text), 0) < 0)
		return errno == ENODEV && g->in_unit ? forget_bandwidth(g) : -errno;
	if (quota > g->quota_us)
		set_burst(g, quota);
	g->quota_us = quota;
	strcpy(g->max, text);
	return 0;
}

double group_quota(const struct group *g)
{
	return (double)g->quota_us / GROUP_PERIOD_US;
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
	return pwrite(g->max_fd, GROUP_NO_QUOTA, strlen(GROUP_NO_QUOTA), 0) < 0 ? -errno : 0;
}

/*
 * Note the CPUs that the group has, and those that it will have. This is done before they change,
 * because qosd may be killed before the change.
 */
static void note_cpus(struct group *g, const char *cpus)
{
	char both[2 * sizeof(g->cpus) + 2], path[64];
	int length = snprintf(both, sizeof(both), "%s%s%s", g->cpus, *g->cpus ? " " : "", cpus);

	if (g->note_fd == NO_NOTE) {
		note_path(path, sizeof(path), g->origin[0].pid);
		g->note_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (g->note_fd < 0) {
			complain("%s: %s: a crash would leave its CPUs as they are", path, strerror(errno));
			g->note_fd = NO_NOTE_CAN_BE;
		}
	}
	if (g->note_fd >= 0 && (pwrite(g->note_fd, both, (size_t)length, 0) != length ||
				ftruncate(g->note_fd, length)))
		complain("%s: its CPUs cannot be noted, for after a crash: %s", g->path, strerror(errno));
}

/* Delete the note, because the group has all CPUs again. */
static void forget_cpus(struct group *g)
{
	char path[64];

	if (g->note_fd < 0)
		return;
	note_path(path, sizeof(path), g->origin[0].pid);
	unlink(path);
	close(g->note_fd);
	g->note_fd = NO_NOTE;
}

int group_set_cpus(struct group *g, const cpu_set_t *cpus)
{
	char text[sizeof(g->cpus)];
	int err;

	cpu_list_print(text, sizeof(text), cpus);
	if (!strcmp(text, g->cpus))
		return 0;
	err = begin_cpus(g);
	if (err)
		return err;
	if (is_others_cpus(g))
		return -EBUSY;
	if (g->in_unit)
		note_cpus(g, text);
	err = group_file_write(g->path, "cpuset.cpus", text);
	if (!err)
		strcpy(g->cpus, text);
	return err == -ENOENT && g->in_unit ? -EAGAIN : err;
}

int group_recover_cpus(const char *folder, pid_t pid)
{
	char cpus[8192], ours[2 * sizeof(cpus)], path[64];
	int err = 0;

	note_path(path, sizeof(path), pid);
	if (text_file_read(path, ours, sizeof(ours)) <= 0)
		return 0;
	if (group_file_read(folder, "cpuset.cpus", cpus, sizeof(cpus)) > 0 && group_file_has(ours, cpus))
		err = group_file_free_cpus(folder) ? -EIO : 1;
	if (err >= 0)
		unlink(path);
	return err;
}

int group_free_cpus(struct group *g)
{
	int err;

	if (!g->cpus[0])
		return 0;
	if (is_others_cpus(g))
		return -EBUSY;
	g->cpus[0] = '\0';
	err = group_file_free_cpus(g->path);
	if (!err)
		forget_cpus(g);
	return err;
}

/* The owner of a delegated group has made it anew: what it uses is now in other files. */
static void open_again(struct group *g)
{
	int stat_fd = group_file_open(g->path, "cpu.stat", O_RDONLY);
	int threads_fd = group_file_open(g->path, "cgroup.threads", O_RDONLY);

	if (stat_fd < 0 || threads_fd < 0) {
		if (stat_fd >= 0)
			close(stat_fd);
		if (threads_fd >= 0)
			close(threads_fd);
		return;
	}
	close(g->stat_fd);
	close(g->threads_fd);
	g->stat_fd = stat_fd;
	g->threads_fd = threads_fd;
}

int group_check(struct group *g, pid_t pid, const char **what)
{
	char text[sizeof(g->cpus)];

	if (g->in_unit && g->max[0] && group_file_read_open(g->max_fd, text, sizeof(text)) == -ENODEV)
		forget_bandwidth(g);
	if (g->in_unit && group_file_read_open(g->stat_fd, text, sizeof(text)) == -ENODEV)
		open_again(g);
	*what = "the process was moved to another control group";
	if (g->of_fd < 0)
		g->of_fd = group_file_open_of(pid);
	if (!group_file_of_open(g->of_fd, text, sizeof(text)) && strcmp(text, g->path + strlen(GROUP_ROOT)))
		return -EBUSY;
	*what = "its cpu.max was changed";
	if (is_others_bandwidth(g))
		return -EBUSY;
	*what = "its cpuset.cpus was changed";
	if (is_others_cpus(g))
		return -EBUSY;
	*what = "its control group has limits now that it would escape";
	if (!g->in_unit && g->checks++ % CHECK_LIMITS == 0 && group_limits_exist_lately(g->origin[0].path) > 0)
		return -EPERM;
	*what = NULL;
	return 0;
}

int group_usage(const struct group *g, uint64_t *us)
{
	static const char first[] = "usage_usec ";
	char text[1024];

	if (group_file_read_open(g->stat_fd, text, sizeof(text)) <= 0 || strncmp(text, first, strlen(first)))
		return -EIO;
	*us = strtoull(text + strlen(first), NULL, 10);
	return 0;
}

/* Count the threads. The kernel gives a page at a time. */
int group_threads(const struct group *g, unsigned int *threads)
{
	char text[4096];
	unsigned int nr = 0;
	ssize_t n, i;

	if (lseek(g->threads_fd, 0, SEEK_SET))
		return -errno;
	while ((n = read(g->threads_fd, text, sizeof(text))) > 0)
		for (i = 0; i < n; i++)
			nr += text[i] == '\n';
	if (n < 0)
		return -errno;
	*threads = nr;
	return 0;
}

int group_processes(const struct group *g, pid_t *pids, int most)
{
	char path[2 * GROUP_PATH];
	FILE *f;
	int n = 0;

	snprintf(path, sizeof(path), "%s/cgroup.procs", g->path);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (n < most && fscanf(f, "%d", &pids[n]) == 1)
		n++;
	fclose(f);
	return n;
}

int group_close(struct group *g)
{
	int err = 0;

	if (g->path[0] && g->in_unit) {
		/* What others have written stays. The group may not exist any more. */
		group_free_bandwidth(g);
		err = group_free_cpus(g);
		if (!err || err == -EBUSY || err == -ENOENT || err == -ENODEV)
			forget_cpus(g);
		err = 0;
	} else if (g->path[0]) {
		err = group_dissolve(g->path, g->origin, g->nr);
	}
	if (err < 0)
		return err;
	if (g->path[0])
		close_files(g);
	free(g->origin);
	memset(g, 0, sizeof(*g));
	return 0;
}
