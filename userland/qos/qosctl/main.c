// SPDX-License-Identifier: GPL-2.0-or-later
/* qosctl: shows what qosd does, and tells it what to do. See qosctl(1). */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <json-c/json.h>

#include "complain.h"
#include "exit_status.h"
#include "number.h"
#include "standard_files.h"

#define SOCKET "/run/qosd/socket"

static const char usage[] =
	"Usage: qosctl list [--json]\n"
	"       qosctl why PID\n"
	"       qosctl goal PID MIN [MAX]\n"
	"       qosctl weight PID WEIGHT\n"
	"       qosctl pause PID | resume PID\n"
	"       qosctl metrics\n"
	"What qosd does, and what it should. MIN and MAX are in the program's unit; WEIGHT is\n"
	"1 to 1000, usually 100. 'metrics' is in the format of OpenMetrics.\n"
	"Exit status: 0, 1 if qosd does not answer or refuses, 2 for usage errors.\n";

static int bad(const char *fmt, const char *text)
{
	complain(fmt, text);
	fprintf(stderr, "Try 'qosctl --help'.\n");
	return STATUS_USAGE;
}

/* Returns the answer of qosd, or NULL: the reason has been printed. */
static struct json_object *ask(struct json_object *request)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = SOCKET};
	const struct timeval patience = {.tv_sec = 10};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct json_object *answer = NULL, *error;
	struct json_tokener *tokener = json_tokener_new();
	char part[4096], *text = NULL;
	bool begun = false;
	ssize_t length = asprintf(&text, "%s\n", json_object_to_json_string_ext(request, JSON_C_TO_STRING_PLAIN));

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		complain("%s: %s: is qosd running?", SOCKET, strerror(errno));
	} else if (length > 0 && send(fd, text, (size_t)length, MSG_NOSIGNAL) == length) {
		while (!answer && (length = recv(fd, part, sizeof(part), 0)) > 0) {
			begun = true;
			answer = json_tokener_parse_ex(tokener, part, (int)length);
		}
		if (!answer)
			complain(begun ? "the answer of qosd is cut off: ask again" : "qosd does not answer");
	} else {
		complain("%s: %s", SOCKET, strerror(errno));
	}
	json_tokener_free(tokener);
	free(text);
	json_object_put(request);
	close(fd);
	if (answer && json_object_object_get_ex(answer, "error", &error)) {
		complain("%s", json_object_get_string(error));
		json_object_put(answer);
		return NULL;
	}
	return answer;
}

static double get(struct json_object *o, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(o, name, &value) ? json_object_get_double(value) : 0;
}

/* A column; "-": not known. */
static void print_column(struct json_object *o, const char *name)
{
	struct json_object *value;

	if (json_object_object_get_ex(o, name, &value) && value)
		printf(" %6.2f", json_object_get_double(value));
	else
		printf(" %6s", "-");
}

static const char *get_text(struct json_object *o, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(o, name, &value) ? json_object_get_string(value) : "";
}

static void print_goal(struct json_object *o)
{
	double min = get(o, "goal_min"), max = get(o, "goal_max");
	char text[64];

	if (min == max)
		snprintf(text, sizeof(text), "%.4g", min);
	else
		snprintf(text, sizeof(text), "%.4g-%.4g", min, max);
	printf(" %13s", text);
}

static void print_list(struct json_object *answer)
{
	struct json_object *programs;
	size_t i;

	json_object_object_get_ex(answer, "programs", &programs);
	printf("%7s %-16s %-10s %9s %13s %6s %6s %6s %6s  %s\n", "PID", "PROGRAM", "UNIT", "RATE", "GOAL",
	       "WEIGHT", "ASKED", "CPUS", "USED", "STATE");
	for (i = 0; i < json_object_array_length(programs); i++) {
		struct json_object *o = json_object_array_get_idx(programs, i);

		printf("%7d %-16.16s %-10.10s %9.4g", (int)get(o, "pid"), get_text(o, "program"),
		       get_text(o, "unit"), get(o, "rate"));
		print_goal(o);
		printf(" %6d", (int)get(o, "weight"));
		print_column(o, "asked");
		print_column(o, "cpus");
		print_column(o, "used");
		printf("  %s\n", get_text(o, "state"));
	}
	printf("# %g CPUs%s\n", get(answer, "machine_cpus"),
	       get(answer, "dry_run") ? ", dry run: nothing is changed" : "");
}

static void print_label(const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
}

