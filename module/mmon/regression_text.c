// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regression models are read from text. Pure.
 *
 *	pmctrack-model 2 MODULE
 *	from CORE_TYPE
 *	big CORE_TYPE
 *	guard PERCENT
 *	given EVENT				0 or more: a value of the module's, in all sets
 *	set EVENT,EVENT...			1 to 8; each has instr and cycles
 *	feature PART WHOLE SCALE LEAST MOST	1 to 12: PART * SCALE / WHOLE
 *	output KIND SMALL BASE ERROR		1 to 6 of this and the next, each followed by its
 *	stump FEATURE THRESHOLD LOW HIGH	at most 256
 *	quadratic KIND SMALL BASE ERROR		followed by its
 *	linear FEATURE CENTER COEFFICIENT
 *	product FEATURE FEATURE COEFFICIENT
 *	end
 *
 * Lines are in this order. Empty lines, and lines that begin with '#', are ignored. Text after
 * "end" is not read.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "regression.h"

#define WORDS	6	/* of a line, at most */

/**
 * struct line - a line of a model's file
 * @number: number of the line, from 1
 * @nr: number of words
 * @word: the words. Missing words are empty. If there are too many words, the first one is empty
 */
struct line {
	unsigned int number;
	unsigned int nr;
	char *word[WORDS];
};

static char empty[1];

/* Read the next line that has words. Returns false at the end of the text. */
static bool next_line(char **text, struct line *line)
{
	char *rest, *word;

	while ((rest = strsep(text, "\n"))) {
		line->number++;
		line->nr = 0;
		for (word = strsep(&rest, " \t\r"); word; word = strsep(&rest, " \t\r")) {
			if (!*word)
				continue;
			if (!line->nr && *word == '#')
				break;
			if (line->nr < WORDS)
				line->word[line->nr] = word;
			line->nr++;
		}
		if (!line->nr)
			continue;
		if (line->nr > WORDS)
			line->word[0] = empty;
		while (line->nr < WORDS)
			line->word[line->nr++] = empty;
		return true;
	}
	return false;
}

static int refuse(const struct line *line, struct pmct_msg *msg, const char *what)
{
	return pmct_refuse(msg, -EINVAL, "model, line %u: %s", line->number, what);
}

static int read_number(const struct line *line, unsigned int i, s64 least, s64 most, s64 *value,
		       struct pmct_msg *msg)
{
	if (kstrtos64(line->word[i], 10, value) || *value < least || *value > most)
		return pmct_refuse(msg, -EINVAL,
				   "model, line %u: word %u must be a number from %lld to %lld",
				   line->number, i + 1, least, most);
	return 0;
}

/* A name consists of visible ASCII characters. */
static int read_name(const struct line *line, unsigned int i, char *name, struct pmct_msg *msg)
{
	const char *c;

	for (c = line->word[i]; *c > ' ' && *c <= '~'; c++)
		;
	if (*c || c == line->word[i] || strscpy(name, line->word[i], PMCT_REGRESSION_NAME) < 0)
		return pmct_refuse(msg, -EINVAL,
				   "model, line %u: word %u must be a name of 1 to %d ASCII characters",
				   line->number, i + 1, PMCT_REGRESSION_NAME - 1);
	return 0;
}

static bool is(const struct line *line, const char *keyword)
{
	return !strcmp(line->word[0], keyword);
}

/* Read a line of a keyword and a name, such as "from NAME". */
static int expect_name(char **text, struct line *line, const char *keyword, char *name,
		       struct pmct_msg *msg)
{
	if (!next_line(text, line) || !is(line, keyword))
		return pmct_refuse(msg, -EINVAL, "model, line %u: expected '%s NAME'",
				   line->number, keyword);
	return read_name(line, 1, name, msg);
}

static int find_event(const struct pmct_regression *m, const char *name)
{
	int i;

	for (i = 0; i < m->nr_events; i++) {
		if (!strcmp(m->event[i], name))
			return i;
	}
	return -ENOENT;
}

/* Returns the index of a set's event, which is added if it is new. */
static int add_event(struct pmct_regression *m, const struct line *line, const char *name,
		     struct pmct_msg *msg)
{
	int i = find_event(m, name);

	if (i >= 0)
		return i;
	if (m->nr_events == PMCT_REGRESSION_EVENTS)
		return refuse(line, msg, "more than 16 different events");
	if (!*name || strscpy(m->event[m->nr_events], name, PMCT_REGRESSION_NAME) < 0)
		return refuse(line, msg, "an event's name must have 1 to 31 characters");
	return m->nr_events++;
}

/* An event that no counter counts. Each sample has its value. */
static int read_given(struct pmct_regression *m, const struct line *line, struct pmct_msg *msg)
{
	int i;

	if (m->nr_sets)
		return refuse(line, msg, "'given' belongs before the sets");
	i = add_event(m, line, line->word[1], msg);
	if (i < 0)
		return i;
	m->given |= 1U << i;
	return 0;
}

