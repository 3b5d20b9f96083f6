// SPDX-License-Identifier: GPL-2.0-or-later
/* The modules that handle processes and files: what they do to children of the test. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "proc.h"
#include "../src/cgroup.h"
#include "../src/guardian.h"
#include "../src/iterations.h"
#include "../src/unit.h"
#include "../src/warden.h"

/* A child in a process group of its own, with a child in that group, and one that has left it. */
static struct run_unit family;

static char state_of(pid_t pid)
{
	struct proc p;

	return proc_read(pid, &p) ? '-' : p.state;
}

/* Wait until the process is stopped ('T'), or is not stopped. */
static void expect_state(pid_t pid, char state)
{
	int i;

	for (i = 0; i < 5000 && (state_of(pid) == 'T') != (state == 'T'); i++)
		usleep(1000);
	assert_int_equal(state_of(pid) == 'T', state == 'T');
}

static pid_t member, stray;

static int start_family(void **state)
{
	pid_t pids[2];
	struct proc p;
	int ends[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		setpgid(0, 0);
		pids[0] = fork();
		if (!pids[0])
			for (;;)
				pause();
		pids[1] = fork();
		if (!pids[1]) {
			setpgid(0, 0);
			for (;;)
				pause();
		}
		setpgid(pids[1], pids[1]);
		if (write(ends[1], pids, sizeof(pids)) != sizeof(pids))
			_exit(1);
		for (;;)
			pause();
	}
	close(ends[1]);
	family.group = pid;
	assert_int_equal(read(ends[0], pids, sizeof(pids)), sizeof(pids));
	assert_true(pids[0] > 0 && pids[1] > 0);
	close(ends[0]);
	member = pids[0];
	stray = pids[1];
	assert_int_equal(proc_read(pid, &p), 0);
	memset(&family, 0, sizeof(family));
	family.kind = UNIT_GROUP;
	family.group = pid;
	family.group_start = p.start;
	return 0;
}

static int end_family(void **state)
{
	(void)state;
	kill(stray, SIGKILL);
	kill(-family.group, SIGKILL);
	return waitpid(family.group, NULL, 0) == family.group ? 0 : -1;
}

static void groups(void **state)
{
	pid_t leader = family.group;

	(void)state;
	assert_int_equal(unit_stop(&family), 0);
	assert_true(family.stopped);
	expect_state(leader, 'T');
	expect_state(member, 'T');
	expect_state(stray, 'S');
	/* By another process: the executor still has to release the unit. */
	assert_int_equal(unit_continue(&family), 0);
	assert_true(family.stopped);
	expect_state(leader, 'S');
	assert_int_equal(unit_release(&family), 0);
	assert_false(family.stopped);
	expect_state(member, 'S');
}

/* A process that has left the group is found by its parents, and is stopped with the tree. */
static void trees(void **state)
{
	struct run_unit tree = { .kind = UNIT_TREE };
	pid_t leader = family.group;

	(void)state;
	assert_int_equal(unit_find_tree(&tree, leader, family.group_start + 1, getpid()), -ESRCH);
	assert_int_equal(unit_find_tree(&tree, leader, family.group_start, stray), -EDEADLK);
	assert_int_equal(unit_find_tree(&tree, leader, family.group_start, getpid()), 0);
	assert_int_equal(tree.nr_procs, 3);
	assert_true(unit_is_alive(&tree));
	assert_int_equal(unit_stop(&tree), 0);
	expect_state(leader, 'T');
	expect_state(member, 'T');
	expect_state(stray, 'T');
	assert_int_equal(unit_release(&tree), 0);
	expect_state(leader, 'S');
	expect_state(stray, 'S');
	/* No other process gets a signal because it has the PID of one that was in the tree. */
	tree.proc[0].start++;
	tree.proc[1].start++;
	tree.proc[2].start++;
	assert_false(unit_is_alive(&tree));
	assert_int_equal(unit_stop(&tree), -ESRCH);
	assert_int_not_equal(state_of(leader), 'T');
}

