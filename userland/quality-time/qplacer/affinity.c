// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cpu_list.h"
#include "proc.h"
#include "qplacer/affinity.h"
#include "text_file.h"
#include "watch/groups.h"

/* Size of the table; a power of two. */
#define MOST_PROCESSES	4096
/* Passes over the threads of a process, because it may start threads during a pass. */
#define ROUNDS		3
/* Time until a second look at CPUs that somebody else seems to have chosen. */
#define LOOK_AGAIN_US	20000
/* Generations to search for a known ancestor of a process that began since the last look. */
#define ANCESTORS	8

/* For longer paths of control groups, the root counts. */
#define GROUP_PATH	512
/* Different sets of CPUs that are remembered; further sets are not undone for children. */
#define MOST_GIVEN	128

/**
 * struct entry - a process
 * @pid: its PID, 0: unused; written last, so that the guard always finds a whole entry
 * @start: when it began
 * @since: when qplacer first set its CPUs, in ticks since boot; older children did not inherit them
 * @before: CPUs that it could use before
 * @all: these were all CPUs of its control group, or of the machine
 * @set: CPUs that it is to use; during a change, threads may still have their old CPUs
 * @given: which sets of table::given it was ever to use, one bit each
 */
struct entry {
	pid_t pid;
	uint64_t start;
	uint64_t since;
	cpu_set_t before;
	bool all;
	cpu_set_t set;
	uint64_t given[MOST_GIVEN / 64];
};

/* The table that qplacer shares with the guard. A set is written before @nr_given counts it. */
struct table {
	cpu_set_t given[MOST_GIVEN];
	unsigned int nr_given;
	struct entry entry[MOST_PROCESSES];
};

struct affinity {
	struct table *table;
	int alive;		/* while it is open, the guard waits */
	pid_t guard;
};

/*
 * Calls @fn for each thread of a process, with the thread's CPUs. Returns the first result that is
 * not 0, or 0; -ESRCH: there are no threads.
 */
static int each_thread(pid_t pid, int (*fn)(pid_t tid, const cpu_set_t *now, void *arg), void *arg)
{
	char path[32];
	struct dirent *entry;
	int err = -ESRCH;
	cpu_set_t now;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) && (!err || err == -ESRCH)) {
		pid_t tid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;

		if (tid && !sched_getaffinity(tid, sizeof(now), &now))
			err = fn(tid, &now, arg);
	}
	if (dir)
		closedir(dir);
	return err;
}

static void find_online(cpu_set_t *online)
{
	char text[4096];

	if (!text_file_line("/sys/devices/system/cpu/online", text, sizeof(text)) || cpu_list_parse(text, online))
		memset(online, 0xff, sizeof(*online));
}

/* True if a CPU is coming or going: the kernel does not report it, but it can be in the list. */
static bool is_on_its_way(int cpu)
{
	char path[80], state[16], target[16];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/hotplug/state", cpu);
	if (!text_file_line(path, state, sizeof(state)))
		return false;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/hotplug/target", cpu);
	return text_file_line(path, target, sizeof(target)) && strcmp(state, target);
}

/* True if @now is @set, as the kernel reports it: without CPUs that are offline. */
static bool is_same(const cpu_set_t *now, const cpu_set_t *set)
{
	cpu_set_t online, both, common;

	if (CPU_EQUAL(now, set))
		return true;
	find_online(&online);
	CPU_AND(&both, set, &online);
	CPU_AND(&common, now, &both);
	if (!CPU_COUNT(now) || !CPU_EQUAL(now, &common))
		return false;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &both) && !CPU_ISSET(cpu, now) && !is_on_its_way(cpu))
			return false;
	}
	return true;
}

/* The CPUs that a process's control group has; all if nobody limits them. */
static void find_group_cpus(pid_t pid, cpu_set_t *cpus)
{
	char path[GROUP_PATH], file[sizeof(GROUPS_ROOT) + GROUP_PATH + 32], text[4096], *end;

	groups_of(pid, path, sizeof(path));
	do {
		end = strrchr(path, '/');
		snprintf(file, sizeof(file), "%s%s/cpuset.cpus.effective", GROUPS_ROOT, strcmp(path, "/") ? path : "");
		if (text_file_line(file, text, sizeof(text)) && !cpu_list_parse(text, cpus))
			return;
		if (end)
			*end = '\0';
	} while (end);
	memset(cpus, 0xff, sizeof(*cpus));
}

