// SPDX-License-Identifier: GPL-2.0-or-later
#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qtop/graph.h"
#include "qtop/screen.h"

/* Lines above the rows; lines of the graph with its title. */
#define HEAD_LINES	3
#define GRAPH_ALL	(GRAPH_LINES + 1)
/* The graph is drawn only if at least this many lines are left for rows. */
#define ROWS_LEAST	4

static const char *const help[] = {
	"Quality Time is the time that a program would have needed alone for what it",
	"did, and quality is Quality Time over CPU time, in percent. It is estimated from",
	"samples for which others stand still (quality_time, see qtime(1)).",
	"",
	"  QUAL   since the process was first seen     1s, 5s  in the last seconds",
	"  CPU%   of one CPU        WAIT%  in run queues (schedstat), of one CPU",
	"  AGE    of the last sample alone             ON      the CPU where it ran last",
	"  LAST   quality in the last intervals in steps of 10 %: 9 is 90 % or more,",
	"         ? not known, . nothing was reported",
	"  Below the graph: the CPU of each dot; m: another than before, s: two swapped",
	"",
	"  up, down  choose a process     g  graph on or off     p u c  a row a process,",
	"  C Q L W N P  sort by CPU time, quality, lost time,           user, group",
	"               waiting, name, PID                   /  filter by names",
	"  h  this help                                          q  end",
};

#define HELP_LINES	(sizeof(help) / sizeof(help[0]))

int screen_open(struct screen *s, const struct choice *choice)
{
	memset(s, 0, sizeof(*s));
	s->choice = *choice;
	s->graph = true;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return -ENOTTY;
	/* Names may have any characters. */
	setlocale(LC_CTYPE, "");
	if (!newterm(NULL, stdout, stdin))
		return -ENODEV;
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	curs_set(0);
	return 0;
}

void screen_close(struct screen *s)
{
	(void)s;
	if (!isendwin())
		endwin();
}

static unsigned int row_of(const struct screen *s, const struct rows *r)
{
	for (unsigned int i = 0; i < r->nr; i++) {
		if (r->of[i].process->pid == s->selected)
			return i;
	}
	return 0;
}

static void select_row(struct screen *s, const struct rows *r, int by)
{
	long i = (long)row_of(s, r) + by;

	if (!r->nr)
		return;
	if (i < 0)
		i = 0;
	if (i >= (long)r->nr)
		i = (long)r->nr - 1;
	s->selected = r->of[i].process->pid;
}

/* Handle a key while the filter is typed. */
static void type_filter(struct screen *s, int key)
{
	char *filter = s->choice.filter;
	size_t len = strlen(filter);

	if (key == '\n' || key == '\r' || key == KEY_ENTER) {
		s->typing = false;
	} else if (key == 27) {
		s->typing = false;
		filter[0] = '\0';
	} else if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
		if (len)
			filter[len - 1] = '\0';
	} else if (key >= ' ' && key < 256 && len + 1 < sizeof(s->choice.filter)) {
		filter[len] = (char)key;
		filter[len + 1] = '\0';
	}
}

static bool type_order(struct screen *s, int key)
{
	static const char keys[] = "CQLWNP";	/* as enum order */
	const char *at = key > 0 && key < 128 ? strchr(keys, key) : NULL;

	if (at)
		s->choice.order = (enum order)(at - keys);
	return at;
}

static void type_key(struct screen *s, const struct rows *r, int key)
{
	if (s->typing) {
		type_filter(s, key);
		return;
	}
	/* Any key ends the help. */
	if (s->help) {
		s->help = false;
		return;
	}
	if (type_order(s, key))
		return;
	switch (key) {
	case 'q': s->quit = true; break;
	case 'h':
	case '?': s->help = true; break;
	case 'g': s->graph = !s->graph; break;
	case 'p': s->choice.by = BY_PROCESS; break;
	case 'u': s->choice.by = BY_USER; break;
	case 'c': s->choice.by = BY_GROUP; break;
	case '/': s->typing = true; s->choice.filter[0] = '\0'; break;
	case KEY_UP: select_row(s, r, -1); break;
	case KEY_DOWN: select_row(s, r, 1); break;
	case KEY_PPAGE: select_row(s, r, -10); break;
	case KEY_NPAGE: select_row(s, r, 10); break;
	}
}

bool screen_type(struct screen *s, const struct rows *r)
{
	bool any = false;
	int key;

	while ((key = getch()) != ERR) {
		any = true;
		type_key(s, r, key);
	}
	return any;
}

/* Print as much of a line as there is room for. Control characters become dots. */
static void put_line(int row, attr_t attr, char *line)
{
	for (char *c = line; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '.';
	}
	attrset(attr);
	mvaddnstr(row, 0, line, COLS);
	attrset(A_NORMAL);
}

static void draw_graph(struct processes *p, const struct process *of, double interval_s, int top)
{
	struct graph g;
	char line[160];

	graph_draw(&g, p, of);
	snprintf(line, sizeof(line), "%d %s: quality in the last %g s", of->pid, of->name,
		 GRAPH_COLUMNS * interval_s);
	put_line(top, A_BOLD, line);
	for (int i = 0; i < GRAPH_LINES; i++)
		put_line(top + 1 + i, A_NORMAL, g.line[i]);
}

static void draw_rows(struct screen *s, const struct moment *m, const struct rows *r, int room)
{
	unsigned int selected = row_of(s, r);
	char line[256];

	if (room < 1)
		return;
	if (selected < s->first)
		s->first = selected;
	if (selected >= s->first + (unsigned int)room)
		s->first = selected - (unsigned int)room + 1;
	if (r->nr <= (unsigned int)room)
		s->first = 0;
	for (unsigned int i = s->first; i < r->nr && i < s->first + (unsigned int)room; i++) {
		table_row(m, &r->of[i], line, sizeof(line));
		put_line(HEAD_LINES + (int)(i - s->first), i == selected && s->graph ? A_BOLD : A_NORMAL, line);
	}
}

static void draw_choice(const struct screen *s, char *line, size_t size)
{
	if (s->typing) {
		snprintf(line, size, "filter: %s_", s->choice.filter);
		return;
	}
	snprintf(line, size, "sorted by %s%s%s%s; h: help, q: end", rows_order_names[s->choice.order],
		 s->choice.filter[0] ? ", with " : "", s->choice.filter,
		 s->choice.only_user ? ", of one user" : "");
}

void screen_draw(struct screen *s, const struct moment *m, const struct rows *r, struct processes *p)
{
	char line[256];
	bool graph = s->graph && s->choice.by == BY_PROCESS && r->nr &&
		     LINES >= HEAD_LINES + ROWS_LEAST + GRAPH_ALL;

	erase();
	table_summary(m, r, line, sizeof(line));
	put_line(0, A_NORMAL, line);
	draw_choice(s, line, sizeof(line));
	put_line(1, A_NORMAL, line);
	if (s->help) {
		for (unsigned int i = 0; i < HELP_LINES; i++)
			mvaddnstr(HEAD_LINES + (int)i, 0, help[i], COLS);
	} else {
		table_head(m, line, sizeof(line));
		put_line(2, A_REVERSE, line);
		draw_rows(s, m, r, LINES - HEAD_LINES - (graph ? GRAPH_ALL : 0));
		if (graph)
			draw_graph(p, r->of[row_of(s, r)].process, m->interval_s, LINES - GRAPH_ALL);
	}
	refresh();
}