/* Rescue continues only what is stopped, and only if the number is not another group's by now. */
static void rescued(void **state)
{
	pid_t leader = family.group;

	(void)state;
	assert_int_equal(unit_rescue(&family), 0);
	assert_int_equal(unit_stop(&family), 0);
	expect_state(leader, 'T');
	expect_state(member, 'T');
	family.group_start++;
	assert_int_equal(unit_rescue(&family), 0);
	assert_int_equal(state_of(leader), 'T');
	family.group_start--;
	assert_int_equal(unit_rescue(&family), 2);
	expect_state(leader, 'S');
	expect_state(member, 'S');
}

static char folder[] = "/tmp/process_test.XXXXXX";

/* Only this user can read a run's file. It is opened only if version, number and size are right. */
static void run_files(void **state)
{
	char path[300];
	struct run *run, *again;
	struct stat st;

	(void)state;
	assert_int_equal(run_folder(path, sizeof(path)), 0);
	run = run_create(3, path, sizeof(path));
	assert_non_null(run);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 077, 0);
	assert_int_equal(run->guardian, getpid());
	again = run_open(path);
	assert_non_null(again);
	run->unit[2].stopped = 1;
	assert_int_equal(again->unit[2].stopped, 1);
	assert_int_equal(again->nr, 3);
	run->version++;
	assert_null(run_open(path));
	run->version--;
	run->nr = RUN_MAX_UNITS + 1;
	assert_null(run_open(path));
	assert_int_equal(truncate(path, 100), 0);
	assert_null(run_open(path));
	assert_int_equal(unlink(path), 0);
	assert_null(run_open(path));
}

static void iterations(void **state)
{
	static const char expected[] = "unit,program,begin_s,end_s,status\n"
		"0,\"app\",0.500000,2.000000,0\n"
		"7,\"a \"\"b\"\", c\",-0.100000,1.000000,137\n"
		"7,\"x\",0.000000,0.000000,3\n";
	char path[100], text[300];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/log", folder);
	fd = iterations_open(path);
	assert_true(fd >= 0);
	assert_int_equal(iterations_add(fd, 0, "/usr/bin/app", 500000000, 2000000000, 0), 0);
	assert_int_equal(iterations_add(fd, 7, "a \"b\", c", -100000000, 1000000000, SIGKILL), 0);
	assert_int_equal(iterations_add(fd, 7, "x", 0, 0, 3 << 8), 0);
	assert_int_equal(close(fd), 0);
	fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, text, sizeof(text)), sizeof(expected) - 1);
	close(fd);
	assert_memory_equal(text, expected, sizeof(expected) - 1);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(iterations_open(folder), -EISDIR);
	assert_int_equal(iterations_open("/dev/full"), -ENOSPC);
}

/* Make the family the only unit of a run, stopped by an executor that has died since. */
static void leave_stopped(struct run *run)
{
	struct run_unit *u = &run->unit[0];

	memset(run, 0, sizeof(*run));
	run->nr = 1;
	u->kind = family.kind;
	u->group = family.group;
	u->group_start = family.group_start;
	u->due = INT64_MAX / 2;
	assert_int_equal(unit_stop(u), 0);
	expect_state(family.group, 'T');
}

/* A unit may be stopped until it is due, and RUN_PATIENCE longer. */
static void overdue(void **state)
{
	static struct run run;

	(void)state;
	leave_stopped(&run);
	run.unit[0].due = run_now();
	guardian_continue_overdue(&run);
	usleep(1000);
	assert_int_equal(state_of(family.group), 'T');
	run.unit[0].due = run_now() - RUN_PATIENCE - 1;
	guardian_continue_overdue(&run);
	expect_state(family.group, 'S');
	/* At the end, all units are continued. */
	leave_stopped(&run);
	guardian_continue_all(&run);
	expect_state(family.group, 'S');
}

