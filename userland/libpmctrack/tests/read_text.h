/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read an event file that a test gives as text. Include this after cmocka.h. */
#ifndef READ_TEXT_H
#define READ_TEXT_H

static inline struct event_file *read_text(const char *text)
{
	char path[] = "/tmp/pmctrack-test.XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct event_file *file;

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	file = event_file_read(path);
	remove(path);
	return file;
}

#endif
