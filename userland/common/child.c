// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program to monitor. It is forked first and held back, so that the
 * session can name it; counting begins at its exec, not in our code.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "complain.h"
#include "exit_status.h"

int child_block_signals(struct child *c)
{
	const struct sigaction ordinary = { .sa_handler = SIG_DFL };
	sigset_t set;

	/* If SIGCHLD is ignored, the end of a child is not reported. */
	sigaction(SIGCHLD, &ordinary, &c->on_child);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	c->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	/* The tool goes on if the reader of its output goes away. */
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, &c->mask);
	return c->signals < 0 ? -errno : 0;
}

static void become_program(int go, int failure, const struct child *c)
{
	ssize_t n;
	char byte;
	int err;

	do {
		n = read(go, &byte, 1);
	} while (n < 0 && errno == EINTR);
	/* The tool has not let the program run: nothing monitors it. */
	if (n != 1)
		_exit(STATUS_FAILED);
	sigaction(SIGCHLD, &c->on_child, NULL);
	sigprocmask(SIG_SETMASK, &c->mask, NULL);
	if (c->cpus && sched_setaffinity(0, sizeof(*c->cpus), c->cpus)) {
		err = -errno;	/* negative: not exec's fault */
	} else {
		execvp(c->argv[0], c->argv);
		err = errno;
	}
	if (write(failure, &err, sizeof(err)) < 0)
		_exit(STATUS_FAILED);
	_exit(STATUS_CANNOT_RUN);
}

int child_prepare(struct child *c)
{
	int go[2], failure[2];

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failure, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return -errno;
	}
	c->pid = fork();
	if (c->pid == 0) {
		close(go[1]);
		close(failure[0]);
		become_program(go[0], failure[1], c);
	}
	close(go[0]);
	close(failure[1]);
	c->go = go[1];
	c->failure = failure[0];
	return c->pid < 0 ? -errno : 0;
}

int child_run(struct child *c)
{
	int err = 0;
	ssize_t n;

	/* If the program was killed meanwhile, read() below returns the end of the file. */
	n = write(c->go, "", 1);
	close(c->go);
	do {
		n = read(c->failure, &err, sizeof(err));
	} while (n < 0 && errno == EINTR);
	close(c->failure);
	if (n != sizeof(err))
		return 0;
	waitpid(c->pid, NULL, 0);
	if (err < 0) {
		complain("-b: cannot run on these CPUs: %s", strerror(-err));
		return STATUS_FAILED;
	}
	complain("cannot run '%s': %s", c->argv[0], strerror(err));
	return err == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

void child_abandon(struct child *c)
{
	kill(c->pid, SIGKILL);
	close(c->go);
	close(c->failure);
	waitpid(c->pid, NULL, 0);
}

static void reap(struct child *c)
{
	if (!c->over && wait4(c->pid, &c->status, WNOHANG, &c->usage) == c->pid)
		c->over = true;
}

bool child_take_signals(struct child *c)
{
	struct signalfd_siginfo si;
	bool asked = false;

	while (read(c->signals, &si, sizeof(si)) == sizeof(si)) {
		if (!c->argv)
			asked |= si.ssi_signo != SIGCHLD;
		else if (si.ssi_signo == SIGCHLD)
			reap(c);
		/* A terminal signals the program, too; others signal the tool only. */
		else if (si.ssi_code != SI_KERNEL && !c->over)
			kill(c->pid, (int)si.ssi_signo);
	}
	return asked;
}

int child_exit_status(const struct child *c)
{
	return WIFEXITED(c->status) ? WEXITSTATUS(c->status) : 128 + WTERMSIG(c->status);
}
