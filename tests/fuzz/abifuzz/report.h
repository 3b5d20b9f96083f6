/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run found: errors of the kernel, and how much was tried. The fuzzer forks
 * processes that execute operations, too, so all of this is in shared memory.
 */
#ifndef PMCT_ABIFUZZ_REPORT_H
#define PMCT_ABIFUZZ_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "args.h"

/* What is counted. */
enum total { TOTAL_SESSIONS, TOTAL_MESSAGES, TOTAL_RECORDS, NR_TOTALS };

/* @size bytes of zeroed memory that forked processes share. Never fails: the program ends. */
void *shared_alloc(size_t size);

/* Before everything else in this file. */
void report_init(void);

/* The line that is executed from now on: messages name it. @text must stay. */
void report_line(unsigned long nr, const char *text);

/* The kernel did something wrong. */
__attribute__((format(printf, 1, 2)))
void broken(const char *fmt, ...);

/* The line that is executed has an operation that does not exist: end the program. */
_Noreturn void report_no_operation(const char *name);

/* True if the kernel did something wrong; too often: the run should end. */
bool report_is_broken(void);
bool report_is_hopeless(void);

/*
 * Judge what a system call returned, from errno. The arguments after @what are the
 * errors that are documented for it, then 0. Any other error is reported as broken.
 */
enum outcome judge(long ret, const char *what, ...);

/* Add 1 to a counter in shared memory. */
void count(unsigned int *n);

/* Add 1 to a total, and read it. */
void report_count(enum total what);
unsigned int report_total(enum total what);

#endif /* PMCT_ABIFUZZ_REPORT_H */
