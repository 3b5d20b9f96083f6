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
#include "output.h"

struct per_cpu {
	uint64_t run_ns;
	uint64_t hw_ns[MAX_SETS];
	uint64_t counts[MAX_SETS][PMCTRACK_MAX_COUNTERS];
	uint64_t virt[PMCTRACK_MAX_VIRT];
	uint32_t has_virt;
};

void openmetrics_row(struct output *w, const struct pmctrack_record *rec)
{
	int set = pmctrack_evset__of_record(w->sets->set, w->sets->nr, rec);
	struct per_cpu *cpu;
	uint64_t value;

	if (rec->cpu >= w->nr_cpus) {
		struct per_cpu *more = realloc(w->cpus, (rec->cpu + 1) * sizeof(*more));

		if (!more) {
			w->error = ENOMEM;
			return;
		}
		memset(more + w->nr_cpus, 0, (rec->cpu + 1 - w->nr_cpus) * sizeof(*more));
		w->cpus = more;
		w->nr_cpus = rec->cpu + 1;
	}
	cpu = &w->cpus[rec->cpu];
	cpu->run_ns += rec->run_ns;
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (pmctrack_record__virt(rec, i, &value))
			continue;
		cpu->virt[i] = w->sets->virt[i].gauge ? value : cpu->virt[i] + value;
		cpu->has_virt |= 1u << i;
	}
	if (set < 0)
		return;
	cpu->hw_ns[set] += rec->hw_ns;
	for (unsigned int j = 0; j < rec->nr_counts; j++)
		cpu->counts[set][j] += rec->counts[j];
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

static void events(const struct output *w, FILE *out)
{
	family(out, "pmctrack_events", "counter", NULL,
	       "Hardware events, counted while their set had the counters.");
	for (unsigned int c = 0; c < w->nr_cpus; c++) {
		for (unsigned int i = 0; i < w->sets->nr; i++) {
			for (unsigned int j = 0; j < pmctrack_evset__nr(w->sets->set[i]); j++) {
				fprintf(out, "pmctrack_events_total{cpu=\"%u\",set=\"%u\",", c, i);
				label(out, "event", pmctrack_evset__name(w->sets->set[i], j));
				fprintf(out, "} %" PRIu64 "\n", w->cpus[c].counts[i][j]);
			}
		}
	}
}

static void times(const struct output *w, FILE *out)
{
	family(out, "pmctrack_run_seconds", "counter", "seconds",
	       "Time in which events could have been counted.");
	for (unsigned int c = 0; c < w->nr_cpus; c++)
		fprintf(out, "pmctrack_run_seconds_total{cpu=\"%u\"} %.9f\n", c,
			(double)w->cpus[c].run_ns / 1e9);
	family(out, "pmctrack_counted_seconds", "counter", "seconds",
	       "The part of it in which a set had the counters.");
	for (unsigned int c = 0; c < w->nr_cpus; c++) {
		for (unsigned int i = 0; i < w->sets->nr; i++)
			fprintf(out, "pmctrack_counted_seconds_total{cpu=\"%u\",set=\"%u\"} %.9f\n", c, i,
				(double)w->cpus[c].hw_ns[i] / 1e9);
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
 * The family of a virtual counter: what a name may not have becomes '_'. A name
 * that another one has by that gets the counter's number.
 */
static void virt_family(const struct output *w, unsigned int i, char *name, size_t size)
{
	const char *own = w->sets->virt[i].name;
	bool taken = false;
	char *p = name + snprintf(name, size, "pmctrack_virt_");

	snprintf(p, size - (size_t)(p - name), "%s", own);
	for (; *p; p++) {
		if (!isalnum((unsigned char)*p))
			*p = '_';
	}
	for (unsigned int j = 0; j < i; j++)
		taken |= w->sets->virts >> j & 1 && same_in_openmetrics(w->sets->virt[j].name, own);
	if (taken)
		snprintf(p, size - (size_t)(p - name), "_virt%u", i);
}

static void virts(const struct output *w, FILE *out)
{
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		bool gauge = w->sets->virt[i].gauge;
		char name[256];

		if (!(w->sets->virts >> i & 1))
			continue;
		virt_family(w, i, name, sizeof(name));
		family(out, name, gauge ? "gauge" : "counter", NULL, "Virtual counter of the monitoring module.");
		for (unsigned int c = 0; c < w->nr_cpus; c++) {
			if (!(w->cpus[c].has_virt >> i & 1))
				continue;
			fprintf(out, "%s%s{cpu=\"%u\",", name, gauge ? "" : "_total", c);
			label(out, "unit", w->sets->virt[i].unit);
			fprintf(out, "} %" PRIu64 "\n", w->cpus[c].virt[i]);
		}
	}
}

static int print_all(const struct output *w, FILE *out)
{
	events(w, out);
	times(w, out);
	virts(w, out);
	fputs("# EOF\n", out);
	return fflush(out) || ferror(out) ? -errno : 0;
}

/* Beside the file that it is going to replace; NULL without memory. Caller frees. */
static char *temporary_name(const struct output *w)
{
	char *name;

	return asprintf(&name, "%s.%d", w->o->output, getpid()) < 0 ? NULL : name;
}

/* Can the file be replaced? 0 or a negative errno. */
int openmetrics_check(const struct output *w)
{
	char *tmp = temporary_name(w);
	struct stat st;
	int fd, err;

	if (!tmp)
		return -ENOMEM;
	fd = open(tmp, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	err = fd < 0 ? -errno : 0;
	if (fd >= 0) {
		close(fd);
		unlink(tmp);
	}
	free(tmp);
	if (!err && stat(w->o->output, &st) == 0 && S_ISDIR(st.st_mode))
		err = -EISDIR;
	return err;
}

/* To the standard output at the end, or to a file that is then put in place. */
void openmetrics_write(struct output *w)
{
	char *tmp;
	FILE *out;
	int err;

	if (!w->o->output) {
		print_all(w, w->out);
		return;
	}
	tmp = temporary_name(w);
	if (!tmp) {
		w->error = ENOMEM;
		return;
	}
	out = fopen(tmp, "we");
	err = out ? print_all(w, out) : -errno;
	if (out && fclose(out) && !err)
		err = -errno;
	if (!err && rename(tmp, w->o->output))
		err = -errno;
	if (err && !w->error)
		w->error = -err;
	if (err)
		unlink(tmp);
	free(tmp);
}

void openmetrics_free(struct output *w)
{
	free(w->cpus);
	w->cpus = NULL;
	w->nr_cpus = 0;
}
