/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The full-screen display of qtop. */
#ifndef QTOP_SCREEN_H
#define QTOP_SCREEN_H

#include "qtop/table.h"

/**
 * struct screen - what the user sees, and has typed
 * @choice: what to show; keys change it
 * @selected: PID of the process whose graph is drawn below; 0: the first
 * @first: index of the first row that is shown
 * @graph: the graph is drawn
 * @help: the help is shown instead of the rows
 * @typing: a filter is being typed
 * @quit: the user wants to end
 */
struct screen {
	struct choice choice;
	pid_t selected;
	unsigned int first;
	bool graph;
	bool help;
	bool typing;
	bool quit;
};

/* Returns 0, or a negative errno if there is no terminal that can show a screen. */
int screen_open(struct screen *s, const struct choice *choice);
void screen_close(struct screen *s);
/* Take what was typed. Returns true if the screen must be drawn anew. */
bool screen_type(struct screen *s, const struct rows *r);
void screen_draw(struct screen *s, const struct moment *m, const struct rows *r, struct processes *p);

#endif /* QTOP_SCREEN_H */
