// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <pmctrack/libpmctrack.h>

#include "complain.h"
#include "monotonic.h"
#include "watch/groups.h"
#include "proc.h"
#include "text_file.h"
#include "watch/published.h"
#include "watch/watch.h"

#define MODULE		"quality_time"
#define MANAGER		"/proc/pmc/mmon_manager"
/* If records lack the module's values for this long, another module was active for a moment. */
#define SILENT_NS	10000000000ULL
/* Records between two checks of signals and timers: some milliseconds of work. */
#define RECORDS_AT_ONCE	4096
#define MOST_SETS	(PMCTRACK_MAX_CORE_TYPES * PMCTRACK_MAX_SETS)
/* Records per interval. The kernel may be late by a tick, and has a phase of its own. */
#define RECORDS		4
/* An interval has at least this many writes of the published file. */
#define READS_EACH	4
/* Looks are not more frequent than this, because there may be many processes. */
#define LOOK_S		0.9

/* In the order of virtual counters; a record has a value for each bit of its mask. */
enum { QUALITY_TIME, EXPLAINED, SAMPLE_AGE, WAITED, NR_VIRTS };

static const char *const names[NR_VIRTS] = {
	[QUALITY_TIME] = "quality_time", [EXPLAINED] = "explained",
	[SAMPLE_AGE] = "sample_age", [WAITED] = "waited",
};

struct watch {
	struct watch_options o;
	struct pmctrack_session *session;
	struct published *published;
	bool abandoned;		/* @published is not written any more */
	double read_s;		/* when @published was read last */
	bool changed;		/* another monitoring module was active meanwhile */
	uint64_t heard_ns;	/* of the last record with the module's time in run queues */
	struct processes *processes;
	struct pmctrack_evset *set[MOST_SETS];
	unsigned int nr_sets;
	/* For each set, where these counts are in records; less than 0: it does not count them. */
	int instr_at[MOST_SETS], l1d_accesses_at[MOST_SETS];
	uint32_t virt[NR_VIRTS];	/* the mask of each virtual counter */
	struct sum all;
	unsigned int refused;	/* at the last look */
	bool was_refused;	/* at some look */
	uint64_t revoked;	/* threads that another session took over */
	uint64_t disturbed;	/* records with time that was not counted */
	bool no_memory;
	bool opened;
	uint64_t began_ticks;	/* ticks since boot at the first read of @published; 0: not read */
	char cgroup[PATH_MAX];
	/*
	 * Sets of PIDs, one bit each, because a process is tried only once. @tried: what the last
	 * look found; @found: what the present one finds; @others: those that were refused.
	 */
	unsigned char *tried, *found, *others;
	pid_t max_pid;
	double looked_s;
};

/* Find the event sets of the monitoring module, because their counts are in the records, too. */
static void find_sets(struct watch *w, const struct pmctrack_ctl *ctl)
{
	int nr = pmctrack_evset__parse_mmon(ctl, w->set, MOST_SETS);

	w->nr_sets = nr > 0 ? (unsigned int)nr : 0;
	for (unsigned int i = 0; i < w->nr_sets; i++) {
		w->instr_at[i] = pmctrack_evset__find(w->set[i], "instr");
		w->l1d_accesses_at[i] = pmctrack_evset__find(w->set[i], "l1d_accesses");
	}
}

static int find_virts(struct watch *w, const struct pmctrack_ctl *ctl, uint32_t *all)
{
	const char *active = pmctrack_ctl__mmon(ctl);

	if (!active || strcmp(active, MODULE) != 0) {
		complain("Quality Time needs the monitoring module '" MODULE "', and %s is active; as root: 'modprobe pmctrack-mmon-" MODULE " && echo " MODULE " >/proc/pmc/mmon_manager'",
			 active ? active : "none");
		return -ENOENT;
	}
	for (unsigned int i = 0; i < NR_VIRTS; i++) {
		if (pmctrack_ctl__parse_virts(ctl, names[i], &w->virt[i])) {
			complain("%s", pmctrack_error());
			return -ENOENT;
		}
		*all |= w->virt[i];
	}
	return 0;
}

static int open_session(struct watch *w)
{
	const struct watch_options *o = &w->o;
	struct pmctrack_session_opts opts = {
		.sz = sizeof(opts),
		.flags = PMCTRACK_SESSION_THREADS | PMCTRACK_SESSION_CHILDREN |
			 (o->program ? PMCTRACK_SESSION_ON_EXEC : PMCTRACK_SESSION_ATTACH),
		.pid = o->program,
		.processes = o->processes,
		.nr_processes = o->nr_processes,
		.period_ns = (uint64_t)((o->interval_s < 1 ? o->interval_s : 1) / RECORDS * 1e9),
	};
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	int err;

	if (!ctl) {
		complain("%s", pmctrack_error());
		return -ENOENT;
	}
	err = find_virts(w, ctl, &opts.virts);
	if (!err) {
		find_sets(w, ctl);
		w->session = pmctrack_session__open(ctl, NULL, 0, &opts);
		err = w->session ? 0 : -errno;
		if (err)
			complain("%s", pmctrack_error());
	}
	pmctrack_ctl__close(ctl);
	return err;
}

