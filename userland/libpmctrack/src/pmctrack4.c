// SPDX-License-Identifier: LGPL-2.1-or-later
/* The interface of PMCTrack 4.0 (<pmctrack.h>), built on <pmctrack/libpmctrack.h>. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"
#include "monotonic.h"
#include "pmctrack.h"

#define NO_TIMEOUT_MS	86400000	/* a day, the longest period */

struct pmctrack_desc {
	struct pmctrack_ctl *ctl;
	struct pmctrack_evset *sets[MAX_COUNTER_CONFIGS];
	unsigned int nr_sets;
	bool raw;
	bool of_mmon;
	uint32_t virts;
	uint64_t period_ns;
	struct pmctrack_session *session;
	pid_t owner;		/* thread that @session counts; 0: it is system-wide */
	bool system;		/* the last session was system-wide */
	uint64_t since_ns;	/* start of the session */
	pmc_sample_t *samples;
	unsigned int nr;
	unsigned int room;
};

/* Print the reason of a failure, because old programs end without a message. */
static int complain(void)
{
	fprintf(stderr, "libpmctrack: %s\n", pmctrack_error());
	return -1;
}

pmctrack_desc_t *pmctrack_init(unsigned int max_nr_samples)
{
	pmctrack_desc_t *desc = calloc(1, sizeof(*desc));

	if (!desc)
		return NULL;
	desc->room = max_nr_samples ? max_nr_samples :
		     (unsigned int)((size_t)sysconf(_SC_PAGESIZE) / sizeof(pmc_sample_t) + 1);
	desc->samples = calloc(desc->room, sizeof(*desc->samples));
	desc->ctl = pmctrack_ctl__open();
	if (desc->samples && desc->ctl)
		return desc;
	complain();
	pmctrack_destroy(desc);
	return NULL;
}

static void drop_config(pmctrack_desc_t *desc)
{
	pmctrack_session__close(desc->session);
	desc->session = NULL;
	for (unsigned int i = 0; i < desc->nr_sets; i++)
		pmctrack_evset__free(desc->sets[i]);
	desc->nr_sets = 0;
}

int pmctrack_destroy(pmctrack_desc_t *desc)
{
	if (!desc)
		return -1;
	drop_config(desc);
	pmctrack_ctl__close(desc->ctl);
	free(desc->samples);
	free(desc);
	return 0;
}

pmctrack_desc_t *pmctrack_clone_descriptor(pmctrack_desc_t *orig)
{
	pmctrack_desc_t *desc = pmctrack_init(orig->room);

	if (!desc)
		return NULL;
	for (; desc->nr_sets < orig->nr_sets; desc->nr_sets++) {
		desc->sets[desc->nr_sets] = evset_copy(orig->sets[desc->nr_sets]);
		if (!desc->sets[desc->nr_sets]) {
			complain();
			pmctrack_destroy(desc);
			return NULL;
		}
	}
	desc->raw = orig->raw;
	desc->of_mmon = orig->of_mmon;
	desc->virts = orig->virts;
	desc->period_ns = orig->period_ns;
	return desc;
}

static int add_sets(pmctrack_desc_t *desc, const char *config, bool raw, unsigned int pmu)
{
	struct pmctrack_evset **next = desc->sets + desc->nr_sets;
	unsigned int room = MAX_COUNTER_CONFIGS - desc->nr_sets;
	int nr = 1;

	if (!room)
		return fail(E2BIG, "more than %d event sets", MAX_COUNTER_CONFIGS);
	if (raw)
		*next = pmctrack_evset__parse_raw(desc->ctl, config);
	else if (pmu || pmctrack_ctl__nr_pmus(desc->ctl) > 1)
		*next = pmctrack_evset__parse(desc->ctl, pmu, config);
	else
		nr = pmctrack_evset__parse_list(desc->ctl, config, 0, next, room);
	if (nr < 0)
		return nr;
	if (!*next)
		return -errno;
	desc->nr_sets += (unsigned int)nr;
	return 0;
}

static int configure(pmctrack_desc_t *desc, const char *strcfg[], const char *virtcfg,
		     int mux_timeout_ms, bool raw, unsigned int pmu)
{
	int err = 0;

	drop_config(desc);
	desc->raw = raw;
	desc->virts = 0;
	desc->of_mmon = !strcfg || !strcfg[0];
	desc->period_ns = (uint64_t)(mux_timeout_ms > 0 ? mux_timeout_ms : NO_TIMEOUT_MS) * 1000000;
	if (virtcfg)
		err = pmctrack_ctl__parse_virts(desc->ctl, virtcfg, &desc->virts);
	if (!err && desc->of_mmon) {
		err = pmctrack_evset__parse_mmon(desc->ctl, desc->sets, MAX_COUNTER_CONFIGS);
		if (err > 0) {
			desc->nr_sets = (unsigned int)err;
			err = 0;
		}
	}
	for (unsigned int i = 0; !err && !desc->of_mmon && strcfg[i]; i++)
		err = add_sets(desc, strcfg[i], raw, pmu);
	return err ? complain() : 0;
}

