// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qplacer/anneal.h"

/* Co-locations that are remembered; a power of two. */
#define MEMORY	4096
/* Quality of a co-location that was never tried: the best possible. */
#define UNKNOWN	100.0
/* After this many steps, the search for all states gives up. */
#define STEPS_MOST	10000

/* The quality of an application that shares a cache with @others, in percent. */
struct memory {
	uint64_t others;
	uint8_t app;
	bool used;
	double percent;
};

struct anneal {
	struct anneal_params params;
	unsigned int nr_caches;
	unsigned int room[ANNEAL_CACHES];
	unsigned int largest;	/* of @room */
	uint64_t apps;		/* mask of the applications that exist */
	unsigned int cpus[ANNEAL_APPS];
	double weight[ANNEAL_APPS];
	struct memory memory[MEMORY];
	unsigned int used;
	uint64_t lot;
};

struct anneal *anneal_new(const struct anneal_params *params, const unsigned int *room, unsigned int nr)
{
	struct anneal *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->params = *params;
	a->nr_caches = nr < ANNEAL_CACHES ? nr : ANNEAL_CACHES;
	for (unsigned int c = 0; c < a->nr_caches; c++) {
		a->room[c] = room[c];
		if (room[c] > a->largest)
			a->largest = room[c];
	}
	a->lot = params->seed;
	return a;
}

void anneal_free(struct anneal *a)
{
	free(a);
}