/* While the run is not attended, all units are continued, due or not. */
static void unattended(void **state)
{
	static struct run run;

	(void)state;
	leave_stopped(&run);
	assert_true(run_is_attended(&run));
	guardian_continue_overdue(&run);
	usleep(1000);
	assert_int_equal(state_of(family.group), 'T');
	run.master_hung = true;
	assert_false(run_is_attended(&run));
	guardian_continue_overdue(&run);
	expect_state(family.group, 'S');
	run.master_hung = false;
	run.guardian_hung = true;
	assert_false(run_is_attended(&run));
	run.guardian_hung = false;
	assert_true(run_is_attended(&run));
	run.paused = 1;
	assert_false(run_is_attended(&run));
}

/* A process that only waits for a CPU is not hung; one that has never reported is not silent. */
static void silences(void **state)
{
	int64_t before = run_now() - RUN_SILENCE - 1;

	(void)state;
	assert_false(run_is_silent(0, RUN_SILENCE));
	assert_true(run_is_silent(before, RUN_SILENCE));
	assert_false(run_is_hung(member, run_now(), 1000 * NS_PER_S));
	assert_int_equal(kill(member, SIGSTOP), 0);
	expect_state(member, 'T');
	assert_true(run_is_hung(member, before, RUN_SILENCE));
	assert_int_equal(state_of(getpid()), 'R');
	assert_false(run_is_hung(getpid(), before, RUN_SILENCE));
}

/* Which signals are pending for a stopped process, and what messages say about it. */
static void stopped_processes(void **state)
{
	uint64_t term = 1ULL << (SIGTERM - 1);
	int i;

	(void)state;
	assert_int_equal(proc_pending(member) & term, 0);
	assert_string_equal(proc_trouble(member), "does not answer");
	assert_int_equal(kill(member, SIGSTOP), 0);
	expect_state(member, 'T');
	assert_string_equal(proc_trouble(member), "is stopped");
	assert_int_equal(kill(member, SIGTERM), 0);
	for (i = 0; i < 5000 && !(proc_pending(member) & term); i++)
		usleep(1000);
	assert_true(proc_pending(member) & term);
	assert_int_equal(proc_pending(1 << 30), 0);
	assert_string_equal(proc_trouble(1 << 30), "has ended");
}

static struct warden warden;

