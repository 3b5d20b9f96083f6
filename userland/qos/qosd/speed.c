// SPDX-License-Identifier: GPL-2.0-or-later
#include "speed.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pmctrack/libpmctrack.h>

/* How often each thread says it, and what time of a program is remembered: nanoseconds. */
#define PERIOD_NS 250000000ULL
#define MEMORY_NS 2e9
/* Of a buffer for each CPU: some records of each thread. What does not fit, is lost. */
#define RING_BYTES 4096
/* So many records are taken at a time, */
#define RECORDS 4096
/* and after so many looks without any, nobody speaks. */
#define SILENT 40
/* So many programs are watched at a time: each takes two pages of each CPU. */
#define MOST_PROGRAMS 32
/* A CPU of a slow type is worth so much at least: models err. */
#define LEAST 0.1

/**
 * struct speed - of a program
 * @types: number of core types
 * @virt: virtual counter of each but the fastest
 * @factor: its mean, weighted by run time
 * @ns: run time that this is of, what is old counting less
 * @silent: looks without a record
 */
struct speed {
	struct pmctrack_session *session;
	unsigned int types;
	unsigned int virt[CORE_TYPES_MOST];
	double factor[CORE_TYPES_MOST];
	double ns[CORE_TYPES_MOST];
	unsigned int silent;
};

static unsigned int programs;

/* "sf", "sf_2", "sf_3". */
static int find_virt(const struct pmctrack_ctl *ctl, unsigned int number, unsigned int *virt)
{
	struct pmctrack_virt_info info = {.sz = sizeof(info)};
	char name[16] = "sf";
	unsigned int i;

	if (number)
		snprintf(name, sizeof(name), "sf_%u", number + 1);
	for (i = 0; i < pmctrack_ctl__nr_virts(ctl); i++) {
		if (pmctrack_ctl__virt_info(ctl, i, &info) || strcmp(info.name, name))
			continue;
		*virt = i;
		return 0;
	}
	return -1;
}

static int find_virts(struct speed *s, const struct pmctrack_ctl *ctl, const struct core_types *types,
		      uint32_t *mask)
{
	unsigned int rank;

	for (rank = 1; rank < types->nr; rank++) {
		if (find_virt(ctl, core_types_other(types, rank), &s->virt[rank]))
			return -1;
		*mask |= 1U << s->virt[rank];
	}
	return 0;
}

struct speed *speed_open(const struct core_types *types, const pid_t *process, size_t nr, const char **why)
{
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	struct speed *s = calloc(1, sizeof(*s));
	struct pmctrack_session_opts opts = {
		.sz = sizeof(opts),
		.flags = PMCTRACK_SESSION_THREADS | PMCTRACK_SESSION_CHILDREN,
		.period_ns = PERIOD_NS,
		.ring_size = RING_BYTES,
		.processes = process,
		.nr_processes = (unsigned int)nr,
	};

	if (!s || !ctl) {
		*why = s ? pmctrack_error() : strerror(ENOMEM);
	} else if (programs == MOST_PROGRAMS) {
		*why = "as many programs as can be are watched already";
	} else if (find_virts(s, ctl, types, &opts.virts)) {
		*why = "the active monitoring module has no speedup factor (sf) of all core types";
	} else {
		s->types = types->nr;
		s->session = pmctrack_session__open(ctl, NULL, 0, &opts);
		*why = pmctrack_error();
	}
	pmctrack_ctl__close(ctl);
	programs += s && s->session;
	if (s && s->session)
		return s;
	free(s);
	return NULL;
}

static void take_record(struct speed *s, const struct pmctrack_record *rec)
{
	unsigned int rank;
	uint64_t factor;

	for (rank = 1; rank < s->types; rank++) {
		if (pmctrack_record__virt(rec, s->virt[rank], &factor) || !factor || !rec->run_ns)
			continue;
		s->ns[rank] = fmin(s->ns[rank], MEMORY_NS) + (double)rec->run_ns;
		s->factor[rank] += ((double)factor / 1000 - s->factor[rank]) * (double)rec->run_ns / s->ns[rank];
	}
}

int speed_read(struct speed *s, double *worth)
{
	const struct pmctrack_record *rec;
	unsigned int rank, n;

	for (n = 0; n < RECORDS && pmctrack_session__next(s->session, &rec) > 0; n++)
		take_record(s, rec);
	s->silent = n ? 0 : s->silent + 1;
	for (rank = 1; rank < s->types; rank++)
		if (s->factor[rank] > 0)
			worth[rank] = fmin(fmax(1 / s->factor[rank], LEAST), 1);
	return s->silent > SILENT ? -ENODATA : 0;
}

void speed_close(struct speed *s)
{
	if (!s)
		return;
	pmctrack_session__close(s->session);
	free(s);
	programs--;
}
