/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SIGINT and SIGTERM end a program early, and what it has done until then is still printed. */
#ifndef SIMAPP_INTERRUPT_H
#define SIMAPP_INTERRUPT_H

#include <stdbool.h>

/* From here on these signals interrupt the threads that join; 0, or a negative errno. */
int interrupt_begin(void);
/* The calling thread executes simulated instructions from now on. */
void interrupt_join(void);
/* The program is to end; true in all threads once it is true. */
bool interrupt_came(void);
/* If a signal came, end by it. */
void interrupt_end(void);

#endif /* SIMAPP_INTERRUPT_H */
