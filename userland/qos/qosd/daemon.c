// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "home.h"
#include "monotonic.h"
#include "nowait.h"
#include "replace.h"
#include "text_file.h"

/* The smallest part of a CPU that is given. */
#define PART 0.05
/* Folder of the files of programs. If a file is added, programs are looked for at once. */
#define PROGRAMS "/dev/shm"
/* Most files that are looked at in a step. */
#define FILES 256
/* Most files that are opened in a step and come to nothing. */
#define IN_VAIN 16
/* Most programs that are taken over in a step, because each takes a look at all processes. */
#define TAKES 4
#define SCHED_EXT_DIR "/sys/kernel/sched_ext"
#define PMCTRACK_INFO "/proc/pmc/info"
/* The number of whole CPUs is not changed for less than this part of one. */
#define HYSTERESIS 0.6

static void print_state(FILE *out, void *arg)
{
	const struct daemon *d = arg;
	size_t i, k;

	for (i = 0; i < d->nr; i++) {
		const struct group *g = &d->app[i]->group;

		for (k = 0; g->path[0] && k < g->nr; k++)
			fprintf(out, "%s %d %llu %s\n", g->path + strlen(GROUP_ROOT),
				(int)g->origin[k].pid, (unsigned long long)g->origin[k].start,
				g->origin[k].path);
	}
}

/* Save where processes must go back to, for a qosd that starts after a crash. */
static void save_state(struct daemon *d)
{
	int err;

	if (d->dry)
		return;
	err = replace_file(DAEMON_STATE, print_state, d);
	if (err)
		complain("%s: %s", DAEMON_STATE, strerror(-err));
}

/*
 * Determine the core types: by PMCTrack's module if it is loaded, because it knows more types than
 * the kernel.
 */
static void look_at_types(struct daemon *d)
{
	const struct core_types before = d->types;
	size_t i;
	int cpu;

	d->has_pmctrack = !access(PMCTRACK_INFO, R_OK);
	if (!d->has_pmctrack || core_types_read(&d->types, PMCTRACK_INFO, NULL))
		core_types_guess(&d->types, &d->cpus);
	core_types_keep(&d->types, &d->cpus);
	d->topology.types = d->types.nr ? d->types.nr : 1;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		d->topology.type[cpu] = d->types.nr ? (unsigned char)core_types_rank(&d->types, (unsigned int)cpu) : 0;
	for (i = 0; !core_types_are_alike(&before, &d->types) && i < d->nr; i++)
		app_weigh_anew(d->app[i]);
}

static void look_at_machine(struct daemon *d)
{
	cpu_set_t cpus;

	if (group_machine_cpus(&cpus))
		return;
	if (!CPU_EQUAL(&cpus, &d->cpus)) {
		d->cpus = cpus;
		d->machine.cpus = CPU_COUNT(&cpus);
		place_topology(&d->topology);
		look_at_types(d);
	} else if (d->steps % settings_rarely(&d->settings) == 0 && d->has_pmctrack != !access(PMCTRACK_INFO, R_OK)) {
		look_at_types(d);
	}
}

/* What slow CPUs are worth for a program matters only if it is given CPUs of its own. */
static void weigh(struct daemon *d)
{
	bool given = d->topology.types > 1 && d->actuator != ACTUATOR_BANDWIDTH;
	bool opened = false;
	size_t i;

	for (i = 0; d->topology.types > 1 && i < d->nr; i++)
		opened |= app_weigh(d->app[i], &d->types, given && d->settings.speedup_factor && !d->dry, !opened);
}

static void set_actuator(struct daemon *d, enum actuator actuator)
{
	bool whole = actuator == ACTUATOR_CPUS;

	d->actuator = d->refused = actuator;
	d->machine.unit = whole ? 1 : PART;
	d->machine.hysteresis = whole ? HYSTERESIS : 0.5;
}

/* True if a policy of sched_ext has all threads, because few policies look at cpu.max. */
static bool is_bandwidth_ignored(void)
{
	char text[32];

	return text_file_line(SCHED_EXT_DIR "/state", text, sizeof(text)) && !strcmp(text, "enabled") &&
	       text_file_line(SCHED_EXT_DIR "/switch_all", text, sizeof(text)) && strcmp(text, "0");
}

