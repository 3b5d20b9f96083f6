// SPDX-License-Identifier: GPL-2.0-only
/*
 * Regression models, read from text and evaluated in fixed point. Pure.
 *
 *	pmctrack-model 1 MODULE
 *	from CORE_TYPE
 *	big CORE_TYPE
 *	guard PERCENT
 *	set EVENT,EVENT...			1 to 8; each has instr and cycles
 *	feature PART WHOLE SCALE LEAST MOST	1 to 12: PART * SCALE / WHOLE
 *	output KIND SMALL BASE ERROR		1 to 6, each followed by its
 *	stump FEATURE THRESHOLD LOW HIGH	at most 256
 *	end
 *
 * Lines are in this order; empty ones, and those that begin with '#', mean nothing. What is
 * behind "end" is not read.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "regression.h"

#define WORDS	6	/* of a line, at most */

/**
 * struct line - a line of a model's file
 * @number: from 1
 * @nr: number of words
 * @word: the words; those that are missing are empty, and so is the first one of too many
 */
struct line {
	unsigned int number;
	unsigned int nr;
	char *word[WORDS];
};

static char empty[1];

/* The next line with words. Returns false at the end of the text. */
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

/* A name: visible ASCII. */
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

/* "from NAME" and the like. */
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

/* An event of a set: known, or new. */
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
		mask |= 1U << i;
	}
	/* The phase guard needs both. */
	if (find_event(m, "instr") < 0 || !(mask & 1U << find_event(m, "instr")) ||
	    find_event(m, "cycles") < 0 || !(mask & 1U << find_event(m, "cycles")))
		return refuse(line, msg, "each set needs instr and cycles");
	m->in_set[m->nr_sets++] = mask;
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
	o->base = base;
	o->error = error;
	m->nr_outputs++;
	return 0;
}

static int read_stump(struct pmct_regression *m, const struct line *line, struct pmct_msg *msg)
{
	s64 feature, threshold, low, high;
	struct pmct_output *o;
	int err;

	if (!m->nr_outputs || m->output[m->nr_outputs - 1].nr_stumps == PMCT_REGRESSION_STUMPS)
		return refuse(line, msg, "at most 256 stumps, after their output");
	o = &m->output[m->nr_outputs - 1];
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

static int read_head(char **text, struct line *line, struct pmct_regression *m,
		     struct pmct_msg *msg)
{
	s64 version, guard;
	int err;

	if (!next_line(text, line) || !is(line, "pmctrack-model"))
		return refuse(line, msg,
			      "expected 'pmctrack-model VERSION MODULE': is this a model?");
	if (kstrtos64(line->word[1], 10, &version) || version != PMCT_REGRESSION_VERSION)
		return refuse(line, msg, "this module reads version 1: train the model anew");
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

/* A line between the head and the end. */
static int read_body(struct pmct_regression *m, const struct line *line, struct pmct_msg *msg)
{
	if (is(line, "set"))
		return read_set(m, line, msg);
	if (is(line, "feature"))
		return read_feature(m, line, msg);
	if (is(line, "output"))
		return read_output(m, line, msg);
	if (is(line, "stump"))
		return read_stump(m, line, msg);
	return refuse(line, msg, "expected set, feature, output, stump or end");
}

/**
 * pmct_regression_parse() - read a model
 * @text: the file; it is changed
 * @model: the model
 * @msg: on failure, what is wrong
 *
 * Context: any, but it takes long. Pure.
 * Return: 0, or -EINVAL; @model is then not to be used.
 */
int pmct_regression_parse(char *text, struct pmct_regression *model, struct pmct_msg *msg)
{
	struct line line = {};
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
	return err;
}
EXPORT_SYMBOL_GPL(pmct_regression_parse);

/**
 * pmct_regression_features_of() - what a set shows
 * @model: the model
 * @set: index of the set
 *
 * Return: mask of the features whose events are in the set.
 */
u32 pmct_regression_features_of(const struct pmct_regression *model, unsigned int set)
{
	u32 in_set = model->in_set[set];
	u32 mask = 0;
	unsigned int i;

	for (i = 0; i < model->nr_features; i++) {
		const struct pmct_feature *f = &model->feature[i];

		if ((in_set & 1U << f->part) && (in_set & 1U << f->whole))
			mask |= 1U << i;
	}
	return mask;
}
EXPORT_SYMBOL_GPL(pmct_regression_features_of);

/**
 * pmct_regression_known() - has the model seen such values?
 * @model: the model
 * @feature: a value for each feature
 *
 * Return: false if one is outside of what the model was trained with.
 */
bool pmct_regression_known(const struct pmct_regression *model, const u32 *feature)
{
	unsigned int i;

	for (i = 0; i < model->nr_features; i++) {
		if (feature[i] < model->feature[i].least || feature[i] > model->feature[i].most)
			return false;
	}
	return true;
}
EXPORT_SYMBOL_GPL(pmct_regression_known);

/**
 * pmct_regression_eval() - evaluate a model
 * @output: what is to be estimated
 * @feature: a value for each feature of the model
 *
 * Return: the estimate in the output's unit; 0 if it would be negative.
 */
u32 pmct_regression_eval(const struct pmct_output *output, const u32 *feature)
{
	s64 sum = output->base;
	unsigned int i;

	for (i = 0; i < output->nr_stumps; i++) {
		const struct pmct_stump *s = &output->stump[i];

		sum += feature[s->feature] < s->threshold ? s->low : s->high;
	}
	if (sum < 0)
		return 0;
	return min_t(u64, div_u64(sum, PMCT_REGRESSION_PARTS), U32_MAX);
}
EXPORT_SYMBOL_GPL(pmct_regression_eval);