int pmctrack_config_counters(pmctrack_desc_t *desc, const char *strcfg[], const char *virtcfg,
			     int mux_timeout_ms)
{
	return configure(desc, strcfg, virtcfg, mux_timeout_ms, true, 0);
}

int pmctrack_config_counters_mnemonic(pmctrack_desc_t *desc, const char *strcfg[],
				      const char *virtcfg, int mux_timeout_ms, int pmu_id)
{
	return configure(desc, strcfg, virtcfg, mux_timeout_ms, false, (unsigned int)pmu_id);
}

static int open_session(pmctrack_desc_t *desc, bool system)
{
	struct pmctrack_session_opts opts = {
		.sz = sizeof(opts),
		.flags = system ? PMCTRACK_SESSION_SYSTEM : 0,
		.period_ns = desc->period_ns,
		.virts = desc->virts,
	};
	pid_t owner = system ? 0 : gettid();

	/* A thread's session is reused, unless another thread uses the descriptor now. */
	if (desc->session && (system || desc->owner != owner)) {
		pmctrack_session__close(desc->session);
		desc->session = NULL;
	}
	if (!desc->nr_sets)
		return fail(EINVAL, "no events: call pmctrack_config_counters() first");
	desc->since_ns = monotonic_ns();
	desc->nr = 0;
	desc->system = system;
	desc->owner = owner;
	if (!desc->session)
		desc->session = pmctrack_session__open(desc->ctl, desc->sets,
						       desc->of_mmon ? 0 : desc->nr_sets, &opts);
	return desc->session ? 0 : -errno;
}

static uint64_t time_before(const pmctrack_desc_t *desc, const pmc_sample_t *sample,
			    const uint64_t *ends)
{
	for (unsigned int i = desc->nr; i-- > 0; ) {
		if (desc->samples[i].pid == sample->pid)
			return ends[i];
	}
	return desc->since_ns;
}

static void fill(const pmctrack_desc_t *desc, pmc_sample_t *sample,
		 const struct pmctrack_record *rec)
{
	int set = pmctrack_evset__of_record(desc->sets, desc->nr_sets, rec);

	memset(sample, 0, sizeof(*sample));
	/* Kinds have the same numbers as in 4.0, except for the end of a CPU's monitoring. */
	sample->type = rec->kind < PMC_NR_SAMPLE_TYPES ? (sample_type_t)rec->kind : PMC_TICK_SAMPLE;
	sample->coretype = rec->core_type;
	sample->exp_idx = set < 0 ? 0 : set;
	sample->pid = desc->system ? (pid_t)rec->cpu : rec->tid;
	sample->pmc_mask = rec->counters;
	sample->nr_counts = rec->nr_counts;
	memcpy(sample->pmc_counts, rec->counts, rec->nr_counts * sizeof(rec->counts[0]));
	sample->virt_mask = rec->virt;
	sample->nr_virt_counts = rec->nr_virt;
	memcpy(sample->virtual_counts, rec->counts + rec->nr_counts,
	       rec->nr_virt * sizeof(rec->counts[0]));
}

/* Make room for one more sample, and for the time at which it ended. */
static int make_room(pmctrack_desc_t *desc, uint64_t **ends)
{
	unsigned int room = desc->nr < desc->room ? desc->room : 2 * desc->room;
	pmc_sample_t *samples = desc->samples;
	uint64_t *more = *ends;

	if (room > desc->room)
		samples = realloc(samples, room * sizeof(*samples));
	if (samples)
		desc->samples = samples;
	if (!more || room > desc->room)
		more = realloc(more, room * sizeof(*more));
	if (more)
		*ends = more;
	if (!samples || !more)
		return fail(ENOMEM, "no memory for samples");
	desc->room = room;
	return 0;
}

static int collect(pmctrack_desc_t *desc)
{
	const struct pmctrack_record *rec;
	uint64_t *ends = NULL;
	int err = 0;

	while (!err && pmctrack_session__next(desc->session, &rec) > 0) {
		pmc_sample_t *sample;

		err = make_room(desc, &ends);
		if (err)
			break;
		sample = &desc->samples[desc->nr];
		fill(desc, sample, rec);
		sample->elapsed_time = rec->time_ns - time_before(desc, sample, ends);
		ends[desc->nr++] = rec->time_ns;
	}
	free(ends);
	return err;
}

int pmctrack_start_counters(pmctrack_desc_t *desc)
{
	int err = open_session(desc, false);

	if (!err)
		err = pmctrack_session__start(desc->session);
	return err ? complain() : 0;
}

int pmctrack_stop_counters(pmctrack_desc_t *desc)
{
	int err;

	if (!desc->session || desc->system) {
		fail(EINVAL, "the counters have not been started");
		return complain();
	}
	err = pmctrack_session__stop(desc->session);
	if (!err)
		err = collect(desc);
	return err ? complain() : 0;
}