static int read_set(struct pmct_regression *m, const struct line *line, struct pmct_msg *msg)
{
	char *list = line->word[1], *name;
	u32 mask = 0;
	int i;

	if (m->nr_features || m->nr_sets == PMCT_REGRESSION_SETS)
		return refuse(line, msg, "at most 8 sets, before the features");
	if (strscpy(m->set[m->nr_sets], list, PMCT_REGRESSION_SET) < 0)
		return refuse(line, msg, "a set must be shorter than 128 characters");
	while ((name = strsep(&list, ","))) {
		i = add_event(m, line, name, msg);
		if (i < 0)
			return i;
		if (m->given & 1U << i)
			return refuse(line, msg, "an event that is given cannot be in a set");
		mask |= 1U << i;
	}
	/* The phase guard needs both events. */
	if (find_event(m, "instr") < 0 || !(mask & 1U << find_event(m, "instr")) ||
	    find_event(m, "cycles") < 0 || !(mask & 1U << find_event(m, "cycles")))
		return refuse(line, msg, "each set needs instr and cycles");
	m->in_set[m->nr_sets++] = mask | m->given;
	return 0;
}

static int read_feature(struct pmct_regression *m, const struct line *line, struct pmct_msg *msg)
{
	struct pmct_feature *f = &m->feature[m->nr_features];
	int part = find_event(m, line->word[1]), whole = find_event(m, line->word[2]);
	s64 scale, least, most;
	unsigned int set;
	int err;

	if (m->nr_outputs || m->nr_features == PMCT_REGRESSION_FEATURES)
		return refuse(line, msg, "at most 12 features, before the outputs");
	if (part < 0 || whole < 0)
		return refuse(line, msg, "the feature's events are in no set");
	err = read_number(line, 3, 1, U32_MAX, &scale, msg) ?:
	      read_number(line, 4, 0, U32_MAX, &least, msg) ?:
	      read_number(line, 5, least, U32_MAX, &most, msg);
	if (err)
		return err;
	*f = (struct pmct_feature) { .part = part, .whole = whole, .scale = scale,
				     .least = least, .most = most };
	m->nr_features++;
	for (set = 0; set < m->nr_sets; set++) {
		if (pmct_regression_features_of(m, set) & 1U << (m->nr_features - 1))
			return 0;
	}
	return refuse(line, msg, "no set has both events of the feature");
}

static int read_output(struct pmct_regression *m, const struct line *line, struct pmct_msg *msg)
{
	struct pmct_output *o = &m->output[m->nr_outputs];
	s64 base, error;
	int err;

	if (!m->nr_features || m->nr_outputs == PMCT_REGRESSION_OUTPUTS)
		return refuse(line, msg, "at most 6 outputs, after the features");
	err = read_name(line, 1, o->kind, msg) ?: read_name(line, 2, o->small, msg) ?:
	      read_number(line, 3, S32_MIN, S32_MAX, &base, msg) ?:
	      read_number(line, 4, 0, U32_MAX, &error, msg);
	if (err)
		return err;
	o->quadratic = is(line, "quadratic");
	o->base = base;
	o->error = error;
	m->nr_outputs++;
	return 0;
}

/* Returns the output to which a line belongs; NULL if there is none, or it has another form. */
static struct pmct_output *last_output(struct pmct_regression *m, bool quadratic)
{
	struct pmct_output *o = m->nr_outputs ? &m->output[m->nr_outputs - 1] : NULL;

	return o && o->quadratic == quadratic ? o : NULL;
}

static int read_stump(struct pmct_regression *m, const struct line *line, struct pmct_msg *msg)
{
	struct pmct_output *o = last_output(m, false);
	s64 feature, threshold, low, high;
	int err;

	if (!o || o->nr_stumps == PMCT_REGRESSION_STUMPS)
		return refuse(line, msg, "at most 256 stumps, after their output");
	err = read_number(line, 1, 0, m->nr_features - 1, &feature, msg) ?:
	      read_number(line, 2, 0, U32_MAX, &threshold, msg) ?:
	      read_number(line, 3, S32_MIN, S32_MAX, &low, msg) ?:
	      read_number(line, 4, S32_MIN, S32_MAX, &high, msg);
	if (err)
		return err;
	o->stump[o->nr_stumps++] = (struct pmct_stump) {
		.feature = feature, .threshold = threshold, .low = low, .high = high,
	};
	return 0;
}

static int read_coefficient(const struct line *line, s64 *value, struct pmct_msg *msg)
{
	return read_number(line, 3, -PMCT_REGRESSION_COEFFICIENT, PMCT_REGRESSION_COEFFICIENT,
			   value, msg);
}

