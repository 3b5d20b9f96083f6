// SPDX-License-Identifier: GPL-2.0-or-later
/* Parser, usage text and list of a table of options. */
#include <assert.h>
#include <getopt.h>
#include <string.h>

#include "exit_status.h"
#include "option_table.h"

#define HELP_COLUMN	16

/* Options without a letter have numbers above all letters in getopt_long(). */
#define FIRST_NUMBER	256

/* The options that every program has; do_common() handles them. */
static const struct option_entry common[] = {
	{ .letter = 'h', .name = "help", .help = "print this text" },
	{ .name = "version", .help = "print the version" },
	{ .name = "list-options" },
};

enum { COMMON_HELP, COMMON_VERSION, COMMON_LIST, NR_COMMON };

static const struct option_entry *entry(const struct option_table *t, unsigned int i)
{
	return i < t->nr ? &t->of[i] : &common[i - t->nr];
}

static int number_of(const struct option_entry *e, unsigned int i)
{
	return e->letter ? e->letter : FIRST_NUMBER + (int)i;
}

/* Print names, as in "  -h, --help", "  -c EVENTS", "      --csv". */
static int print_names(const struct option_entry *e, char *text, size_t size)
{
	char letter[] = { '-', e->letter, '\0' };

	return snprintf(text, size, "  %s%s%s%s%s%s", e->letter ? letter : "    ",
			e->letter && e->name ? ", " : "", e->name ? "--" : "",
			e->name ? e->name : "", e->argument ? " " : "",
			e->argument ? e->argument : "");
}

static void print_help(FILE *out, const struct option_entry *e)
{
	const char *line = e->help;
	char names[80];

	if (print_names(e, names, sizeof(names)) < HELP_COLUMN)
		fprintf(out, "%-*s", HELP_COLUMN, names);
	else
		fprintf(out, "%s  ", names);
	for (;;) {
		size_t len = strcspn(line, "\n");

		fprintf(out, "%.*s\n", (int)len, line);
		if (!line[len])
			return;
		line += len + 1;
		fprintf(out, "%*s", HELP_COLUMN, "");
	}
}

void option_table_usage(const struct option_table *t, FILE *out)
{
	fputs(t->before, out);
	for (unsigned int i = 0; i < t->nr + NR_COMMON; i++) {
		if (entry(t, i)->help)
			print_help(out, entry(t, i));
	}
	fputs(t->after, out);
}

void option_table_list(const struct option_table *t, FILE *out)
{
	static const char *const kinds[ARGUMENT_KINDS] = {
		[ARGUMENT_OTHER] = "other",
		[ARGUMENT_EVENTS] = "events",
		[ARGUMENT_VIRTS] = "virts",
		[ARGUMENT_METRICS] = "metrics",
		[ARGUMENT_PID] = "pid",
		[ARGUMENT_FILE] = "file",
		[ARGUMENT_FOLDER] = "folder",
	};

	for (unsigned int i = 0; i < t->nr + NR_COMMON; i++) {
		const struct option_entry *e = entry(t, i);
		char letter[] = { '-', e->letter, '\0' };

		if (e->help)
			fprintf(out, "%s %s%s %s %s\n", letter, e->name ? "--" : "-",
				e->name ? e->name : "", e->argument ? kinds[e->kind] : "-",
				e->argument ? e->argument : "-");
	}
}

int option_table_set_text(void *options, const struct option_entry *e, const char *argument)
{
	*(const char **)((char *)options + e->offset) = argument;
	return 0;
}

int option_table_set_flag(void *options, const struct option_entry *e, const char *argument)
{
	(void)argument;
	*(bool *)((char *)options + e->offset) = true;
	return 0;
}

int option_table_refuse(const struct option_table *t)
{
	fprintf(stderr, "Try '%s --help'.\n", t->program);
	return STATUS_USAGE;
}

static int do_common(const struct option_table *t, unsigned int which)
{
	switch (which) {
	case COMMON_HELP:
		option_table_usage(t, stdout);
		break;
	case COMMON_VERSION:
		printf("%s %s\n", t->program, VERSION);
		break;
	case COMMON_LIST:
		option_table_list(t, stdout);
		break;
	}
	return -1;
}

/* Handle the option that getopt_long() found; @c is its number. */
static int take(const struct option_table *t, void *options, int c)
{
	for (unsigned int i = 0; i < t->nr + NR_COMMON; i++) {
		const struct option_entry *e = entry(t, i);

		if (number_of(e, i) != c)
			continue;
		return i < t->nr ? e->set(options, e, optarg) : do_common(t, i - t->nr);
	}
	return option_table_refuse(t);
}

int option_table_parse(const struct option_table *t, void *options, int argc, char **argv)
{
	struct option names[MAX_OPTION_ENTRIES + NR_COMMON + 1] = { 0 }, *name = names;
	char letters[2 * (MAX_OPTION_ENTRIES + NR_COMMON) + 2] = "", *letter = letters;
	int c, status = 0;

	assert(t->nr <= MAX_OPTION_ENTRIES);
	if (t->stop_at_operand)
		*letter++ = '+';
	for (unsigned int i = 0; i < t->nr + NR_COMMON; i++) {
		const struct option_entry *e = entry(t, i);

		if (e->letter)
			*letter++ = e->letter;
		if (e->letter && e->argument)
			*letter++ = ':';
		if (e->name)
			*name++ = (struct option){
				.name = e->name,
				.has_arg = e->argument ? required_argument : no_argument,
				.val = number_of(e, i),
			};
	}
	while (!status && (c = getopt_long(argc, argv, letters, names, NULL)) != -1)
		status = take(t, options, c);
	return status;
}
