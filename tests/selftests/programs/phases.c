// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * phases text|jit|fork ROUNDS TURNS: run two loops by turns, each for ROUNDS rounds of two
 * instructions.
 * The loops are functions of this program (text), or code in anonymous memory that it makes (jit).
 * With fork, two children run the functions, one after the other, and the parent waits.
 * Prints the address of the first loop.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

/* The loops are in different blocks of 64 bytes, in the program and in their pages. */
#define FIRST	0x100
#define SECOND	0x840
#define PAGE	4096

typedef void (*loop_t)(unsigned long rounds);

static void __attribute__((noinline, aligned(1024))) first_loop(unsigned long rounds)
{
	spin_inline(rounds);
}

static void __attribute__((noinline, aligned(1024))) second_loop(unsigned long rounds)
{
	spin_inline(rounds);
}

#if defined(__x86_64__)
/* dec %rdi; jne; ret */
static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#else
/* subs x0, x0, #1; b.ne; ret */
static const unsigned int code[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};
#endif

static void make(loop_t loop[2])
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	memcpy(page + FIRST, code, sizeof(code));
	memcpy(page + SECOND, code, sizeof(code));
	__builtin___clear_cache(page, page + PAGE);
	if (mprotect(page, PAGE, PROT_READ | PROT_EXEC)) {
		perror("mprotect");
		exit(1);
	}
	loop[0] = (loop_t)(void *)(page + FIRST);
	loop[1] = (loop_t)(void *)(page + SECOND);
}

static void run(const loop_t loop[2], unsigned long rounds, unsigned long turns)
{
	unsigned long i;

	for (i = 0; i < 2 * turns; i++)
		loop[i % 2](rounds);
}

int main(int argc, char **argv)
{
	loop_t loop[2] = {first_loop, second_loop};
	unsigned long rounds, turns;
	int child, status;

	if (argc != 4) {
		fprintf(stderr, "phases text|jit|fork ROUNDS TURNS\n");
		return 2;
	}
	rounds = strtoul(argv[2], NULL, 0);
	turns = strtoul(argv[3], NULL, 0);
	if (!strcmp(argv[1], "jit"))
		make(loop);
	printf("%p\n", (void *)loop[0]);
	fflush(stdout);
	if (strcmp(argv[1], "fork")) {
		run(loop, rounds, turns);
		return 0;
	}
	for (child = 0; child < 2; child++) {
		if (!fork()) {
			run(loop, rounds, turns);
			_exit(0);
		}
		if (wait(&status) < 0 || status)
			return 1;
	}
	return 0;
}
