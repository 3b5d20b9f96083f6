/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows as lines of text, for the screen and for --batch. */
#ifndef QTOP_TABLE_H
#define QTOP_TABLE_H

#include <stddef.h>

#include "qtop/rows.h"

/* What the lines of one moment have in common. */
struct moment {
	const struct processes *processes;
	const struct choice *choice;
	double slot_s;		/* length of the last slot */
	double interval_s;	/* as it should be, for titles */
	unsigned int cpus;
	bool has_stolen;
	uint64_t stolen_ms;	/* in the last slot, of all CPUs */
	const struct sum *all;	/* of all processes, also those that are forgotten */
	unsigned int refused;
	const char *trouble;	/* see watch_trouble() */
};

/* Number of the last slots in a row: a character for each, the latest at the right. */
#define TABLE_HISTORY	11

/* The first line: the machine. */
void table_summary(const struct moment *m, const struct rows *r, char *line, size_t size);
void table_head(const struct moment *m, char *line, size_t size);
void table_row(const struct moment *m, const struct row *row, char *line, size_t size);
/* Quality in a slot in steps of 10 %: '0' to '9'; '?': unknown; '.': the process did not run. */
char table_digit(const struct sum *s);

#endif /* QTOP_TABLE_H */
