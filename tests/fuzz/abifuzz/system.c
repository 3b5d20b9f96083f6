// SPDX-License-Identifier: GPL-2.0-or-later
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "children.h"
#include "grammar.h"
#include "memory.h"
#include "report.h"
#include "sessions.h"

#define CGROUP		"/sys/fs/cgroup/abifuzz"
#define MODULES		"/opt/pmctrack/modules/pmctrack_mmon_"

static int cgroups[2];
static bool perf_works;		/* on this machine, while no session is open */

/* Write to a file. The caller may lack the right: documented errors are a refusal. */
static enum outcome write_text(const char *path, const void *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	enum outcome got;

	if (fd < 0)
		return errno == EMFILE ? IDLE : judge(-1, path, EACCES, ENOENT, 0);
	/* EOPNOTSUPP: the PMU lacks an event of the module. ESRCH: from /proc/pmc_test. */
	got = judge(write(fd, text, len), path, EPERM, E2BIG, EINVAL, ERANGE, ENOENT, EOPNOTSUPP, ESRCH, EBUSY, 0);
	close(fd);
	return got;
}

enum outcome op_config(struct args *a)
{
	uint8_t text[200];

	return write_text("/proc/pmc/config", text, from_hex(next_word(a), text, sizeof(text)));
}

enum outcome op_mmon(struct args *a)
{
	uint8_t text[200];

	return write_text("/proc/pmc/mmon_manager", text, from_hex(next_word(a), text, sizeof(text)));
}

static enum outcome test_module(struct args *a, const char *what)
{
	char text[64];
	pid_t pid = child_get(a);

	if (!pid)
		return IDLE;
	snprintf(text, sizeof(text), "%s %d %d", what, pid, (int)next_number(a));
	return write_text("/proc/pmc_test", text, strlen(text));
}

enum outcome op_sched(struct args *a)
{
	return test_module(a, "sched");
}

enum outcome op_metric(struct args *a)
{
	return test_module(a, "metric");
}

enum outcome op_module(struct args *a)
{
	bool ipc = next_number(a), load = next_number(a);
	char args[] = "nr_sets=0";
	int fd, ret;

	if (!load)
		return judge(syscall(SYS_delete_module, ipc ? "pmctrack_mmon_ipc" : "pmctrack_mmon_test", O_NONBLOCK),
			     "delete_module", EAGAIN, EBUSY, ENOENT, EPERM, 0);
	fd = open(ipc ? MODULES "ipc.ko" : MODULES "test.ko", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return IDLE;
	args[sizeof(args) - 2] += (char)(next_number(a) % 3);
	ret = (int)syscall(SYS_finit_module, fd, ipc ? "" : args, 0);
	close(fd);
	return judge(ret, "finit_module", EEXIST, EPERM, EBUSY, 0);
}

static ssize_t read_text(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, room - 1);

	if (fd >= 0)
		close(fd);
	text[len > 0 ? len : 0] = '\0';
	return len;
}

enum outcome op_procread(struct args *a)
{
	char text[4096];

	(void)a;
	if (read_text("/proc/pmc/info", text, sizeof(text)) < 0)
		return IDLE;
	read_text("/proc/pmc/config", text, sizeof(text));
	read_text("/proc/pmc/mmon_manager", text, sizeof(text));
	return OK;
}

enum outcome op_cpu(struct args *a)
{
	return write_text("/sys/devices/system/cpu/cpu1/online", next_number(a) ? "1" : "0", 1);
}

unsigned long system_attach_limit(void)
{
	char text[4096];
	const char *at = NULL;

	if (read_text("/proc/pmc/config", text, sizeof(text)) > 0)
		at = strstr(text, "attach_max_threads=");
	return at ? strtoul(at + strlen("attach_max_threads="), NULL, 10) : ~0UL;
}

static int open_perf(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
					.config = PERF_COUNT_HW_CPU_CYCLES, .exclude_kernel = 1 };

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool open_and_close_perf(void)
{
	int fd = open_perf();

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

enum outcome op_perf(struct args *a)
{
	int fd = open_perf();
	uint64_t n;

	(void)a;
	if (fd >= 0) {
		burn_ms(1);
		if (read(fd, &n, sizeof(n)) != sizeof(n))
			broken("perf cannot read its counter");
		close(fd);
	}
	return judge(fd, "perf", EBUSY, 0);
}

static _Thread_local sigjmp_buf *on_undefined;

/* The handler of SIGILL: an instruction that counter_readable() tries is not allowed. */
static void undefined(int sig)
{
	if (on_undefined)
		siglongjmp(*on_undefined, 1);
	signal(sig, SIG_DFL);
}

/* True if the instruction that reads a counter works (PMCTRACK_SESSION_USER_READ). */
static bool counter_readable(void)
{
#ifdef __aarch64__
	sigjmp_buf here;
	uint64_t value;

	if (sigsetjmp(here, 1) == 0) {
		on_undefined = &here;
		__asm__ volatile("mrs %0, pmevcntr1_el0" : "=r" (value) : : "memory");
		on_undefined = NULL;
		return true;
	}
	on_undefined = NULL;
#endif
	return false;
}

enum outcome op_counter(struct args *a)
{
	(void)a;
	return counter_readable() ? OK : REFUSED;
}

static unsigned long sessions_left(void)
{
	char text[4096];
	const char *at;

	if (read_text("/proc/pmc/info", text, sizeof(text)) <= 0)
		return ~0UL;
	at = strstr(text, "sessions: ");
	if (at && at[10] == '0' && !strstr(text, "counters_owned_by: perf"))
		broken("no session, but the counters are not perf's");
	return at ? strtoul(at + 10, NULL, 10) : ~0UL;
}

enum outcome op_reset(struct args *a)
{
	unsigned long left = 0;
	int fd = -1;

	(void)a;
	children_end();
	for (unsigned int i = 0; i < NR_SESSIONS; i++)
		session_put(i, -1, 0);
	memory_clear();
	write_text("/proc/pmc/mmon_manager", "none", 4);
	write_text("/proc/pmc/config", "unprivileged=1", 14);
	write_text("/proc/pmc/config", "attach_max_threads=65536", 24);
	write_text("/proc/pmc/config", "user_read=1", 11);
	write_text("/sys/devices/system/cpu/cpu1/online", "1", 1);
	/* Some processes are still ending. A subreaper reaps grandchildren, too. */
	for (int i = 0; i < 500; i++) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		left = sessions_left();
		fd = left ? -1 : open_perf();
		if (fd >= 0 || (!left && !perf_works))
			break;
		usleep(10000);
	}
	if (counter_readable())
		broken("counters can be read without a session");
	if (left)
		broken("%lu sessions are left", left);
	else if (fd < 0 && perf_works)
		broken("perf did not get its counters back: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return OK;
}

void system_init(void)
{
	signal(SIGILL, undefined);
	mkdir(CGROUP, 0755);
	cgroups[0] = open("/tmp", O_RDONLY | O_CLOEXEC);
	cgroups[1] = open(CGROUP, O_RDONLY | O_CLOEXEC);
	write_text(CGROUP "/cgroup.procs", "0", 1);
	perf_works = open_and_close_perf();
}

void system_exit(void)
{
	static const char *const modules[] = { "pmctrack_mmon_ipc", "pmctrack_mmon_test" };

	for (int i = 0; i < 2; i++)
		syscall(SYS_delete_module, modules[i], O_NONBLOCK);
	close(cgroups[1]);
	write_text("/sys/fs/cgroup/cgroup.procs", "0", 1);
	rmdir(CGROUP);
}

int system_cgroup(bool good)
{
	return cgroups[good];
}
