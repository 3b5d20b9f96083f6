/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers of the generator. The same seed gives the same numbers on every machine. */
#ifndef PMCT_ABIFUZZ_RANDOM_H
#define PMCT_ABIFUZZ_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
	uint64_t state;		/* the seed at first */
};

/* 64 random bits (splitmix64). */
static inline uint64_t any(struct rng *r)
{
	uint64_t x = r->state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* A number from 0 to @n - 1. */
static inline unsigned int below(struct rng *r, unsigned int n)
{
	return any(r) % n;
}

/* True in @p of 100 cases. */
static inline bool percent(struct rng *r, unsigned int p)
{
	return below(r, 100) < p;
}

/* One of the values that follow @r. */
#define PICK(r, ...)								\
	((const uint64_t[]){ __VA_ARGS__ }					\
	 [below(r, sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))])
#define PICK_TEXT(r, ...)							\
	((const char *const[]){ __VA_ARGS__ }					\
	 [below(r, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))])

#endif /* PMCT_ABIFUZZ_RANDOM_H */
