/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of a program's options, from which the usage text and the parser are made. With
 * --list-options, the program prints the table, for the completion of shells (completion/) and for
 * the check of the man page (tests/unit/options).
 */
#ifndef COMMON_OPTION_TABLE_H
#define COMMON_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The kind of an argument, which tells how shells complete it. */
enum argument_kind {
	ARGUMENT_OTHER,		/* not completed */
	ARGUMENT_EVENTS,	/* lists, separated by commas */
	ARGUMENT_VIRTS,
	ARGUMENT_METRICS,
	ARGUMENT_PID,
	ARGUMENT_FILE,
	ARGUMENT_FOLDER,
	ARGUMENT_KINDS
};

/**
 * struct option_entry - an option
 * @letter: -X; 0: there is none
 * @name: --NAME; NULL: there is none
 * @argument: the argument's name in the usage text; NULL: the option has no argument
 * @kind: what the argument is
 * @help: for the usage text, without a line feed at the end; NULL: a hidden option
 * @set: called when the option is given, with the entry and the argument or NULL. If it returns 0,
 *	parsing goes on; otherwise that is the result of option_table_parse().
 * @offset: for @set: offset of the member of @options that it sets
 * @data: for @set
 */
struct option_entry {
	char letter;
	const char *name;
	const char *argument;
	enum argument_kind kind;
	const char *help;
	int (*set)(void *options, const struct option_entry *e, const char *argument);
	size_t offset;
	const void *data;
};

/**
 * struct option_table - the options of a program
 * @program: its name
 * @before: usage text before the options
 * @after: usage text after them
 * @of: the options, in the order of the usage text. Every program also has --help,
 *	--version and --list-options, which are not in @of.
 * @nr: number of entries in @of
 * @stop_at_operand: options end at the first word that is not an option: this word is a program,
 *	and the program's own options follow
 */
struct option_table {
	const char *program;
	const char *before;
	const char *after;
	const struct option_entry *of;
	unsigned int nr;
	int stop_at_operand;
};

#define MAX_OPTION_ENTRIES	40

/*
 * Calls @set of each option that is given. Afterwards, the operands begin at optind. Returns 0, -1
 * if all that was requested is done (--help), or an exit status after printing the reason.
 */
int option_table_parse(const struct option_table *t, void *options, int argc, char **argv);
void option_table_usage(const struct option_table *t, FILE *out);
/* A line for each option that is not hidden: "-X --NAME KIND ARGUMENT", "-" for none. */
void option_table_list(const struct option_table *t, FILE *out);
/* For option_entry::set: set a member const char * or bool at @offset of the options. */
int option_table_set_text(void *options, const struct option_entry *e, const char *argument);
int option_table_set_flag(void *options, const struct option_entry *e, const char *argument);
/* Print the last line of a usage error. Returns the exit status. */
int option_table_refuse(const struct option_table *t);

#endif /* COMMON_OPTION_TABLE_H */
