// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Derived metrics: NAME=FORMULA, or the name of a ready metric.
 *
 *	formula := term { ("+" | "-") term }
 *	term    := factor { ("*" | "/") factor }
 *	factor  := number | name | "-" factor | "(" formula ")"
 *
 * A name is the name of an event, as in -c or in the output ("instr@pmc1"), the name of
 * a virtual counter, or run_ns or hw_ns. A formula has no value if it divides by zero,
 * or if one of its names was not counted.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "exit_status.h"
#include "metric.h"

#define MAX_OPS		128
#define MAX_DEPTH	32

struct parser {
	struct metric *m;
	const char *at;
	unsigned int depth;
	char *why;
	size_t size;
};

static int refuse(struct parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int refuse(struct parser *p, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(p->why, p->size, fmt, args);
	va_end(args);
	return -EINVAL;
}

static void skip_blanks(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
}

static int emit(struct parser *p, char op, double number, char *name)
{
	struct metric *m = p->m;

	if (m->nr_ops == MAX_OPS) {
		free(name);
		return refuse(p, "longer than %d operations", MAX_OPS);
	}
	m->ops[m->nr_ops++] = (struct metric_op){ .op = op, .number = number, .name = name };
	return 0;
}

static int parse_sum(struct parser *p);

static int parse_number(struct parser *p)
{
	char *end;
	double number = strtod(p->at, &end);

	if (end == p->at || !isfinite(number))
		return refuse(p, "not a number: '%.20s'", p->at);
	p->at = end;
	return emit(p, 'n', number, NULL);
}

/* Names are like "branch_misses", "L1D_CACHE:k", "instr@pmc1". */
static int parse_name(struct parser *p)
{
	size_t len = strspn(p->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:@");
	char *name = strndup(p->at, len);

	if (!name)
		return refuse(p, "no memory");
	p->at += len;
	return emit(p, 'v', 0, name);
}

static int parse_factor(struct parser *p)
{
	int err;

	skip_blanks(p);
	if (*p->at == '-' || *p->at == '(') {
		char first = *p->at++;

		if (++p->depth > MAX_DEPTH)
			return refuse(p, "nested deeper than %d", MAX_DEPTH);
		err = first == '-' ? parse_factor(p) : parse_sum(p);
		p->depth--;
		if (err)
			return err;
		if (first == '-')
			return emit(p, '~', 0, NULL);
		skip_blanks(p);
		if (*p->at != ')')
			return refuse(p, "')' missing at '%.20s'", p->at);
		p->at++;
		return 0;
	}
	if (isdigit((unsigned char)*p->at) || *p->at == '.')
		return parse_number(p);
	if (isalpha((unsigned char)*p->at) || *p->at == '_')
		return parse_name(p);
	return refuse(p, *p->at ? "a number or a name is missing at '%.20s'" :
		      "a number or a name is missing at the end%s", p->at);
}

/* Parse operators of one precedence, which associate to the left. */
static int parse_chain(struct parser *p, const char *ops, int (*operand)(struct parser *p))
{
	int err = operand(p);

	while (!err) {
		char op;

		skip_blanks(p);
		if (!*p->at || !strchr(ops, *p->at))
			break;
		op = *p->at++;
		err = operand(p);
		if (!err)
			err = emit(p, op, 0, NULL);
	}
	return err;
}

static int parse_product(struct parser *p)
{
	return parse_chain(p, "*/", parse_factor);
}

static int parse_sum(struct parser *p)
{
	return parse_chain(p, "+-", parse_product);
}

int metric_parse(struct metric *m, const char *text, char *why, size_t size)
{
	struct parser p = { .m = m, .why = why, .size = size };
	size_t len = strcspn(text, "=");
	int err;

	memset(m, 0, sizeof(*m));
	if (!len || !text[len] || strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != len)
		return refuse(&p, "not of the form NAME=FORMULA, with letters, digits and '_' in NAME");
	m->name = strndup(text, len);
	m->formula = strdup(text + len + 1);
	m->ops = calloc(MAX_OPS, sizeof(*m->ops));
	p.at = m->formula;
	err = m->name && m->formula && m->ops ? parse_sum(&p) : refuse(&p, "no memory");
	if (!err && *p.at)
		err = refuse(&p, "cannot read '%.20s'", p.at);
	if (err)
		metric_free(m);
	return err;
}

void metric_free(struct metric *m)
{
	for (unsigned int i = 0; i < m->nr_ops; i++)
		free(m->ops[i].name);
	free(m->ops);
	free(m->name);
	free(m->formula);
	memset(m, 0, sizeof(*m));
}

bool metric_value(const struct metric *m, bool (*value)(const char *name, double *v, void *arg),
		  void *arg, double *result)
{
	double stack[MAX_OPS];
	unsigned int n = 0;

	for (unsigned int i = 0; i < m->nr_ops; i++) {
		const struct metric_op *op = &m->ops[i];

		switch (op->op) {
		case 'n':
			stack[n++] = op->number;
			break;
		case 'v':
			if (!value(op->name, &stack[n++], arg))
				return false;
			break;
		case '~':
			stack[n - 1] = -stack[n - 1];
			break;
		case '+':
			n--;
			stack[n - 1] += stack[n];
			break;
		case '-':
			n--;
			stack[n - 1] -= stack[n];
			break;
		case '*':
			n--;
			stack[n - 1] *= stack[n];
			break;
		case '/':
			n--;
			if (stack[n] == 0)
				return false;
			stack[n - 1] /= stack[n];
			break;
		}
	}
	*result = stack[0];
	return isfinite(stack[0]);
}

/* A line of the file is a name, a formula and a description. */
int metrics_each_ready(int (*fn)(const char *name, const char *formula, const char *desc, void *arg),
		       void *arg)
{
	const char *dir = getenv("PMCTRACK_EVENTS");
	char *line = NULL, *path;
	size_t size = 0;
	int ret = 0, err;
	FILE *f;

	if (asprintf(&path, "%s/metrics", dir ? dir : EVENTS_DIR) < 0)
		return -ENOMEM;
	f = fopen(path, "re");
	err = -errno;
	if (!f)
		complain("-m: cannot read the ready metrics in %s: %s", path, strerror(-err));
	free(path);
	if (!f)
		return err;
	while (!ret && getline(&line, &size, f) > 0) {
		char *name = strtok(line, " \t\n"), *formula = strtok(NULL, " \t\n");
		char *desc = strtok(NULL, "\n");

		if (name && *name != '#' && formula)
			ret = fn(name, formula, desc ? desc + strspn(desc, " \t") : "", arg);
	}
	free(line);
	fclose(f);
	return ret;
}

struct search {
	const char *name;
	char *text;
};

static int match_ready(const char *name, const char *formula, const char *desc, void *arg)
{
	struct search *s = arg;

	(void)desc;
	if (strcmp(name, s->name))
		return 0;
	return asprintf(&s->text, "%s=%s", name, formula) < 0 ? -ENOMEM : 1;
}

static int parse_one(struct metric *m, const char *text)
{
	struct search s = { .name = text };
	char why[100];
	int err;

	if (!strchr(text, '=')) {
		err = metrics_each_ready(match_ready, &s);
		if (err < 0)
			return STATUS_FAILED;
		if (!err) {
			complain("-m %s: no ready metric of that name; '-m list' shows them, or write NAME=FORMULA",
				 text);
			return STATUS_USAGE;
		}
	}
	err = metric_parse(m, s.text ? s.text : text, why, sizeof(why));
	free(s.text);
	if (!err)
		return 0;
	complain("-m %s: %s", text, why);
	return STATUS_USAGE;
}

int metrics_parse(struct metrics *all, const char *const *texts, unsigned int nr)
{
	all->of = calloc(nr + 1, sizeof(*all->of));
	if (!all->of) {
		complain("no memory");
		return STATUS_FAILED;
	}
	for (unsigned int i = 0; i < nr; i++) {
		int status = parse_one(&all->of[i], texts[i]);

		if (status)
			return status;
		all->nr++;
		for (unsigned int j = 0; j < i; j++) {
			if (strcmp(all->of[i].name, all->of[j].name) == 0) {
				complain("-m: two metrics are called %s", all->of[i].name);
				return STATUS_USAGE;
			}
		}
	}
	return 0;
}

static bool is_time(const char *name)
{
	return strcmp(name, "run_ns") == 0 || strcmp(name, "hw_ns") == 0;
}

char *metrics_events(const struct metrics *all)
{
	char *list = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&list, &len);

	if (!f)
		return NULL;
	for (unsigned int i = 0; i < all->nr; i++) {
		for (unsigned int j = 0; j < all->of[i].nr_ops; j++) {
			const char *name = all->of[i].ops[j].name;
			bool seen = !name || is_time(name);

			/* Leave out a name that is in the list already. */
			fflush(f);
			for (const char *at = list; !seen && at && *at; at += strcspn(at, ","), at += *at == ',')
				seen = strcspn(at, ",") == strlen(name) && strncmp(at, name, strlen(name)) == 0;
			if (!seen)
				fprintf(f, "%s%s", len ? "," : "", name);
		}
	}
	return fclose(f) ? NULL : list;
}

void metrics_free(struct metrics *all)
{
	for (unsigned int i = 0; i < all->nr; i++)
		metric_free(&all->of[i]);
	free(all->of);
}