/* Adapt the actuator, because policies of sched_ext come and go. */
static void look_at_policy(struct daemon *d)
{
	enum actuator wanted = d->settings.actuator;
	size_t i;

	if (wanted != ACTUATOR_CPUS && is_bandwidth_ignored())
		wanted = ACTUATOR_CPUS;
	if (wanted == d->actuator)
		d->refused = wanted;
	if (wanted == d->refused)
		return;
	if (wanted == ACTUATOR_CPUS && !d->dry && home_begin(d->settings.group, true)) {
		complain("a policy of sched_ext runs, cpu.max may mean nothing to it, and there is no cpuset: "
			 "goals may not be held");
		d->refused = wanted;
		return;
	}
	if (wanted == ACTUATOR_CPUS)
		complain("a policy of sched_ext runs, and cpu.max may mean nothing to it: programs get whole CPUs");
	else
		complain("the policy of sched_ext has ended: programs get parts of CPUs again");
	/* If the actuator was both, programs keep CPUs of their own. */
	for (i = 0; i < d->nr; i++)
		app_free(d->app[i], d->actuator == ACTUATOR_BOTH ? ACTUATOR_BANDWIDTH : d->actuator);
	set_actuator(d, wanted);
}

int daemon_begin(struct daemon *d)
{
	struct rlimit files = {.rlim_cur = 0};
	int err = 0, moved;

	/* Each program needs some descriptors. */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	set_actuator(d, d->settings.actuator);
	if (!d->dry) {
		if (mkdir(DAEMON_FOLDER, 0755) && errno != EEXIST) {
			complain("%s: %s", DAEMON_FOLDER, strerror(errno));
			return -errno;
		}
		err = home_begin(d->settings.group, d->settings.actuator != ACTUATOR_BANDWIDTH);
		moved = group_recover(DAEMON_STATE);
		if (moved > 0)
			complain("%d processes of a qosd that was killed are back in their control groups", moved);
		if (err)
			return err;
	}
	look_at_machine(d);
	d->last_ns = monotonic_ns();
	return d->machine.cpus > 0 ? 0 : -EIO;
}

struct app *daemon_find(const struct daemon *d, pid_t pid)
{
	size_t i;

	for (i = 0; i < d->nr; i++)
		if (d->app[i]->info.pid == pid)
			return d->app[i];
	return NULL;
}

/*
 * A user with too many programs gets only some of them managed, so that other users' programs are
 * managed, too.
 */
static bool has_too_many(const struct daemon *d, uid_t uid)
{
	unsigned int nr = 0;
	size_t i;

	for (i = 0; i < d->nr; i++)
		nr += d->app[i]->info.uid == uid;
	return uid && nr >= d->settings.most_programs;
}

static bool is_managed(pid_t pid, void *data)
{
	return daemon_find(data, pid);
}

/* Take over a new program. Returns 1 if the rest must wait for another step. */
static int find_new(pid_t pid, void *data)
{
	struct daemon *d = data;
	struct throughput_reader *reader;
	struct throughput_info info;
	struct app *a, **more;

	if (throughput_open(pid, &reader))
		return 0;
	if (throughput_info(reader, &info) || has_too_many(d, info.uid)) {
		throughput_close(reader);
		return 0;
	}
	a = app_open(&d->settings, reader, &info, d->machine.cpus, d->dry);
	if (!a)
		return ++d->vain < IN_VAIN ? 0 : 1;
	more = realloc(d->app, (d->nr + 1) * sizeof(*more));
	if (!more) {
		app_close(a);
		return -ENOMEM;
	}
	d->app = more;
	more[d->nr++] = a;
	/* Where the program was is written down before it is moved. */
	save_state(d);
	app_take(a);
	/* Processes that were started meanwhile were moved, too. */
	save_state(d);
	if (d->verbose)
		nowait_printf("%s[%d]: %g to %g %s\n", a->info.name, (int)pid, a->goal.min, a->goal.max, a->info.unit);
	return ++d->takes < TAKES ? 0 : 1;
}

