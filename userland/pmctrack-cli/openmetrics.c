// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * OpenMetrics text (openmetrics.io, 1.0) of a system-wide session: counters of
 * each CPU since the start. A file is replaced as a whole after each period,
 * as collectors of text files want it.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"
#include "row.h"
#include "sets.h"
#include "writer.h"

/* What was counted on a CPU since the start. */
struct per_cpu {
	uint64_t run_ns;
	uint64_t hw_ns[MAX_SETS];
	uint64_t counts[MAX_SETS][PMCTRACK_MAX_COUNTERS];
	uint64_t virt[PMCTRACK_MAX_VIRT];
	uint32_t has_virt;
};

struct openmetrics {
	struct per_cpu *cpus;
	unsigned int nr_cpus;
};

static int make_room(struct openmetrics *om, unsigned int nr_cpus)
{
	struct per_cpu *more;

	if (nr_cpus <= om->nr_cpus)
		return 0;
	more = realloc(om->cpus, nr_cpus * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + om->nr_cpus, 0, (nr_cpus - om->nr_cpus) * sizeof(*more));
	om->cpus = more;
	om->nr_cpus = nr_cpus;
	return 0;
}

static int add_row(const struct report *r, void *state, const struct row *row)
{
	struct openmetrics *om = state;
	struct per_cpu *cpu;

	if (make_room(om, row->cpu + 1))
		return -ENOMEM;
	cpu = &om->cpus[row->cpu];
	cpu->run_ns += row->run_ns;
	for (unsigned int i = 0; i < row->nr_virts; i++) {
		const struct row_virt *virt = &row->virts[i];
		uint64_t *sum = &cpu->virt[virt->index];

		if (!virt->known)
			continue;
		*sum = r->sets->virt[virt->index].gauge ? virt->value : *sum + virt->value;
		cpu->has_virt |= 1u << virt->index;
	}
	if (row->set < 0)
		return 0;
	cpu->hw_ns[row->set] += row->hw_ns;
	for (unsigned int j = 0; j < row->nr_counts; j++)
		cpu->counts[row->set][j] += row->counts[j].value;
	return 0;
}

static void family(FILE *out, const char *name, const char *type, const char *unit, const char *help)
{
	fprintf(out, "# TYPE %s %s\n", name, type);
	if (unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
	fprintf(out, "# HELP %s %s\n", name, help);
}

/* The value of a label: quotes, backslashes and line feeds are escaped. */
static void label(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\n')
			fputs("\\n", out);
		else if (*value == '"' || *value == '\\')
			fprintf(out, "\\%c", *value);
		else
			fputc(*value, out);
	}
	fputc('"', out);
}

static void print_events(const struct report *r, const struct openmetrics *om, FILE *out)
{
	family(out, "pmctrack_events", "counter", NULL,
	       "Hardware events, counted while their set had the counters.");
	for (unsigned int c = 0; c < om->nr_cpus; c++) {
		for (unsigned int i = 0; i < r->sets->nr; i++) {
			for (unsigned int j = 0; j < pmctrack_evset__nr(r->sets->set[i]); j++) {
				fprintf(out, "pmctrack_events_total{cpu=\"%u\",set=\"%u\",", c, i);
				label(out, "event", pmctrack_evset__name(r->sets->set[i], j));
				fprintf(out, "} %" PRIu64 "\n", om->cpus[c].counts[i][j]);
			}
		}
	}
}

static void print_times(const struct report *r, const struct openmetrics *om, FILE *out)
{
	family(out, "pmctrack_run_seconds", "counter", "seconds",
	       "Time in which events could have been counted.");
	for (unsigned int c = 0; c < om->nr_cpus; c++)
		fprintf(out, "pmctrack_run_seconds_total{cpu=\"%u\"} %.9f\n", c,
			(double)om->cpus[c].run_ns / 1e9);
	family(out, "pmctrack_counted_seconds", "counter", "seconds",
	       "The part of it in which a set had the counters.");
	for (unsigned int c = 0; c < om->nr_cpus; c++) {
		for (unsigned int i = 0; i < r->sets->nr; i++)
			fprintf(out, "pmctrack_counted_seconds_total{cpu=\"%u\",set=\"%u\"} %.9f\n", c, i,
				(double)om->cpus[c].hw_ns[i] / 1e9);
	}
}

