// SPDX-License-Identifier: GPL-2.0-or-later
/* throughput: shows what programs deliver. See throughput(1). */
#include <curses.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "apps.h"
#include "complain.h"
#include "exit_status.h"
#include "run.h"
#include "standard_files.h"

/* Seconds that the rates of list and top cover. */
#define LIST_S 0.5
#define TOP_S 1.0

static const char usage[] = "Usage: throughput run [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
			    "       throughput list [--json]\n"
			    "       throughput top\n"
			    "What programs deliver: run one that says so by what it prints (see throughput run\n"
			    "--help), or show all that say so.\n"
			    "Exit status: 0, 1 if throughput fails, 2 for usage errors; of run: the program's.\n";

static int bad(const char *fmt, const char *text)
{
	complain(fmt, text);
	fprintf(stderr, "Try 'throughput --help'.\n");
	return STATUS_USAGE;
}

static void print_json(const struct apps *a)
{
	struct json_object *all = json_object_new_object(), *array = json_object_new_array();
	size_t i;

	for (i = 0; i < a->nr; i++) {
		const struct seen *s = &a->of[i];
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "pid", json_object_new_int(s->info.pid));
		json_object_object_add(o, "uid", json_object_new_int64(s->info.uid));
		json_object_object_add(o, "program", json_object_new_string(s->info.name));
		json_object_object_add(o, "unit", json_object_new_string(s->info.unit));
		json_object_object_add(o, "rate", isfinite(s->rate) ? json_object_new_double(s->rate) : NULL);
		json_object_object_add(o, "window_s", json_object_new_double(LIST_S));
		json_object_object_add(o, "goal_min", json_object_new_double(s->info.goal_min));
		json_object_object_add(o, "goal_max", json_object_new_double(s->info.goal_max));
		json_object_object_add(o, "weight", json_object_new_int((int)s->info.weight));
		json_object_object_add(o, "count", json_object_new_uint64(s->count));
		json_object_array_add(array, o);
	}
	json_object_object_add(all, "schema", json_object_new_int(1));
	json_object_object_add(all, "programs", array);
	printf("%s\n", json_object_to_json_string_ext(all, JSON_C_TO_STRING_PRETTY));
	json_object_put(all);
}

static int list(bool json)
{
	struct apps a = {.nr = 0};
	char line[160];
	size_t i;
	int err = apps_look(&a, LIST_S);

	if (!err && a.nr) {
		usleep((useconds_t)(LIST_S * 1e6));
		err = apps_look(&a, LIST_S);
	}
	if (err) {
		complain("cannot look at programs: %s", strerror(-err));
		apps_end(&a);
		return STATUS_FAILED;
	}
	if (json) {
		print_json(&a);
	} else {
		puts(apps_head);
		for (i = 0; i < a.nr; i++) {
			apps_line(&a.of[i], line, sizeof(line));
			puts(line);
		}
	}
	apps_end(&a);
	return 0;
}

static int top(void)
{
	struct apps a = {.nr = 0};
	char line[160];
	int key = 0, row;

	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)) {
		complain("there is no terminal that shows a screen: use throughput list");
		return STATUS_FAILED;
	}
	setlocale(LC_CTYPE, "");
	initscr();
	cbreak();
	noecho();
	curs_set(0);
	timeout((int)(TOP_S * 1000));
	while (key != 'q' && key != 27) {
		apps_look(&a, TOP_S);
		erase();
		attron(A_REVERSE);
		mvaddnstr(0, 0, apps_head, COLS);
		attroff(A_REVERSE);
		for (row = 0; row < (int)a.nr && row + 2 < LINES; row++) {
			apps_line(&a.of[row], line, sizeof(line));
			mvaddnstr(row + 1, 0, line, COLS);
		}
		mvaddnstr(LINES - 1, 0, "units in a second, of the last one; q: quit", COLS);
		refresh();
		key = getch();
	}
	endwin();
	apps_end(&a);
	return 0;
}

int main(int argc, char **argv)
{
	int status;

	complain_as("throughput");
	if (standard_files_open(O_CLOEXEC))
		return STATUS_FAILED;
	if (argc < 2)
		return bad("%s", "no command");
	/* The output of run is that of the program. */
	if (!strcmp(argv[1], "run"))
		return run_main(argc - 1, argv + 1);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		fputs(usage, stdout);
		status = 0;
	} else if (!strcmp(argv[1], "--version")) {
		printf("throughput " VERSION "\n");
		status = 0;
	} else if (!strcmp(argv[1], "list") && (argc == 2 || (argc == 3 && !strcmp(argv[2], "--json")))) {
		status = list(argc == 3);
	} else if (!strcmp(argv[1], "top") && argc == 2) {
		status = top();
	} else {
		status = bad("'%s': not known so", argv[1]);
	}
	return standard_output_end(status, STATUS_FAILED);
}