/* The warden continues all units when all others are gone, and overdue units before that. */
static void wardens(void **state)
{
	struct run *run = mmap(NULL, sizeof(*run), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t first;
	int status, i;

	(void)state;
	assert_ptr_not_equal(run, MAP_FAILED);
	leave_stopped(run);
	assert_int_equal(warden_open(&warden, run), 0);
	first = warden.pid;
	warden_keep(&warden, run);
	assert_int_equal(warden.pid, first);
	run->unit[0].due = run_now() - RUN_PATIENCE - 1;
	expect_state(family.group, 'S');
	/* The warden cannot be stopped for long. */
	leave_stopped(run);
	assert_int_equal(kill(first, SIGSTOP), 0);
	run->unit[0].due = run_now() - RUN_PATIENCE - 1;
	expect_state(family.group, 'S');
	/* A warden that seems to hang all the same is replaced, like one that has been killed. */
	run->warden_at = run_now() - 100 * NS_PER_S;
	warden_keep(&warden, run);
	for (i = 0; i < 5000 && warden.pid == first; i++) {
		usleep(1000);
		warden_keep(&warden, run);
	}
	assert_true(warden.pid > 0 && warden.pid != first);
	first = warden.pid;
	kill(first, SIGKILL);
	for (i = 0; i < 5000 && warden.pid == first; i++) {
		usleep(1000);
		warden_keep(&warden, run);
	}
	assert_true(warden.pid > 0 && warden.pid != first);
	leave_stopped(run);
	close(warden.ends[1]);
	assert_int_equal(waitpid(warden.pid, &status, 0), warden.pid);
	assert_int_equal(status, 0);
	expect_state(family.group, 'S');
	close(warden.ends[0]);
	munmap(run, sizeof(*run));
}

/* If the user may have no more processes, no warden is started, which the master has to report. */
static void no_warden(void **state)
{
	const struct rlimit none = { 0, 0 };
	static struct run run;
	struct warden w = {};
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		/* root may exceed the limit */
		if (setrlimit(RLIMIT_NPROC, &none) || (!geteuid() && setuid(54321)))
			_exit(1);
		warden_keep(&w, &run);
		_exit(w.pid || run.warden_error != -EAGAIN ? 2 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Two groups of version 2, one in the other. */
static char outer[PATH_MAX], inner[PATH_MAX + 10];

static int make_cgroups(void **state)
{
	char own[PATH_MAX - 30];

	*state = NULL;
	if (cgroup_own(own, sizeof(own)))
		return 0;
	snprintf(outer, sizeof(outer), "%s/process_test.XXXXXX", own);
	if (!mkdtemp(outer))
		return 0;
	snprintf(inner, sizeof(inner), "%s/inner", outer);
	*state = outer;
	return mkdir(inner, 0700);
}

static int remove_cgroups(void **state)
{
	return *state ? cgroup_remove(outer) : 0;
}

static bool is_frozen(const char *group)
{
	char path[PATH_MAX + 50], text[100] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.events", group);
	fd = open(path, O_RDONLY);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return strstr(text, "frozen 1");
}

/* Freezing takes a moment. */
static void expect_frozen(const char *group, bool frozen)
{
	int i;

	for (i = 0; i < 5000 && is_frozen(group) != frozen; i++)
		usleep(1000);
	assert_int_equal(is_frozen(group), frozen);
}

static void cgroups(void **state)
{
	struct run_unit u = { .kind = UNIT_FREEZER };
	int status, i;
	pid_t pid;

	if (!*state)
		skip();
	assert_true(strlen(inner) < sizeof(u.path));
	strcpy(u.path, outer);
	assert_false(cgroup_has_us(outer));
	assert_false(unit_is_alive(&u));
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (cgroup_enter(inner) || !cgroup_has_us(inner) || !cgroup_has_us(outer))
			_exit(1);
		for (;;)
			pause();
	}
	while (!unit_is_alive(&u) && !waitpid(pid, &status, WNOHANG))
		usleep(1000);
	/* Groups below are stopped and continued, too. */
	assert_int_equal(unit_stop(&u), 0);
	expect_frozen(inner, true);
	assert_int_equal(unit_continue(&u), 0);
	assert_true(u.stopped);
	expect_frozen(inner, false);
	assert_int_equal(unit_release(&u), 0);
	assert_false(u.stopped);
	assert_int_equal(unit_rescue(&u), 0);
	/* Rescue continues what a run that is gone left frozen. SIGKILL ends frozen processes. */
	assert_int_equal(unit_stop(&u), 0);
	expect_frozen(inner, true);
	assert_int_equal(unit_rescue(&u), 1);
	expect_frozen(inner, false);
	assert_int_equal(unit_rescue(&u), 0);
	assert_int_equal(unit_stop(&u), 0);
	assert_int_equal(cgroup_remove(outer), -EBUSY);
	unit_signal(&u, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	/* Newer kernels take a moment to report that the group is empty. */
	for (i = 0; i < 5000 && unit_is_alive(&u); i++)
		usleep(1000);
	assert_false(unit_is_alive(&u));
	strcat(u.path, "/gone");
	assert_int_equal(unit_stop(&u), -ESRCH);
	assert_int_equal(cgroup_enter(u.path), -ENOENT);
}

static int clean_up(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(groups, start_family, end_family),
		cmocka_unit_test_setup_teardown(trees, start_family, end_family),
		cmocka_unit_test_setup_teardown(rescued, start_family, end_family),
		cmocka_unit_test_setup_teardown(overdue, start_family, end_family),
		cmocka_unit_test_setup_teardown(unattended, start_family, end_family),
		cmocka_unit_test_setup_teardown(silences, start_family, end_family),
		cmocka_unit_test_setup_teardown(stopped_processes, start_family, end_family),
		cmocka_unit_test_setup_teardown(wardens, start_family, end_family),
		cmocka_unit_test_setup_teardown(cgroups, make_cgroups, remove_cgroups),
		cmocka_unit_test(no_warden),
		cmocka_unit_test(run_files), cmocka_unit_test(iterations),
	};

	if (!mkdtemp(folder))
		return 1;
	return cmocka_run_group_tests(tests, NULL, clean_up);
}
