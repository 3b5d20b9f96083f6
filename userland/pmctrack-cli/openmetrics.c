// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * OpenMetrics text (openmetrics.io, 1.0) of a system-wide session: counters of each CPU
 * since the start, and metrics (-m) of its last interval. A file is replaced as a whole
 * after each period, because collectors of text files need this.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"
#include "openmetrics_names.h"
#include "options.h"
#include "replace.h"
#include "row.h"
#include "sets.h"
#include "writer.h"

/* Time between replacements of the file if rows have no period (-T 0, samples by events). */
#define DEFAULT_PERIOD_NS	1000000000

/* The counts of a CPU since the start. */
struct per_cpu {
	uint64_t run_ns;
	uint64_t hw_ns[MAX_SETS];
	uint64_t counts[MAX_SETS][PMCTRACK_MAX_COUNTERS];
	uint64_t virt[PMCTRACK_MAX_VIRT];
	uint32_t has_virt;
	struct {
		bool known;
		int set;	/* set of the row that the value is from */
		double value;
	} metrics[MAX_METRICS];	/* of the last interval */
};

struct openmetrics {
	const struct report *r;
	struct per_cpu *cpus;
	unsigned int nr_cpus;
	uint64_t next_ns;	/* a row that ends at this time or later is of the next period */
	struct openmetrics_names names;
};

static int make_room(struct openmetrics *om, size_t nr_cpus)
{
	struct per_cpu *more;

	if (nr_cpus <= om->nr_cpus)
		return 0;
	more = reallocarray(om->cpus, nr_cpus, sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + om->nr_cpus, 0, (nr_cpus - om->nr_cpus) * sizeof(*more));
	om->cpus = more;
	om->nr_cpus = (unsigned int)nr_cpus;
	return 0;
}

/*
 * True if this is the first row of another period. The CPUs end their periods one after
 * the other, within half a period. The limits here are a quarter of a period before the
 * first CPU's, so that a row that is a little early or late stays in its period.
 */
static bool is_next_period(struct openmetrics *om, const struct report *r, uint64_t time_ns)
{
	uint64_t period = r->period_ns ? r->period_ns : DEFAULT_PERIOD_NS;

	if (time_ns < om->next_ns)
		return false;
	if (!om->next_ns) {
		om->next_ns = time_ns + period - period / 4;
		return false;
	}
	om->next_ns += ((time_ns - om->next_ns) / period + 1) * period;
	return true;
}

static void add_virts(struct per_cpu *cpu, const struct row *row, const struct sets *sets)
{
	for (unsigned int i = 0; i < row->nr_virts; i++) {
		const struct row_virt *virt = &row->virts[i];
		uint64_t *sum = &cpu->virt[virt->index];

		if (!virt->known)
			continue;
		*sum = sets->virt[virt->index].gauge ? virt->value : *sum + virt->value;
		cpu->has_virt |= 1u << virt->index;
	}
}

/* Keep a value until the next row of its set, because rows of other sets lack its events. */
static void set_metrics(struct per_cpu *cpu, const struct row *row)
{
	for (unsigned int i = 0; i < row->nr_metrics; i++) {
		if (row->metrics[i].known) {
			cpu->metrics[i].known = true;
			cpu->metrics[i].set = row->set;
			cpu->metrics[i].value = row->metrics[i].value;
		} else if (cpu->metrics[i].set == row->set) {
			cpu->metrics[i].known = false;
		}
	}
}

/* Print a text with quotes, backslashes and line feeds escaped, as OpenMetrics requires. */
static void print_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n')
			fputs("\\n", out);
		else
			fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	}
}

/* Print the lines before the values of a metric family. @unit is the end of its name, or NULL. */
static void family(FILE *out, const char *prefix, const char *name, const char *type,
		   const char *unit, const char *help)
{
	fprintf(out, "# TYPE %s%s %s\n", prefix, name, type);
	if (unit)
		fprintf(out, "# UNIT %s%s %s\n", prefix, name, unit);
	fprintf(out, "# HELP %s%s ", prefix, name);
	print_escaped(out, help);
	fputc('\n', out);
}

static void label(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	print_escaped(out, value);
	fputc('"', out);
}

static void print_seconds(FILE *out, uint64_t ns)
{
	fprintf(out, " %" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000, ns % 1000000000);
}

static void print_events(FILE *out, const struct openmetrics *om)
{
	family(out, "pmctrack_", "events", "counter", NULL,
	       "Hardware events, counted while their set had the counters.");
	for (unsigned int c = 0; c < om->nr_cpus; c++) {
		for (unsigned int i = 0; i < om->r->sets->nr; i++) {
			for (unsigned int j = 0; j < pmctrack_evset__nr(om->r->sets->set[i]); j++) {
				fprintf(out, "pmctrack_events_total{cpu=\"%u\",set=\"%u\",", c, i);
				label(out, "event", pmctrack_evset__name(om->r->sets->set[i], j));
				fprintf(out, "} %" PRIu64 "\n", om->cpus[c].counts[i][j]);
			}
		}
	}
}

