// SPDX-License-Identifier: GPL-2.0-or-later
#include "speed.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pmctrack/libpmctrack.h>

#include "complain.h"

/* Period of each thread's records, and CPU time of a program that is remembered. */
#define PERIOD_NS 250000000ULL
#define MEMORY_NS 1e10
/* Most records that are read at a time. */
#define RECORDS 4096
/* After so many looks at records without a factor, another module is active. */
#define SILENT 40
/* Most programs that are watched at a time, because each takes four pages for each possible CPU. */
#define MOST_PROGRAMS 32
/* A CPU of a slow type is worth at least so much, because models err. */
#define LEAST 0.1

/**
 * struct speed - the speedup factors of a program
 * @types: number of core types that it may have
 * @fastest: rank of the fastest type of the machine; @types: the program may not have it
 * @virt: virtual counter of each of the other types
 * @factor: mean factor, as seen from each type (by index), weighted by run time. Models of
 *	different types differ, and a program must not be moved for that
 * @ns: run time that @factor covers; old run time counts less
 * @silent: number of looks at records without a factor
 */
struct speed {
	struct pmctrack_session *session;
	unsigned int types;
	unsigned int fastest;
	unsigned int virt[CORE_TYPES_MOST];
	double factor[CORE_TYPES_MOST][CORE_TYPES_MOST];
	double ns[CORE_TYPES_MOST][CORE_TYPES_MOST];
	unsigned int silent;
};

static unsigned int programs;

/* Find the virtual counter of a factor: "sf", "sf_2", "sf_3". */
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

	s->types = s->fastest = types->nr;
	for (rank = 0; rank < types->nr; rank++) {
		if (types->type[rank].index == types->fastest) {
			s->fastest = rank;
			continue;
		}
		if (find_virt(ctl, core_types_other(types, rank), &s->virt[rank]))
			return -1;
		*mask |= 1U << s->virt[rank];
	}
	return 0;
}

/*
 * Processes that have ended meanwhile are skipped. Returns how many are watched, or a negative
 * errno.
 */
static int attach(struct pmctrack_session *session, const pid_t *process, size_t nr)
{
	int err = -ESRCH, done = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		int one = pmctrack_session__attach(session, process[i]);

		if (!one)
			done++;
		else if (one != -ESRCH)
			err = one;
	}
	return done ? done : err;
}

/* Begin monitoring. Returns NULL, or why that is not possible. */
static const char *begin(struct speed *s, const struct pmctrack_ctl *ctl, const struct core_types *types,
			 const pid_t *process, size_t nr)
{
	struct pmctrack_session_opts opts = {
		.sz = sizeof(opts),
		.flags = PMCTRACK_SESSION_THREADS | PMCTRACK_SESSION_CHILDREN | PMCTRACK_SESSION_ATTACH,
		.period_ns = PERIOD_NS,
		/* Room for some records of each thread; records that do not fit are lost. */
		.ring_size = (uint32_t)sysconf(_SC_PAGESIZE),
	};

	if (programs >= MOST_PROGRAMS)
		return "as many programs as can be are watched already";
	if (find_virts(s, ctl, types, &opts.virts))
		return "the active monitoring module has no speedup factor (sf) of all core types";
	s->session = pmctrack_session__open(ctl, NULL, 0, &opts);
	if (s->session && attach(s->session, process, nr) > 0)
		return NULL;
	return pmctrack_error();
}

struct speed *speed_open(const struct core_types *types, const pid_t *process, size_t nr, const char *name)
{
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	struct speed *s = calloc(1, sizeof(*s));
	const char *why = !s ? strerror(ENOMEM) : !ctl ? pmctrack_error() : begin(s, ctl, types, process, nr);

	if (why && name)
		complain("%s: what slow CPUs are worth for it is not known: %s", name, why);
	pmctrack_ctl__close(ctl);
	if (!why) {
		programs++;
		return s;
	}
	if (s)
		pmctrack_session__close(s->session);
	free(s);
	return NULL;
}

static bool take_record(struct speed *s, const struct pmctrack_record *rec)
{
	unsigned int rank, from = rec->core_type;
	bool says = false;
	uint64_t factor;

	for (rank = 0; rank < s->types && from < CORE_TYPES_MOST; rank++) {
		if (rank == s->fastest || pmctrack_record__virt(rec, s->virt[rank], &factor))
			continue;
		says = true;
		if (!factor || !rec->run_ns)
			continue;
		s->ns[from][rank] = fmin(s->ns[from][rank], MEMORY_NS) + (double)rec->run_ns;
		s->factor[from][rank] += ((double)factor / 1000 - s->factor[from][rank]) * (double)rec->run_ns /
					 s->ns[from][rank];
	}
	return says;
}

/*
 * Returns the speed of the fastest type over this one: the mean of what is known from each type; 0:
 * nothing is known.
 */
static double factor_of(const struct speed *s, unsigned int rank)
{
	double sum = 0;
	int from, nr = 0;

	if (rank == s->fastest)
		return 1;
	for (from = 0; from < CORE_TYPES_MOST; from++) {
		sum += s->factor[from][rank];
		nr += s->factor[from][rank] > 0;
	}
	return nr ? sum / nr : 0;
}

int speed_read(struct speed *s, double *worth)
{
	const struct pmctrack_record *rec;
	unsigned int rank, n, says = 0, known = 0;

	for (n = 0; n < RECORDS && pmctrack_session__next(s->session, &rec) > 0; n++)
		says += take_record(s, rec);
	if (n)
		s->silent = says ? 0 : s->silent + 1;
	for (rank = 1; rank < s->types; rank++) {
		if (factor_of(s, 0) <= 0 || factor_of(s, rank) <= 0)
			continue;
		worth[rank] = fmin(fmax(factor_of(s, 0) / factor_of(s, rank), LEAST), 1);
		known++;
	}
	if (s->silent > SILENT)
		return -ESTALE;
	return known == s->types - 1;
}

void speed_close(struct speed *s)
{
	if (!s)
		return;
	pmctrack_session__close(s->session);
	free(s);
	programs--;
}