/* CPUs that a process may use, also those that are offline. Returns false if they are not known. */
static bool find_allowed(pid_t pid, cpu_set_t *cpus)
{
	char path[32], text[4096];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	text_file_value(path, "Cpus_allowed_list", text, sizeof(text));
	return !cpu_list_parse(text, cpus);
}

/* True if the process may use all CPUs of its group, or all that are online. */
static bool may_use_all(pid_t pid)
{
	cpu_set_t allowed, group, online, both;

	if (!find_allowed(pid, &allowed))
		return false;
	find_group_cpus(pid, &group);
	find_online(&online);
	CPU_AND(&group, &group, &online);
	CPU_AND(&both, &allowed, &group);
	return CPU_EQUAL(&both, &group);
}

/* True if @now is @set, or what the group @group leaves of it: somebody has changed the group. */
static bool is_set(const cpu_set_t *now, const cpu_set_t *set, const cpu_set_t *group)
{
	cpu_set_t both;

	CPU_AND(&both, set, group);
	return is_same(now, set) || (CPU_COUNT(&both) && is_same(now, &both));
}

/*
 * True if @group leaves nothing of @set, the last set that the process was to use. The kernel then
 * gives a thread all CPUs of the group, but remembers the set.
 */
static bool is_overruled(const cpu_set_t *now, const cpu_set_t *set, const cpu_set_t *group)
{
	cpu_set_t both;

	CPU_AND(&both, set, group);
	return !CPU_COUNT(&both) && is_same(now, group);
}

/* True if @now is a set that the process, which is in @group, was ever to use. */
static bool is_from_us(const struct table *t, const struct entry *e, const cpu_set_t *now, const cpu_set_t *group)
{
	unsigned int nr = __atomic_load_n(&t->nr_given, __ATOMIC_ACQUIRE);

	for (unsigned int i = 0; i < nr; i++) {
		if (e->given[i / 64] >> i % 64 & 1 && is_set(now, &t->given[i], group))
			return true;
	}
	return is_set(now, &e->set, group) || is_overruled(now, &e->set, group);
}

/* Note that the process is to use @set; called before its threads are changed. */
static void note_given(struct table *t, struct entry *e, const cpu_set_t *set)
{
	unsigned int i = 0;

	while (i < t->nr_given && !CPU_EQUAL(&t->given[i], set))
		i++;
	if (i == MOST_GIVEN)
		return;
	if (i == t->nr_given) {
		t->given[i] = *set;
		__atomic_store_n(&t->nr_given, i + 1, __ATOMIC_RELEASE);
	}
	e->given[i / 64] |= 1ULL << i % 64;
}

static uint64_t ticks_since_boot(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * (uint64_t)sysconf(_SC_CLK_TCK) +
	       (uint64_t)now.tv_nsec * (uint64_t)sysconf(_SC_CLK_TCK) / 1000000000;
}

/* A change of the CPUs of a process, except threads to which another program has given CPUs. */
struct change {
	const struct table *t;
	const struct entry *e;
	const cpu_set_t *cpus;
	cpu_set_t group;	/* CPUs of the process's control group */
	bool back;		/* restore: change only threads whose CPUs qplacer set */
	unsigned int changed;
	unsigned int skipped;	/* threads that have other CPUs */
};

static int set_thread(pid_t tid, const cpu_set_t *now, void *arg)
{
	struct change *c = arg;

	if (CPU_EQUAL(now, c->cpus))
		return 0;
	if (!is_from_us(c->t, c->e, now, &c->group) && (c->back || !is_same(now, &c->e->before))) {
		c->skipped++;
		return 0;
	}
	if (sched_setaffinity(tid, sizeof(*c->cpus), c->cpus))
		return errno == ESRCH ? 0 : -errno;
	c->changed++;
	return 0;
}

/* Apply a change to all threads, also to those that start meanwhile. */
static int set_threads(pid_t pid, struct change *c)
{
	bool again = false;
	int err = 0;

	find_group_cpus(pid, &c->group);
	for (int round = 0; round < ROUNDS && !err; round++) {
		c->changed = c->skipped = 0;
		err = each_thread(pid, set_thread, c);
		if (c->changed)
			continue;
		/* A CPU may have come or gone while a thread was looked at. */
		if (!c->skipped || again)
			break;
		again = true;
		usleep(LOOK_AGAIN_US);
	}
	return err;
}

