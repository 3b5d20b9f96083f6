// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "complain.h"
#include "cpu_list.h"
#include "dither.h"
#include "iterations.h"
#include "load.h"
#include "options.h"
#include "out.h"
#include "report.h"

#define MOST_COPIES	RUN_MAX_UNITS

static const char usage_text[] =
"Usage: showstopper LOAD [OPTION]... -- PROGRAM [ARGUMENT]...\n"
"       showstopper LOAD [OPTION]... --pid PID,... | --cgroup FOLDER | --jobs FILE\n"
"       showstopper rescue | report LOG FOLDER | study EXPERIMENT ...\n"
"Hold a load of the CPUs with any programs, or follow one.\n"
"\n"
"LOAD is one of\n"
"  -l, --load PERCENT          the same all the time\n"
"      --trace FILE            lines seconds,percent, with straight lines between them\n"
"      --sine MEAN,AMPLITUDE,SECONDS\n"
"      --staircase FROM,TO,STEP,SECONDS   up and down, each step for SECONDS\n"
"and\n"
"      --speed FACTOR          replay the trace so much faster\n"
"      --gaps                  straight lines where samples of a trace are missing, too\n"
"\n"
"Programs:\n"
"  -n, --copies N              of the program (as many as CPUs)\n"
"      --restart               start programs again when they end\n"
"      --jobs FILE             different programs: JSON, see showstopper(1)\n"
"  -p, --pid PID,...           control these processes and their descendants\n"
"      --cgroup FOLDER         control a control group (version 2), by its freezer; or, with a\n"
"                              program, run that in the group, and hold the group's load\n"
"      --freezer               stop programs by the freezer, each in a control group of its own\n"
"      --cpus LIST             run on these CPUs, and measure them, as in 0-3,8\n"
"\n"
"Control:\n"
"  -m, --method NAME           pi (default), geom; without feedback: cdc, 1cdc, nbench\n"
"  -s, --space NAME            even (default), or uneven: as few as possible run\n"
"      --quantum MS            mean time of running and being stopped (107)\n"
"      --base MS               base period of the load's estimate (333)\n"
"  -d, --duration SECONDS      end then\n"
"\n"
"Output:\n"
"  -o, --log FILE              each 500 ms: CSV, or lines of JSON if it ends with .jsonl\n"
"      --iterations FILE       each program that ended: when it began and ended, as CSV\n"
"      --report FOLDER         log, iterations, and plots of them\n"
"  -v, --view                  all of it on the whole screen\n"
"      --json[=FILE]           the summary as JSON, to standard output or a file\n"
"  -q, --quiet                 no status, no summary\n"
"  -h, --help, -V, --version\n";

