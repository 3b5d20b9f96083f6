// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes of a program's group: they are found, moved there, and moved back. */
#include "group.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "home.h"
#include "proc.h"
#include "tree.h"
#include "unit.h"

/* Processes that are forked while a program is moved are found at the next look. */
#define MOST_LOOKS 10
/* A program that forks faster than it is moved must not keep all others waiting. */
#define MOST_MOVES 1000
/* Programs with more processes are left alone: to find and move them would keep others waiting. */
#define MOST_PROCESSES 4096
/* Group for processes whose own group is gone, if the one above can have none. */
#define LEFT_GROUP "/qosd-left"

/*
 * Move a process to the nearest group above @folder that there is, because @folder is gone, or may
 * not have processes any more. In the root it would weigh as much as a slice of systemd, and in a
 * group with controllers for groups below there are no processes: it gets a group below them.
 */
static int move_above(pid_t pid, char *folder)
{
	const size_t root = strlen(GROUP_ROOT);
	size_t length;
	int err;

	do {
		*strrchr(folder, '/') = '\0';
		length = strlen(folder);
		if (access(folder, F_OK))
			continue;
		err = length > root ? group_file_move(pid, folder) : -EBUSY;
		if (!err || err == -ESRCH)
			return err;
		strcat(folder, LEFT_GROUP);
		if (!mkdir(folder, 0755) || errno == EEXIST)
			err = group_file_move(pid, folder);
		if (!err || err == -ESRCH)
			return err;
		folder[length] = '\0';
	} while (length > root);
	return -EBUSY;
}

static int move_back(pid_t pid, const char *origin)
{
	char folder[2 * GROUP_PATH + sizeof(LEFT_GROUP)];
	int err, cause;

	snprintf(folder, sizeof(folder), "%s%s", GROUP_ROOT, origin);
	cause = err = *origin ? group_file_move(pid, folder) : -ENOENT;
	if (err && err != -ESRCH)
		err = move_above(pid, *origin ? folder : strcat(folder, "/unknown"));
	if (err == -ESRCH || !cause)
		return err;
	if (err)
		complain("process %d cannot be moved back to %s%s: %s", (int)pid, GROUP_ROOT, origin, strerror(-cause));
	else
		complain("process %d is in %s now: it cannot be moved back to '%s': %s", (int)pid, folder, origin,
			 strerror(-cause));
	return err;
}

/*
 * Returns where a process was; "": nobody knows. For a process that was started meanwhile, it is
 * where its parent was.
 */
