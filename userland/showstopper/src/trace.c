// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

#define MOST_TIME	(1000000000LL * NS_PER_S)
#define MOST_STEPS	10000

__attribute__((format(printf, 3, 4)))
static int refuse(struct trace_why *why, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, args);
	va_end(args);
	return err;
}

/* True for a load; a NaN is not one. */
static int is_load(double load)
{
	return load >= 0 && load <= 1;
}

static int add(struct trace *t, int64_t at, double load)
{
	struct trace_point *points = reallocarray(t->points, t->nr + 1, sizeof(*points));

	if (!points)
		return -ENOMEM;
	t->points = points;
	t->points[t->nr++] = (struct trace_point){ at, load };
	return 0;
}

int trace_constant(struct trace *t, double load, struct trace_why *why)
{
	memset(t, 0, sizeof(*t));
	if (!is_load(load))
		return refuse(why, -EINVAL, "a load of %g %%: it must be 0 to 100", 100 * load);
	return add(t, 0, load);
}

int trace_sine(struct trace *t, double mean, double amplitude, int64_t period,
	       struct trace_why *why)
{
	memset(t, 0, sizeof(*t));
	if (!(period > 0))
		return refuse(why, -EINVAL, "a sine needs a period longer than 0 s");
	if (!is_load(mean - fabs(amplitude)) || !is_load(mean + fabs(amplitude)))
		return refuse(why, -EINVAL, "a sine from %g to %g %%: it must stay within 0 to 100",
			      100 * (mean - fabs(amplitude)), 100 * (mean + fabs(amplitude)));
	t->period = period;
	t->amplitude = amplitude;
	return add(t, 0, mean);
}

int trace_staircase(struct trace *t, double from, double to, double step, int64_t hold,
		    struct trace_why *why)
{
	int nr, i, err = 0;
	int64_t at = 0;

	memset(t, 0, sizeof(*t));
	if (!is_load(from) || !is_load(to))
		return refuse(why, -EINVAL, "a staircase from %g to %g %%: loads must be 0 to 100",
			      100 * from, 100 * to);
	if (!(step > 0) || hold <= 0)
		return refuse(why, -EINVAL,
			      "a staircase needs steps higher than 0 %% and longer than 0 s");
	if (fabs(to - from) / step > MOST_STEPS || hold > MOST_TIME / (2 * MOST_STEPS))
		return refuse(why, -EINVAL, "a staircase of more than %d steps, or too long ones",
			      MOST_STEPS);
	nr = (int)floor(fabs(to - from) / step + 1e-9) + 1;
	for (i = 0; i < 2 * nr && !err; i++) {
		int up = i < nr ? i : 2 * nr - 1 - i;
		double load = from + (to < from ? -step : step) * up;

		err = add(t, at, load) ?: add(t, at + hold, load);
		at += hold;
	}
	if (err)
		trace_free(t);
	return err;
}

