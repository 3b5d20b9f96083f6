/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHOWSTOPPER_OPTIONS_H
#define SHOWSTOPPER_OPTIONS_H

#include <sched.h>

#include "control.h"
#include "run.h"
#include "space.h"
#include "trace.h"

/**
 * struct options - the command line
 * @trace: the load to hold
 * @method: how; @control: false: programs are never stopped (nbench)
 * @space: even or uneven
 * @tau: quantum of dithering, ns
 * @delta: base period of feedback, ns
 * @kappa: peers to average with
 * @duration: ns after which the run ends, 0: with the trace, or the programs
 * @restart: start programs again when they end
 * @cpus: programs run on these, and the load is theirs, if @pinned
 * @pids: processes to control instead of programs, @nr_pids
 * @cgroup: control group whose load it is, NULL; if there are no programs, it is
 *	what is controlled, else they run in it
 * @freezer: programs are stopped by the freezers of control groups of their own
 * @nr: number of units
 * @argv: program of each unit
 * @log: file for what was observed, NULL
 * @iterations: file for programs that ended, NULL
 * @report: folder for log, iterations and what is drawn of them, NULL
 * @view: the whole screen shows the run
 * @quiet: no status line
 * @json: file for the summary as JSON, "-": standard output; NULL: none
 * @log_fd: @log, open, as are @iterations_fd and @json_fd; -1: none
 */
struct options {
	struct trace trace;
	enum control_method method;
	bool control;
	enum space_method space;
	int64_t tau;
	int64_t delta;
	unsigned int kappa;
	int64_t duration;
	bool restart;
	bool pinned;
	cpu_set_t cpus;
	pid_t *pids;
	uint32_t nr_pids;
	const char *cgroup;
	bool freezer;
	uint32_t nr;
	char ***argv;
	const char *log;
	const char *iterations;
	const char *report;
	bool view;
	bool quiet;
	const char *json;
	int log_fd, iterations_fd, json_fd;
};

/* Parse the command line. Ends the process with 2 if it is wrong, and with 0 after --help. */
void options_parse(struct options *o, int argc, char **argv);

/* Open the files that are written to. Returns 0, or a negative errno after a message. */
int options_open(struct options *o);

/* Returns how long the run takes from the moment when the trace begins, ns; 0: not known. */
int64_t options_length(const struct options *o);

#endif /* SHOWSTOPPER_OPTIONS_H */