int pmctrack_start_counters_syswide(pmctrack_desc_t *desc)
{
	return open_session(desc, true) ? complain() : 0;
}

int pmctrack_stop_counters_syswide(pmctrack_desc_t *desc)
{
	int err;

	if (!desc->session || !desc->system) {
		fail(EINVAL, "the counters have not been started");
		return complain();
	}
	err = pmctrack_session__detach(desc->session);
	if (!err)
		err = collect(desc);
	pmctrack_session__close(desc->session);
	desc->session = NULL;
	return err ? complain() : 0;
}

pmc_sample_t *pmctrack_get_samples(pmctrack_desc_t *desc, int *nr_samples)
{
	*nr_samples = (int)desc->nr;
	return desc->samples;
}

int pmctrack_get_event_mapping(pmctrack_desc_t *desc, counter_mapping_t *mapping,
			       unsigned int *nr_experiments, unsigned int *used_pmcmask)
{
	if (desc->raw)
		return 1;
	memset(mapping, 0, MAX_PERFORMANCE_COUNTERS * sizeof(*mapping));
	*nr_experiments = desc->nr_sets;
	*used_pmcmask = 0;
	for (unsigned int i = 0; i < desc->nr_sets; i++) {
		for (unsigned int j = 0; j < pmctrack_evset__nr(desc->sets[i]); j++) {
			unsigned int c = pmctrack_evset__counter(desc->sets[i], j);

			mapping[c].nr_counter = (int)c;
			mapping[c].events[i] = (char *)pmctrack_evset__name(desc->sets[i], j);
			mapping[c].experiment_mask |= 1u << i;
			*used_pmcmask |= 1u << c;
		}
	}
	return 0;
}

static void print_mapping(pmctrack_desc_t *desc, FILE *out)
{
	counter_mapping_t mapping[MAX_PERFORMANCE_COUNTERS];
	unsigned int nr, mask;

	if (pmctrack_get_event_mapping(desc, mapping, &nr, &mask))
		return;
	fputs("[Event-to-counter mappings]\n", out);
	for (unsigned int c = 0; c < MAX_PERFORMANCE_COUNTERS; c++) {
		const char *separator = "";

		if (!(mask >> c & 1))
			continue;
		fprintf(out, "pmc%u=", c);
		for (unsigned int i = 0; i < nr; i++) {
			if (!mapping[c].events[i])
				continue;
			fprintf(out, nr > 1 ? "%s%s(%u)" : "%s%s", separator, mapping[c].events[i], i);
			separator = ",";
		}
		fputc('\n', out);
	}
	fputs("[Event counts]\n", out);
}

static void print_values(FILE *out, unsigned int all, unsigned int mask, const uint64_t *values)
{
	for (; all; all &= all - 1) {
		if (mask & all & -all)
			fprintf(out, " %13" PRIu64, *values++);
		else
			fprintf(out, " %13s", "-");
	}
}

static void print_names(FILE *out, const char *prefix, unsigned int all)
{
	for (unsigned int i = 0; all >> i; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%s%u", prefix, i);
		if (all >> i & 1)
			fprintf(out, " %13s", name);
		if (i == 31)
			break;
	}
}

void pmctrack_print_counts(pmctrack_desc_t *desc, FILE *outfile, int extended_output)
{
	static const char *const types[] = { "tick", "ebs", "exit", "migration", "self" };
	unsigned int counters = 0;

	for (unsigned int i = 0; i < desc->nr_sets; i++) {
		for (unsigned int j = 0; j < pmctrack_evset__nr(desc->sets[i]); j++)
			counters |= 1u << pmctrack_evset__counter(desc->sets[i], j);
	}
	print_mapping(desc, outfile);
	fprintf(outfile, "%7s %6s", "nsample", desc->system ? "cpu" : "pid");
	if (extended_output)
		fprintf(outfile, " %8s %5s", "coretype", "expid");
	else if (desc->nr_sets > 1)
		fprintf(outfile, " %5s", "expid");
	fprintf(outfile, " %10s", "event");
	print_names(outfile, "pmc", counters);
	print_names(outfile, "virt", desc->virts);
	fputc('\n', outfile);
	for (unsigned int i = 0; i < desc->nr; i++) {
		const pmc_sample_t *s = &desc->samples[i];

		fprintf(outfile, "%7u %6d", i + 1, s->pid);
		if (extended_output)
			fprintf(outfile, " %8d %5d", s->coretype, s->exp_idx);
		else if (desc->nr_sets > 1)
			fprintf(outfile, " %5d", s->exp_idx);
		fprintf(outfile, " %10s", types[s->type]);
		print_values(outfile, counters, s->pmc_mask, s->pmc_counts);
		print_values(outfile, desc->virts, s->virt_mask, s->virtual_counts);
		fputc('\n', outfile);
	}
}