static pid_t highest_pid(void)
{
	FILE *f = fopen("/proc/sys/kernel/pid_max", "re");
	int max = 4194304;

	if (f && fscanf(f, "%d", &max) != 1)
		max = 4194304;
	if (f)
		fclose(f);
	return max;
}

static bool is_in(const unsigned char *bits, pid_t pid)
{
	return bits[pid / 8] >> pid % 8 & 1;
}

static void put_in(unsigned char *bits, pid_t pid)
{
	bits[pid / 8] |= (unsigned char)(1u << pid % 8);
}

static bool was_tried(const struct watch *w, pid_t pid)
{
	return is_in(w->tried, pid);
}

/*
 * Attach a process, but only once, because a further try costs a look at each thread. Children of
 * watched processes are watched anyway.
 */
static void try_process(pid_t pid, void *arg)
{
	struct watch *w = arg;
	struct proc p;
	int err;

	if (pid <= 0)
		return;
	/* The limit of PIDs was raised after watch_open(). */
	if (pid > w->max_pid) {
		w->refused++;
		return;
	}
	put_in(w->found, pid);
	if (was_tried(w, pid)) {
		w->refused += is_in(w->others, pid);
		return;
	}
	w->others[pid / 8] &= (unsigned char)~(1u << pid % 8);
	if (pid == getpid() || processes_find(w->processes, pid))
		return;
	if (proc_read(pid, &p) || p.kernel)
		return;
	err = pmctrack_session__attach(w->session, pid);
	if (!err || err == -ESRCH)
		return;
	/* The process may be a child of a watched one, and may not have run yet. */
	if (w->opened && p.parent > 0 && p.parent <= w->max_pid &&
	    ((was_tried(w, p.parent) && !is_in(w->others, p.parent)) || processes_find(w->processes, p.parent)))
		return;
	put_in(w->others, pid);
	w->refused++;
}

static void each_process_of_machine(struct watch *w)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			try_process(atoi(entry->d_name), w);
	}
	if (dir)
		closedir(dir);
}

static int find_processes(struct watch *w)
{
	unsigned char *last = w->tried;
	int err = 0;

	w->refused = 0;
	if (w->o.all)
		each_process_of_machine(w);
	if (w->o.cgroup)
		err = groups_each_process(w->cgroup, try_process, w);
	/* PIDs that were not found are forgotten, because other processes may get them. */
	w->tried = w->found;
	w->found = last;
	memset(w->found, 0, (size_t)w->max_pid / 8 + 1);
	w->was_refused |= w->refused > 0;
	return err;
}

bool watch_is_possible(void)
{
	return text_file_has(MANAGER, "[*] " MODULE " ");
}

struct watch *watch_open(const struct watch_options *o)
{
	struct watch *w = calloc(1, sizeof(*w));
	int err;

	if (w) {
		w->o = *o;
		w->processes = processes_new();
		w->max_pid = highest_pid();
		w->tried = calloc((size_t)w->max_pid / 8 + 1, 1);
		w->found = calloc((size_t)w->max_pid / 8 + 1, 1);
		w->others = calloc((size_t)w->max_pid / 8 + 1, 1);
	}
	if (!w || !w->processes || !w->tried || !w->found || !w->others) {
		complain("no memory");
		goto failed;
	}
	err = o->cgroup ? groups_resolve(o->cgroup, w->cgroup, sizeof(w->cgroup)) : 0;
	if (!err && o->published) {
		w->published = published_open(o->published);
		if (!w->published)
			goto failed;
		return w;
	}
	if (!err && open_session(w))
		goto failed;
	if (!err)
		err = find_processes(w);
	if (err) {
		complain("%s: not a directory of control groups (cgroup2) below " GROUPS_ROOT ": %s", o->cgroup, strerror(-err));
		goto failed;
	}
	w->opened = true;
	return w;
failed:
	watch_close(w);
	return NULL;
}

void watch_close(struct watch *w)
{
	if (!w)
		return;
	for (unsigned int i = 0; i < w->nr_sets; i++)
		pmctrack_evset__free(w->set[i]);
	pmctrack_session__close(w->session);
	published_close(w->published);
	processes_free(w->processes);
	free(w->tried);
	free(w->found);
	free(w->others);
	free(w);
}

int watch_fd(const struct watch *w)
{
	return w->session ? pmctrack_session__fd(w->session) : -1;
}

