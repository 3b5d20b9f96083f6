// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "observe.h"

int observer_open(struct observer *o, struct load *load, const char *path, int fd)
{
	size_t n = path ? strlen(path) : 0;

	memset(o, 0, sizeof(*o));
	o->load = load;
	o->json = n > 6 && !strcmp(path + n - 6, ".jsonl");
	o->log.fd = path ? fd : -1;
	if (path && !o->json)
		out_print(&o->log, "time_s,target_percent,load_percent,duty_percent,running,iterations\n");
	o->last_at = run_now();
	return load->source.read(load->source.data, &o->last);
}

static void gather(struct observation *now, const struct run *run)
{
	double duty = 0;
	uint32_t i;

	now->own = run->own + run->own_warden + run_own_time();

	for (i = 0; i < run->nr; i++) {
		const struct run_unit *u = &run->unit[i];

		now->iterations += u->iterations;
		now->own += u->own;
		if (u->state != UNIT_RUNNING)
			continue;
		now->running++;
		duty += u->duty;
	}
	now->duty = now->running ? duty / now->running : 0;
}

/* Log the latest observation. What the reader does not take now is kept for the next time. */
static int write_line(struct observer *o)
{
	const struct observation *x = &o->latest;
	int err;

	if (o->log.fd < 0)
		return 0;
	out_print(&o->log, o->json ?
		"{\"time_s\": %.3f, \"target_percent\": %.3f, \"load_percent\": %.3f, \"duty_percent\": %.3f, \"running\": %u, \"iterations\": %llu}\n" :
		"%.3f,%.3f,%.3f,%.3f,%u,%llu\n",
		(double)x->at / NS_PER_S, 100 * x->target, 100 * x->load, 100 * x->duty,
		x->running, (unsigned long long)x->iterations);
	err = out_flush(&o->log, 0);
	return err == -EAGAIN ? 0 : err;
}

int observer_take(struct observer *o, const struct run *run, const struct trace *trace)
{
	struct observation x = {};
	struct load_time times;
	int64_t now = run_now();
	bool paused, left_out;
	double all, error;
	int err;

	err = o->load->source.read(o->load->source.data, &times);
	if (err)
		return err;
	all = (double)(times.work - o->last.work + times.idle - o->last.idle);
	x.at = now - run->begin;
	x.target = trace_target(trace, x.at - (now - o->last_at) / 2);
	/* A CPU that goes offline takes its times along, so such a period tells nothing. */
	x.load = all > 0 && times.work >= o->last.work && times.idle >= o->last.idle ?
		 (double)(times.work - o->last.work) / all : o->latest.load;
	gather(&x, run);
	o->last = times;
	o->last_at = now;
	o->latest = x;
	/* Nothing controls the load in a pause; the rest of its last period belongs to it. */
	paused = !run_is_attended(run);
	left_out = paused || o->paused;
	o->paused = paused;
	if (left_out)
		return 0;
	err = write_line(o);
	if (err)
		return err;
	if (x.at < OBSERVE_SETTLE)
		return 0;
	if (!o->nr++)
		o->first = x;
	error = x.target - x.load;
	o->error += error;
	o->squares += error * error;
	o->sum_load += x.load;
	return 0;
}

/* Means over the observations that count. */
struct summary {
	double load, error, squares;	/* percent, percent, 10^-4 */
	double rate;			/* iterations a second */
	double own;			/* percent of a CPU */
};

static struct summary summarize(const struct observer *o)
{
	double seconds = (double)(o->latest.at - o->first.at) / NS_PER_S;
	struct summary s = {
		.load = 100 * o->sum_load / o->nr,
		.error = 100 * o->error / o->nr,
		.squares = 10000 * o->squares / o->nr,
	};

	if (seconds > 0) {
		s.rate = (double)(o->latest.iterations - o->first.iterations) / seconds;
		s.own = 100 * (double)(o->latest.own - o->first.own) / NS_PER_S / seconds;
	}
	return s;
}

void observer_summary(const struct observer *o)
{
	struct summary s;

	if (!o->nr)
		return;
	s = summarize(o);
	fprintf(stderr, "load %.2f %%, mean error %.2f %%, mean squared error %.2f (x 10^-4), of %u periods of 500 ms",
		s.load, s.error, s.squares, o->nr);
	if (o->latest.iterations)
		fprintf(stderr, "; %.3f iterations a second", s.rate);
	fprintf(stderr, "; showstopper itself took %.2f %% of a CPU\n", s.own);
}

int observer_write_summary(const struct observer *o, const struct run *run, int fd)
{
	struct out file = { .fd = fd };
	struct summary s;

	out_print(&file, "{\"observations\": %u", o->nr);
	if (o->nr) {
		s = summarize(o);
		out_print(&file, ", \"period_ms\": 500, \"load_percent\": %.3f, \"mean_error_percent\": %.4f, \"mean_squared_error\": %.4f, \"iterations_per_s\": %.6f, \"own_cpu_percent\": %.4f, \"begin_monotonic_s\": %.6f",
			s.load, s.error, s.squares, s.rate, s.own, (double)run->begin / NS_PER_S);
	}
	out_print(&file, "}\n");
	return out_close(&file, OBSERVE_PATIENCE);
}

int observer_close(struct observer *o)
{
	return out_close(&o->log, OBSERVE_PATIENCE);
}
