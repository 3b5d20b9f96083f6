// SPDX-License-Identifier: GPL-2.0-or-later
#include "matcher.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"

int matcher_begin(struct matcher *m, enum match_kind kind, const char *pattern)
{
	char why[128];
	int err;

	*m = (struct matcher){.kind = kind};
	if (kind == MATCH_BYTES)
		return 0;
	err = regcomp(&m->regex, pattern, REG_EXTENDED | REG_NEWLINE);
	if (err) {
		regerror(err, &m->regex, why, sizeof(why));
		complain("'%s': %s", pattern, why);
		return -EINVAL;
	}
	if (kind == MATCH_NUMBER && !m->regex.re_nsub) {
		regfree(&m->regex);
		complain("'%s': which number? Put it into parentheses: 'frame= *([0-9]+)'", pattern);
		return -EINVAL;
	}
	return 0;
}

/*
 * Returns the units of a line. A program that counts from 0 again has delivered the new number
 * since.
 */
static uint64_t units_of(struct matcher *m, const char *line)
{
	regmatch_t found[2];
	uint64_t value, units;
	const char *number;
	char *end;

	if (regexec(&m->regex, line, 2, found, 0))
		return 0;
	m->matches++;
	if (m->kind == MATCH_LINE)
		return 1;
	/* strtoull() would take "-1" for a very large number. */
	if (found[1].rm_so < 0)
		return 0;
	number = line + found[1].rm_so + strspn(line + found[1].rm_so, " \t+");
	if (!isdigit((unsigned char)*number))
		return 0;
	errno = 0;
	value = strtoull(number, &end, 10);
	if (errno || end == number)
		return 0;
	units = value >= m->last ? value - m->last : value;
	m->last = value;
	return units;
}

static uint64_t end_line(struct matcher *m, struct stream *s)
{
	s->line[s->length] = '\0';
	s->length = 0;
	return units_of(m, s->line);
}

uint64_t matcher_take(struct matcher *m, struct stream *s, const char *bytes, size_t nr)
{
	uint64_t units = 0;
	size_t i;

	if (m->kind == MATCH_BYTES) {
		m->matches += nr;
		return nr;
	}
	for (i = 0; i < nr; i++) {
		bool ends = bytes[i] == '\n' || bytes[i] == '\r';

		if (!ends)
			s->line[s->length++] = bytes[i] ? bytes[i] : ' ';
		if ((ends && s->length) || s->length == MATCHER_LINE)
			units += end_line(m, s);
	}
	return units;
}

void matcher_end(struct matcher *m)
{
	if (m->kind != MATCH_BYTES)
		regfree(&m->regex);
}
