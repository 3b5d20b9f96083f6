// SPDX-License-Identifier: GPL-2.0-or-later
/* CSV: a row for each interval. Unknown values are empty. */
#include <inttypes.h>

#include "qtime/writer.h"

static void begin(FILE *out)
{
	fputs("elapsed_s,processes,cpu_ns,explained_ns,quality_time_ns,quality,waited_ns,sample_age_ms,throttled_us,stolen_ms\n",
	      out);
}

static void interval(FILE *out, const struct state *s)
{
	const struct sum *i = &s->interval;
	double quality, waited;

	fprintf(out, "%.3f,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", s->elapsed_s, s->processes,
		i->cpu_ns, i->explained_ns, i->quality_ns);
	if (sum_quality(i, &quality))
		fprintf(out, "%.3f", quality);
	fputc(',', out);
	if (sum_waited(i, &waited))
		fprintf(out, "%" PRIu64, i->waited_ns);
	fputc(',', out);
	if (s->all.explained_ns)
		fprintf(out, "%" PRIu64, s->sample_age_ms);
	fputc(',', out);
	if (s->elsewhere.has_throttled)
		fprintf(out, "%" PRIu64, s->elsewhere.throttled_us);
	fputc(',', out);
	if (s->elsewhere.has_stolen)
		fprintf(out, "%" PRIu64, s->elsewhere.stolen_ms);
	fputc('\n', out);
}

/* Prints nothing, because the last interval has been printed. */
static void end(FILE *out, const struct state *s, const char *title)
{
	(void)out;
	(void)s;
	(void)title;
}

const struct writer writer_csv = { .begin = begin, .interval = interval, .end = end };