static void print_times(FILE *out, const struct openmetrics *om)
{
	family(out, "pmctrack_", "run_seconds", "counter", "seconds",
	       "Time in which events could have been counted.");
	for (unsigned int c = 0; c < om->nr_cpus; c++) {
		fprintf(out, "pmctrack_run_seconds_total{cpu=\"%u\"}", c);
		print_seconds(out, om->cpus[c].run_ns);
	}
	family(out, "pmctrack_", "counted_seconds", "counter", "seconds",
	       "The part of it in which a set had the counters.");
	for (unsigned int c = 0; c < om->nr_cpus; c++) {
		for (unsigned int i = 0; i < om->r->sets->nr; i++) {
			fprintf(out, "pmctrack_counted_seconds_total{cpu=\"%u\",set=\"%u\"}", c, i);
			print_seconds(out, om->cpus[c].hw_ns[i]);
		}
	}
}

static void begin(const struct report *r, void *state)
{
	struct openmetrics *om = state;

	om->r = r;
	openmetrics_names(&om->names, r->sets);
}

static void print_virts(FILE *out, const struct openmetrics *om)
{
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		const struct virtual_counter *virt = &om->r->sets->virt[i];

		if (!(om->r->sets->virts >> i & 1))
			continue;
		family(out, "pmctrack_virt_", om->names.of[i], virt->gauge ? "gauge" : "counter",
		       openmetrics_unit(virt), "Virtual counter of the monitoring module.");
		for (unsigned int c = 0; c < om->nr_cpus; c++) {
			if (!(om->cpus[c].has_virt >> i & 1))
				continue;
			fprintf(out, "pmctrack_virt_%s%s{cpu=\"%u\",", om->names.of[i],
				virt->gauge ? "" : "_total", c);
			label(out, "unit", virt->unit);
			fprintf(out, "} %" PRIu64 "\n", om->cpus[c].virt[i]);
		}
	}
}

/* Names of metrics need no change: they are distinct, and OpenMetrics allows their characters. */
static void print_metrics(FILE *out, const struct openmetrics *om)
{
	for (unsigned int i = 0; i < om->r->metrics->nr; i++) {
		const struct metric *m = &om->r->metrics->of[i];

		family(out, "pmctrack_metric_", m->name, "gauge", NULL, m->formula);
		for (unsigned int c = 0; c < om->nr_cpus; c++) {
			if (om->cpus[c].metrics[i].known)
				fprintf(out, "pmctrack_metric_%s{cpu=\"%u\"} %.15g\n", m->name, c,
					om->cpus[c].metrics[i].value);
		}
	}
}

/* Mark counts of the simulated machine, so that they are not taken for a real machine's. */
static void print_machine(FILE *out, const struct openmetrics *om)
{
	if (om->r->sets->simulated)
		fputs("# TYPE pmctrack_machine info\n# HELP pmctrack_machine What is counted.\n"
		      "pmctrack_machine_info{simulated=\"true\"} 1\n", out);
}

static void print_all(FILE *out, void *state)
{
	print_machine(out, state);
	print_events(out, state);
	print_times(out, state);
	print_virts(out, state);
	print_metrics(out, state);
	fputs("# EOF\n", out);
}

/* The CPU is offline: forget its states (metrics and gauges), but keep its counts. */
static void forget_states(struct per_cpu *cpu, const struct sets *sets)
{
	memset(cpu->metrics, 0, sizeof(cpu->metrics));
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (sets->virt[i].gauge)
			cpu->has_virt &= ~(1u << i);
	}
}

static int add_row(const struct report *r, void *state, const struct row *row)
{
	struct openmetrics *om = state;
	struct per_cpu *cpu;
	int err;

	/* The file has the previous period, of all CPUs, so write it before this row is added. */
	if (r->o->output && is_next_period(om, r, row->time_ns)) {
		err = replace_file(r->o->output, print_all, om);
		if (err)
			return err;
	}
	if (make_room(om, (size_t)row->cpu + 1))
		return -ENOMEM;
	cpu = &om->cpus[row->cpu];
	cpu->run_ns += row->run_ns;
	add_virts(cpu, row, r->sets);
	if (strcmp(row->kind, "exit") == 0)
		forget_states(cpu, r->sets);
	else
		set_metrics(cpu, row);
	if (row->set < 0)
		return 0;
	cpu->hw_ns[row->set] += row->hw_ns;
	for (unsigned int j = 0; j < row->nr_counts; j++)
		cpu->counts[row->set][j] += row->counts[j].value;
	return 0;
}

static int end(const struct report *r, void *state, const struct outcome *outcome)
{
	(void)outcome;
	if (r->o->output)
		return replace_file(r->o->output, print_all, state);
	print_all(r->out, state);
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
	.check_file = replace_check,
	.begin = begin,
	.row = add_row,
	.end = end,
	.release = release,
};
