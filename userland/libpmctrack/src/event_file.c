// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read event files: portable names, event codes and fixed counters of an architecture.
 * The files themselves and pmc-events(1) describe their format.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

#define MAX_CANDIDATES	8

struct alias {
	char *name;
	char *events[MAX_CANDIDATES + 1];	/* ends with NULL */
};

struct code {
	char *name;
	uint64_t code;
};

struct event_file {
	char *table;
	uint64_t table_limit;
	struct { uint64_t code; bool used, only; } fixed[PMCTRACK_MAX_COUNTERS];
	struct code *codes;
	size_t nr_codes;
	struct alias *aliases;
	size_t nr_aliases;
};

/* Returns the next word of a line, or NULL. */
static char *word(char **rest)
{
	char *w;

	do {
		w = strsep(rest, " \t\n");
	} while (w && !*w);
	return w;
}

static int parse_number(const char *text, uint64_t *value)
{
	char *end;

	/* strtoull() would accept a sign, too. */
	if (!text || !isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return errno || end == text || *end ? -EINVAL : 0;
}

static int parse_fixed(struct event_file *f, char **rest)
{
	char *counter = word(rest), *only;
	uint64_t index, code;

	if (!counter || strncmp(counter, "pmc", 3) || parse_number(counter + 3, &index) ||
	    index >= PMCTRACK_MAX_COUNTERS || parse_number(word(rest), &code))
		return -EINVAL;
	only = word(rest);
	if (only && (strcmp(only, "only") || word(rest)))
		return -EINVAL;
	f->fixed[index].only = only;
	f->fixed[index].code = code;
	f->fixed[index].used = true;
	return 0;
}

static int parse_code(struct event_file *f, char **rest)
{
	struct code *grown = realloc(f->codes, (f->nr_codes + 1) * sizeof(*grown));
	char *name = word(rest);
	struct code *c;

	if (!grown)
		return -ENOMEM;
	f->codes = grown;
	c = &grown[f->nr_codes];
	if (!name || parse_number(word(rest), &c->code) || word(rest))
		return -EINVAL;
	c->name = strdup(name);
	if (!c->name)
		return -ENOMEM;
	f->nr_codes++;
	return 0;
}

static int parse_alias(struct event_file *f, char **rest)
{
	struct alias *grown = realloc(f->aliases, (f->nr_aliases + 1) * sizeof(*grown));
	char *name = word(rest);
	struct alias *a;
	char *event;
	int n = 0;

	if (!grown)
		return -ENOMEM;
	f->aliases = grown;
	a = &grown[f->nr_aliases];
	memset(a, 0, sizeof(*a));
	if (!name)
		return -EINVAL;
	f->nr_aliases++;
	a->name = strdup(name);
	if (!a->name)
		return -ENOMEM;
	while (n < MAX_CANDIDATES && (event = word(rest))) {
		a->events[n] = strdup(event);
		if (!a->events[n++])
			return -ENOMEM;
	}
	return n && !word(rest) ? 0 : -EINVAL;
}

static int parse_line(struct event_file *f, char *line)
{
	char *rest = line;
	char *keyword, *hash = strchr(line, '#');

	if (hash)
		*hash = '\0';
	keyword = word(&rest);
	if (!keyword)
		return 0;
	if (strcmp(keyword, "fixed") == 0)
		return parse_fixed(f, &rest);
	if (strcmp(keyword, "alias") == 0)
		return parse_alias(f, &rest);
	if (strcmp(keyword, "code") == 0)
		return parse_code(f, &rest);
	if (strcmp(keyword, "table") == 0 && !f->table) {
		keyword = word(&rest);
		f->table = keyword ? strdup(keyword) : NULL;
		if (!f->table || parse_number(word(&rest), &f->table_limit) || word(&rest))
			return -EINVAL;
		return 0;
	}
	return -EINVAL;
}

struct event_file *event_file_read(const char *path)
{
	struct event_file *f = calloc(1, sizeof(*f));
	FILE *in = fopen(path, "re");
	char *line = NULL;
	unsigned int number = 0;
	size_t room = 0;
	ssize_t len;
	int err = 0;

	if (!f || !in) {
		err = errno;
		free(f);
		if (in)
			fclose(in);
		return fail_null(err, "cannot read the event file %s: %s (set PMCTRACK_EVENTS to its folder)",
				 path, strerror(err));
	}
	while (!err && (len = getline(&line, &room, in)) >= 0) {
		number++;
		err = strlen(line) == (size_t)len ? parse_line(f, line) : -EINVAL;
	}
	if (!err && ferror(in)) {
		err = errno;
		free(line);
		fclose(in);
		event_file_free(f);
		return fail_null(err, "cannot read the event file %s: %s", path, strerror(err));
	}
	free(line);
	fclose(in);
	if (err) {
		event_file_free(f);
		if (err == -ENOMEM)
			return fail_null(ENOMEM, "no memory");
		return fail_null(EINVAL, "%s:%u: expected 'fixed pmcN CODE [only]', 'table PMU LIMIT', 'code NAME CODE' or 'alias NAME EVENT...'",
				 path, number);
	}
	return f;
}

struct event_file *event_file_load(const char *name)
{
	const char *dir = getenv("PMCTRACK_EVENTS");
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.events", dir ? dir : EVENTS_DIR, name);
	return event_file_read(path);
}

struct event_file *event_file_of_model(const char *model)
{
	/* How pmct_core_type::model of the kernel begins; on x86 with its vendor numbers. */
	static const struct {
		const char *model, *file;
	} files[] = {
		{ "perf", "perf" },
		{ "sim=", "sim" },
		{ "midr=", "arm64" },
		{ "x86=0,", "x86-intel" },
		{ "x86=2,", "x86-amd" },
		{ "x86=9,", "x86-amd" },	/* Hygon */
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strncmp(model, files[i].model, strlen(files[i].model)) == 0)
			return event_file_load(files[i].file);
	}
	return fail_null(ENOTSUP, "this libpmctrack has no event names for a PMU of model '%.40s'; install the one of the module's version",
			 model);
}

