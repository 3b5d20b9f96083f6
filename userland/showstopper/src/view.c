// SPDX-License-Identifier: GPL-2.0-or-later
#include <curses.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "messages.h"
#include "view.h"

#define GRAPH_LINES	10

static struct termios saved;
static bool is_saved;

/* True if the terminal is this process's: others have it while this one is in the background. */
static bool is_ours(void)
{
	return tcgetpgrp(0) == getpgrp();
}

void view_open(struct view *v)
{
	if (!isatty(0) || !isatty(2) || !is_ours())
		return;
	/* Names of programs may have any letters. */
	setlocale(LC_CTYPE, "");
	if (!newterm(NULL, stderr, stdin))
		return;
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	curs_set(0);
	messages_later(true);
	v->on = true;
}

static const char *name_of(const struct options *o, uint32_t i, char *name,
			   size_t size)
{
	const char *text = o->argv ? o->argv[i][0] : o->cgroup;

	if (!text)
		snprintf(name, size, "process %d", o->pids[i]);
	else
		snprintf(name, size, "%s", strrchr(text, '/') ? strrchr(text, '/') + 1 : text);
	return name;
}

/* Print as much of a line as there is room for. */
__attribute__((format(printf, 2, 3)))
static void put_line(int row, const char *fmt, ...)
{
	char line[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	mvaddnstr(row, 0, line, COLS);
}

/* Draw the line of one program, with all its copies from @i on. */
static void draw_program(int row, const struct run *run, const struct options *o, uint32_t i,
			 double seconds)
{
	uint64_t iterations = 0;
	unsigned int running = 0;
	double duty = 0;
	char name[25], cycle[16] = "-", rate[24] = "";
	uint32_t j;

	for (j = i; j < run->nr && (j == i || (o->argv && o->argv[j] == o->argv[i])); j++) {
		const struct run_unit *u = &run->unit[j];

		iterations += u->iterations;
		if (u->state != UNIT_RUNNING)
			continue;
		running++;
		duty += u->duty;
	}
	if (o->control)
		snprintf(cycle, sizeof(cycle), "%.1f", running ? 100 * duty / running : 0);
	if (iterations && seconds > 0)
		snprintf(rate, sizeof(rate), "%.3f", (double)iterations / seconds);
	put_line(row, "%-24s %7u %8s %11llu %12s", name_of(o, i, name, sizeof(name)), running, cycle,
		 (unsigned long long)iterations, rate);
}

/* Draw the last minutes: a column each 500 ms, 0 % below. */
static void draw_graph(const struct view *v, int top, int height)
{
	unsigned int i, n = v->nr < VIEW_HISTORY ? v->nr : VIEW_HISTORY;
	int line;

	if (height < 3 || COLS < 20)
		return;
	if (n > (unsigned int)COLS - 6)
		n = COLS - 6;
	for (line = 0; line < height; line++) {
		if (line % 3 && line != height - 1)
			mvprintw(top + line, 0, "     |");
		else
			mvprintw(top + line, 0, "%3.0f %%|", 100.0 * (height - 1 - line) / (height - 1));
	}
	for (i = 0; i < n; i++) {
		const struct observation *x = &v->past[(v->nr - n + i) % VIEW_HISTORY];
		int target = lround(x->target * (height - 1)), load = lround(fmin(x->load, 1) * (height - 1));

		mvaddch(top + height - 1 - target, 6 + (int)i, '-');
		mvaddch(top + height - 1 - load, 6 + (int)i, '*' | A_BOLD);
	}
}

void view_draw(struct view *v, const struct observer *o, const struct run *run,
	       const struct options *options)
{
	const struct observation *x = &o->latest;
	double seconds = (double)x->at / NS_PER_S;
	char error[40] = "";
	int row = 3, left;
	uint32_t i;

	/* The guardian may have written on the screen while the master was silent. */
	if (v->nr && x->at - v->past[(v->nr - 1) % VIEW_HISTORY].at > OBSERVE_PERIOD + RUN_SILENCE)
		clearok(curscr, TRUE);
	v->past[v->nr++ % VIEW_HISTORY] = *x;
	/* A stopped guardian gives the terminal back to the shell. */
	if (run->paused || !is_ours()) {
		if (!isendwin())
			endwin();
		return;
	}
	erase();
	if (o->nr)
		snprintf(error, sizeof(error), "   mean error %.2f %%", 100 * o->error / o->nr);
	put_line(0, "showstopper  %.1f s   target %.1f %%   load %.1f %%%s", seconds, 100 * x->target,
		 100 * x->load, error);
	attron(A_REVERSE);
	put_line(2, "%-24s %7s %8s %11s %12s", "PROGRAM", "RUNNING", "DUTY %", "ITERATIONS", "A SECOND");
	attroff(A_REVERSE);
	for (i = 0; i < run->nr && row < LINES - 2; i++) {
		if (i && options->argv && options->argv[i] == options->argv[i - 1])
			continue;
		draw_program(row++, run, options, i, seconds);
	}
	left = LINES - 3 - row;
	draw_graph(v, row + 1, left < GRAPH_LINES ? left : GRAPH_LINES);
	put_line(LINES - 1, "%s", messages_last() ?: "* load, - target, each 500 ms; q ends the run");
	refresh();
}

int view_key(const struct view *v)
{
	return v->on && !isendwin() && is_ours() && getch() == 'q' ? SIGINT : 0;
}

void view_close(struct view *v)
{
	if (!v->on)
		return;
	v->on = false;
	if (!isendwin())
		endwin();
	messages_later(false);
}

void view_save(void)
{
	is_saved = isatty(0) && isatty(2) && !tcgetattr(0, &saved);
}

static int put(int c)
{
	char byte = c;

	return write(2, &byte, 1) == 1 ? c : EOF;
}

void view_restore(void)
{
	int err;

	if (!is_saved || setupterm(NULL, 2, &err))
		return;
	tputs(cursor_normal, 1, put);
	tputs(exit_ca_mode, 1, put);
	tcsetattr(0, TCSADRAIN, &saved);
}
