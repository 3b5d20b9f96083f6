// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of libthroughput: what others do to a program's files, and forks before it registers. */
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "found.h"
#include "process.h"
#include "segment.h"

static uint64_t count_of(pid_t pid)
{
	struct throughput_reader *reader;
	uint64_t count = 0;

	if (throughput_open(pid, &reader))
		return 0;
	throughput_read(reader, &count);
	throughput_close(reader);
	return count;
}

/* Others have made files of the names that the next program would use. */
static void names_test(void **state)
{
	unsigned long long began;
	char path[64];
	int i, status;

	(void)state;
	if (!fork()) {
		throughput_end();
		thr_process_began(getpid(), &began);
		for (i = 0; i < 3; i++) {
			thr_segment_path(path, sizeof(path), getpid(), began, i);
			if (i == 0 ? mkdir(path, 0700) : i == 1 ? mkfifo(path, 0600) : symlink("/dev/zero", path))
				_exit(1);
		}
		if (throughput_begin("names", NULL))
			_exit(2);
		throughput_tick(5);
		i = count_of(getpid()) == 5 ? 0 : 3;
		throughput_end();
		thr_segment_path(path, sizeof(path), getpid(), began, 0);
		rmdir(path);
		thr_segment_path(path, sizeof(path), getpid(), began, 1);
		unlink(path);
		thr_segment_path(path, sizeof(path), getpid(), began, 2);
		unlink(path);
		_exit(i);
	}
	wait(&status);
	assert_int_equal(status, 0);
}

/* What main() does for hidden_test: register again, after an exec. */
static int after_hold(void)
{
	if (throughput_goal(2, NULL))
		return 1;
	pause();
	return 0;
}

/* A reader has locked the file just when its program executed another one. */
static void hidden_test(void **state)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	struct throughput_reader *reader;
	struct throughput_info info;
	unsigned long long began;
	char path[64], self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int fd, ready[2], go[2];
	uint64_t count;
	pid_t pid;

	(void)state;
	assert_true(length > 0);
	self[length] = '\0';
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (!pid) {
		throughput_end();
		throughput_goal(1, NULL);
		throughput_tick(7);
		if (write(ready[1], "", 1) != 1 || read(go[0], path, 1) != 1)
			_exit(1);
		execl(self, self, "--after-hold", "", NULL);
		_exit(2);
	}
	assert_int_equal(read(ready[0], path, 1), 1);
	assert_int_equal(thr_process_began(pid, &began), 0);
	thr_segment_path(path, sizeof(path), pid, began, 0);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(write(go[1], "", 1), 1);
	assert_int_equal(fcntl(fd, F_OFD_SETLKW, &lock), 0);
	assert_int_equal(throughput_open(pid, &reader), 0);
	/* The program has another file after that, whether or not the lock stays. */
	throughput_close(reader);
	do {
		assert_int_equal(throughput_open(pid, &reader), 0);
		assert_int_equal(throughput_info(reader, &info), 0);
		throughput_close(reader);
	} while (info.goal_min < 2);
	close(fd);
	assert_int_equal(throughput_open(pid, &reader), 0);
	assert_int_equal(throughput_info(reader, &info), 0);
	assert_true(info.alive);
	assert_true(is_found(pid));
	assert_int_equal(throughput_read(reader, &count), 0);
	assert_int_equal(count, 7);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(throughput_info(reader, &info), 0);
	assert_false(info.alive);
	throughput_close(reader);
	unlink(path);
}

/* What main() does for early_test: tick and fork before anything is registered. */
static int early(void)
{
	int status;

	throughput_tick(10);
	if (!fork()) {
		throughput_tick(1);
		_exit(throughput_begin("child", NULL) || throughput_count() != 1);
	}
	wait(&status);
	return status || throughput_begin("parent", NULL) || throughput_count() != 10;
}

/* Ticks from before a fork are the parent's alone, whoever registers first. */
static void early_test(void **state)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int status;

	(void)state;
	assert_true(length > 0);
	self[length] = '\0';
	if (!fork()) {
		execl(self, self, "--early", "", NULL);
		_exit(2);
	}
	wait(&status);
	assert_int_equal(status, 0);
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_test),
		cmocka_unit_test(hidden_test),
		cmocka_unit_test(early_test),
	};

	if (argc == 3 && !strcmp(argv[1], "--after-hold"))
		return after_hold();
	if (argc == 3 && !strcmp(argv[1], "--early"))
		return early();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