/* Parse "12.5,40": @n is the line, for messages. Returns 1 for a line that has no data. */
static int parse_line(const char *path, unsigned int n, char *line, double *seconds,
		      double *percent, struct trace_why *why)
{
	char *end, *rest;

	line += strspn(line, " \t");
	line[strcspn(line, "\r\n#")] = '\0';
	if (!*line)
		return 1;
	*seconds = strtod(line, &end);
	end += strspn(end, " \t");
	if (end == line || *end != ',')
		return n == 1 ? 1 : refuse(why, -EINVAL, "%s, line %u: '%s' is not seconds,percent",
					   path, n, line);
	rest = end + 1;
	*percent = strtod(rest, &end);
	end += strspn(end, " \t");
	if (end == rest || (*end && *end != ','))
		return refuse(why, -EINVAL, "%s, line %u: no load: '%s' is not seconds,percent",
			      path, n, line);
	if (!isfinite(*seconds) || *seconds < 0 || *seconds > 1e9)
		return refuse(why, -EINVAL, "%s, line %u: a time of %g s", path, n, *seconds);
	if (!is_load(*percent / 100))
		return refuse(why, -EINVAL, "%s, line %u: a load of %g %%: it must be 0 to 100",
			      path, n, *percent);
	return 0;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Refuse a trace in which samples are missing. */
static int find_gap(const struct trace *t, const char *path, struct trace_why *why)
{
	int64_t *steps, usual;
	size_t i;
	int err = 0;

	if (t->nr < 4)
		return 0;
	steps = malloc((t->nr - 1) * sizeof(*steps));
	if (!steps)
		return -ENOMEM;
	for (i = 0; i + 1 < t->nr; i++)
		steps[i] = t->points[i + 1].at - t->points[i].at;
	qsort(steps, t->nr - 1, sizeof(*steps), compare);
	usual = steps[(t->nr - 1) / 2];
	free(steps);
	for (i = 0; i + 1 < t->nr && !err; i++) {
		if (t->points[i + 1].at - t->points[i].at > 3 * usual)
			err = refuse(why, -EINVAL,
				     "%s: a gap from %g to %g s, where samples are %g s apart; --gaps fills it with a straight line",
				     path, (double)t->points[i].at / NS_PER_S,
				     (double)t->points[i + 1].at / NS_PER_S, (double)usual / NS_PER_S);
	}
	return err;
}

static int read_points(struct trace *t, FILE *file, const char *path, struct trace_why *why)
{
	unsigned int n = 0;
	double seconds = 0, percent = 0;
	char *line = NULL;
	size_t size = 0;
	int64_t at;
	int err = 0;

	while (!err && getline(&line, &size, file) >= 0) {
		err = parse_line(path, ++n, line, &seconds, &percent, why);
		if (err) {
			err = err < 0 ? err : 0;
			continue;
		}
		at = llround(seconds * NS_PER_S);
		if (t->nr && at <= t->points[t->nr - 1].at)
			err = refuse(why, -EINVAL, "%s, line %u: %g s is not after the line before it",
				     path, n, seconds);
		else
			err = add(t, at, percent / 100);
	}
	free(line);
	if (!err && ferror(file))
		err = refuse(why, -EIO, "%s: cannot read it", path);
	if (!err && !t->nr)
		err = refuse(why, -EINVAL, "%s: no line seconds,percent", path);
	return err;
}

int trace_file(struct trace *t, const char *path, int gaps, struct trace_why *why)
{
	FILE *file = fopen(path, "re");
	int err;

	memset(t, 0, sizeof(*t));
	if (!file)
		return refuse(why, -errno, "%s: %s", path, strerror(errno));
	err = read_points(t, file, path, why);
	fclose(file);
	if (!err && !gaps)
		err = find_gap(t, path, why);
	if (err)
		trace_free(t);
	return err;
}

/* True if a trace, or its period, can be replayed in @ns; 0: it never ends. */
static int is_length(double ns)
{
	return !ns || (ns >= NS_PER_MS && ns <= MOST_TIME);
}

int trace_scale(struct trace *t, double speed, struct trace_why *why)
{
	size_t i;

	if (!(speed > 0) || !isfinite(speed))
		return refuse(why, -EINVAL, "a speed of %g: it must be more than 0", speed);
	if (!is_length(trace_end(t) / speed) || !is_length(t->period / speed))
		return refuse(why, -EINVAL, "a speed of %g: the trace would be too long, or too short", speed);
	for (i = 0; i < t->nr; i++)
		t->points[i].at = llround(t->points[i].at / speed);
	t->period = llround(t->period / speed);
	return 0;
}

double trace_target(const struct trace *t, int64_t at)
{
	size_t low = 0, high = t->nr - 1;
	const struct trace_point *a, *b;

	if (t->amplitude)
		return t->points[0].load +
		       t->amplitude * sin(2 * M_PI * (double)(at % t->period) / t->period);
	if (at < t->points[0].at)
		return t->points[0].load;
	/* The last point that is not later; of two at the same time, the second. */
	while (low < high) {
		size_t middle = (low + high + 1) / 2;

		if (t->points[middle].at <= at)
			low = middle;
		else
			high = middle - 1;
	}
	if (low + 1 == t->nr)
		return t->points[low].load;
	a = &t->points[low];
	b = a + 1;
	return a->load + (b->load - a->load) * (double)(at - a->at) / (b->at - a->at);
}

int64_t trace_end(const struct trace *t)
{
	return t->points[t->nr - 1].at;
}

void trace_free(struct trace *t)
{
	free(t->points);
	memset(t, 0, sizeof(*t));
}
