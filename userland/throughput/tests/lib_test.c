// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of libthroughput: no tick is lost, and readers see what there is, whatever others write. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "found.h"
#include "process.h"
#include "segment.h"

#define THREADS 8
#define TICKS 100000

static uint64_t count_of(pid_t pid)
{
	struct throughput_reader *reader;
	uint64_t count;

	assert_int_equal(throughput_open(pid, &reader), 0);
	assert_int_equal(throughput_read(reader, &count), 0);
	throughput_close(reader);
	return count;
}

static void *ticks(void *times)
{
	int i;

	for (i = 0; i < *(int *)times; i++)
		throughput_tick(1);
	return NULL;
}

static void run_threads(int threads, int times)
{
	pthread_t thread[THREADS];
	int i;

	for (i = 0; i < threads; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, ticks, &times), 0);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
}

/* Many threads at once, and then more threads, one after the other, than there are slots. */
static void threads_test(void **state)
{
	uint64_t before = throughput_count();
	int i;

	(void)state;
	throughput_tick(5);
	assert_int_equal(throughput_begin("test", NULL), 0);
	assert_int_equal(throughput_count(), before + 5);
	run_threads(THREADS, TICKS);
	for (i = 0; i < 500; i++)
		run_threads(1, 3);
	assert_int_equal(throughput_count(), before + 5 + THREADS * TICKS + 1500);
	assert_int_equal(count_of(getpid()), throughput_count());
}

static volatile sig_atomic_t handled;

static void handler(int number)
{
	(void)number;
	throughput_tick(1);
	handled++;
}

/* A signal comes in the middle of a tick. */
static void signal_test(void **state)
{
	struct sigaction action = {.sa_handler = handler};
	timer_t timer;
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct itimerspec often = {.it_interval.tv_nsec = 20000, .it_value.tv_nsec = 20000};
	uint64_t before = throughput_count(), n = 0;

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	handled = 0;
	assert_int_equal(timer_settime(timer, 0, &often, NULL), 0);
	while (handled < 500) {
		throughput_tick(1);
		n++;
	}
	timer_delete(timer);
	signal(SIGUSR1, SIG_IGN);
	assert_int_equal(throughput_count() - before, n + (uint64_t)handled);
}

/* Children belong to the same application, also those that do not end in an orderly way. */
static void fork_test(void **state)
{
	uint64_t before = throughput_count();
	int i;

	(void)state;
	for (i = 0; i < 20; i++) {
		if (!fork()) {
			run_threads(2, 1000);
			throughput_tick(7);
			if (i % 2)
				_exit(0);
			raise(SIGKILL);
		}
	}
	while (wait(NULL) > 0)
		;
	assert_int_equal(throughput_count() - before, 20 * 2007);
	assert_int_equal(count_of(getpid()), throughput_count());
}

/* What main() does after exec, see there. */
static int after_exec(const char *ticked)
{
	uint64_t before = strtoull(ticked, NULL, 10);

	throughput_tick(3);
	if (throughput_goal(2, NULL) || throughput_count() != before + 3 ||
	    count_of(getpid()) != before + 3)
		return 1;
	return 0;
}

static void exec_test(void **state)
{
	char self[PATH_MAX], text[24];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int status;

	(void)state;
	assert_true(length > 0);
	self[length] = '\0';
	if (!fork()) {
		throughput_end();
		throughput_begin("before", "x/s");
		throughput_tick(40);
		snprintf(text, sizeof(text), "%llu", (unsigned long long)throughput_count());
		execl(self, self, "--after-exec", text, NULL);
		_exit(2);
	}
	wait(&status);
	assert_int_equal(status, 0);
}

/* A parent ends while its child goes on. */
static void orphan_test(void **state)
{
	struct throughput_info info;
	struct throughput_reader *reader;
	int ready[2], go[2];
	char byte;
	pid_t pid;
	uint64_t count;

	(void)state;
	assert_int_equal(pipe(ready) | pipe(go), 0);
	pid = fork();
	if (!pid) {
		/* An application of its own, not a child that ticks for our application. */
		throughput_end();
		throughput_begin("orphan", "x/s");
		if (fork())
			_exit(0);
		close(go[1]);
		throughput_tick(1);
		(void)!write(ready[1], "", 1);
		(void)!read(go[0], &byte, 1);
		throughput_tick(10);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[1]);
	assert_int_equal(throughput_open(pid, &reader), 0);
	assert_int_equal(throughput_info(reader, &info), 0);
	assert_true(info.alive);
	close(go[1]);
	assert_int_equal(read(ready[0], &byte, 1), 0);
	while (!throughput_info(reader, &info) && info.alive)
		usleep(1000);
	assert_int_equal(throughput_read(reader, &count), 0);
	assert_int_equal(count, 11);
	throughput_close(reader);
	close(ready[0]);
	close(go[0]);
}

/* Start an application of its own, which waits to be killed. */
static pid_t start_application(unsigned long long *began, char *path, size_t size)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		throughput_end();
		throughput_begin("waits", NULL);
		(void)!write(ready[1], "", 1);
		pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(thr_process_began(pid, began), 0);
	thr_segment_path(path, size, pid, *began, 0);
	return pid;
}

