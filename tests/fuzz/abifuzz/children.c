// SPDX-License-Identifier: GPL-2.0-or-later
#include "children.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/pmctrack.h>
#include <pmctrack/libpmctrack.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "grammar.h"
#include "memory.h"
#include "report.h"
#include "sessions.h"

/* Of a fuzzer that hurries, a millisecond of work has 20 us, and children rest longer. */
#define QUICK_MS_NS	20000
#define REST_US		15000
#define QUICK_REST_US	300000

static pid_t children[NR_CHILDREN];
static pid_t marked[NR_CHILDREN];
static bool quick;

void children_hurry(void)
{
	quick = true;
}

void burn_ms(unsigned int ms)
{
	struct timespec now, end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_nsec += (long)ms * (quick ? QUICK_MS_NS : 1000000);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - end.tv_sec) * 1000000000LL + now.tv_nsec < end.tv_nsec);
}

static void *thread_burn(void *arg)
{
	burn_ms((unsigned int)(uintptr_t)arg);
	return NULL;
}

static void exec_self(const char *kind)
{
	char *const argv[] = { "abifuzz", "--child", (char *)kind, quick ? "--quick" : NULL, NULL };

	execv("/proc/self/exe", argv);
	_exit(127);
}

static void *thread_exec(void *arg)
{
	usleep(3000);
	exec_self(arg);
	return NULL;
}

static void child_threads(void *(*fn)(void *), void *arg)
{
	pthread_t t[3];
	int n = 0;

	while (n < 3 && pthread_create(&t[n], NULL, fn, arg) == 0)
		n++;
	while (n)
		pthread_join(t[--n], NULL);
}

static void child_fork(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		burn_ms(1);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* Start and stop the sessions that the child has from its parent. */
static void child_start_stop(void)
{
	for (unsigned int i = 0; i < NR_SESSIONS; i++) {
		int fd = session_peek(i);

		if (fd < 0)
			continue;
		ioctl(fd, PMCTRACK_IOC_START);
		burn_ms(1);
		ioctl(fd, PMCTRACK_IOC_STOP);
	}
}

/* A program that measures itself. */
static void child_library(void)
{
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	struct pmctrack_evset *set = pmctrack_evset__parse_raw(ctl, "pmc0,pmc1=0x11");
	struct pmctrack_session *s = pmctrack_session__open(ctl, &set, 1, NULL);
	const struct pmctrack_record *rec;

	if (s && !pmctrack_session__start(s)) {
		burn_ms(1);
		pmctrack_session__stop(s);
		pmctrack_session__next(s, &rec);
	}
	pmctrack_session__close(s);
	pmctrack_evset__free(set);
	pmctrack_ctl__close(ctl);
}

static void child_move(unsigned int i)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(i % 2, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	burn_ms(1);
}

void child_main(unsigned int kind)
{
	char *const mount[] = { "mount", "--version", NULL };

	for (unsigned int i = 0; ; i++) {
		switch (kind) {
		case 0:
			burn_ms(1);
			break;
		case 1:
			pause();
			break;
		case 2:
			child_fork();
			break;
		case 3:
			child_threads(thread_burn, (void *)1);
			break;
		case 4:
			usleep(3000);
			exec_self("4");
			break;
		case 5:
			burn_ms(3);
			_exit(0);
		case 6:
			child_start_stop();
			break;
		case 7:	/* execute a set-uid program */
			burn_ms(2);
			dup2(open("/dev/null", O_WRONLY), 1);
			execv("/bin/mount", mount);
			_exit(127);
		case 8:
			child_move(i);
			break;
		case 9:
			child_library();
			break;
		case 10:	/* exec by a thread that is not the leader */
			child_threads(thread_exec, "10");
			break;
		default:
			burn_ms(2);
			raise(SIGSEGV);
		}
		/* Leave CPU time to the fuzzer and the other children. */
		usleep(quick ? QUICK_REST_US : REST_US);
	}
}

pid_t child_get(struct args *a)
{
	unsigned int slot = (unsigned int)next_number(a);

	for (unsigned int i = 0; slot < NR_CHILDREN && i < NR_CHILDREN; i++) {
		if (children[(slot + i) % NR_CHILDREN] > 0)
			return children[(slot + i) % NR_CHILDREN];
	}
	return slot < NR_CHILDREN ? 0 : getpid();
}

static void child_end(unsigned int slot)
{
	if (children[slot] <= 0)
		return;
	kill(-children[slot], SIGKILL);
	kill(children[slot], SIGKILL);
	waitpid(children[slot], NULL, 0);
	children[slot] = 0;
}

void children_end(void)
{
	for (unsigned int i = 0; i < NR_CHILDREN; i++)
		child_end(i);
}

void children_mark(void)
{
	memcpy(marked, children, sizeof(marked));
}

void children_end_new(void)
{
	for (unsigned int i = 0; i < NR_CHILDREN; i++) {
		if (children[i] != marked[i])
			child_end(i);
	}
}

void become_user(void)
{
	if (setgroups(0, NULL) || setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000))
		_exit(126);
}

enum outcome op_spawn(struct args *a)
{
	struct rlimit no_core = { 0, 0 };
	unsigned int slot = (unsigned int)next_number(a) % NR_CHILDREN, kind = (unsigned int)next_number(a);
	bool keep = next_number(a), user = next_number(a);
	pid_t pid;

	child_end(slot);
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		setrlimit(RLIMIT_CORE, &no_core);
		if (!keep)
			sessions_close();
		memory_release();
		if (user)
			become_user();
		signal(SIGALRM, SIG_DFL);
		child_main(kind % NR_KINDS);
	}
	if (pid > 0) {
		setpgid(pid, pid);
		children[slot] = pid;
	}
	return judge(pid, "fork", EAGAIN, ENOMEM, 0);
}

enum outcome op_kill(struct args *a)
{
	pid_t pid = child_get(a);
	int sig = (int)next_number(a);

	if (!pid || pid == getpid())
		return IDLE;
	return judge(kill(pid, sig), "kill", ESRCH, EPERM, 0);
}

enum outcome op_affine(struct args *a)
{
	pid_t pid = child_get(a);
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	for (uint64_t mask = next_number(a), i = 0; i < 3; i++) {
		if (mask >> i & 1)
			CPU_SET(i, &cpus);
	}
	return pid ? judge(sched_setaffinity(pid == getpid() ? 0 : pid, sizeof(cpus), &cpus),
			   "affinity", EINVAL, ESRCH, EPERM, 0) : IDLE;
}

enum outcome op_fork(struct args *a)
{
	pid_t pid = fork();

	if (pid == 0) {
		/* With an argument, the grandchild becomes an orphan. */
		if (next_number(a) && fork() == 0)
			usleep(2000);
		burn_ms(1);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return judge(pid, "fork", EAGAIN, ENOMEM, 0);
}

enum outcome op_burn(struct args *a)
{
	burn_ms((unsigned int)next_number(a) % 21);
	return OK;
}

enum outcome op_wait(struct args *a)
{
	usleep((useconds_t)next_number(a) % 21 * (quick ? QUICK_MS_NS / 1000 : 1000));
	return OK;
}