/* The value of a virtual counter; false: the record has none. */
static bool value_of(const struct watch *w, const struct pmctrack_record *rec, unsigned int i,
		     uint64_t *value)
{
	uint32_t bit = w->virt[i];

	if (!(rec->virt & bit))
		return false;
	*value = rec->counts[rec->nr_counts + (unsigned int)__builtin_popcount(rec->virt & (bit - 1))];
	return true;
}

static uint64_t count_at(const struct pmctrack_record *rec, int i)
{
	return i >= 0 && i < rec->nr_counts ? rec->counts[i] : 0;
}

static void count_events(const struct watch *w, const struct pmctrack_record *rec, struct process *of)
{
	int i = pmctrack_evset__of_record(w->set, w->nr_sets, rec);

	if (i < 0)
		return;
	of->instr += count_at(rec, w->instr_at[i]);
	of->l1d_accesses += count_at(rec, w->l1d_accesses_at[i]);
}

static void take_record(struct watch *w, const struct pmctrack_record *rec)
{
	struct process *of = processes_get(w->processes, rec->tgid);
	struct sum s = { .cpu_ns = rec->run_ns };
	uint64_t age;

	/* The module gives this value for every thread. */
	if (rec->virt & w->virt[WAITED])
		w->heard_ns = rec->time_ns;
	else if (w->heard_ns && rec->run_ns && rec->time_ns > w->heard_ns + SILENT_NS)
		w->changed = true;
	w->revoked += rec->kind == PMCTRACK_RECORD_REVOKED;
	w->disturbed += rec->flags & PMCTRACK_RECORD_F_DISTURBED ? 1 : 0;
	value_of(w, rec, QUALITY_TIME, &s.quality_ns);
	value_of(w, rec, EXPLAINED, &s.explained_ns);
	value_of(w, rec, WAITED, &s.waited_ns);
	sum_add(&w->all, &s);
	if (!of) {
		w->no_memory = true;
		return;
	}
	if (value_of(w, rec, SAMPLE_AGE, &age)) {
		of->sample_age_ms = age;
		if (age > of->oldest_ms)
			of->oldest_ms = age;
	}
	count_events(w, rec, of);
	of->updated_ns = rec->time_ns;
	processes_add(w->processes, of, &s, (int)rec->cpu);
}

static bool is_wanted(const struct watch *w, pid_t pid)
{
	const char *group = w->cgroup + strlen(GROUPS_ROOT);
	char path[sizeof(((struct process *)0)->group)];
	size_t len;

	for (unsigned int i = 0; i < w->o.nr_processes; i++) {
		if (w->o.processes[i] == pid)
			return true;
	}
	if (w->o.nr_processes || pid == getpid())
		return false;
	if (!w->o.cgroup)
		return true;
	len = strlen(group);
	groups_of(pid, path, sizeof(path));
	return strncmp(path, group, len) == 0 && (path[len] == '/' || !path[len]);
}

/* The process of @e, which is created if it is wanted. It need not be visible in /proc. */
static struct process *foreign_process(struct watch *w, const struct pmctrack_quality_entry *e)
{
	struct process *of = processes_find(w->processes, e->pid);

	if (of && of->start == e->start)
		return of;
	if (!is_wanted(w, e->pid))
		return NULL;
	if (of)
		of->ended = true;
	of = processes_get(w->processes, e->pid);
	if (!of)
		return NULL;
	of->foreign = true;
	of->start = e->start;
	of->uid = e->uid;
	/* The process began after the first read: all that it has done is counted. */
	if (w->began_ticks && e->start >= w->began_ticks)
		of->updated_ns = 1;
	return of;
}

/*
 * Add what a process did since the last read. Its first entry is added only if it began after the
 * first read.
 */
static void take_entry(const struct pmctrack_quality_entry *e, void *arg)
{
	struct watch *w = arg;
	struct process *of = foreign_process(w, e);
	struct sum all = { e->cpu_ns, e->explained_ns, e->quality_ns, e->waited_ns }, s;

	if (!of)
		return;
	if (of->updated_ns && of->updated_ns != e->updated_ns) {
		s = sum_less(&all, &of->all);
		sum_add(&w->all, &s);
		processes_add(w->processes, of, &s, (int)e->cpu);
	}
	snprintf(of->name, sizeof(of->name), "%s", e->name);
	of->seen = true;
	of->all = all;
	of->updated_ns = e->updated_ns;
	of->instr = e->instr;
	of->l1d_accesses = e->l1d_accesses;
	of->sample_age_ms = e->sample_age_ms == UINT32_MAX ? 0 : e->sample_age_ms;
}

static bool end_unseen(struct process *of, void *unused)
{
	(void)unused;
	of->ended |= of->foreign && !of->seen;
	of->seen = false;
	return false;
}