static int is_other(pid_t tid, const cpu_set_t *now, void *cpus)
{
	(void)tid;
	return CPU_EQUAL(now, (const cpu_set_t *)cpus) ? 0 : -EXDEV;
}

/*
 * A process that could use all CPUs may use those that come online later, or that its group gets
 * later, too.
 */
static void find_before(const struct entry *e, cpu_set_t *before)
{
	*before = e->before;
	if (e->all)
		memset(before, 0xff, sizeof(*before));
}

static void restore_process(const struct table *t, const struct entry *e, pid_t pid)
{
	cpu_set_t before;
	struct change c = { .t = t, .e = e, .cpus = &before, .back = true };

	find_before(e, &before);
	set_threads(pid, &c);
}

/* Restore a process if it still exists. */
static void restore(const struct table *t, const struct entry *e)
{
	if (proc_exists(e->pid, e->start))
		restore_process(t, e, e->pid);
}

static struct entry *place_of(struct table *t, pid_t pid)
{
	unsigned int i = (unsigned int)pid % MOST_PROCESSES;

	for (unsigned int n = 0; n < MOST_PROCESSES; n++) {
		struct entry *e = &t->entry[(i + n) % MOST_PROCESSES];

		if (e->pid == pid || !e->pid)
			return e;
	}
	return NULL;
}

static struct entry *find(struct table *t, pid_t pid, uint64_t start)
{
	struct entry *e = place_of(t, pid);

	return e && e->pid == pid && e->start == start ? e : NULL;
}

/* The nearest ancestor in the table; NULL if the process began before its CPUs were set. */
static const struct entry *ancestor_of(struct table *t, const struct proc *process)
{
	struct proc p = *process;

	for (int n = 0; n < ANCESTORS && p.parent > 0 && !proc_read(p.parent, &p); n++) {
		const struct entry *e = find(t, p.pid, p.start);

		if (e)
			return e->since && process->start >= e->since ? e : NULL;
	}
	return NULL;
}

/* A process that began after the last look is not in the table, but has its parent's CPUs. */
static void restore_child(const struct proc *process, void *table)
{
	const struct entry *e = find(table, process->pid, process->start) ? NULL : ancestor_of(table, process);

	if (e)
		restore_process(table, e, process->pid);
}

static void restore_all(struct table *t)
{
	for (unsigned int i = 0; i < MOST_PROCESSES; i++) {
		if (__atomic_load_n(&t->entry[i].pid, __ATOMIC_ACQUIRE))
			restore(t, &t->entry[i]);
	}
	proc_each(restore_child, t);
}

/*
 * The guard: wait until the other end of @alive is closed, by affinity_free() or because qplacer is
 * gone. Then restore all.
 */
static void guard(struct table *table, int alive)
{
	char byte;

	/* Ctrl-C and the end of the terminal must end only qplacer. */
	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	prctl(PR_SET_NAME, "qplacer-guard");
	while (read(alive, &byte, 1) < 0 && errno == EINTR)
		;
	restore_all(table);
	_exit(0);
}

struct affinity *affinity_new(void)
{
	struct affinity *a = calloc(1, sizeof(*a));
	int ends[2];

	if (!a)
		return NULL;
	a->table = mmap(NULL, sizeof(*a->table), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a->table == MAP_FAILED || pipe2(ends, O_CLOEXEC)) {
		free(a);
		return NULL;
	}
	a->guard = fork();
	if (!a->guard) {
		close(ends[1]);
		guard(a->table, ends[0]);
	}
	close(ends[0]);
	a->alive = ends[1];
	if (a->guard < 0) {
		close(a->alive);
		free(a);
		return NULL;
	}
	return a;
}

void affinity_free(struct affinity *a)
{
	int status = 0;

	if (!a)
		return;
	close(a->alive);
	while (waitpid(a->guard, &status, 0) < 0 && errno == EINTR)
		;
	/* Somebody killed the guard. */
	if (!WIFEXITED(status))
		restore_all(a->table);
	munmap(a->table, sizeof(*a->table));
	free(a);
}

/* Find an entry for @pid. Entries of ended processes are reused only if no other entry is free. */
static struct entry *make_room(struct affinity *a, pid_t pid)
{
	struct entry *e = place_of(a->table, pid);

