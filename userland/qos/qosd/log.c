// SPDX-License-Identifier: GPL-2.0-or-later
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"

static const char head[] = "monotonic_s,pid,program,unit,rate,goal_min,goal_max,weight,asked,part,granted,used,"
			   "threads,a,b,pole,trusted,state\n";

/* True if the file ends in an unfinished row, of a killed qosd or a full file system. */
static bool ends_in_row(const char *path, off_t size)
{
	int fd = size ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
	char last = '\n';
	bool is_row;

	if (fd < 0)
		return false;
	is_row = pread(fd, &last, 1, size - 1) == 1 && last != '\n';
	close(fd);
	return is_row;
}

int log_open(FILE **log, const char *path)
{
	/* A pipe that nobody reads must not block qosd. */
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0)
		return -errno;
	*log = fstat(fd, &st) ? NULL : fdopen(fd, "a");
	if (!*log) {
		int err = -errno;

		close(fd);
		return err;
	}
	/* Each run begins with the head. An unfinished row before it is ended first. */
	fprintf(*log, "%s%s", ends_in_row(path, st.st_size) ? "\n" : "", head);
	return 0;
}

/* Write a quoted text. Names have no control characters. */
static void put_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputs("\",", out);
}

/* A number that is not known is an empty field. */
static void put_number(FILE *out, double value)
{
	if (isfinite(value))
		fprintf(out, "%.6g", value);
	fputc(',', out);
}

static void put_row(FILE *out, double at, const struct app *a)
{
	const double numbers[] = {a->shown, a->goal.min, a->goal.max, a->weight, a->share.demand, a->share.fair,
				  app_granted(a), app_used(a), a->threads, a->manager.model.a,
				  a->manager.model.b, a->manager.pole};
	size_t i;

	fprintf(out, "%.3f,%d,", at, (int)a->info.pid);
	put_text(out, a->info.name);
	put_text(out, a->info.unit);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		put_number(out, numbers[i]);
	fprintf(out, "%d,%s\n", qos_model_is_trusted(&a->manager.model), app_state_name(a));
}

void log_step(FILE **log, const struct daemon *d)
{
	size_t i;

	if (!*log)
		return;
	for (i = 0; i < d->nr; i++)
		put_row(*log, (double)d->last_ns / 1e9, d->app[i]);
	if (!fflush(*log) && !ferror(*log))
		return;
	complain("the log cannot be written, and has ended: %s", strerror(errno));
	fclose(*log);
	*log = NULL;
}

void log_close(FILE **log)
{
	if (*log && fclose(*log))
		complain("the log is not complete: %s", strerror(errno));
	*log = NULL;
}
