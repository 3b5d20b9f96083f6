/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals as they were when showstopper began, for itself and for its programs. */
#ifndef SHOWSTOPPER_SIGNALS_H
#define SHOWSTOPPER_SIGNALS_H

#include <signal.h>

/* Interrupts a system call that takes too long, and does nothing else. */
#define SIGNALS_TIMER	SIGURG

/* First thing: what was ignored (nohup, a shell's "&") is remembered. */
void signals_begin(void);
/* Those that end a run: of INT, TERM, HUP and QUIT what was not ignored. */
void signals_that_end(sigset_t *set);
/* Was Ctrl-Z not ignored? */
int signals_may_pause(void);
/* In a program, before exec: all as it was, timer slack too. */
void signals_restore(void);

#endif /* SHOWSTOPPER_SIGNALS_H */
