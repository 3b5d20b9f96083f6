// SPDX-License-Identifier: GPL-2.0-or-later
/* simapp: runs a simulated program on the simulated machine. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "device.h"
#include "interrupt.h"
#include "predict.h"
#include "profiles.h"
#include "program.h"
#include "run.h"
#include "standard_files.h"
#include "topology.h"
#include "truth.h"

enum { STATUS_FAILURE = 1, STATUS_USAGE = 2 };

static const char usage_text[] =
"Usage: simapp [OPTION]... PROFILE\n"
"       simapp --list | --machine\n"
"       simapp --describe MACHINE | --compile FILE.json\n"
"Run a simulated program on the simulated machine (the kernel module pmctrack_sim).\n"
"\n"
"PROFILE is a name of --list, or a file.\n"
"\n"
"  -n, --threads N        run N threads, instead of as many as the profile says\n"
"  -s, --seed N           another variation of the program (1)\n"
"  -x, --length PERCENT   of the profile's instructions (100)\n"
"  -t, --truth            at the end, print what no counter knows\n"
"  -j, --json             the same as JSON\n"
"  -r, --report           print a line when a round is over\n"
"  -p, --predict MACHINE  run nothing: print how long the program takes alone on each core\n"
"                         type of a machine, and its events, as JSON\n"
"  -w, --windows INSTR    with -p: for each piece of so many instructions, as CSV\n"
"  -l, --list             print the profiles\n"
"  -m, --machine          print the simulated machine\n"
"      --describe MACHINE print a simulated machine as JSON, for somebody who wants another\n"
"      --compile FILE.json print such a file as pmctrack_sim loads it\n"
"      --profiles FOLDER  where profiles are looked for by name\n"
"      --help             print this text\n"
"      --version          print the version\n";

/**
 * struct options - the command line
 * @threads: number of threads; 0: as the profile says
 * @seed: seed of the variation
 * @length: percent of the profile's instructions
 * @truth: print it
 * @json: print it as JSON
 * @report: print a line when a round is over
 * @predict: the machine of a prediction; NULL: run the program
 * @windows: instructions of a piece of a prediction; 0: predict only the whole
 * @list: print the profiles
 * @machine: print the machine
 * @describe: print this machine
 * @compile: print this machine for the kernel
 * @folder: folder of the profiles
 * @profile: name or path of the profile
 */
struct options {
	unsigned int threads;
	uint64_t seed;
	unsigned int length;
	bool truth;
	bool json;
	bool report;
	const char *predict;
	uint64_t windows;
	bool list;
	bool machine;
	const char *describe;
	const char *compile;
	const char *folder;
	const char *profile;
};

static void refuse(void)
{
	complain("try 'simapp --help'");
	exit(STATUS_USAGE);
}

static uint64_t number(const char *option, const char *text, uint64_t least, uint64_t most)
{
	uint64_t n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && n >= least && n <= most)
		return n;
	complain("--%s must be a number from %llu to %llu: '%s'", option, (unsigned long long)least,
		 (unsigned long long)most, text);
	refuse();
	return 0;
}

static void print_and_exit(const char *text)
{
	fputs(text, stdout);
	exit(standard_output_end(0, STATUS_FAILURE));
}

