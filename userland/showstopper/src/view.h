/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run on the whole screen (ncurses), for the master; save and restore are for the guardian. */
#ifndef SHOWSTOPPER_VIEW_H
#define SHOWSTOPPER_VIEW_H

#include "observe.h"
#include "options.h"

#define VIEW_HISTORY	512

/**
 * struct view - what is on the screen
 * @on: the master uses the screen
 * @nr: observations so far; the last VIEW_HISTORY are kept
 * @past: the last observations
 */
struct view {
	bool on;
	unsigned int nr;
	struct observation past[VIEW_HISTORY];
};

/* Use the screen if standard input and error are a terminal; else there is a line each 500 ms. */
void view_open(struct view *v);
/* Draw, after each observation. While the run is paused, the terminal is as it was. */
void view_draw(struct view *v, const struct observer *o, const struct run *run,
	       const struct options *options);
/* Returns a signal to end with, SIGINT after the key q; 0: none. */
int view_key(const struct view *v);
/* Restore the terminal, and print the messages that were kept. */
void view_close(struct view *v);

/* The guardian keeps the terminal's state, and restores it if the master is killed. */
void view_save(void);
void view_restore(void);

#endif /* SHOWSTOPPER_VIEW_H */
