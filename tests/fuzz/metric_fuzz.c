// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userland/pmctrack-cli/metric.c: a formula is refused with a reason, or has the value that the
 * evaluator in this file gives, which keeps no list of operations.
 */
#include <ctype.h>
#include <math.h>

#include "metric.h"
#include "fuzz.h"

/* Events by their first letter: some were not counted, some are zero. */
static bool value_of(const char *name, double *v, void *arg)
{
	(void)arg;
	if (*name == 'n')
		return false;
	*v = *name == 'z' ? 0 : strlen(name) + (unsigned char)*name / 4.0;
	return true;
}

struct eval {
	const char *at;
	bool none;		/* no value: not counted, or divided by zero */
};

static double eval_sum(struct eval *e);

static double eval_name(struct eval *e)
{
	char name[1 << 12];
	size_t len = 0;
	double v = 0;

	while (isalnum((unsigned char)*e->at) || (*e->at && strchr("_.:@", *e->at))) {
		expect(len + 1 < sizeof(name), "name of more than %zu bytes", len);
		name[len++] = *e->at++;
	}
	name[len] = '\0';
	expect(len, "accepted, but nothing is readable at '%s'", e->at);
	if (!value_of(name, &v, NULL))
		e->none = true;
	return v;
}

static char next(struct eval *e)
{
	e->at += strspn(e->at, " \t");
	return *e->at;
}

static double eval_factor(struct eval *e)
{
	char c = next(e);
	char *end;
	double v;

	if (c == '-') {
		e->at++;
		return -eval_factor(e);
	}
	if (c == '(') {
		e->at++;
		v = eval_sum(e);
		expect(next(e) == ')', "accepted without ')' at '%s'", e->at);
		e->at++;
		return v;
	}
	if (c != '.' && !isdigit((unsigned char)c))
		return eval_name(e);
	v = strtod(e->at, &end);
	expect(end > e->at, "accepted, but no number: '%s'", e->at);
	e->at = end;
	return v;
}

static double eval_product(struct eval *e)
{
	double v = eval_factor(e);

	for (char op = next(e); op == '*' || op == '/'; op = next(e)) {
		double w;

		e->at++;
		w = eval_factor(e);
		if (op == '/' && w == 0)
			e->none = true;
		else
			v = op == '*' ? v * w : v / w;
	}
	return v;
}

static double eval_sum(struct eval *e)
{
	double v = eval_product(e);

	for (char op = next(e); op == '+' || op == '-'; op = next(e)) {
		double w;

		e->at++;
		w = eval_product(e);
		v = op == '+' ? v + w : v - w;
	}
	return v;
}

static void check_value(const struct metric *m)
{
	struct eval e = { .at = m->formula };
	double got = 0, want = eval_sum(&e);
	bool has = metric_value(m, value_of, NULL, &got);

	expect(!next(&e), "accepted, but not read: '%s'", e.at);
	expect(has == (!e.none && isfinite(want)), "has %sa value: '%s'", has ? "" : "not ",
	       m->formula);
	expect(!has || got == want, "%g, not %g: '%s'", got, want, m->formula);
}

/* The list for -c has each name once. */
static void check_events(struct metric *m)
{
	struct metrics all = { .of = m, .nr = 1 };
	char *list = metrics_events(&all), *rest = list, *name;
	unsigned int found = 0;

	expect(list, "no memory");
	while (*list && (name = strsep(&rest, ","))) {
		unsigned int used = 0;

		for (unsigned int i = 0; i < m->nr_ops; i++)
			used += m->ops[i].name && !strcmp(m->ops[i].name, name);
		expect(used, "'%s' is not in '%s'", name, m->formula);
		expect(strcmp(name, "run_ns") && strcmp(name, "hw_ns"), "a time is no event");
		found += used;
	}
	for (unsigned int i = 0; i < m->nr_ops; i++) {
		name = m->ops[i].name;
		found += name && (!strcmp(name, "run_ns") || !strcmp(name, "hw_ns"));
		found -= !!name;
	}
	expect(!found, "an event is missing or twice: '%s'", m->formula);
	free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct metric m;
	char why[100];

	memset(why, 'x', sizeof(why));
	why[0] = '\0';
	if (metric_parse(&m, text, why, sizeof(why)) == 0) {
		expect(!strncmp(text, m.name, strlen(m.name)), "name '%s'", m.name);
		check_value(&m);
		check_events(&m);
		metric_free(&m);
	} else {
		expect(why[0] && strnlen(why, sizeof(why)) < sizeof(why), "no reason: '%s'", text);
		expect(!m.ops && !m.name && !m.formula, "not freed: '%s'", text);
	}
	free(text);
	return 0;
}
