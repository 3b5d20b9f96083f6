/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulated annealing over placements (Gupta, Sampson and Taylor, ISPASS 2014, section 6), and
 * nothing else: no clock, no files, no processes.
 *
 * A state says which applications share a cache. States that differ only in which cache it is are
 * one. Its energy is the sum of the quality that its applications had when they last were together
 * like that, in percent, by their weights; a co-location that was never tried has 100. A state
 * that is better by dE is exp(lambda * dE) times as likely as to stay for one millisecond, and
 * staying becomes less likely with the time since the last move:
 *
 *	P(S -> S') = t exp(lambda (E(S') - E(S))) / (s + sum of these),	t in ms
 *
 * The paper leaves open what staying weighs (s; with 1, states that are as good as the present one
 * follow each other all the time), the unit of E (percent), and how often a move is considered (the
 * caller's business). Where there are more states than MOST_STATES, those are
 * considered that differ by one application that moves, or two that change places.
 */
#ifndef QPLACER_ANNEAL_H
#define QPLACER_ANNEAL_H

#include <stdbool.h>
#include <stdint.h>

#define ANNEAL_APPS	64	/* a set of applications is a mask */
#define ANNEAL_CACHES	64
#define MOST_STATES	35
/* States that are considered at most, of those that differ by little. */
#define MOST_CANDIDATES	256

/**
 * struct anneal_params - what can be chosen
 * @lambda: the greater, the greedier; the paper has 2.0
 * @damping: the part of the old value in a new one; the paper has 0.25
 * @stay: how much staying weighs, in ms: in that time, or a few of them, a state that is as good
 *	as the present one follows
 * @seed: of what is drawn by lot
 */
struct anneal_params {
	double lambda;
	double damping;
	double stay;
	uint64_t seed;
};

/* Where each application is: the index of a cache. Of those that there are. */
struct placement {
	uint8_t cache[ANNEAL_APPS];
};

/**
 * struct candidate - a state that may be next
 * @where: it
 * @energy: see above
 * @probability: that it is next
 */
struct candidate {
	struct placement where;
	double energy;
	double probability;
};

/**
 * struct decision - why a state is next
 * @candidate: all that were considered, the present one first
 * @nr: their number
 * @chosen: index of the next one
 * @all: false: only those that differ by little from the present one
 */
struct decision {
	struct candidate candidate[MOST_CANDIDATES];
	unsigned int nr;
	unsigned int chosen;
	bool all;
};

struct anneal;

/* @room: how many CPUs use each of @nr caches. NULL: no memory. */
struct anneal *anneal_new(const struct anneal_params *params, const unsigned int *room, unsigned int nr);
void anneal_free(struct anneal *a);
/*
 * Application @i is there; it needs so many CPUs, and counts so much. What was known of another
 * one with this index must have been forgotten.
 */
void anneal_add(struct anneal *a, unsigned int i, unsigned int cpus, double weight);
/* It is not there any more, and nothing is known of it and those that were with it. */
void anneal_remove(struct anneal *a, unsigned int i);
/*
 * All stay where they are in @where if there is room enough. If not, each goes where most room is
 * left, the greatest first.
 */
void anneal_place(const struct anneal *a, struct placement *where);
/* Application @i had this quality in percent, placed like that. */
void anneal_learn(struct anneal *a, const struct placement *where, unsigned int i, double percent);
double anneal_energy(const struct anneal *a, const struct placement *where);
/* What comes after @t_ms in the state @now? */
void anneal_decide(struct anneal *a, const struct placement *now, double t_ms, struct decision *d);
/* Are they the same state? */
bool anneal_same(const struct anneal *a, const struct placement *one, const struct placement *other);

#endif /* QPLACER_ANNEAL_H */