static void parse(struct options *o, int argc, char **argv)
{
	static const struct option known[] = {
		{ "threads", required_argument, NULL, 'n' },
		{ "seed", required_argument, NULL, 's' },
		{ "length", required_argument, NULL, 'x' },
		{ "truth", no_argument, NULL, 't' },
		{ "json", no_argument, NULL, 'j' },
		{ "report", no_argument, NULL, 'r' },
		{ "predict", required_argument, NULL, 'p' },
		{ "windows", required_argument, NULL, 'w' },
		{ "list", no_argument, NULL, 'l' },
		{ "machine", no_argument, NULL, 'm' },
		{ "describe", required_argument, NULL, 'd' },
		{ "compile", required_argument, NULL, 'c' },
		{ "profiles", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	*o = (struct options) { .seed = 1, .length = 100, .folder = PROFILES_DIR };
	while ((c = getopt_long(argc, argv, "n:s:x:tjrp:w:lm", known, NULL)) != -1) {
		switch (c) {
		case 'n': o->threads = (unsigned int)number("threads", optarg, 1, PROGRAM_THREADS); break;
		case 's': o->seed = number("seed", optarg, 0, UINT64_MAX >> 1); break;
		case 'x': o->length = (unsigned int)number("length", optarg, 1, 10000); break;
		case 't': o->truth = true; break;
		case 'j': o->json = true; break;
		case 'r': o->report = true; break;
		case 'l': o->list = true; break;
		case 'm': o->machine = true; break;
		case 'p': o->predict = optarg; break;
		case 'w': o->windows = number("windows", optarg, 1000, UINT64_MAX >> 1); break;
		case 'd': o->describe = optarg; break;
		case 'c': o->compile = optarg; break;
		case 'f': o->folder = optarg; break;
		case 'h': print_and_exit(usage_text); break;
		case 'v': print_and_exit("simapp " VERSION "\n"); break;
		default: refuse();
		}
	}
	o->profile = argv[optind];
	if (o->windows && !o->predict) {
		complain("--windows needs --predict");
		refuse();
	}
	if (o->list + o->machine + !!o->describe + !!o->compile > 1) {
		complain("only one of --list, --machine, --describe and --compile can be done at once");
		refuse();
	}
	if (o->list || o->machine || o->describe || o->compile ? argc != optind : argc != optind + 1) {
		complain(argc == optind ? "a profile is missing" : "too many arguments: '%s'", argv[argc - 1]);
		refuse();
	}
}

static int print_machine(void)
{
	struct pmct_sim_info info;
	unsigned int cpu;
	int err = device_info(&info);

	if (err)
		return err;
	printf("simulated machine: %s\n", info.name);
	for (cpu = 0; cpu < info.nr_cpus; cpu++)
		printf("cpu %u: %s\n", cpu, info.type[info.cpu_type[cpu]]);
	return 0;
}

/* Print a machine as JSON, or as the kernel module loads it. */
static int print_topology(const char *name, bool compiled)
{
	const struct pmct_sim_machine *m = topology_find(name);

	if (!m)
		return -EINVAL;
	if (compiled)
		return topology_compile(m);
	topology_print(m);
	return 0;
}

/* Scale a number of instructions. It becomes 0 only if it was 0. */
static uint64_t scale(uint64_t instr, unsigned int percent)
{
	uint64_t scaled = instr / 100 * percent + instr % 100 * percent / 100;

	return instr && !scaled ? 1 : scaled;
}

static int run(const struct options *o)
{
	static struct run_result result;
	static struct program p;
	char path[4096];
	int err;

	err = profiles_path(o->folder, o->profile, path, sizeof(path));
	if (err) {
		complain("the name of the profile is too long");
		return err;
	}
	err = program_read(&p, path);
	if (err)
		return err;
	p.threads = o->threads ? o->threads : p.threads;
	p.serial = scale(p.serial, o->length);
	p.parallel = scale(p.parallel, o->length);
	if (o->predict && o->windows)
		return predict_print_windows(&p, o->seed, o->predict, o->windows);
	if (o->predict)
		return predict_print(&p, o->seed, o->predict);
	/* Without results to print, a signal just kills the process. */
	if (o->json || o->truth)
		err = interrupt_begin();
	if (err)
		complain("cannot wait for signals: %s", strerror(-err));
	else
		err = run_program(&p, o->seed, o->report, &result);
	if (!err && o->json)
		err = truth_print_json(&p, o->seed, &result);
	else if (!err && o->truth)
		err = truth_print(&p, &result);
	return err;
}

int main(int argc, char **argv)
{
	struct options options;
	int err;

	complain_as("simapp");
	if (standard_files_open(O_CLOEXEC))
		return STATUS_FAILURE;
	parse(&options, argc, argv);
	if (options.list)
		err = profiles_list(options.folder);
	else if (options.machine)
		err = print_machine();
	else if (options.describe || options.compile)
		err = print_topology(options.describe ? options.describe : options.compile,
				     options.compile);
	else
		err = run(&options);
	err = standard_output_end(err ? STATUS_FAILURE : 0, STATUS_FAILURE);
	interrupt_end();
	return err;
}