static int read_linear(struct pmct_regression *m, const struct line *line, struct pmct_msg *msg)
{
	struct pmct_output *o = last_output(m, true);
	s64 feature, center, value;
	int err;

	if (!o)
		return refuse(line, msg, "linear belongs behind 'quadratic'");
	err = read_number(line, 1, 0, m->nr_features - 1, &feature, msg) ?:
	      read_number(line, 2, 0, 32 << 16, &center, msg) ?:
	      read_coefficient(line, &value, msg);
	if (err)
		return err;
	o->polynomial.center[feature] = center;
	o->polynomial.linear[feature] = value;
	return 0;
}

static int read_product(struct pmct_regression *m, const struct line *line, struct pmct_msg *msg)
{
	struct pmct_output *o = last_output(m, true);
	s64 first, second, value;
	int err;

	if (!o)
		return refuse(line, msg, "product belongs behind 'quadratic'");
	err = read_number(line, 1, 0, m->nr_features - 1, &first, msg) ?:
	      read_number(line, 2, first, m->nr_features - 1, &second, msg) ?:
	      read_coefficient(line, &value, msg);
	if (err)
		return err;
	o->polynomial.product[first][second] = value;
	return 0;
}

static int read_head(char **text, struct line *line, struct pmct_regression *m,
		     struct pmct_msg *msg)
{
	s64 version, guard;
	int err;

	if (!next_line(text, line) || !is(line, "pmctrack-model"))
		return refuse(line, msg,
			      "expected 'pmctrack-model VERSION MODULE': is this a model?");
	if (kstrtos64(line->word[1], 10, &version) || version != PMCT_REGRESSION_VERSION)
		return refuse(line, msg, "this module reads version 2: train the model anew");
	err = read_name(line, 2, m->module, msg) ?:
	      expect_name(text, line, "from", m->from, msg) ?:
	      expect_name(text, line, "big", m->big, msg);
	if (err)
		return err;
	if (!next_line(text, line) || !is(line, "guard"))
		return refuse(line, msg, "expected 'guard PERCENT'");
	err = read_number(line, 1, 1, 1000, &guard, msg);
	m->guard = guard;
	return err;
}

static int read_body(struct pmct_regression *m, const struct line *line, struct pmct_msg *msg)
{
	if (is(line, "given"))
		return read_given(m, line, msg);
	if (is(line, "set"))
		return read_set(m, line, msg);
	if (is(line, "feature"))
		return read_feature(m, line, msg);
	if (is(line, "output") || is(line, "quadratic"))
		return read_output(m, line, msg);
	if (is(line, "stump"))
		return read_stump(m, line, msg);
	if (is(line, "linear"))
		return read_linear(m, line, msg);
	if (is(line, "product"))
		return read_product(m, line, msg);
	return refuse(line, msg,
		      "expected set, feature, output, stump, quadratic, linear, product, given or end");
}

static bool stump_is_after(const struct pmct_stump *a, const struct pmct_stump *b)
{
	return a->feature != b->feature ? a->feature > b->feature : a->threshold > b->threshold;
}

/*
 * Order the steps, and add them up. pmct_regression_eval() then finds one place for each feature,
 * and need not look at each step.
 */
static void order_stumps(struct pmct_output *o)
{
	unsigned int i, n, f = 0;

	for (i = 1; i < o->nr_stumps; i++) {
		struct pmct_stump s = o->stump[i];

		for (n = i; n && stump_is_after(&o->stump[n - 1], &s); n--)
			o->stump[n] = o->stump[n - 1];
		o->stump[n] = s;
	}
	for (i = 0; i < o->nr_stumps; i++) {
		const struct pmct_stump *s = &o->stump[i];

		while (f <= s->feature)
			o->first[f++] = i;
		o->low += s->low;
		o->above[i] = (s64)s->high - s->low;
		if (i && o->stump[i - 1].feature == s->feature)
			o->above[i] += o->above[i - 1];
	}
	while (f < ARRAY_SIZE(o->first))
		o->first[f++] = o->nr_stumps;
}

/**
 * pmct_regression_parse() - read a model
 * @text: the file; it is changed
 * @model: the model
 * @msg: on failure, what is wrong
 *
 * Context: any, but it takes long. Pure.
 * Return: 0, or -EINVAL; @model must not be used then.
 */
int pmct_regression_parse(char *text, struct pmct_regression *model, struct pmct_msg *msg)
{
	struct line line = {};
	unsigned int i;
	int err;

	memset(model, 0, sizeof(*model));
	err = read_head(&text, &line, model, msg);
	while (!err) {
		if (!next_line(&text, &line))
			return refuse(&line, msg,
				      "the line 'end' is missing: the file is cut off");
		if (is(&line, "end"))
			break;
		err = read_body(model, &line, msg);
	}
	if (!err && !model->nr_outputs)
		err = refuse(&line, msg, "a model needs an output");
	for (i = 0; !err && i < model->nr_outputs; i++)
		order_stumps(&model->output[i]);
	return err;
}
EXPORT_SYMBOL_GPL(pmct_regression_parse);
