// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userland/libpmctrack/src/event_file.c: a file is refused with the number of its line, or gives
 * aliases that are the same after they have been written down and read again.
 */
#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"
#include "fuzz.h"

#define MAX_CODE	0x80	/* fixed counters are looked for up to here */

/* Write the bytes to a file in memory, which has the same name each time, and read it. */
static struct event_file *read_bytes(const void *data, size_t size, char *path, size_t room)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("events", 0);
	snprintf(path, room, "/proc/self/fd/%d", fd);
	expect(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size, "%s", path);
	errno = 0;
	return event_file_read(path);
}

static int write_alias(const char *name, const char *const *events, void *arg)
{
	expect(*name && events[0], "alias '%s' without an event", name);
	fprintf(arg, "alias %s", name);
	for (; *events; events++) {
		expect(**events && !strpbrk(*events, " \t\n#"), "event '%s'", *events);
		fprintf(arg, " %s", *events);
	}
	fputc('\n', arg);
	return 0;
}

static int write_code(const char *name, uint64_t code, void *arg)
{
	expect(*name && !strpbrk(name, " \t\n#"), "event '%s'", name);
	fprintf(arg, "code %s %#llx\n", name, (unsigned long long)code);
	return 0;
}

/* Returns all that can be asked of a file, as text. The caller frees it. */
static char *write_down(const struct event_file *f)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *table;
	uint64_t limit = 0;

	expect(out, "no memory");
	table = event_file_table(f, &limit);
	if (table)
		fprintf(out, "table %s %#llx\n", table, (unsigned long long)limit);
	for (uint64_t code = 0; code < MAX_CODE; code++) {
		unsigned int counter;

		if (!event_file_fixed(f, code, &counter))
			continue;
		expect(counter < PMCTRACK_MAX_COUNTERS, "counter %u", counter);
		fprintf(out, "fixed pmc%u %#llx\n", counter, (unsigned long long)code);
	}
	event_file_each_code(f, write_code, out);
	event_file_each_alias(f, write_alias, out);
	fclose(out);
	return text;
}

static int check_found(const char *name, const char *const *events, void *arg)
{
	const char *const *found = event_file_alias(arg, name);

	/* Of several aliases of a name, the first counts. */
	expect(found && found[0] && events[0], "alias '%s' is not found", name);
	return 0;
}

static void check_file(struct event_file *f)
{
	char *first = write_down(f), *second;
	char path[64];
	struct event_file *again = read_bytes(first, strlen(first), path, sizeof(path));

	event_file_each_alias(f, check_found, f);
	expect(again, "%s; own text refused: %s", pmctrack_error(), first);
	second = write_down(again);
	expect(!strcmp(first, second), "'%s' became '%s'", first, second);
	free(first);
	free(second);
	event_file_free(again);
}

static void check_refusal(const char *path, const uint8_t *data, size_t size)
{
	size_t len = strlen(path);
	unsigned long line, lines = 1;
	char *end;

	expect(errno == EINVAL, "errno %d: %s", errno, pmctrack_error());
	expect(!strncmp(pmctrack_error(), path, len), "no path: %s", pmctrack_error());
	line = strtoul(pmctrack_error() + len + 1, &end, 10);
	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	expect(line && line <= lines && *end == ':', "of %lu lines: %s", lines, pmctrack_error());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	struct event_file *f = read_bytes(data, size, path, sizeof(path));

	if (f)
		check_file(f);
	else
		check_refusal(path, data, size);
	event_file_free(f);
	return 0;
}