static const char *origin_of(const struct origin *origin, size_t nr, pid_t pid)
{
	const char *found = nr ? origin[0].path : "";
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
 * Move all processes away, and remove the folder. As long as that is not possible, no quota limits
 * them. Returns how many processes there were, or a negative errno: the folder is still there.
 */
int group_dissolve(const char *folder, const struct origin *origin, size_t nr)
{
	char text[65536], *rest, *word;
	int looks, moved = 0;

	group_file_write(folder, "cpu.max", GROUP_NO_QUOTA);
	for (looks = 0; looks < MOST_LOOKS; looks++) {
		if (group_file_read(folder, "cgroup.procs", text, sizeof(text)) <= 0)
			break;
		for (word = strtok_r(text, "\n", &rest); word; word = strtok_r(NULL, "\n", &rest)) {
			/* As long as there are processes to move, a look is not in vain. */
			if (!move_back(atoi(word), origin_of(origin, nr, atoi(word))) && moved < MOST_MOVES)
				looks = 0;
			moved++;
		}
	}
	return rmdir(folder) && errno != ENOENT ? -errno : moved;
}

/* Read the lines of a state file that belong to @name: GROUP PID START PATH. */
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

/* True if the name is one of qosd's, because others may have groups there, too. */
static bool is_name(const char *name)
{
	int end = 0;

	return sscanf(name, "app-%*u%n", &end) == 0 && end && !name[end];
}

/* Remove a limit that a qosd has written. Returns 1 if there was one. */
static int recover_bandwidth(const char *folder)
{
	unsigned long quota, period;
	char text[64];

	if (group_file_read(folder, "cpu.max", text, sizeof(text)) <= 0 ||
	    sscanf(text, "%lu %lu", &quota, &period) != 2 || period != GROUP_PERIOD_US)
		return 0;
	return group_file_write(folder, "cpu.max", GROUP_NO_QUOTA) ? -EIO : 1;
}

/* Give all CPUs back to the unit of a program. What others have written meanwhile stays. */
static void recover_unit(const char *folder, pid_t pid)
{
	int bandwidth = recover_bandwidth(folder), cpus = group_recover_cpus(folder, pid);

	if (bandwidth < 0 || cpus < 0)
		complain("%s has not all CPUs again that a qosd had taken, which was killed: write 'max' to its "
			 "cpu.max, and all CPUs to its cpuset.cpus", folder);
	else if (bandwidth || cpus)
		complain("%s has all CPUs again that a qosd had taken, which was killed", folder);
}

/*
 * Recover @group, a path below GROUP_ROOT. Returns how many processes are back; failures are
 * printed.
 */
static int recover_one(const char *state, const char *group)
{
	char path[2 * GROUP_PATH];
	struct origin *origin;
	size_t nr;
	int moved;

	snprintf(path, sizeof(path), "%s%s", GROUP_ROOT, group);
	if (access(path, F_OK))
		return 0;
	nr = read_state(state, group, &origin);
	if (nr && !strcmp(origin[0].path, group)) {
		/* Nothing was moved. */
		recover_unit(path, origin[0].pid);
		moved = 0;
	} else {
		moved = is_name(strrchr(group, '/') + 1) ? group_dissolve(path, origin, nr) : 0;
	}
	free(origin);
	if (moved < 0)
		complain("%s: %s", path, strerror(-moved));
	return moved > 0 ? moved : 0;
}

int group_recover(const char *state)
{
	FILE *in = fopen(state, "re");
	char group[2 * GROUP_PATH], last[GROUP_PATH] = "";
	struct dirent *entry;
	DIR *folder = NULL;
	int moved = 0;

	while (in && fscanf(in, "%255s %*[^\n]", group) == 1) {
		if (*group != '/' || !strcmp(group, last))
			continue;
		snprintf(last, sizeof(last), "%.255s", group);
		moved += recover_one(state, group);
	}
	if (in)
		fclose(in);
	/* Groups that the state file does not have: nobody knows where their processes were. */
	if (home_folder())
		folder = opendir(home_folder());
	while (folder && (entry = readdir(folder))) {
		if (!is_name(entry->d_name))
			continue;
		snprintf(group, sizeof(group), "%s/%.64s", home_folder() + strlen(GROUP_ROOT), entry->d_name);
		moved += recover_one(state, group);
	}
	if (folder)
		closedir(folder);
	return moved;
}

static bool is_there(pid_t pid)
{
	struct proc p;

	return proc_read(pid, &p) != -ESRCH;
}

/* True if the process is @uid's. Processes of another user stay where they are. */
static bool is_of(pid_t pid, uid_t uid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return !stat(path, &st) && st.st_uid == uid;
}

static int note_origin(struct group *g, const struct origin *one)
{
	struct origin *more = realloc(g->origin, (g->nr + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	g->origin = more;
	more[g->nr++] = *one;
	return 0;
}

static bool is_known(const struct group *g, const struct proc *p)
{
	size_t i;

	for (i = 0; i < g->nr; i++)
		if (g->origin[i].pid == p->pid && g->origin[i].start == p->start)
			return true;
	return false;
}

/*
 * Note the processes that the program has started, if they are in the program's group. A process
 * that somebody has put elsewhere stays there. Returns how many are new, or a negative errno.
 */
static int find_all(struct group *g, pid_t pid, uid_t uid, const char *from)
{
	struct tree tree;
	struct origin one;
	int found = 0;
	size_t i;

	if (tree_read(&tree))
		return -ENOMEM;
	for (i = 0; i < tree.nr; i++) {
		const struct proc *p = &tree.proc[i];

		if (p->kernel || p->state == 'Z' || !tree_is_below(&tree, p->pid, pid) || is_known(g, p) ||
		    !is_of(p->pid, uid) || group_file_of(p->pid, one.path, sizeof(one.path)) || strcmp(one.path, from))
			continue;
		one.pid = p->pid;
		one.start = p->start;
		if (g->nr >= MOST_PROCESSES) {
			found = -E2BIG;
			break;
		}
		found += !note_origin(g, &one);
	}
	tree_free(&tree);
	return found;
}

/* The same as tree_is_below(), also for a process that was started after the tree was read. */
static bool is_started_by(const struct tree *tree, pid_t pid, pid_t ancestor)
{
	struct proc p;
	int looks;

	for (looks = 0; looks < MOST_LOOKS && !tree_has(tree, pid); looks++) {
		if (proc_read(pid, &p))
			return false;
		pid = p.parent;
	}
	return tree_is_below(tree, pid, ancestor);
}

/*
 * Returns 1 if the group has no processes but this one and those that it has started, 0 if it has
 * others, or a negative errno.
 */
static int is_alone(const char *folder, pid_t pid, uid_t uid)
{
	char path[3 * GROUP_PATH], text[128];
	bool alone = true, seen = false;
	struct tree tree;
	ssize_t length = group_file_read(folder, "cgroup.stat", text, sizeof(text));
	FILE *in;
	int one;

	if (length < 0)
		return (int)length;
	if (strncmp(text, "nr_descendants 0\n", strlen("nr_descendants 0\n")))
		return 0;
	snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	in = fopen(path, "re");
	if (!in)
		return -errno;
	if (tree_read(&tree)) {
		fclose(in);
		return -ENOMEM;
	}
	while (alone && fscanf(in, "%d", &one) == 1) {
		seen |= one == pid;
		alone = (is_started_by(&tree, one, pid) && is_of(one, uid)) || !is_there(one);
	}
	fclose(in);
	tree_free(&tree);
	return alone && seen;
}

static bool is_word(const char *text)
{
	while (isgraph((unsigned char)*text) || (unsigned char)*text > 127)
		text++;
	return !*text;
}

/* With systemd: the process stays in the group of its unit, which gets a limit. */
static int find_in_unit(struct group *g, pid_t pid, uint64_t start, uid_t uid, const char *from)
{
	struct origin one = {.pid = pid, .start = start};
	char folder[2 * GROUP_PATH], text[64];
	ssize_t length;
	int alone;

	/* In the state file, paths are words. */
	if (!is_word(from) || unit_of(from, g->unit, sizeof(g->unit)))
		return -ENOTUNIQ;
	snprintf(folder, sizeof(folder), "%s%s", GROUP_ROOT, from);
	alone = is_alone(folder, pid, uid);
	if (alone <= 0)
		return alone ? alone : -ENOTUNIQ;
	length = group_file_read(folder, "cpu.max", text, sizeof(text));
	if (length < 0 && length != -ENOENT)
		return (int)length;
	if (length > 0 && strncmp(text, "max", 3))
		return -EPERM;
	if (length <= 0 && !*g->unit)
		return -ENODEV;
	length = group_file_read(folder, "cpuset.cpus", text, sizeof(text));
	if (length < 0 && length != -ENOENT)
		return (int)length;
	if (length > 0 && !group_file_is_free(text))
		return -EPERM;
	g->in_unit = true;
	strcpy(one.path, from);
	return note_origin(g, &one);
}

int group_find(struct group *g, pid_t pid, uint64_t start, uid_t uid)
{
	char from[GROUP_PATH];
	int found;

	if (!proc_exists(pid, start) || !is_of(pid, uid) || group_file_of(pid, from, sizeof(from)))
		return -ESRCH;
	if (!home_folder())
		return find_in_unit(g, pid, start, uid, from);
	if (home_has(from))
		return -EALREADY;
	found = group_limits_exist(from);
	if (found)
		return found < 0 ? found : -EPERM;
	found = find_all(g, pid, uid, from);
	return found < 0 ? found : g->nr ? 0 : -ESRCH;
}

int group_take(struct group *g, pid_t pid, uid_t uid)
{
	char from[GROUP_PATH];
	size_t moved = 0, done = 0;
	int looks, err = 0;

	if (g->in_unit)
		return 0;
	strcpy(from, g->origin[0].path);
	for (looks = 0; looks < MOST_LOOKS; looks++) {
		for (; done < g->nr; done++) {
			if (!proc_exists(g->origin[done].pid, g->origin[done].start))
				continue;
			err = group_file_move(g->origin[done].pid, g->path);
			if (err && err != -ESRCH)
				return err;
			moved += !err;
		}
		/*
		 * Find processes that were started meanwhile. From now on they are started in the
		 * group.
		 */
		if (find_all(g, pid, uid, from) <= 0)
			break;
	}
	return moved ? 0 : -ESRCH;
}
