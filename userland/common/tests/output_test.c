// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages and standard files, as another process sees them. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "complain.h"
#include "standard_files.h"

/*
 * Run @main in a process whose standard error is read into @text, and its standard output, too,
 * unless that is to be @full. Returns the exit status.
 */
static int output_of(int (*main)(void), bool full, char *text, size_t size)
{
	int ends[2], status;
	ssize_t n;
	size_t done = 0;
	pid_t pid;

	fflush(NULL);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		dup2(full ? open("/dev/full", O_WRONLY) : ends[1], 1);
		dup2(ends[1], 2);
		close(ends[0]);
		close(ends[1]);
		exit(main());
	}
	close(ends[1]);
	while (done < size - 1 && (n = read(ends[0], text + done, size - 1 - done)) > 0)
		done += n;
	text[done] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int complain_twice(void)
{
	complain_as("tool");
	fputs("printed\n", stdout);
	complain("%s: %d", "x", 3);
	complain("%0*d", 5000, 0);
	return 4;
}

static void print_marked(const char *program, const char *text)
{
	printf("<%s|%s>", program, text);
}

static int complain_elsewhere(void)
{
	complain_as("tool");
	complain_to(print_marked);
	complain("no %s", "end");
	return 0;
}

static int complain_without_a_name(void)
{
	complain("who?");
	return 0;
}

static void messages(void **state)
{
	static const char begin[] = "printed\ntool: x: 3\ntool: 000";
	char text[8000];

	(void)state;
	assert_int_equal(output_of(complain_twice, false, text, sizeof(text)), 4);
	assert_memory_equal(text, begin, strlen(begin));
	assert_int_equal(strlen(text), strlen("printed\ntool: x: 3\ntool: \n") + 5000);
	assert_int_equal(output_of(complain_elsewhere, false, text, sizeof(text)), 0);
	assert_string_equal(text, "<tool|no end>");
	assert_int_equal(output_of(complain_without_a_name, false, text, sizeof(text)), 0);
	assert_string_equal(text, "output_test: who?\n");
}

static int print(void)
{
	complain_as("tool");
	fputs("printed", stdout);
	return standard_output_end(7, 9);
}

static void failed_output(void **state)
{
	char text[200];

	(void)state;
	assert_int_equal(output_of(print, false, text, sizeof(text)), 7);
	assert_string_equal(text, "printed");
	assert_int_equal(output_of(print, true, text, sizeof(text)), 9);
	assert_string_equal(text, "tool: cannot write: No space left on device\n");
}

/* True if the descriptor is /dev/null. @closed: FD_CLOEXEC if a started program finds it closed. */
static bool is_null(int fd, int closed)
{
	struct stat st, null;

	return !fstat(fd, &st) && !stat("/dev/null", &null) && st.st_rdev == null.st_rdev &&
	       fcntl(fd, F_GETFD) == closed;
}

static int fill_two(void)
{
	struct stat before, after;

	if (fstat(2, &before))
		return 10;
	close(0);
	close(1);
	if (standard_files_open(O_CLOEXEC))
		return 11;
	if (!is_null(0, FD_CLOEXEC) || !is_null(1, FD_CLOEXEC))
		return 12;
	if (fstat(2, &after) || before.st_ino != after.st_ino)
		return 13;
	return open("/dev/null", O_RDONLY) > 2 ? 0 : 14;
}

static int fill_all(void)
{
	close(0);
	close(1);
	close(2);
	if (standard_files_open(0))
		return 11;
	return is_null(0, 0) && is_null(1, 0) && is_null(2, 0) ? 0 : 12;
}

static void closed_files(void **state)
{
	char text[200];

	(void)state;
	assert_int_equal(output_of(fill_two, false, text, sizeof(text)), 0);
	assert_int_equal(output_of(fill_all, false, text, sizeof(text)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages), cmocka_unit_test(failed_output), cmocka_unit_test(closed_files),
	};

	return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