/* The sums of another qualityd begin anew. */
static bool forget_sums(struct process *of, void *unused)
{
	(void)unused;
	of->updated_ns = 0;
	return false;
}

/* The present time in the units of process::start. */
static uint64_t ticks_since_boot(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)(((double)now.tv_sec + (double)now.tv_nsec / 1e9) * (double)sysconf(_SC_CLK_TCK)) + 1;
}

static void take_published(struct watch *w)
{
	w->abandoned = published_is_stale(w->published);
	if (w->abandoned && published_reopen(w->published, w->o.published)) {
		processes_each(w->processes, forget_sums, NULL);
		w->abandoned = false;
	}
	published_each(w->published, take_entry, w);
	processes_each(w->processes, end_unseen, NULL);
	if (!w->began_ticks)
		w->began_ticks = ticks_since_boot();
	w->read_s = monotonic_s();
}

bool watch_take(struct watch *w)
{
	const struct pmctrack_record *rec;
	unsigned int n = 0;

	/* Read as often as qualityd writes, so that no process that ends meanwhile is missed. */
	if (w->published && monotonic_s() - w->read_s >= published_interval_s(w->published))
		take_published(w);
	while (w->session && n < RECORDS_AT_ONCE && pmctrack_session__next(w->session, &rec) > 0) {
		take_record(w, rec);
		n++;
	}
	return n == RECORDS_AT_ONCE;
}

void watch_look(struct watch *w)
{
	double now = monotonic_s();

	if (w->published)
		take_published(w);
	if (now - w->looked_s < LOOK_S)
		return;
	w->looked_s = now;
	processes_look(w->processes);
	if (!w->session)
		return;
	find_processes(w);
	w->changed |= !watch_is_possible();
}

void watch_end(struct watch *w)
{
	if (w->session && !w->o.program)
		pmctrack_session__detach(w->session);
	while (watch_take(w))
		;
}

struct processes *watch_processes(struct watch *w)
{
	return w->processes;
}

const struct sum *watch_sum(const struct watch *w)
{
	return &w->all;
}

double watch_interval_s(const struct watch *w)
{
	double written_s = w->published ? READS_EACH * published_interval_s(w->published) : 0;

	if (w->o.interval_s >= written_s)
		return w->o.interval_s;
	complain("%s is written each %g s: intervals are %g s long", w->o.published,
		 published_interval_s(w->published), written_s);
	return written_s;
}

const char *watch_trouble(const struct watch *w)
{
	if (w->abandoned)
		return "qualityd DOES NOT WRITE ANY MORE";
	/* A module that is selected again has no numbers for earlier sessions. */
	return w->changed ? "THE MONITORING MODULE WAS CHANGED" : NULL;
}

unsigned int watch_refused(const struct watch *w)
{
	return w->published ? published_missing(w->published) : w->refused;
}

bool watch_is_whole(const struct watch *w)
{
	struct pmctrack_session_stats stats = { .sz = sizeof(stats) };

	if (w->published)
		return !w->abandoned && !published_missing(w->published);
	pmctrack_session__stats(w->session, &stats);
	return !stats.lost && !stats.skipped_threads && !stats.left_out_threads && !w->was_refused &&
	       !w->revoked && !w->disturbed && !w->no_memory && !w->changed;
}

void watch_complain(const struct watch *w)
{
	struct pmctrack_session_stats stats = { .sz = sizeof(stats) };

	if (w->abandoned)
		complain("%s: qualityd does not write it any more; what processes did since is missing", w->o.published);
	if (!w->session)
		return;
	pmctrack_session__stats(w->session, &stats);
	if (stats.lost)
		complain("%" PRIu64 " last records of threads were lost, because the kernel's buffer was full; their time is missing",
			 (uint64_t)stats.lost);
	if (stats.skipped_threads)
		complain("%u threads were not watched: the kernel had no memory for them, or their creators may not be traced", stats.skipped_threads);
	if (stats.left_out_threads)
		complain("%u threads were not watched: their process has more than one request may attach (attach_max_threads= in /proc/pmc/config), or created them too fast",
			 stats.left_out_threads);
	if (w->changed)
		complain("the monitoring module was changed: from then on, Quality Time is missing");
	if (w->refused)
		complain("%u processes were not watched: another session monitors them, or they are not yours", w->refused);
	else if (w->was_refused)
		complain("processes that have ended were not watched: another session monitored them, or they were not yours");
	if (w->revoked)
		complain("%" PRIu64 " threads were taken over by somebody else; their time is missing from there on",
			 w->revoked);
	if (w->disturbed)
		complain("%" PRIu64 " intervals were disturbed: somebody else wrote the counters (a hypervisor, firmware)",
			 w->disturbed);
	if (w->no_memory)
		complain("no memory: the sums of some processes are missing");
}