static void print_metrics(struct json_object *answer)
{
	static const struct {
		const char *name;
		const char *key;
		const char *help;
	} metrics[] = {
		{"qosd_rate", "rate", "Units that a program delivers in a second."},
		{"qosd_goal", "goal_min", "Units that it should deliver at least."},
		{"qosd_cpus", "cpus", "CPUs that it is given."},
		{"qosd_asked_cpus", "asked", "CPUs that it needs, as far as is known."},
		{"qosd_used_cpus", "used", "CPUs that it used."},
	};
	struct json_object *programs;
	size_t i, k;

	json_object_object_get_ex(answer, "programs", &programs);
	for (k = 0; k < sizeof(metrics) / sizeof(*metrics); k++) {
		printf("# TYPE %s gauge\n# HELP %s %s\n", metrics[k].name, metrics[k].name, metrics[k].help);
		for (i = 0; i < json_object_array_length(programs); i++) {
			struct json_object *o = json_object_array_get_idx(programs, i), *value;

			/* What is not known has no sample. */
			if (!json_object_object_get_ex(o, metrics[k].key, &value) || !value)
				continue;
			printf("%s{pid=\"%d\",program=\"", metrics[k].name, (int)get(o, "pid"));
			print_label(get_text(o, "program"));
			printf("\",unit=\"");
			print_label(get_text(o, "unit"));
			printf("\"} %.6g\n", get(o, metrics[k].key));
		}
	}
	printf("# EOF\n");
}

static struct json_object *request_of(const char *command)
{
	struct json_object *request = json_object_new_object();

	json_object_object_add(request, "command", json_object_new_string(command));
	return request;
}

static int parse_value(const char *text, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	return errno || end == text || *end || !(*value > 0) || *value > 1e15 ? -EINVAL : 0;
}

/* Run a command for one program. Its arguments are a PID, and up to two numbers. */
static int of_program(int argc, char **argv)
{
	static const struct {
		const char *name;
		int least;
		int most;
		const char *key[2];
	} commands[] = {
		{"why", 0, 0, {NULL, NULL}},	    {"goal", 1, 2, {"min", "max"}},
		{"weight", 1, 1, {"weight", NULL}}, {"pause", 0, 0, {NULL, NULL}},
		{"resume", 0, 0, {NULL, NULL}},
	};
	struct json_object *request, *answer;
	unsigned long pid;
	double value = 0;
	size_t i;
	int k;

	for (i = 0; i < sizeof(commands) / sizeof(*commands) && strcmp(commands[i].name, argv[0]); i++)
		;
	if (i == sizeof(commands) / sizeof(*commands))
		return bad("'%s' is no command", argv[0]);
	if (argc < 2 + commands[i].least || argc > 2 + commands[i].most)
		return bad("%s: wrong number of arguments", argv[0]);
	if (number_count(argv[1], &pid) || pid > 1UL << 30)
		return bad("'%s' is no process", argv[1]);
	request = request_of(strcmp(argv[0], "why") ? argv[0] : "show");
	json_object_object_add(request, "pid", json_object_new_int64((int64_t)pid));
	for (k = 0; k < commands[i].most; k++) {
		if (k + 2 < argc && parse_value(argv[k + 2], &value)) {
			json_object_put(request);
			return bad("'%s' is not a number above 0", argv[k + 2]);
		}
		json_object_object_add(request, commands[i].key[k], json_object_new_double(value));
	}
	answer = ask(request);
	if (!answer)
		return STATUS_FAILED;
	printf("%s[%d]: %s: %s\n", get_text(answer, "program"), (int)get(answer, "pid"),
	       get_text(answer, "state"), get_text(answer, "why"));
	json_object_put(answer);
	return 0;
}

static int list(bool json, bool metrics)
{
	struct json_object *answer = ask(request_of("list"));

	if (!answer)
		return STATUS_FAILED;
	if (json)
		printf("%s\n", json_object_to_json_string_ext(answer, JSON_C_TO_STRING_PRETTY));
	else if (metrics)
		print_metrics(answer);
	else
		print_list(answer);
	json_object_put(answer);
	return 0;
}

int main(int argc, char **argv)
{
	int status;

	complain_as("qosctl");
	if (standard_files_open(0))
		return STATUS_FAILED;
	if (argc < 2) {
		status = bad("%s", "no command");
	} else if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		fputs(usage, stdout);
		status = 0;
	} else if (!strcmp(argv[1], "--version")) {
		printf("qosctl " VERSION "\n");
		status = 0;
	} else if (!strcmp(argv[1], "list") && (argc == 2 || (argc == 3 && !strcmp(argv[2], "--json")))) {
		status = list(argc == 3, false);
	} else if (!strcmp(argv[1], "metrics") && argc == 2) {
		status = list(false, true);
	} else {
		status = of_program(argc - 1, argv + 1);
	}
	return standard_output_end(status, STATUS_FAILED);
}