static void drop(struct daemon *d, size_t i)
{
	if (d->verbose)
		nowait_printf("%s[%d] has ended\n", d->app[i]->info.name, (int)d->app[i]->info.pid);
	if (app_close(d->app[i]))
		d->app[i] = d->app[--d->nr];
	else
		d->app[i]->left = "it has ended, and its processes are not all back yet";
	save_state(d);
}

/* Close programs that have ended in a unit, because the unit may have another program now. */
static void close_ended(struct daemon *d)
{
	size_t i;

	for (i = d->nr; i-- > 0;)
		if (d->app[i]->group.in_unit && !app_is_alive(d->app[i]))
			drop(d, i);
}

/*
 * Look for programs. Any user can make many files, so a step looks at some of them, and the next
 * step at others.
 */
static void find_programs(struct daemon *d)
{
	struct stat st = {.st_mtim = d->changed};
	bool rarely = d->steps % settings_rarely(&d->settings) == 0;

	/*
	 * Goals can be set later, too, so all files are looked at each second. If as many programs
	 * were taken over as is possible in a step, there may be more.
	 */
	stat(PROGRAMS, &st);
	if (!rarely && d->takes < TAKES && (d->first || (d->changed.tv_sec == st.st_mtim.tv_sec &&
				     d->changed.tv_nsec == st.st_mtim.tv_nsec)))
		return;
	d->changed = st.st_mtim;
	d->vain = 0;
	d->takes = 0;
	close_ended(d);
	throughput_some(&d->first, FILES, is_managed, find_new, d);
}

void daemon_look(struct daemon *d)
{
	size_t i;

	/* A rate that covers one step is measured when the step ends. */
	for (i = 0; i < d->nr; i++)
		if (d->app[i]->window_s > d->settings.step_s)
			app_look(d->app[i]);
}

/* Let all programs ask for CPUs; those that have ended are dropped. */
static void ask(struct daemon *d, double seconds)
{
	size_t i;

	for (i = d->nr; i-- > 0;)
		if (!app_step(d->app[i], &d->settings, d->machine.cpus, seconds))
			drop(d, i);
}

static int by_user(const void *one, const void *other)
{
	const struct app *a = *(struct app *const *)one, *b = *(struct app *const *)other;

	if (a->info.uid != b->info.uid)
		return a->info.uid < b->info.uid ? -1 : 1;
	return a->info.pid < b->info.pid ? -1 : a->info.pid > b->info.pid;
}

/*
 * Limit the CPUs of each user, because rates are only what programs say. @managed is sorted by
 * user.
 */
static void limit_users(const struct daemon *d, const struct qos_machine *machine,
			struct app **managed, struct qos_share *share, size_t n)
{
	size_t first, end;

	for (first = 0; d->settings.most_cpus > 0 && first < n; first = end) {
		uid_t uid = managed[first]->info.uid;

		for (end = first; end < n && managed[end]->info.uid == uid; end++)
			;
		if (uid)
			qos_limit(machine, d->settings.most_cpus, share + first, end - first);
	}
}

/* Divide the CPUs among managed programs. CPUs of a paused program are not given to others. */
static void divide(struct daemon *d, struct app **managed, size_t n, double cpus)
{
	struct qos_machine machine = d->machine;
	struct qos_share *share = calloc(n ? n : 1, sizeof(*share));
	unsigned int *user = calloc(n ? n : 1, sizeof(*user));
	size_t i;

	machine.cpus = fmax(cpus, machine.unit);
	if (!share || !user)
		goto out;
	qsort(managed, n, sizeof(*managed), by_user);
	for (i = 0; i < n; i++) {
		share[i] = managed[i]->share;
		user[i] = managed[i]->info.uid;
	}
	limit_users(d, &machine, managed, share, n);
	qos_divide_users(&machine, share, user, n);
	qos_allocate(&machine, share, n);
	for (i = 0; i < n; i++)
		managed[i]->share = share[i];
out:
	free(user);
	free(share);
}

