// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of functions and marks in files: in this program itself, whose marks are made here. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf_place.h"
#include "find_program.h"
#include "mark.h"

#define SELF "/proc/self/exe"
#define SEMAPHORE 0x5a5a

/* The semaphore begins with a value that can be looked for. */
uint16_t elf_test_semaphore __attribute__((section(".probes"), used)) = SEMAPHORE;

static int __attribute__((noinline)) marked(int value)
{
	MARK("elf_test", "begin", "elf_test_semaphore");
	if (value)
		MARK("elf_test", "twice", "0");
	MARK("elf_test", "twice", "0");
	return value;
}

static void read_at(uint64_t at, void *bytes, size_t size)
{
	int fd = open(SELF, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, bytes, size, (off_t)at), size);
	close(fd);
}

static void function_test(void **state)
{
	char there[16], here[16];
	struct elf_places p;

	(void)state;
	assert_int_equal(elf_find_function(SELF, "marked", &p), 0);
	assert_int_equal(p.nr, 1);
	assert_int_equal(p.semaphore[0], 0);
	/* The bytes in the file are those that are executed. */
	read_at(p.at[0], there, sizeof(there));
	memcpy(here, (const char *)(uintptr_t)marked, sizeof(here));
	assert_memory_equal(there, here, sizeof(here));
	assert_int_equal(elf_find_function(SELF, "no_such_function", &p), -ENOENT);
	/* The function is in another file. */
	assert_int_equal(elf_find_function(SELF, "pread", &p), -ENOENT);
	/* A variable is no function. */
	assert_int_equal(elf_find_function(SELF, "elf_test_semaphore", &p), -ENOENT);
	assert_int_equal(elf_find_function("/nowhere", "main", &p), -ENOENT);
	assert_int_equal(elf_find_function("/etc/passwd", "main", &p), -ENOEXEC);
	assert_int_equal(elf_find_function("/dev/null", "main", &p), -ENOEXEC);
}

static void mark_test(void **state)
{
	struct elf_places p;
	uint16_t value;

	(void)state;
	assert_int_equal(marked(0), 0);
	assert_int_equal(elf_find_mark(SELF, "elf_test", "begin", &p), 0);
	assert_int_equal(p.nr, 1);
	read_at(p.semaphore[0], &value, sizeof(value));
	assert_int_equal(value, SEMAPHORE);
	assert_int_equal(elf_find_mark(SELF, "elf_test", "twice", &p), 0);
	assert_int_equal(p.nr, 2);
	assert_int_equal(p.semaphore[0], 0);
	assert_int_equal(elf_find_mark(SELF, "elf_test", "begi", &p), -ENOENT);
	assert_int_equal(elf_find_mark(SELF, "elf", "begin", &p), -ENOENT);
}

/* If a file is cut off anywhere, or any byte is changed, there is an answer, and no more. */
static void damaged_test(void **state)
{
	static char bytes[1 << 20];
	char path[] = "/tmp/elf_test.XXXXXX";
	int in = open(SELF, O_RDONLY | O_CLOEXEC), out = mkstemp(path);
	ssize_t size = read(in, bytes, sizeof(bytes)), k;
	struct elf_places p;
	uint32_t lot = 1;

	(void)state;
	assert_true(out >= 0 && size > 4096);
	for (k = 0; k < 300; k++) {
		ssize_t at, length = k % 3 ? size : size * k / 300;

		assert_int_equal(ftruncate(out, 0), 0);
		assert_int_equal(pwrite(out, bytes, (size_t)length, 0), length);
		lot = lot * 1664525 + 1013904223;
		/* Damage the headers, at the beginning and at the end, more often than the rest. */
		at = k % 2 ? (lot >> 8) % 1024 : k % 4 ? size - 1 - (lot >> 8) % 2048 : (lot >> 8) % size;
		assert_int_equal(pwrite(out, "\xff\xfe\x80\x7f", 4, at < length ? at : 0), 4);
		elf_find_function(path, "marked", &p);
		elf_find_mark(path, "elf_test", "twice", &p);
		elf_is_dynamic(path);
	}
	close(in);
	close(out);
	unlink(path);
}

static void program_test(void **state)
{
	struct elf_places p;
	char path[4096];

	(void)state;
	assert_int_equal(find_program("sh", path, sizeof(path)), 0);
	assert_int_equal(*path, '/');
	assert_int_equal(elf_is_dynamic(path), 1);
	assert_int_equal(find_program("no-such-program", path, sizeof(path)), -ENOENT);
	assert_int_equal(find_program("/nowhere/sh", path, sizeof(path)), -ENOENT);
	assert_int_equal(find_program("sh", path, 2), -ENOENT);
	/* A library that each program has. */
	assert_int_equal(find_library("libc.so.6", path, sizeof(path)), 0);
	assert_int_equal(*path, '/');
	assert_int_equal(elf_find_function(path, "fork", &p), 0);
	assert_int_equal(find_library("libnone.so.6", path, sizeof(path)), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(function_test),
		cmocka_unit_test(mark_test),
		cmocka_unit_test(damaged_test),
		cmocka_unit_test(program_test),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
