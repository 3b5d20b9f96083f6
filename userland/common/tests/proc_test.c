// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "proc.h"

static void processes_are_told_apart(void **state)
{
	struct proc p;

	(void)state;
	assert_int_equal(proc_read(getpid(), &p), 0);
	assert_int_equal(p.parent, getppid());
	assert_int_equal(p.group, getpgrp());
	assert_true(proc_is(p.pid, p.start));
	assert_false(proc_is(p.pid, p.start + 1));
	assert_int_equal(proc_signal(p.pid, p.start, 0), 0);
	assert_int_equal(proc_signal(p.pid, p.start + 1, SIGKILL), -ESRCH);
	assert_int_equal(proc_read(1 << 30, &p), -ESRCH);
}

/* The name of a process may look like the end of the line. */
static void names_may_be_anything(void **state)
{
	struct proc p;
	char name[16];

	(void)state;
	assert_int_equal(prctl(PR_GET_NAME, name), 0);
	assert_int_equal(prctl(PR_SET_NAME, "x) Z 1 1 (y"), 0);
	assert_int_equal(proc_read(getpid(), &p), 0);
	assert_int_equal(p.parent, getppid());
	assert_int_equal(p.state, 'R');
	assert_int_equal(prctl(PR_SET_NAME, name), 0);
}

static void zombies_have_ended(void **state)
{
	struct proc p;
	pid_t pid = fork();
	siginfo_t end;

	(void)state;
	if (!pid)
		_exit(0);
	assert_true(pid > 0);
	assert_int_equal(waitid(P_PID, pid, &end, WEXITED | WNOWAIT), 0);
	assert_int_equal(proc_read(pid, &p), 0);
	assert_int_equal(p.state, 'Z');
	assert_false(proc_is(pid, p.start));
	assert_int_equal(proc_signal(pid, p.start, 0), -ESRCH);
	assert_string_equal(proc_trouble(pid), "has ended");
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void signals_wait_while_blocked(void **state)
{
	sigset_t blocked, before;
	const uint64_t usr1 = 1ULL << (SIGUSR1 - 1);
	const struct timespec now = {};

	(void)state;
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	assert_int_equal(sigprocmask(SIG_BLOCK, &blocked, &before), 0);
	assert_int_equal(proc_pending(getpid()) & usr1, 0);
	assert_int_equal(kill(getpid(), SIGUSR1), 0);
	assert_int_equal(proc_pending(getpid()) & usr1, usr1);
	assert_int_equal(sigtimedwait(&blocked, NULL, &now), SIGUSR1);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
	assert_int_equal(proc_pending(1 << 30), 0);
}

static void find_us(const struct proc *p, void *data)
{
	if (p->pid == getpid())
		++*(int *)data;
}

static void each_process_is_found_once(void **state)
{
	int found = 0;

	(void)state;
	proc_each(find_us, &found);
	assert_int_equal(found, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_are_told_apart),
		cmocka_unit_test(names_may_be_anything),
		cmocka_unit_test(zombies_have_ended),
		cmocka_unit_test(signals_wait_while_blocked),
		cmocka_unit_test(each_process_is_found_once),
	};

	return cmocka_run_group_tests_name("processes", tests, NULL, NULL);
}
