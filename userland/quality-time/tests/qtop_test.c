// SPDX-License-Identifier: GPL-2.0-or-later
/* What qtop shows, without the kernel module: rows, their order, the graph. */
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "qtop/graph.h"
#include "qtop/options.h"
#include "qtop/table.h"

/* Processes that do not exist: PIDs are too large. */
enum { ONE = 10000001, OTHER, THIRD };

static struct processes *p;

static bool count(struct process *of, void *nr)
{
	(void)of;
	(*(unsigned int *)nr)++;
	return false;
}

static unsigned int nr_of(struct processes *of)
{
	unsigned int nr = 0;

	processes_each(of, count, &nr);
	return nr;
}

static struct process *new_process(pid_t pid, const char *name, const char *group)
{
	struct process *of = processes_get(p, pid);

	assert_non_null(of);
	snprintf(of->name, sizeof(of->name), "%s", name);
	snprintf(of->group, sizeof(of->group), "%s", group);
	return of;
}

/* The process ran on @cpu for @cpu_percent of a second, with @quality percent. */
static void ran(struct process *of, unsigned int cpu_percent, unsigned int quality, int cpu)
{
	const struct sum s = {
		.cpu_ns = cpu_percent * 10000000ULL,
		.explained_ns = cpu_percent * 10000000ULL,
		.quality_ns = cpu_percent * 100000ULL * quality,
		.waited_ns = (100 - cpu_percent) * 10000000ULL,
	};

	processes_add(p, of, &s, cpu);
}

static struct choice choice = { .window = { 1, 5 }, .nr_windows = 2 };
static struct rows rows;
static const struct sum all = { .cpu_ns = 100, .explained_ns = 100, .quality_ns = 71 };

static struct moment moment(void)
{
	return (struct moment){
		.processes = p, .choice = &choice, .slot_s = 1, .interval_s = 1, .cpus = 4, .all = &all,
	};
}