static bool same_in_openmetrics(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		if (*a != *b && (isalnum((unsigned char)*a) || isalnum((unsigned char)*b)))
			return false;
	}
	return *a == *b;
}

/*
 * The metric family of a virtual counter. Characters that OpenMetrics does not allow
 * become '_'. If this makes the name equal to that of a counter before, the index of the
 * virtual counter is appended.
 */
static void virt_family(const struct report *r, unsigned int i, char *name, size_t size)
{
	const char *own = r->sets->virt[i].name;
	bool taken = false;
	char *p = name + snprintf(name, size, "pmctrack_virt_");

	snprintf(p, size - (size_t)(p - name), "%s", own);
	for (; *p; p++) {
		if (!isalnum((unsigned char)*p))
			*p = '_';
	}
	for (unsigned int j = 0; j < i; j++)
		taken |= r->sets->virts >> j & 1 && same_in_openmetrics(r->sets->virt[j].name, own);
	if (taken)
		snprintf(p, size - (size_t)(p - name), "_virt%u", i);
}

static void print_virts(const struct report *r, const struct openmetrics *om, FILE *out)
{
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		bool gauge = r->sets->virt[i].gauge;
		char name[256];

		if (!(r->sets->virts >> i & 1))
			continue;
		virt_family(r, i, name, sizeof(name));
		family(out, name, gauge ? "gauge" : "counter", NULL, "Virtual counter of the monitoring module.");
		for (unsigned int c = 0; c < om->nr_cpus; c++) {
			if (!(om->cpus[c].has_virt >> i & 1))
				continue;
			fprintf(out, "%s%s{cpu=\"%u\",", name, gauge ? "" : "_total", c);
			label(out, "unit", r->sets->virt[i].unit);
			fprintf(out, "} %" PRIu64 "\n", om->cpus[c].virt[i]);
		}
	}
}

static int print_all(const struct report *r, const struct openmetrics *om, FILE *out)
{
	print_events(r, om, out);
	print_times(r, om, out);
	print_virts(r, om, out);
	fputs("# EOF\n", out);
	return fflush(out) || ferror(out) ? -errno : 0;
}

/*
 * A new file beside @path, which it is going to replace. Its name cannot be known
 * before: in the folder of somebody else, a link could wait there. The caller frees
 * @name. Return: a descriptor or a negative errno.
 */
static int open_temporary(const char *path, char **name)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	if (asprintf(name, "%s.XXXXXX", path) < 0) {
		*name = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(*name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fchmod(fd, 0666 & ~mask) == 0)
		return fd;
	fd = -errno;
	unlink(*name);
	return fd;
}

static int check_file(const char *path)
{
	struct stat st;
	char *tmp;
	int fd = open_temporary(path, &tmp);

	if (fd >= 0) {
		close(fd);
		unlink(tmp);
	}
	free(tmp);
	if (fd < 0)
		return fd;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? -EISDIR : 0;
}

static int write_all(const struct report *r, const struct openmetrics *om, int fd)
{
	FILE *out = fdopen(fd, "w");
	int err;

	if (!out) {
		err = -errno;
		close(fd);
		return err;
	}
	err = print_all(r, om, out);
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

static int replace_file(const struct report *r, const struct openmetrics *om)
{
	const char *path = r->o->output;
	char *tmp;
	int err = open_temporary(path, &tmp);

	if (err >= 0) {
		err = write_all(r, om, err);
		if (!err && rename(tmp, path))
			err = -errno;
		if (err)
			unlink(tmp);
	}
	free(tmp);
	return err;
}

/* After each period. Before the first row there is nothing to write. */
static int flush(const struct report *r, void *state)
{
	const struct openmetrics *om = state;

	return r->o->output && om->cpus ? replace_file(r, om) : 0;
}

static int end(const struct report *r, void *state, const struct outcome *outcome)
{
	(void)outcome;
	if (r->o->output)
		return replace_file(r, state);
	print_all(r, state, r->out);
	return 0;
}

static void release(void *state)
{
	struct openmetrics *om = state;

	free(om->cpus);
}

const struct writer writer_openmetrics = {
	.name = "openmetrics",
	.system_only = true,
	.every_row = true,
	.state_size = sizeof(struct openmetrics),
	.check_file = check_file,
	.row = add_row,
	.flush = flush,
	.end = end,
	.release = release,
};