	for (unsigned int i = 0; !e && i < MOST_PROCESSES; i++) {
		if (!proc_exists(a->table->entry[i].pid, a->table->entry[i].start))
			e = &a->table->entry[i];
	}
	return e;
}

/* Enter a process. It could use before what it can use now, or what its parent could use before. */
static int meet(struct affinity *a, pid_t pid, uint64_t start, struct entry **met)
{
	struct entry *e, new = { .start = start };
	const struct entry *parent;
	cpu_set_t group;
	struct proc p;
	int err = proc_read(pid, &p);

	if (err || p.start != start)
		return err ? err : -ESRCH;
	if (sched_getaffinity(pid, sizeof(new.set), &new.set))
		return -errno;
	new.before = new.set;
	new.all = may_use_all(pid);
	/* The process gives its threads different CPUs itself. */
	if (each_thread(pid, is_other, &new.before) == -EXDEV)
		return -EXDEV;
	parent = ancestor_of(a->table, &p);
	find_group_cpus(pid, &group);
	if (parent && is_from_us(a->table, parent, &new.set, &group)) {
		new.before = parent->before;
		new.all = parent->all;
		new.since = parent->since;
		memcpy(new.given, parent->given, sizeof(new.given));
	}
	e = make_room(a, pid);
	if (!e)
		return -ENOSPC;
	__atomic_store_n(&e->pid, 0, __ATOMIC_RELEASE);
	*e = new;
	__atomic_store_n(&e->pid, pid, __ATOMIC_RELEASE);
	*met = e;
	return 0;
}

/*
 * Returns 0 if the main thread has CPUs that it was to use, or could use before; -EXDEV: another
 * program has changed them to @now; -ESRCH. A CPU may have come or gone between two of our looks,
 * so there is a second look.
 */
static int find_change(const struct affinity *a, const struct entry *e, cpu_set_t *now)
{
	cpu_set_t group;

	for (int looks = 0; looks < 2; looks++) {
		if (looks)
			usleep(LOOK_AGAIN_US);
		if (sched_getaffinity(e->pid, sizeof(*now), now))
			return -errno;
		find_group_cpus(e->pid, &group);
		if (is_from_us(a->table, e, now, &group) || is_set(now, &e->before, &group))
			return 0;
	}
	return -EXDEV;
}

void affinity_meet(struct affinity *a, pid_t pid, uint64_t start)
{
	struct entry *e = find(a->table, pid, start);
	const struct entry *parent;
	struct proc p;

	if (e || proc_read(pid, &p) || p.start != start)
		return;
	parent = ancestor_of(a->table, &p);
	if (parent)
		meet(a, pid, start, &e);
}

int affinity_set(struct affinity *a, pid_t pid, uint64_t start, const cpu_set_t *cpus)
{
	struct entry *e = find(a->table, pid, start);
	struct change c = { .t = a->table, .e = e };
	cpu_set_t now, set;
	int err;

	if (!e) {
		err = meet(a, pid, start, &e);
		if (err)
			return err;
		c.e = e;
	}
	if (!proc_exists(pid, start))
		return -ESRCH;
	err = find_change(a, e, &now);
	/* The main thread was changed. Restore the other threads. */
	if (err == -EXDEV) {
		restore(a->table, e);
		e->set = e->before = now;
		e->all = false;
		memset(e->given, 0, sizeof(e->given));
	}
	if (err)
		return err;
	CPU_AND(&set, cpus, &e->before);
	if (!CPU_COUNT(&set))
		return -EINVAL;
	if (!e->since)
		e->since = ticks_since_boot();
	/* Note the set before it is applied: a guard that looks in between knows both sets. */
	note_given(a->table, e, &set);
	e->set = set;
	c.cpus = &set;
	return set_threads(pid, &c);
}

void affinity_restore(struct affinity *a, pid_t pid, uint64_t start)
{
	struct entry *e = find(a->table, pid, start);

	if (!e)
		return;
	restore(a->table, e);
	e->set = e->before;
	proc_each(restore_child, a->table);
}

bool affinity_may_use(const struct affinity *a, pid_t pid, uint64_t start, const cpu_set_t *cpus)
{
	const struct entry *e = a ? find(a->table, pid, start) : NULL;
	cpu_set_t before, both;

	if (e)
		before = e->before;
	else if (sched_getaffinity(pid, sizeof(before), &before))
		return false;
	CPU_AND(&both, &before, cpus);
	return CPU_COUNT(&both);
}