static int setup(void **state)
{
	struct process *one, *other;

	(void)state;
	p = processes_new();
	choice = (struct choice){ .window = { 1, 5 }, .nr_windows = 2 };
	one = new_process(ONE, "one", "/a");
	other = new_process(OTHER, "other", "/b");
	new_process(THIRD, "third", "/b");
	for (int i = 0; i < 4; i++) {
		ran(one, 100, i < 2 ? 95 : 42, i < 2 ? 0 : 13);
		ran(other, 50, 77, i < 2 ? 13 : 0);
		processes_next_slot(p);
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rows_free(&rows);
	processes_free(p);
	return 0;
}

static void expect_line(const char *line, const char *expected)
{
	if (strcmp(line, expected) != 0)
		fail_msg("not '%s', but\n    '%s'", expected, line);
}

static void table(void **state)
{
	struct moment m = moment();
	char line[200];

	(void)state;
	assert_true(rows_fill(&rows, p, &choice));
	assert_int_equal(rows.nr, 3);
	table_head(&m, line, sizeof(line));
	expect_line(line, "    PID USER      CPU% QUAL   1s   5s WAIT%  AGE  ON LAST        PROGRAM");
	table_row(&m, &rows.of[0], line, sizeof(line));
	expect_line(line, "10000001 ?        100.0   68   42   68   0.0   0s  13 .......9944 one");
	table_row(&m, &rows.of[1], line, sizeof(line));
	expect_line(line, "10000002 ?         50.0   77   77   77  50.0   0s   0 .......7777 other");
	table_row(&m, &rows.of[2], line, sizeof(line));
	expect_line(line, "10000003 ?          0.0    -    -    -   0.0    -   - ........... third");
	/* 80 columns are enough for PIDs of the usual size and names of 15 letters. */
	rows.of[2].process = processes_get(p, 4194304);
	table_row(&m, &rows.of[2], line, sizeof(line));
	assert_true(strlen(line) - strlen("third") + 15 <= 80);
	table_summary(&m, &rows, line, sizeof(line));
	assert_non_null(strstr(line, "4 CPUs, 3 processes; quality 54 %, since the start 71 %"));
}

static void expect_order(enum order order, const char *expected)
{
	char text[512] = "";

	choice.order = order;
	rows_fill(&rows, p, &choice);
	for (unsigned int i = 0; i < rows.nr; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s ", rows.of[i].title);
	expect_line(text, expected);
}

static void orders(void **state)
{
	(void)state;
	expect_order(ORDER_CPU, "one other third ");
	expect_order(ORDER_QUALITY, "one other third ");
	expect_order(ORDER_LOST, "one other third ");
	expect_order(ORDER_WAITING, "other one third ");
	expect_order(ORDER_NAME, "one other third ");
	expect_order(ORDER_PID, "one other third ");
	snprintf(choice.filter, sizeof(choice.filter), "/b");
	expect_order(ORDER_CPU, "other third ");
	choice.filter[0] = '\0';
	choice.only_user = true;
	choice.uid = 65534;
	expect_order(ORDER_CPU, "");
	choice.only_user = false;
	choice.by = BY_GROUP;
	expect_order(ORDER_CPU, "a b ");
	assert_int_equal(rows.of[1].processes, 2);
	choice.by = BY_USER;
	expect_order(ORDER_CPU, "? ");
	assert_int_equal(rows.of[0].all.cpu_ns, 6000000000ULL);
}

/* A process that has ended is shown until it leaves the graph. */
static void ended(void **state)
{
	(void)state;
	/* An end is found at the second look; of a process that did not run, up to the ninth. */
	for (int i = 0; i < 9; i++)
		processes_look(p);
	rows_fill(&rows, p, &choice);
	assert_int_equal(rows.nr, 2);
	assert_int_equal(rows.of[0].processes, 0);
	for (int i = 0; i < PROCESS_SLOTS; i++)
		processes_next_slot(p);
	rows_fill(&rows, p, &choice);
	assert_int_equal(rows.nr, 0);
	assert_int_equal(nr_of(p), 0);
}

static void graph(void **state)
{
	struct graph g;
	const char *last[GRAPH_LINES] = {
		[0] = "oo  ", [5] = "  oo", [GRAPH_STEPS] = "  11", [GRAPH_STEPS + 1] = "0033", [GRAPH_STEPS + 2] = "  s ",
	};

	(void)state;
	graph_draw(&g, p, processes_find(p, ONE));
	assert_true(strncmp(g.line[0], "100% |", 6) == 0);
	assert_true(strncmp(g.line[9], " 10% |", 6) == 0);
	for (int i = 0; i < GRAPH_LINES; i++) {
		const char *line = g.line[i] + strlen(g.line[i]) - 4;

		expect_line(line, last[i] ? last[i] : "    ");
		assert_true(strlen(g.line[i]) <= 80);
	}
	/* If the other process stays on its CPU, this is a move, not a swap. */
	processes_find(p, OTHER)->slot_cpu[processes_slot(p, 1)] = 5;
	processes_find(p, OTHER)->slot_cpu[processes_slot(p, 2)] = 5;
	graph_draw(&g, p, processes_find(p, ONE));
	expect_line(g.line[GRAPH_STEPS + 2] + strlen(g.line[GRAPH_STEPS + 2]) - 4, "  m ");
}

static void digits(void **state)
{
	struct sum s = { .cpu_ns = 100, .explained_ns = 100 };

	(void)state;
	assert_int_equal(table_digit(&s), '0');
	s.quality_ns = 19;
	assert_int_equal(table_digit(&s), '1');
	s.quality_ns = 100;
	assert_int_equal(table_digit(&s), '9');
	s.explained_ns = 0;
	assert_int_equal(table_digit(&s), '?');
	s.cpu_ns = 0;
	assert_int_equal(table_digit(&s), '.');
}

static void windows(void **state)
{
	char *good[] = { "qtop", "-i", "0.5", "-w", "1,10,30", "-s", "lost", "-g", "group", NULL };
	char *bad[] = { "qtop", "-w", "1,100", NULL };
	struct options o;

	(void)state;
	optind = 0;
	assert_int_equal(options_parse(&o, 9, good), 0);
	assert_int_equal(o.choice.nr_windows, 3);
	assert_int_equal(o.choice.window[0], 2);
	assert_int_equal(o.choice.window[2], 60);
	assert_int_equal(o.choice.order, ORDER_LOST);
	assert_int_equal(o.choice.by, BY_GROUP);
	optind = 0;
	assert_int_equal(options_parse(&o, 3, bad), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(table, setup, teardown),
		cmocka_unit_test_setup_teardown(orders, setup, teardown),
		cmocka_unit_test_setup_teardown(ended, setup, teardown),
		cmocka_unit_test_setup_teardown(graph, setup, teardown),
		cmocka_unit_test(digits),
		cmocka_unit_test(windows),
	};

	return cmocka_run_group_tests_name("qtop", tests, NULL, NULL);
}
