// SPDX-License-Identifier: GPL-2.0-or-later
/* Text for users. */
#include <inttypes.h>

#include "qtime/writer.h"

/* The largest number of rows of programs at the end. */
#define ROWS	10

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static void begin(FILE *out)
{
	(void)out;
}

static void interval(FILE *out, const struct state *s)
{
	(void)out;
	(void)s;
}

static void print_quality(FILE *out, const struct sum *s)
{
	double quality;

	if (sum_quality(s, &quality))
		fprintf(out, "%.1f %%", 100 * quality);
	else
		fputs("not known yet", out);
}

void writer_live(FILE *out, const struct state *s)
{
	double waited;

	fprintf(out, "%.1f s, CPU time %.1f s, quality ", s->elapsed_s, seconds(s->all.cpu_ns));
	print_quality(out, &s->all);
	fputs(", now ", out);
	print_quality(out, &s->interval);
	if (sum_waited(&s->all, &waited))
		fprintf(out, ", waiting %.1f s", waited);
}

/* Print Quality Time, and the CPU time that it covers. */
static void print_quality_time(FILE *out, const struct state *s)
{
	const struct sum *a = &s->all;
	double quality;

	if (!sum_quality(a, &quality)) {
		fputs("  Quality Time       unknown    no sample alone was taken\n", out);
		return;
	}
	fprintf(out, "  Quality Time %12.3f s  what %.3f s of CPU time would have taken alone: %.1f %%\n",
		seconds(a->quality_ns), seconds(a->explained_ns), 100 * quality);
	fprintf(out, "  lost         %12.3f s  to others, in caches, memory and shared cores\n",
		seconds(a->explained_ns - a->quality_ns));
	if (a->cpu_ns > a->explained_ns + a->cpu_ns / 1000)
		fprintf(out, "  unknown      %12.3f s  no sample alone was taken in time\n",
			seconds(a->cpu_ns - a->explained_ns));
}

static void print_elsewhere(FILE *out, const struct state *s)
{
	const struct elsewhere *e = &s->elsewhere;
	double waited;

	if (sum_waited(&s->all, &waited))
		fprintf(out, "waiting        %12.3f s  in run queues, sum of its threads (schedstat)\n", waited);
	else
		fputs("waiting             unknown    this kernel does not count it (no schedstat)\n", out);
	if (e->has_throttled && e->throttled_us)
		fprintf(out, "throttled      %12.3f s  of its control group, by cpu.max, sum of CPUs (cpu.stat%s)\n",
			(double)e->throttled_us / 1e6, e->throttled_gone ? ", at least: it was removed" : "");
	if (e->has_stolen && e->stolen_ms)
		fprintf(out, "stolen         %12.2f s  of this machine's CPUs, by the hypervisor (/proc/stat)\n",
			(double)e->stolen_ms / 1e3);
}

static void print_programs(FILE *out, const struct programs *p)
{
	if (p->nr < 2)
		return;
	fputs("\n      CPU s  Quality s  quality    waiting s  processes  program\n", out);
	for (unsigned int i = 0; i < p->nr && i < ROWS; i++) {
		const struct program_sum *of = &p->of[i];
		double quality, waited;

		fprintf(out, "%11.3f %10.3f  ", seconds(of->sum.cpu_ns), seconds(of->sum.quality_ns));
		if (sum_quality(&of->sum, &quality))
			fprintf(out, "%5.1f %%", 100 * quality);
		else
			fputs("unknown", out);
		if (sum_waited(&of->sum, &waited))
			fprintf(out, " %12.3f", waited);
		else
			fprintf(out, " %12s", "unknown");
		fprintf(out, " %10u  %s\n", of->processes, of->name);
	}
	if (p->nr > ROWS)
		fprintf(out, "and %u programs more\n", p->nr - ROWS);
}

static void end(FILE *out, const struct state *s, const char *title)
{
	fprintf(out, "\nQuality Time of %s%s\n", title, s->whole ? "" : " (incomplete)");
	fprintf(out, "elapsed        %12.3f s\n", s->elapsed_s);
	fprintf(out, "CPU time       %12.3f s  sum of its threads\n", seconds(s->all.cpu_ns));
	print_quality_time(out, s);
	print_elsewhere(out, s);
	if (s->all.explained_ns)
		fprintf(out, "samples alone are an estimate; the last one was %.1f s old at most\n",
			(double)s->oldest_ms / 1e3);
	if (s->all.explained_ns && s->has_sampling)
		fprintf(out, "each sample holds all other programs for %g ms; they lose at most %g %% of their time by that\n",
			s->hold_us / 1e3, s->budget / 10.0);
	print_programs(out, s->programs);
}

const struct writer writer_text = { .begin = begin, .interval = interval, .end = end };