/* A random number from 0 to less than 1: splitmix64 (Steele, Lea, Flood 2014). */
static double draw(struct anneal *a)
{
	uint64_t z = a->lot += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

static bool is_there(uint64_t mask, unsigned int i)
{
	return mask >> i & 1;
}

/* --- what is known ------------------------------------------------------- */

static unsigned int place_of(unsigned int app, uint64_t others)
{
	uint64_t hash = (others ^ (uint64_t)app << 57) * 0x9e3779b97f4a7c15;

	return (unsigned int)(hash >> 40) & (MEMORY - 1);
}

static const struct memory *recall(const struct anneal *a, unsigned int app, uint64_t others)
{
	unsigned int i = place_of(app, others);

	while (a->memory[i].used && (a->memory[i].app != app || a->memory[i].others != others))
		i = (i + 1) & (MEMORY - 1);
	return &a->memory[i];
}

/* The mask of applications that share a cache with application @i. */
static uint64_t others_of(const struct anneal *a, const struct placement *where, unsigned int i)
{
	uint64_t others = 0;

	for (unsigned int k = 0; k < ANNEAL_APPS; k++) {
		if (k != i && is_there(a->apps, k) && where->cache[k] == where->cache[i])
			others |= 1ULL << k;
	}
	return others;
}

/* Rebuild the hash table without the entries that @keep refuses. */
static void rebuild(struct anneal *a, bool (*keep)(const struct memory *m, uint64_t mask), uint64_t mask)
{
	struct memory *old = malloc(sizeof(a->memory));

	/* If there is no memory for the copy, everything is forgotten. */
	if (old)
		memcpy(old, a->memory, sizeof(a->memory));
	memset(a->memory, 0, sizeof(a->memory));
	a->used = 0;
	for (unsigned int i = 0; old && i < MEMORY; i++) {
		if (!old[i].used || !keep(&old[i], mask))
			continue;
		*(struct memory *)recall(a, old[i].app, old[i].others) = old[i];
		a->used++;
	}
	free(old);
}

static bool is_without(const struct memory *m, uint64_t mask)
{
	return !((m->others | 1ULL << m->app) & mask);
}

/* True for a random half of the entries. */
static bool is_lucky(const struct memory *m, uint64_t mask)
{
	return (place_of(m->app, m->others ^ mask) & 1) != 0;
}

void anneal_learn(struct anneal *a, const struct placement *where, unsigned int i, double percent)
{
	uint64_t others = others_of(a, where, i);
	struct memory *m;

	while (a->used >= MEMORY * 3 / 4) {
		draw(a);
		rebuild(a, is_lucky, a->lot);
	}
	m = (struct memory *)recall(a, i, others);
	if (!m->used) {
		*m = (struct memory){ .app = (uint8_t)i, .others = others, .used = true, .percent = UNKNOWN };
		a->used++;
	}
	m->percent = a->params.damping * m->percent + (1 - a->params.damping) * percent;
}

void anneal_add(struct anneal *a, unsigned int i, unsigned int cpus, double weight)
{
	a->apps |= 1ULL << i;
	a->cpus[i] = cpus;
	a->weight[i] = weight;
}

void anneal_remove(struct anneal *a, unsigned int i)
{
	a->apps &= ~(1ULL << i);
	rebuild(a, is_without, 1ULL << i);
}

double anneal_energy(const struct anneal *a, const struct placement *where)
{
	double energy = 0;

	for (unsigned int i = 0; i < ANNEAL_APPS; i++) {
		const struct memory *m;

		if (!is_there(a->apps, i))
			continue;
		m = recall(a, i, others_of(a, where, i));
		energy += a->weight[i] * (m->used ? m->percent : UNKNOWN);
	}
	return energy;
}

/* --- states -------------------------------------------------------------- */

/* CPUs that a cache has left; negative if there are more threads than CPUs. */
static int left(const struct anneal *a, const struct placement *where, unsigned int cache, uint64_t placed)
{
	int room = (int)a->room[cache];

	for (unsigned int i = 0; i < ANNEAL_APPS; i++) {
		if (is_there(a->apps & placed, i) && where->cache[i] == cache)
			room -= (int)a->cpus[i];
	}
	return room;
}

/* By how many CPUs the fullest cache is too full; 0: all fit. */
static int excess(const struct anneal *a, const struct placement *where)
{
	int worst = 0;

	for (unsigned int c = 0; c < a->nr_caches; c++) {
		int rest = left(a, where, c, UINT64_MAX);

		if (-rest > worst)
			worst = -rest;
	}
	return worst;
}

static void spread(const struct anneal *a, struct placement *where)
{
	uint64_t placed = 0;

	memset(where, 0, sizeof(*where));
	while (placed != a->apps) {
		unsigned int next = ANNEAL_APPS, best = 0;

		for (unsigned int i = 0; i < ANNEAL_APPS; i++) {
			if (is_there(a->apps & ~placed, i) && (next == ANNEAL_APPS || a->cpus[i] > a->cpus[next]))
				next = i;
		}
		for (unsigned int c = 1; c < a->nr_caches; c++) {
			if (left(a, where, c, placed) > left(a, where, best, placed))
				best = c;
		}
		where->cache[next] = (uint8_t)best;
		placed |= 1ULL << next;
	}
}

void anneal_place(const struct anneal *a, struct placement *where)
{
	struct placement anew;

	spread(a, &anew);
	if (excess(a, where) > excess(a, &anew))
		*where = anew;
}

bool anneal_same(const struct anneal *a, const struct placement *one, const struct placement *other)
{
	for (unsigned int i = 0; i < ANNEAL_APPS; i++) {
		if (is_there(a->apps, i) && others_of(a, one, i) != others_of(a, other, i))
			return false;
	}
	return true;
}

static bool is_known(const struct anneal *a, const struct decision *d, const struct placement *where)
{
	for (unsigned int i = 0; i < d->nr; i++) {
		if (anneal_same(a, &d->candidate[i].where, where))
			return true;
	}
	return false;
}

/* CPUs that the applications of @part need; with @now, only those that are in @cache in @now. */
static unsigned int size_of(const struct anneal *a, const struct placement *where, unsigned int part,
			    const struct placement *now, unsigned int cache)
{
	unsigned int cpus = 0;

	for (unsigned int i = 0; i < ANNEAL_APPS; i++) {
		if (is_there(a->apps, i) && where->cache[i] == part && (!now || now->cache[i] == cache))
			cpus += a->cpus[i];
	}
	return cpus;
}

/* The cache that has room for @part and holds most of it now; among equals, the smallest. */
static int cache_for(const struct anneal *a, const struct placement *where, unsigned int part,
		     const struct placement *now, int most, uint64_t taken)
{
	int need = (int)size_of(a, where, part, NULL, 0) - most, best = -1;
	unsigned int stay, most_stay = 0;

	for (unsigned int c = 0; c < a->nr_caches; c++) {
		if (is_there(taken, c) || (int)a->room[c] < need)
			continue;
		stay = size_of(a, where, part, now, c);
		if (best >= 0 && (stay < most_stay || (stay == most_stay && a->room[c] >= a->room[best])))
			continue;
		best = (int)c;
		most_stay = stay;
	}
	return best;
}

/* Give parts caches, the greatest first, so that few have to move. False: they do not fit. */
static bool fit(const struct anneal *a, struct placement *where, const struct placement *now, int most)
{
	uint64_t placed = 0, taken = 0;
	int cache_of[ANNEAL_CACHES];

	for (unsigned int n = 0; n < a->nr_caches; n++) {
		unsigned int next = ANNEAL_CACHES;

		for (unsigned int part = 0; part < a->nr_caches; part++) {
			if (!is_there(placed, part) && (next == ANNEAL_CACHES ||
			    size_of(a, where, part, NULL, 0) > size_of(a, where, next, NULL, 0)))
				next = part;
		}
		cache_of[next] = cache_for(a, where, next, now, most, taken);
		if (cache_of[next] < 0)
			return false;
		placed |= 1ULL << next;
		taken |= 1ULL << cache_of[next];
	}
	for (unsigned int i = 0; i < ANNEAL_APPS; i++)
		where->cache[i] = is_there(a->apps, i) ? (uint8_t)cache_of[where->cache[i]] : 0;
	return true;
}

/* Add a state to the candidates if it is new and fits. Candidate 0 is the present state. */
static void consider(const struct anneal *a, struct decision *d, const struct placement *parts, int most)
{
	struct placement where = *parts;

	if (d->nr == MOST_CANDIDATES || is_known(a, d, parts) ||
	    !fit(a, &where, &d->candidate[0].where, most))
		return;
	d->candidate[d->nr++].where = where;
}

/* CPUs that the applications up to @last need in @part. */
static int filled(const struct anneal *a, const struct placement *where, unsigned int part, unsigned int last)
{
	int cpus = 0;

	for (unsigned int i = 0; i <= last; i++) {
		if (is_there(a->apps, i) && where->cache[i] == part)
			cpus += (int)a->cpus[i];
	}
	return cpus;
}

/*
 * Consider all ways to divide the applications from @i on into parts. Those before @i are in @parts
 * parts. Each further application joins one of these, or begins the next one. Returns false if
 * there are too many ways.
 */
static bool divide(const struct anneal *a, struct decision *d, struct placement *where, unsigned int i,
		   unsigned int parts, int most, unsigned int *steps)
{
	/* Limit the steps, because there may also be many ways that do not fit. */
	if (++*steps > STEPS_MOST)
		return false;
	while (i < ANNEAL_APPS && !is_there(a->apps, i))
		i++;
	if (i == ANNEAL_APPS) {
		consider(a, d, where, most);
		return d->nr <= MOST_STATES;
	}
	for (unsigned int c = 0; c <= parts && c < a->nr_caches; c++) {
		where->cache[i] = (uint8_t)c;
		/* The part, filled up to application @i, must fit into the largest cache. */
		if (filled(a, where, c, i) > (int)a->largest + most)
			continue;
		if (!divide(a, d, where, i + 1, c == parts ? parts + 1 : parts, most, steps))
			return false;
	}
	return true;
}

/* Consider all states. Returns false if there are too many. */
static bool consider_all(const struct anneal *a, struct decision *d, const struct placement *now, int most)
{
	struct placement where = *now;
	unsigned int steps = 0;

	return divide(a, d, &where, 0, 0, most, &steps);
}

/*
 * Consider the neighbours of @now. There may be too many of these, too. So each call begins with
 * another application, @first.
 */
static void consider_near(const struct anneal *a, struct decision *d, const struct placement *now, int most,
			  unsigned int first)
{
	for (unsigned int n = 0; n < ANNEAL_APPS; n++) {
		unsigned int i = (first + n) % ANNEAL_APPS;
		struct placement where = *now;

		if (!is_there(a->apps, i))
			continue;
		for (unsigned int c = 0; c < a->nr_caches; c++) {
			where.cache[i] = (uint8_t)c;
			consider(a, d, &where, most);
		}
		for (unsigned int k = 0; k < ANNEAL_APPS; k++) {
			where = *now;
			if (!is_there(a->apps, k))
				continue;
			where.cache[i] = now->cache[k];
			where.cache[k] = now->cache[i];
			consider(a, d, &where, most);
		}
	}
}

/* Compute probabilities from logarithms of weights, so that large weights do not overflow. */
static void weigh(const struct anneal *a, struct decision *d, double t_ms)
{
	double now = d->candidate[0].energy, greatest = log(a->params.stay), sum = 0;
	unsigned int i;

	for (i = 0; i < d->nr; i++) {
		struct candidate *c = &d->candidate[i];

		c->probability = i ? log(t_ms < 1 ? 1 : t_ms) + a->params.lambda * (c->energy - now) :
				     log(a->params.stay);
		if (c->probability > greatest)
			greatest = c->probability;
	}
	for (i = 0; i < d->nr; i++)
		sum += d->candidate[i].probability = exp(d->candidate[i].probability - greatest);
	for (i = 0; i < d->nr; i++)
		d->candidate[i].probability /= sum;
}

void anneal_decide(struct anneal *a, const struct placement *now, double t_ms, struct decision *d)
{
	int most = excess(a, now);
	struct placement anew;
	double lot;

	/* No state may be fuller than necessary, or fuller than the present one. */
	spread(a, &anew);
	if (excess(a, &anew) < most)
		most = excess(a, &anew);
	d->nr = 1;
	d->candidate[0].where = *now;
	d->all = consider_all(a, d, now, most);
	if (!d->all) {
		d->nr = 1;
		consider_near(a, d, now, most, (unsigned int)(draw(a) * ANNEAL_APPS));
	}
	for (unsigned int i = 0; i < d->nr; i++)
		d->candidate[i].energy = anneal_energy(a, &d->candidate[i].where);
	weigh(a, d, t_ms);
	lot = draw(a);
	for (d->chosen = 0; d->chosen + 1 < d->nr; d->chosen++) {
		lot -= d->candidate[d->chosen].probability;
		if (lot < 0)
			break;
	}
}
