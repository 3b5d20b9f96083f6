/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SIGINT and SIGTERM end a program early. What it has done until then is still printed. */
#ifndef SIMAPP_INTERRUPT_H
#define SIMAPP_INTERRUPT_H

#include <stdbool.h>

/* From now on, these signals interrupt the threads that join. Returns 0 or a negative errno. */
int interrupt_begin(void);
/* Join: the calling thread executes simulated instructions from now on. */
void interrupt_join(void);
/* True if the program is to end. Once true, it stays true in all threads. */
bool interrupt_came(void);
/* If a signal came, end the process by this signal. */
void interrupt_end(void);

#endif /* SIMAPP_INTERRUPT_H */