__attribute__((format(printf, 1, 2), noreturn))
static void wrong(const char *fmt, ...)
{
	char text[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	complain("%s; see showstopper --help", text);
	exit(2);
}

static double number(const char *option, const char *text)
{
	char *end;
	double x = strtod(text, &end);

	if (end == text || *end || !isfinite(x))
		wrong("%s needs a number, not '%s'", option, text);
	return x;
}

static int64_t milliseconds(const char *option, const char *text, double least, double most)
{
	double x = number(option, text);

	if (x < least || x > most)
		wrong("%s %s: it must be %g to %g ms", option, text, least, most);
	return llround(x * NS_PER_MS);
}

/* Parse "1,2,3" into @nr numbers. */
static void numbers(const char *option, const char *text, double *x, int nr)
{
	char *copy = strdup(text), *rest = copy, *item;
	int i = 0;

	while (copy && (item = strsep(&rest, ","))) {
		if (i == nr)
			break;
		x[i++] = number(option, item);
	}
	if (i != nr || rest)
		wrong("%s needs %d numbers with commas between them, not '%s'", option, nr, text);
	free(copy);
}

/* Only one kind of load may be given. */
static void set_trace(int err, const struct trace_why *why, int *nr)
{
	if (err)
		wrong("%s", why->text[0] ? why->text : strerror(-err));
	if ((*nr)++)
		wrong("more than one load is given");
}

static void parse_pids(struct options *o, const char *text)
{
	char *copy = strdup(text), *rest = copy, *item;

	while (copy && (item = strsep(&rest, ","))) {
		double pid = number("--pid", item);

		if (pid < 1 || pid != (pid_t)pid)
			wrong("--pid: %s is no PID", item);
		o->pids = reallocarray(o->pids, o->nr_pids + 1, sizeof(*o->pids));
		o->pids[o->nr_pids++] = pid;
	}
	free(copy);
}

static void add_program(struct options *o, char **argv, uint32_t copies)
{
	if (o->nr + copies > MOST_COPIES)
		wrong("more than %d programs", MOST_COPIES);
	o->argv = reallocarray(o->argv, o->nr + copies, sizeof(*o->argv));
	while (copies--)
		o->argv[o->nr++] = argv;
}

/* [{"command": ["xz", "-k", "file"], "copies": 2}, …] */
static void add_job(struct options *o, const char *path, struct json_object *job, size_t i)
{
	struct json_object *command, *copies;
	size_t n, j;
	char **argv;
	int nr = 1;

	if (!json_object_object_get_ex(job, "command", &command) ||
	    !json_object_is_type(command, json_type_array) || !json_object_array_length(command))
		wrong("%s: job %zu has no \"command\": [\"program\", \"argument\", ...]", path, i + 1);
	if (json_object_object_get_ex(job, "copies", &copies))
		nr = json_object_get_int(copies);
	if (nr < 1)
		wrong("%s: job %zu: copies must be a number, 1 or more", path, i + 1);
	n = json_object_array_length(command);
	argv = calloc(n + 1, sizeof(*argv));
	for (j = 0; j < n; j++)
		argv[j] = strdup(json_object_get_string(json_object_array_get_idx(command, j)) ?: "");
	add_program(o, argv, nr);
}

static void parse_jobs(struct options *o, const char *path)
{
	struct json_object *jobs = json_object_from_file(path);
	size_t i;

	if (!jobs && access(path, R_OK))
		wrong("%s: %s", path, strerror(errno));
	if (!json_object_is_type(jobs, json_type_array) || !json_object_array_length(jobs))
		wrong("%s: not a list of jobs in JSON", path);
	for (i = 0; i < json_object_array_length(jobs); i++)
		add_job(o, path, json_object_array_get_idx(jobs, i), i);
	json_object_put(jobs);
}

enum { TRACE = 256, SINE, STAIRCASE, SPEED, GAPS, RESTART, JOBS, CGROUP, FREEZER, CPUS, QUANTUM, BASE, JSON,
       ITERATIONS, REPORT };

static const struct option long_options[] = {
	{ "load", 1, NULL, 'l' }, { "trace", 1, NULL, TRACE }, { "sine", 1, NULL, SINE },
	{ "staircase", 1, NULL, STAIRCASE }, { "speed", 1, NULL, SPEED }, { "gaps", 0, NULL, GAPS },
	{ "copies", 1, NULL, 'n' }, { "restart", 0, NULL, RESTART }, { "jobs", 1, NULL, JOBS },
	{ "pid", 1, NULL, 'p' }, { "cgroup", 1, NULL, CGROUP },
	{ "freezer", 0, NULL, FREEZER }, { "cpus", 1, NULL, CPUS },
	{ "method", 1, NULL, 'm' }, { "space", 1, NULL, 's' }, { "quantum", 1, NULL, QUANTUM },
	{ "base", 1, NULL, BASE }, { "duration", 1, NULL, 'd' }, { "log", 1, NULL, 'o' },
	{ "iterations", 1, NULL, ITERATIONS }, { "report", 1, NULL, REPORT }, { "view", 0, NULL, 'v' },
	{ "json", 2, NULL, JSON }, { "quiet", 0, NULL, 'q' }, { "help", 0, NULL, 'h' },
	{ "version", 0, NULL, 'V' }, {}
};

/* What can be decided only when all options are known. */
struct parsed {
	const char *trace, *jobs, *method;
	double load, speed, copies;
	int gaps, loads;
};

static void parse_cpus(struct options *o, const char *text)
{
	char names[2][100];
	cpu_set_t outside, allowed;

	if (cpu_list_parse(text, &o->cpus))
		wrong("--cpus %s is no list of CPUs, as in 0-3,8", text);
	if (!load_are_online(&o->cpus))
		wrong("--cpus %s: one of them is not online", text);
	if (!load_may_use(&o->cpus, &outside, &allowed)) {
		cpu_list_print(names[0], sizeof(names[0]), &outside);
		cpu_list_print(names[1], sizeof(names[1]), &allowed);
		wrong("--cpus %s: the cpuset of this process has no CPU %s; choose from %s, or start showstopper in a control group with a larger cpuset",
		      text, names[0], names[1]);
	}
	o->pinned = true;
}

static void parse_option(struct options *o, struct parsed *p, int c)
{
	struct trace_why why = {};
	double x[4];

	switch (c) {
	case 'l':
		p->load = number("--load", optarg) / 100;
		set_trace(trace_constant(&o->trace, p->load, &why), &why, &p->loads);
		break;
	case TRACE:
		p->trace = optarg;
		break;
	case SINE:
		numbers("--sine", optarg, x, 3);
		set_trace(trace_sine(&o->trace, x[0] / 100, x[1] / 100,
					llround(x[2] * NS_PER_S), &why), &why, &p->loads);
		break;
	case STAIRCASE:
		numbers("--staircase", optarg, x, 4);
		set_trace(trace_staircase(&o->trace, x[0] / 100, x[1] / 100, x[2] / 100,
					     llround(x[3] * NS_PER_S), &why), &why, &p->loads);
		break;
	case SPEED: p->speed = number("--speed", optarg); break;
	case GAPS: p->gaps = 1; break;
	case 'n':
		p->copies = number("--copies", optarg);
		if (p->copies < 1 || p->copies > MOST_COPIES || p->copies != floor(p->copies))
			wrong("--copies %s: it must be 1 to %d", optarg, MOST_COPIES);
		break;
	case RESTART: o->restart = true; break;
	case JOBS: p->jobs = optarg; break;
	case 'p': parse_pids(o, optarg); break;
	case CGROUP: o->cgroup = optarg; break;
	case FREEZER: o->freezer = true; break;
	case CPUS: parse_cpus(o, optarg); break;
	case 'm': p->method = optarg; break;
	case 's':
		if (strcmp(optarg, "even") && strcmp(optarg, "uneven"))
			wrong("--space %s: there are even and uneven", optarg);
		o->space = strcmp(optarg, "even") ? SPACE_UNEVEN : SPACE_EVEN;
		break;
	case QUANTUM:
		o->tau = milliseconds("--quantum", optarg, 2, (double)RUN_MOST_QUANTUM / NS_PER_MS);
		break;
	case BASE: o->delta = milliseconds("--base", optarg, 1, 60000); break;
	case 'd':
		o->duration = llround(number("--duration", optarg) * NS_PER_S);
		if (o->duration <= 0)
			wrong("--duration %s: it must be more than 0 s", optarg);
		break;
	case 'o': o->log = optarg; break;
	case ITERATIONS: o->iterations = optarg; break;
	case REPORT: o->report = optarg; break;
	case 'v': o->view = true; break;
	case JSON: o->json = optarg ?: "-"; break;
	case 'q': o->quiet = true; break;
	case 'h': fputs(usage_text, stdout); exit(0);
	case 'V': puts("showstopper " VERSION); exit(0);
	default: wrong("wrong usage");
	}
}

static void set_method(struct options *o, struct parsed *p, unsigned int cpus)
{
	const char *m = p->method ?: "pi";

	o->control = true;
	if (!strcmp(m, "pi")) {
		o->method = CONTROL_PI;
		o->kappa = CONTROL_KAPPA_PI;
	} else if (!strcmp(m, "geom")) {
		o->method = CONTROL_GEOM;
		o->kappa = CONTROL_KAPPA_GEOM;
	} else if (!strcmp(m, "cdc")) {
		o->method = CONTROL_CDC;
	} else if (!strcmp(m, "1cdc")) {
		o->method = CONTROL_CDC;
		p->copies = p->copies ?: 1;
	} else if (!strcmp(m, "nbench")) {
		o->control = false;
		if (o->trace.nr > 1 || o->trace.amplitude)
			wrong("--method nbench: a number of programs can only hold a constant load");
		if (!p->copies)
			p->copies = fmax(1, round(o->trace.points[0].load * cpus));
	} else {
		wrong("--method %s: there are pi, geom, cdc, 1cdc and nbench", m);
	}
}

static void set_units(struct options *o, const struct parsed *p, unsigned int cpus, char **argv)
{
	int kinds = !!*argv + !!p->jobs + !!o->nr_pids;

	if (!kinds && !o->cgroup)
		wrong("no program is given");
	if (kinds > 1 || (o->nr_pids && o->cgroup))
		wrong("either a program, --jobs, --pid or --cgroup");
	if (o->cgroup && o->pinned)
		wrong("either --cpus or --cgroup: the load is that of one of them");
	if (!*argv && !p->jobs && (o->restart || p->copies || o->pinned || o->freezer || !o->control))
		wrong("--copies, --restart, --cpus, --freezer, 1cdc and nbench are for programs that showstopper starts");
	if (*argv)
		add_program(o, argv, p->copies ?: cpus);
	else if (p->jobs)
		parse_jobs(o, p->jobs);
	else
		o->nr = o->nr_pids ?: 1;
	if (o->nr > MOST_COPIES)
		wrong("more than %d processes", MOST_COPIES);
}

/* A report is made from log and iterations. */
static void set_report(struct options *o)
{
	char *log, *iterations;

	if (o->log || o->iterations)
		wrong("either --report, or --log and --iterations: it has both in its folder");
	if (mkdir(o->report, 0777) && errno != EEXIST)
		wrong("--report %s: %s", o->report, strerror(errno));
	if (asprintf(&log, "%s/" REPORT_LOG, o->report) < 0 ||
	    asprintf(&iterations, "%s/" REPORT_ITERATIONS, o->report) < 0)
		wrong("%s", strerror(errno));
	o->log = log;
	o->iterations = iterations;
}

void options_parse(struct options *o, int argc, char **argv)
{
	struct parsed p = { .speed = 1 };
	struct trace_why why = {};
	unsigned int cpus;
	int c, err;

	memset(o, 0, sizeof(*o));
	o->tau = DITHER_TAU;
	o->delta = FEEDBACK_DELTA;
	while ((c = getopt_long(argc, argv, "+l:n:p:m:s:d:o:vqhV", long_options, NULL)) != -1)
		parse_option(o, &p, c);
	if (p.trace)
		set_trace(trace_file(&o->trace, p.trace, p.gaps, &why), &why, &p.loads);
	if (!p.loads)
		wrong("no load is given: --load, --trace, --sine or --staircase");
	err = trace_scale(&o->trace, p.speed, &why);
	if (err)
		wrong("%s", why.text);
	if (p.trace && !trace_end(&o->trace) && !o->duration)
		wrong("%s: one sample, at 0 s, has no length: give --duration", p.trace);
	cpus = o->pinned ? CPU_COUNT(&o->cpus) : sysconf(_SC_NPROCESSORS_ONLN);
	set_method(o, &p, cpus);
	set_units(o, &p, cpus, argv + optind);
	if (o->report)
		set_report(o);
	o->view &= !o->quiet;
}

static int open_one(const char *path, int (*open_it)(const char *path), int *fd)
{
	*fd = path ? open_it(path) : -1;
	if (!path || *fd >= 0)
		return 0;
	complain("%s: %s", path, out_error(*fd));
	return *fd;
}

int options_open(struct options *o)
{
	int err = open_one(o->log, out_open, &o->log_fd);

	err = err ?: open_one(o->iterations, iterations_open, &o->iterations_fd);
	return err ?: open_one(o->json, out_open, &o->json_fd);
}

int64_t options_length(const struct options *o)
{
	return o->duration ?: trace_end(&o->trace);
}