void event_file_free(struct event_file *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nr_aliases; i++) {
		for (int n = 0; f->aliases[i].events[n]; n++)
			free(f->aliases[i].events[n]);
		free(f->aliases[i].name);
	}
	for (size_t i = 0; i < f->nr_codes; i++)
		free(f->codes[i].name);
	free(f->codes);
	free(f->aliases);
	free(f->table);
	free(f);
}

const char *event_file_table(const struct event_file *f, uint64_t *limit)
{
	*limit = f->table_limit;
	return f->table;
}

/* Find the fixed counter that counts @code. Returns false if there is none. */
bool event_file_fixed(const struct event_file *f, uint64_t code, unsigned int *counter)
{
	for (unsigned int i = 0; i < PMCTRACK_MAX_COUNTERS; i++) {
		if (f->fixed[i].used && f->fixed[i].code == code) {
			*counter = i;
			return true;
		}
	}
	return false;
}

int event_file_code(const struct event_file *f, const char *name, uint64_t *code)
{
	for (size_t i = 0; i < f->nr_codes; i++) {
		if (strcasecmp(f->codes[i].name, name) == 0) {
			*code = f->codes[i].code;
			return 0;
		}
	}
	return -ENOENT;
}

int event_file_each_code(const struct event_file *f,
			 int (*fn)(const char *name, uint64_t code, void *arg), void *arg)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < f->nr_codes; i++)
		ret = fn(f->codes[i].name, f->codes[i].code, arg);
	return ret;
}

/* True if only the fixed counter can count the event. */
bool event_file_fixed_only(const struct event_file *f, uint64_t code)
{
	unsigned int counter;

	return event_file_fixed(f, code, &counter) && f->fixed[counter].only;
}

const char *const *event_file_alias(const struct event_file *f, const char *name)
{
	for (size_t i = 0; i < f->nr_aliases; i++) {
		if (strcasecmp(f->aliases[i].name, name) == 0)
			return (const char *const *)f->aliases[i].events;
	}
	return NULL;
}

int event_file_each_alias(const struct event_file *f,
			  int (*fn)(const char *name, const char *const *events, void *arg),
			  void *arg)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < f->nr_aliases; i++)
		ret = fn(f->aliases[i].name, (const char *const *)f->aliases[i].events, arg);
	return ret;
}
