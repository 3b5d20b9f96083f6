/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executes lines of the language in grammar.h. */
#ifndef PMCT_ABIFUZZ_RUN_H
#define PMCT_ABIFUZZ_RUN_H

#include <stdbool.h>

void run_init(void);

/* Execute one line, the one with this number. @line has less than MAX_LINE bytes. */
void run_line(unsigned long nr, const char *line);

/* True if two operations run at the same time. They must not wait or set the timer then. */
bool run_is_racing(void);

/* How often each operation was done, and what became of it. */
void run_print_statistics(void);

#endif /* PMCT_ABIFUZZ_RUN_H */
