// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text_file.h"

ssize_t text_file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	text[0] = '\0';
	if (fd < 0)
		return -errno;
	n = read(fd, text, size - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n;
}

bool text_file_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	bool have = f && fgets(line, (int)size, f);

	if (f)
		fclose(f);
	if (have)
		line[strcspn(line, "\n")] = '\0';
	return have;
}

bool text_file_has(const char *path, const char *text)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	bool has = false;

	while (f && !has && getline(&line, &room, f) >= 0)
		has = strstr(line, text);
	free(line);
	if (f)
		fclose(f);
	return has;
}

bool text_file_value(const char *path, const char *name, char *value, size_t size)
{
	FILE *f = fopen(path, "re");
	size_t len = strlen(name);
	char *line = NULL;
	size_t room = 0;
	bool has = false;

	value[0] = '\0';
	while (f && !has && getline(&line, &room, f) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		has = strncmp(line, name, len) == 0 &&
		      (strncmp(line + len, ": ", 2) == 0 || strncmp(line + len, ":\t", 2) == 0);
		if (has)
			snprintf(value, size, "%s", line + len + 2);
	}
	free(line);
	if (f)
		fclose(f);
	return has;
}