static bool is_this(pid_t pid, void *data)
{
	return pid == *(pid_t *)data;
}

/* An application that is known is not looked at; others are. */
static void known_test(void **state)
{
	unsigned long first = 0;
	unsigned long long began;
	pid_t pid, looked_for;
	char path[64];

	(void)state;
	pid = start_application(&began, path, sizeof(path));
	looked_for = pid;
	assert_int_equal(throughput_some(&first, ULONG_MAX, is_this, found_note, &looked_for), 0);
	assert_int_equal(looked_for, pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* Nobody has looked whether the application lives. */
	assert_int_equal(throughput_some(&first, ULONG_MAX, is_this, found_note, &looked_for), 0);
	assert_int_equal(access(path, F_OK), 0);
	assert_false(is_found(pid));
	assert_int_equal(access(path, F_OK), -1);
}

/* An application that is dead is not found, and its file is removed. */
static void dead_test(void **state)
{
	unsigned long long began;
	char path[64];
	pid_t pid;

	(void)state;
	pid = start_application(&began, path, sizeof(path));
	assert_true(is_found(pid));
	assert_int_equal(access(path, F_OK), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_false(is_found(pid));
	assert_int_equal(access(path, F_OK), -1);
}

static void end_test(void **state)
{
	struct throughput_reader *reader;
	int i;

	(void)state;
	throughput_end();
	for (i = 0; i < 50; i++) {
		assert_int_equal(throughput_begin("again", "y/s"), 0);
		throughput_tick(2);
		assert_int_equal(count_of(getpid()), throughput_count());
		assert_int_equal(throughput_count(), 2);
		assert_int_equal(throughput_end(), 0);
		assert_int_equal(throughput_open(getpid(), &reader), -ESRCH);
		throughput_tick(2);
	}
	assert_int_equal(throughput_begin("test", NULL), 0);
}

static void goal_test(void **state)
{
	struct throughput_reader *reader;
	struct throughput_info info;

	(void)state;
	assert_int_equal(throughput_goal(-1, NULL), -EINVAL);
	assert_int_equal(throughput_goal(NAN, NULL), -EINVAL);
	assert_int_equal(throughput_goal(INFINITY, NULL), -EINVAL);
	assert_int_equal(throughput_goal_range(3, 2, 100), -EINVAL);
	assert_int_equal(throughput_goal_range(1, 2, 0), -EINVAL);
	assert_int_equal(throughput_goal_range(1, 2, 1001), -EINVAL);
	assert_int_equal(throughput_goal(8, "frames/s and more than fits here, far more"), 0);
	assert_int_equal(throughput_open(getpid(), &reader), 0);
	assert_int_equal(throughput_info(reader, &info), 0);
	assert_true(info.goal_min == 8 && info.goal_max == 8 && info.weight == 100 && info.alive);
	assert_int_equal(info.uid, geteuid());
	assert_int_equal(strlen(info.unit), THROUGHPUT_NAME - 1);
	assert_int_equal(throughput_goal_range(7, 9, 300), 0);
	assert_int_equal(throughput_info(reader, &info), 0);
	assert_true(info.goal_min == 7 && info.goal_max == 9 && info.weight == 300);
	throughput_close(reader);
	assert_int_equal(throughput_open(1, &reader), -ESRCH);
}

/* A user who may only read a file does not decide whether its application is dead. */
static void read_lock_test(void **state)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	struct throughput_reader *reader;
	struct throughput_info info;
	unsigned long long began;
	int fd;
	char path[64];
	pid_t pid;

	(void)state;
	pid = start_application(&began, path, sizeof(path));
	assert_int_equal(throughput_open(pid, &reader), 0);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
	assert_int_equal(throughput_info(reader, &info), 0);
	assert_false(info.alive);
	assert_int_equal(info.began, began);
	assert_false(is_found(pid));
	throughput_close(reader);
	close(fd);
}

/* Rates of a long window, which has all looks, and of a short one. */
static void rate_test(void **state)
{
	struct throughput_reader *reader;
	struct timespec now;
	double rate, began, seconds;
	int i;

	(void)state;
	assert_int_equal(throughput_open(getpid(), &reader), 0);
	clock_gettime(CLOCK_MONOTONIC, &now);
	began = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
	for (i = 0; i < 20; i++) {
		throughput_tick(10);
		usleep(11000);
		assert_int_equal(throughput_rate(reader, 10000000000ULL, &rate), 0);
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	seconds = (double)now.tv_sec + (double)now.tv_nsec / 1e9 - began;
	assert_true(rate > 0.8 * 200 / seconds && rate < 1.2 * 200 / seconds);
	usleep(30000);
	assert_int_equal(throughput_rate(reader, 20000000, &rate), 0);
	assert_true(rate == 0);
	throughput_close(reader);
}

/* A tick makes no system call: the kernel would kill the process for it. */
static void no_call_test(void **state)
{
	int i, status;
	pid_t pid;

	(void)state;
	assert_int_equal(throughput_begin("no_call", "units/s"), 0);
	throughput_tick(1);
	pid = fork();
	if (!pid) {
		/* The first tick of a thread looks for its slot. */
		throughput_tick(1);
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
			_exit(2);
		for (i = 0; i < TICKS; i++)
			throughput_tick(1);
		/* _exit() ends all threads, and is not allowed. */
		syscall(SYS_exit, 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/*
 * A forked process dies while it changes the goal: readers see what it left, and the next change is
 * complete again.
 */
static void torn_test(void **state)
{
	struct throughput_reader *reader;
	struct throughput_info info;
	struct segment head;
	char path[64];
	unsigned long long began;
	int fd;

	(void)state;
	assert_int_equal(throughput_goal(3, "units/s"), 0);
	assert_int_equal(thr_process_began(getpid(), &began), 0);
	thr_segment_path(path, sizeof(path), getpid(), began, 0);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &head, sizeof(head), 0), sizeof(head));
	assert_int_equal(head.changes % 2, 0);
	head.changes++;
	assert_int_equal(pwrite(fd, &head.changes, sizeof(head.changes), offsetof(struct segment, changes)),
			 sizeof(head.changes));
	assert_int_equal(throughput_open(getpid(), &reader), 0);
	assert_int_equal(throughput_info(reader, &info), 0);
	assert_true(info.goal_min == 3);
	assert_int_equal(throughput_goal(4, NULL), 0);
	assert_int_equal(throughput_info(reader, &info), 0);
	assert_true(info.goal_min == 4);
	assert_int_equal(pread(fd, &head, sizeof(head), 0), sizeof(head));
	assert_int_equal(head.changes % 2, 0);
	throughput_close(reader);
	close(fd);
}

/* Whatever a user writes to his own file, readers return an error, or valid numbers. */
static void hostile_test(void **state)
{
	struct throughput_reader *reader;
	struct throughput_info info;
	struct segment *s;
	unsigned long long began;
	unsigned int i, k, lot = 1;
	uint64_t count, last = 0;
	double rate;
	char path[64], garbage[64];
	int fd;

	(void)state;
	assert_int_equal(thr_process_began(getpid(), &began), 0);
	thr_segment_path(path, sizeof(path), getpid(), began, 0);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(throughput_open(getpid(), &reader), 0);
	for (i = 0; i < 3000; i++) {
		for (k = 0; k < sizeof(garbage); k++) {
			lot = lot * 1664525 + 1013904223;
			garbage[k] = (char)(lot >> 24);
		}
		assert_true(pwrite(fd, garbage, sizeof(garbage), i % 20 ? 24 + lot % 40000 % 33000 : lot % 24) > 0);
		if (i % 7 == 0)
			assert_int_equal(ftruncate(fd, lot % 40000), 0);
		if (!throughput_info(reader, &info)) {
			assert_true(info.goal_min >= 0 && info.goal_max >= info.goal_min);
			assert_in_range(info.weight, 1, 1000);
			assert_true(strlen(info.name) < THROUGHPUT_NAME);
		}
		if (!throughput_read(reader, &count)) {
			assert_true(count >= last);
			last = count;
		}
		if (!throughput_rate(reader, 1000000000, &rate))
			assert_true(rate >= 0 && isfinite(rate));
		if (i % 7 == 0)
			assert_int_equal(ftruncate(fd, sizeof(*s)), 0);
	}
	throughput_close(reader);
	/* Nothing but zeros. */
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(ftruncate(fd, sizeof(*s)), 0);
	assert_int_equal(throughput_open(getpid(), &reader), -EPROTO);
	/* Something else has such a name. */
	close(fd);
	unlink(path);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_int_equal(throughput_open(getpid(), &reader), -EPROTO);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(throughput_open(getpid(), &reader), -EPROTO);
	unlink(path);
}

/* A program that cannot be registered says so, and goes on. */
static void full_test(void **state)
{
	int status;

	(void)state;
	if (!fork()) {
		throughput_end();
		/* Use up all descriptors. */
		while (open("/dev/null", O_RDONLY) >= 0)
			;
		if (throughput_begin("x", NULL) != -EMFILE || throughput_goal(1, NULL) != -EMFILE)
			_exit(1);
		throughput_tick(4);
		_exit(0);
	}
	wait(&status);
	assert_int_equal(status, 0);
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_test), cmocka_unit_test(signal_test),
		cmocka_unit_test(fork_test),	cmocka_unit_test(exec_test),
		cmocka_unit_test(orphan_test),	cmocka_unit_test(known_test),
		cmocka_unit_test(dead_test),
		cmocka_unit_test(goal_test),	cmocka_unit_test(rate_test),
		cmocka_unit_test(read_lock_test),
		cmocka_unit_test(full_test),	cmocka_unit_test(end_test),
		cmocka_unit_test(no_call_test), cmocka_unit_test(torn_test),
		cmocka_unit_test(hostile_test),
	};

	if (argc == 3 && !strcmp(argv[1], "--after-exec"))
		return after_exec(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