/* Choose CPUs. Paused programs keep theirs: they come first, and want what they have. */
static void place(struct daemon *d, struct app **managed, size_t n)
{
	struct place *place = calloc(d->nr ? d->nr : 1, sizeof(*place));
	cpu_set_t free_cpus = d->cpus, theirs;
	size_t i, paused = 0;

	if (!place)
		return;
	for (i = 0; i < d->nr; i++) {
		if (!d->app[i]->paused || d->app[i]->left)
			continue;
		/* CPUs that have gone since then are not replaced. */
		CPU_AND(&theirs, &d->cpus, &d->app[i]->cpus);
		if (CPU_COUNT(&theirs))
			place[paused++] = (struct place){.wanted = (unsigned int)CPU_COUNT(&theirs), .cpus = theirs};
	}
	for (i = 0; i < n; i++) {
		struct place *p = &place[paused + i];

		p->wanted = (unsigned int)fmax(ceil(managed[i]->share.granted - 0.01), 1);
		memcpy(p->worth, managed[i]->worth, sizeof(p->worth));
		p->is_known = managed[i]->is_known;
		p->cpus = managed[i]->cpus;
	}
	place_all(&d->cpus, &d->topology, place, paused + n);
	for (i = 0; i < paused; i++) {
		CPU_AND(&theirs, &free_cpus, &place[i].cpus);
		CPU_XOR(&free_cpus, &free_cpus, &theirs);
	}
	/*
	 * Each exchange moves two programs, so it is done seldom, and never with paused programs.
	 */
	if (d->steps % settings_rarely(&d->settings) == 0)
		place_faster(&free_cpus, &d->topology, place + paused, n);
	for (i = 0; i < n; i++) {
		managed[i]->cpus = place[paused + i].cpus;
		/* If there are more programs than CPUs, some share one. */
		if (managed[i]->share.granted < PART)
			managed[i]->share.granted = d->machine.cpus / (double)n;
	}
	free(place);
}

/*
 * Save which programs are left alone from now on: a qosd that starts after a crash must not change
 * them.
 */
static void note_left(struct daemon *d)
{
	unsigned long left = 0;
	size_t i;

	for (i = 0; i < d->nr; i++)
		left += d->app[i]->left ? (unsigned long)d->app[i]->info.pid : 0;
	if (left == d->left)
		return;
	d->left = left;
	save_state(d);
}

void daemon_step(struct daemon *d)
{
	uint64_t now = monotonic_ns();
	struct app **managed;
	double cpus;
	size_t i, n = 0;

	look_at_machine(d);
	look_at_policy(d);
	find_programs(d);
	weigh(d);
	ask(d, (double)(now - d->last_ns) / 1e9);
	d->last_ns = now;
	d->steps++;
	managed = calloc(d->nr ? d->nr : 1, sizeof(*managed));
	if (!managed)
		return;
	cpus = d->machine.cpus;
	for (i = 0; i < d->nr; i++) {
		if (app_is_managed(d->app[i]))
			managed[n++] = d->app[i];
		else if (d->app[i]->paused && !d->app[i]->left)
			cpus -= d->app[i]->share.granted;
	}
	divide(d, managed, n, cpus);
	if (d->actuator != ACTUATOR_BANDWIDTH)
		place(d, managed, n);
	for (i = 0; i < n; i++) {
		app_give(managed[i], d->actuator);
		if (d->verbose)
			nowait_printf("%s[%d]: %.4g %s, asks for %.2f, gets %.2f CPUs: %s\n", managed[i]->info.name,
				      (int)managed[i]->info.pid, managed[i]->shown, managed[i]->info.unit,
				      managed[i]->share.demand, managed[i]->share.granted, app_state_name(managed[i]));
	}
	note_left(d);
	free(managed);
}

void daemon_end(struct daemon *d)
{
	size_t i;

	for (i = d->nr; i-- > 0;) {
		if (app_close(d->app[i]))
			d->app[i] = d->app[--d->nr];
		else
			complain("%s: not all processes are back: start qosd again", d->app[i]->group.path);
	}
	/* The next qosd has to put right what is left. */
	if (!d->dry) {
		save_state(d);
		home_end();
	}
	free(d->app);
	d->app = NULL;
	d->nr = 0;
}
