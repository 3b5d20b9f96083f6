/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals as they were when showstopper began, for itself and for its programs. */
#ifndef SHOWSTOPPER_SIGNALS_H
#define SHOWSTOPPER_SIGNALS_H

#include <signal.h>

/* Interrupts a system call that takes too long, and does nothing else. */
#define SIGNALS_TIMER	SIGURG

/* Call this first: it remembers what was ignored (nohup, a shell's "&"). */
void signals_begin(void);
/* The signals that end a run: those of INT, TERM, HUP and QUIT that were not ignored. */
void signals_that_end(sigset_t *set);
/* True if Ctrl-Z was not ignored. */
int signals_may_pause(void);
/* In a program, before exec: restore all, timer slack, too. */
void signals_restore(void);

#endif /* SHOWSTOPPER_SIGNALS_H */
