// SPDX-License-Identifier: GPL-2.0-or-later
/* What people see and type: options, the observer's log, complaints, the full screen, signals. */
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "complain.h"
#include "../src/messages.h"
#include "../src/observe.h"
#include "../src/options.h"
#include "../src/signals.h"
#include "../src/view.h"

/*
 * Write to @text what @body prints to standard output and error, in a process of its own with or
 * without a terminal, on which "q" is typed. Returns the exit status of @body's process.
 */
static int output_of(void (*body)(void), bool terminal, char *text, size_t size)
{
	const struct winsize screen = { .ws_row = 24, .ws_col = 80 };
	size_t length = 0;
	int ends[2], status;
	ssize_t n;
	pid_t pid;

	fflush(NULL);
	if (terminal) {
		pid = forkpty(&ends[0], NULL, NULL, &screen);
	} else {
		assert_int_equal(pipe(ends), 0);
		pid = fork();
	}
	assert_true(pid >= 0);
	if (!pid) {
		if (!terminal) {
			dup2(open("/dev/null", O_RDONLY), 0);
			dup2(ends[1], 1);
			dup2(ends[1], 2);
		}
		setenv("TERM", "xterm", 1);
		body();
		fflush(NULL);
		_exit(0);
	}
	if (!terminal)
		close(ends[1]);
	else
		assert_int_equal(write(ends[0], "q", 1), 1);
	while (length < size - 1 && (n = read(ends[0], text + length, size - 1 - length)) > 0)
		length += n;
	text[length] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static const char *line[20];

static void parse_line(void)
{
	struct options o;
	char *argv[20];
	int i;

	for (i = 0; line[i]; i++)
		argv[i] = (char *)line[i];
	argv[i] = NULL;
	optind = 0;
	options_parse(&o, i, argv);
	printf("load %.2f method %d control %d space %d tau %lld kappa %u duration %lld restart %d nr %u view %d quiet %d",
	       trace_target(&o.trace, 0), o.method, o.control, o.space, (long long)(o.tau / NS_PER_MS), o.kappa,
	       (long long)(o.duration / NS_PER_S), o.restart, o.nr, o.view, o.quiet);
	if (o.argv)
		printf(" program %s %s", o.argv[0][0], o.argv[o.nr - 1][1] ?: "");
}

static void expect_options(int status, const char *expected, const char *const *words)
{
	char text[4096];
	size_t i;

	line[0] = "showstopper";
	for (i = 0; words[i]; i++)
		line[i + 1] = words[i];
	line[i + 1] = NULL;
	assert_int_equal(output_of(parse_line, false, text, sizeof(text)), status);
	if (!strstr(text, expected))
		fail_msg("not '%s', but: %s", expected, text);
}

#define OPTIONS(status, expected, ...) \
	expect_options(status, expected, (const char *const[]){ __VA_ARGS__, NULL })

static void command_lines(void **state)
{
	char numbers[100];

	(void)state;
	OPTIONS(0, "load 0.40", "-l", "40", "--", "true");
	OPTIONS(0, "restart 1 nr 3 ", "-l", "40", "-n", "3", "--restart", "true", "x");
	OPTIONS(0, "program true x", "-l", "40", "-n", "3", "--restart", "true", "x");
	OPTIONS(0, "duration 7 ", "-l", "40", "-d", "7", "true");
	snprintf(numbers, sizeof(numbers), "method %d control 1 space %d", CONTROL_GEOM, SPACE_UNEVEN);
	OPTIONS(0, numbers, "-l", "1", "-m", "geom", "-s", "uneven", "true");
	OPTIONS(0, "control 0", "-l", "50", "-m", "nbench", "true");
	/* Without -v, nothing is shown. */
	OPTIONS(0, "view 0", "-l", "50", "true");
	OPTIONS(0, "--load", "--help");
	OPTIONS(2, "x", "-l", "x", "true");
	OPTIONS(2, "101", "-l", "101", "true");
	OPTIONS(2, "nan", "-l", "nan", "true");
	OPTIONS(2, "showstopper: ", "true");
	OPTIONS(2, "showstopper: ", "-l", "50");
	OPTIONS(2, "fast", "-l", "50", "-m", "fast", "true");
}

struct clock { struct load_time now; int err; };

static int read_clock(void *data, struct load_time *now)
{
	struct clock *c = data;

	*now = c->now;
	return c->err;
}

static struct run run;
static char path[] = "/tmp/seen_test.XXXXXX";

/* The text of the file at @path. */
static const char *written(void)
{
	static char text[1000];
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	assert_true(n >= 0);
	text[n] = '\0';
	close(fd);
	return text;
}

static void observations(void **state)
{
	struct clock c = {};
	struct load load = { .source = { read_clock, &c, 2 } };
	struct observer o;
	struct trace trace;
	struct trace_why why;
	char second[60];

	(void)state;
	assert_int_equal(trace_constant(&trace, 0.5, &why), 0);
	memset(&run, 0, sizeof(run));
	run.nr = 2;
	run.unit[0].state = UNIT_RUNNING;
	run.unit[0].duty = 0.25;
	run.unit[0].iterations = 3;
	run.unit[1].state = UNIT_ENDED;
	run.unit[1].iterations = 4;
	run.unit[1].own = 5 * NS_PER_S;
	run.begin = run_now() - NS_PER_S;
	assert_int_equal(observer_open(&o, &load, path, out_open(path)), 0);
	/* Before the controllers have reached the target, observations do not count. */
	c.now = (struct load_time){ NS_PER_S, 0 };
	assert_int_equal(observer_take(&o, &run, &trace), 0);
	assert_int_equal(o.nr, 0);
	run.begin -= 9 * NS_PER_S;
	c.now = (struct load_time){ 2 * NS_PER_S, 3 * NS_PER_S };
	assert_int_equal(observer_take(&o, &run, &trace), 0);
	assert_true(o.latest.at >= 10 * NS_PER_S);
	snprintf(second, sizeof(second), "\n%.3f,50.000,25.000,25.000,1,7\n", (double)o.latest.at / NS_PER_S);
	assert_float_equal(o.latest.load, 0.25, 1e-9);
	assert_float_equal(o.latest.target, 0.5, 1e-9);
	assert_float_equal(o.latest.duty, 0.25, 1e-9);
	assert_int_equal(o.latest.running, 1);
	assert_int_equal(o.latest.iterations, 7);
	assert_true(o.latest.own >= 5 * NS_PER_S && o.latest.own < 100 * NS_PER_S);
	/* A CPU went offline, with its times: the load stays as it was. */
	c.now.idle -= NS_PER_S;
	assert_int_equal(observer_take(&o, &run, &trace), 0);
	assert_float_equal(o.latest.load, 0.25, 1e-9);
	/* A pause, and the rest of its last period, do not count. */
	run.paused = 1;
	c.now.work += 9 * NS_PER_S;
	assert_int_equal(observer_take(&o, &run, &trace), 0);
	run.paused = 0;
	assert_int_equal(observer_take(&o, &run, &trace), 0);
	assert_int_equal(o.nr, 2);
	c.now.work += 3 * NS_PER_S;
	c.now.idle += NS_PER_S;
	assert_int_equal(observer_take(&o, &run, &trace), 0);
	assert_int_equal(o.nr, 3);
	assert_float_equal(o.error, 0.25 + 0.25 - 0.25, 1e-9);
	assert_float_equal(o.squares, 3 * 0.0625, 1e-9);
	c.err = -EIO;
	assert_int_equal(observer_take(&o, &run, &trace), -EIO);
	assert_int_equal(observer_close(&o), 0);
	assert_non_null(strstr(written(), second));

	assert_int_equal(observer_write_summary(&o, &run, out_open(path)), 0);
	assert_non_null(strstr(written(), "{\"observations\": 3, \"period_ms\": 500, \"load_percent\": 41.667, \"mean_error_percent\": 8.3333, \"mean_squared_error\": 625.0000,"));
	o.nr = 0;
	assert_int_equal(observer_write_summary(&o, &run, out_open(path)), 0);
	assert_string_equal(written(), "{\"observations\": 0}\n");
	assert_int_equal(observer_write_summary(&o, &run, out_open("/dev/full")), -ENOSPC);
	assert_int_equal(out_open("/nonexistent/x"), -ENOENT);
	c.err = 0;
	/* Without a path, nothing is logged. */
	assert_int_equal(observer_open(&o, &load, NULL, -1), 0);
	assert_int_equal(observer_take(&o, &run, &trace), 0);
	assert_int_equal(observer_close(&o), 0);
	/* The first line of the log cannot be written. */
	assert_int_equal(observer_open(&o, &load, "/dev/full", out_open("/dev/full")), 0);
	assert_int_equal(observer_take(&o, &run, &trace), -ENOSPC);
	observer_close(&o);
	trace_free(&trace);
}

/* A reader that does not read: the wait for it is short, and lines are kept if there is room. */
static void sleeping_readers(void **state)
{
	static char text[200000];
	struct out o = {};
	int64_t begin;
	ssize_t n;
	int ends[2], i;

	(void)state;
	signals_begin();
	assert_int_equal(pipe(ends), 0);
	begin = run_now();
	n = out_write(ends[1], text, sizeof(text), 300 * NS_PER_MS);
	assert_true(n > 0 && n < (ssize_t)sizeof(text));
	assert_true(run_now() - begin >= 300 * NS_PER_MS && run_now() - begin < 30 * NS_PER_S);
	assert_false(out_is_ready(ends[1]));
	assert_int_equal(out_write(ends[1], text, 1, 0), 0);
	o.fd = ends[1];
	out_print(&o, "%s %d\n", "line", 1);
	assert_int_equal(out_flush(&o, 0), -EAGAIN);
	/* The reader reads again: all lines are there, in their order. */
	while (n > 0)
		n -= read(ends[0], text, n);
	out_print(&o, "line 2\n");
	assert_int_equal(out_flush(&o, 0), 0);
	assert_int_equal(read(ends[0], text, sizeof(text)), 14);
	assert_memory_equal(text, "line 1\nline 2\n", 14);
	/* The reader never reads again. */
	assert_true(out_write(ends[1], text, sizeof(text), 0) < (ssize_t)sizeof(text));
	for (i = 0; i < 300000 && !o.full; i++)
		out_print(&o, "a line that is kept\n");
	assert_true(o.full);
	assert_int_equal(out_close(&o, 10 * NS_PER_MS), -ETIMEDOUT);
	close(ends[0]);
}

static void complaints_on_a_screen(void)
{
	int i;

	complain("before");
	messages_later(true);
	for (i = 0; i < 20; i++)
		complain("number %d", i);
	if (strcmp(messages_last(), "number 19"))
		_exit(1);
	fputs("screen\n", stderr);
	messages_later(false);
	if (messages_last())
		_exit(1);
	complain("after");
}

static void complaints(void **state)
{
	char text[2000];

	(void)state;
	assert_int_equal(output_of(complaints_on_a_screen, false, text, sizeof(text)), 0);
	assert_ptr_equal(strstr(text, "showstopper: before\nscreen\nshowstopper: number 0\nshowstopper: number 1\n"), text);
	assert_non_null(strstr(text, "showstopper: number 14\nshowstopper: number 19\nshowstopper: after\n"));
}

/* Show two copies of a program and another one, until the key is seen. */
static void whole_screen(void)
{
	static struct view v;
	char *xz[] = { "/usr/bin/xz", NULL }, *other[] = { "other", NULL };
	char **argv[] = { xz, xz, other };
	struct options options = { .nr = 3, .argv = argv, .control = true };
	struct observer o = { .nr = 4, .error = 0.02 };
	int i, key = 0;

	memset(&run, 0, sizeof(run));
	run.nr = 3;
	for (i = 0; i < 3; i++) {
		run.unit[i].state = i < 2 ? UNIT_RUNNING : UNIT_ENDED;
		run.unit[i].duty = 0.2 + 0.2 * i;
		run.unit[i].iterations = 5;
	}
	o.latest = (struct observation){ .at = 4 * NS_PER_S, .target = 0.4, .load = 0.375 };
	view_save();
	view_open(&v);
	if (!v.on) {
		fputs("no screen", stderr);
		return;
	}
	complain("look here");
	for (i = 0; i < 1000 && !key; i++) {
		view_draw(&v, &o, &run, &options);
		key = view_key(&v);
		usleep(10000);
	}
	run.paused = 1;
	view_draw(&v, &o, &run, &options);
	view_close(&v);
	view_restore();
	if (key != SIGINT || v.on)
		_exit(1);
}

static void screens(void **state)
{
	static char text[200000];

	(void)state;
	assert_int_equal(output_of(whole_screen, true, text, sizeof(text)), 0);
	assert_non_null(strstr(text, "showstopper  4.0 s   target 40.0 %   load 37.5 %   mean error 0.50 %"));
	assert_non_null(strstr(text, "PROGRAM"));
	/*
	 * Copies share one line: how many run, mean duty, iterations, iterations a second.
	 * Gaps are not blanks in the output: the cursor jumps over them.
	 */
	assert_non_null(strstr(text, "xz"));
	assert_non_null(strstr(text, "2     30.0"));
	assert_non_null(strstr(text, "2.500"));
	assert_non_null(strstr(text, "other"));
	assert_non_null(strstr(text, "1.250"));
	assert_non_null(strstr(text, "100 %|"));
	assert_non_null(strstr(text, "showstopper: look here\r\n"));
	assert_int_equal(output_of(whole_screen, false, text, sizeof(text)), 0);
	assert_string_equal(text, "no screen");
}

/* Signals that were ignored at the beginning (nohup) remain ignored. */
static void ignored_signals(void)
{
	sigset_t set;

	signal(SIGINT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	prctl(PR_SET_TIMERSLACK, 123456);
	signals_begin();
	prctl(PR_SET_TIMERSLACK, 1);
	signals_that_end(&set);
	printf("int %d term %d pause %d chld %d pipe %d;", sigismember(&set, SIGINT), sigismember(&set, SIGTERM),
	       signals_may_pause(), signal(SIGCHLD, SIG_DFL) == SIG_IGN, signal(SIGPIPE, SIG_IGN) == SIG_IGN);
	signals_restore();
	printf("int %d term %d chld %d pipe %d slack %d", signal(SIGINT, SIG_DFL) == SIG_IGN,
	       signal(SIGTERM, SIG_DFL) == SIG_IGN, signal(SIGCHLD, SIG_DFL) == SIG_IGN,
	       signal(SIGPIPE, SIG_DFL) == SIG_IGN, prctl(PR_GET_TIMERSLACK));
}

static void signal_dispositions(void **state)
{
	char text[300];

	(void)state;
	signal(SIGPIPE, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	assert_int_equal(output_of(ignored_signals, false, text, sizeof(text)), 0);
	assert_string_equal(text, "int 0 term 1 pause 0 chld 0 pipe 1;int 1 term 0 chld 1 pipe 0 slack 123456");
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_lines), cmocka_unit_test(observations), cmocka_unit_test(sleeping_readers),
		cmocka_unit_test(complaints),
		cmocka_unit_test(screens), cmocka_unit_test(signal_dispositions),
	};
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	messages_begin();
	return cmocka_run_group_tests(tests, NULL, remove_file);
}
