/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulated annealing over placements (Gupta, Sampson and Taylor, ISPASS 2014, section 6), and
 * nothing else: no clock, no files, no processes.
 *
 * A state says which applications share a cache. Placements that differ only in which cache a
 * group uses are the same state. The energy of a state is the weighted sum of the quality, in
 * percent, that its applications had when they last shared caches in this way. A co-location that
 * was never tried has 100. A state that is better by dE is exp(lambda * dE) times as likely as
 * staying for one millisecond. Staying becomes less likely with the time since the last move:
 *
 *	P(S -> S') = t exp(lambda (E(S') - E(S))) / (s + sum of these),	t in ms
 *
 * The paper does not define the weight of staying (s), the unit of E (here percent), and how often
 * a move is considered (decided by the caller). With s = 1, equally good states follow each other
 * all the time. If there are more states than MOST_STATES, only neighbours are considered: states
 * in which one application moves, or two applications change places.
 */
#ifndef QPLACER_ANNEAL_H
#define QPLACER_ANNEAL_H

#include <stdbool.h>
#include <stdint.h>

#define ANNEAL_APPS	64	/* a set of applications is a mask */
#define ANNEAL_CACHES	64
#define MOST_STATES	35
/* The largest number of neighbours that are considered. */
#define MOST_CANDIDATES	256

/**
 * struct anneal_params - parameters
 * @lambda: the greater, the greedier; the paper has 2.0
 * @damping: the part of the old value in a new one; the paper has 0.25
 * @stay: weight of staying, in ms: within about this time, or a few times it, the present state
 *	is followed by one that is as good
 * @seed: seed of the random numbers
 */
struct anneal_params {
	double lambda;
	double damping;
	double stay;
	uint64_t seed;
};

/* The index of each application's cache; valid only for applications that exist. */
struct placement {
	uint8_t cache[ANNEAL_APPS];
};

/**
 * struct candidate - a state that may be next
 * @where: the state
 * @energy: its energy
 * @probability: that this state is next
 */
struct candidate {
	struct placement where;
	double energy;
	double probability;
};

/**
 * struct decision - the choice of the next state
 * @candidate: all states that were considered, the present one first
 * @nr: number of candidates
 * @chosen: index of the next state
 * @all: all states were considered; false: only neighbours of the present one
 */
struct decision {
	struct candidate candidate[MOST_CANDIDATES];
	unsigned int nr;
	unsigned int chosen;
	bool all;
};

struct anneal;

/* @room: number of CPUs of each of the @nr caches. Returns NULL if there is no memory. */
struct anneal *anneal_new(const struct anneal_params *params, const unsigned int *room, unsigned int nr);
void anneal_free(struct anneal *a);
/*
 * Add or change application @i, which needs @cpus CPUs and has @weight. An earlier application of
 * this index must have been removed.
 */
void anneal_add(struct anneal *a, unsigned int i, unsigned int cpus, double weight);
/* Remove application @i, and everything known of its co-locations. */
void anneal_remove(struct anneal *a, unsigned int i);
/*
 * All applications stay where they are in @where if there is room enough. If not, each is placed
 * where most room is left, the largest first, if that leaves less over-full than @where.
 */
void anneal_place(const struct anneal *a, struct placement *where);
/* Learn that application @i had a quality of @percent in the placement @where. */
void anneal_learn(struct anneal *a, const struct placement *where, unsigned int i, double percent);
double anneal_energy(const struct anneal *a, const struct placement *where);
/* Choose the state that follows @now, @t_ms after the last move. */
void anneal_decide(struct anneal *a, const struct placement *now, double t_ms, struct decision *d);
/* True if both placements are the same state. */
bool anneal_same(const struct anneal *a, const struct placement *one, const struct placement *other);

#endif /* QPLACER_ANNEAL_H */
