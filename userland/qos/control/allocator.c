// SPDX-License-Identifier: GPL-2.0-or-later
#include "allocator.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define BISECTIONS 60
/* Two sums of CPUs are equal if they differ by less. */
#define NEARLY 1e-9

/* fmin() and fmax() of libm are function calls, because they handle NaN. There is no NaN here. */
static inline double lesser(double one, double other)
{
	return one < other ? one : other;
}

static inline double greater(double one, double other)
{
	return one > other ? one : other;
}

/* Returns the floor: CPUs that each program gets at least. */
double qos_floor(const struct qos_machine *machine, size_t programs)
{
	return programs <= machine->cpus ? lesser(1, machine->cpus) : machine->cpus / (double)programs;
}

/* CPUs that the program may have at most: what it asks for, or the floor. */
static double wanted_of(const struct qos_machine *machine, const struct qos_share *s, double floor)
{
	double most = lesser(s->cap, machine->cpus);

	return greater(lesser(s->demand, most), lesser(floor, most));
}

/* Water filling: CPUs that the program gets if the water is as high as @level. */
static double part(const struct qos_machine *machine, const struct qos_share *s, double floor, double level)
{
	double wanted = wanted_of(machine, s, floor);

	return lesser(greater(s->weight * wanted * level, lesser(floor, wanted)), wanted);
}

static double sum_at(const struct qos_machine *machine, const struct qos_share *share, size_t n,
		     double floor, double level)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += part(machine, &share[i], floor, level);
	return sum;
}

/* Set @fair of all programs, so that their sum is no more than the CPUs that there are. */
static void divide(const struct qos_machine *machine, struct qos_share *share, size_t n)
{
	double floor = qos_floor(machine, n), low = 0, high = 1, middle;
	size_t i;
	int k;

	/* At level 1, all programs have all of their demand, also with a weight of 1. */
	if (sum_at(machine, share, n, floor, high) > machine->cpus + NEARLY) {
		for (k = 0; k < BISECTIONS; k++) {
			middle = (low + high) / 2;
			if (sum_at(machine, share, n, floor, middle) > machine->cpus)
				high = middle;
			else
				low = middle;
		}
		high = low;
	}
	for (i = 0; i < n; i++)
		share[i].fair = part(machine, &share[i], floor, high);
}

/**
 * qos_limit() - limit the CPUs that some programs have together
 * @cpus: the limit, more than 0
 * @share: the programs, for example those of one user; their caps are lowered to the limit
 * @n: number of programs
 */
void qos_limit(const struct qos_machine *machine, double cpus, struct qos_share *share, size_t n)
{
	struct qos_machine part_of = *machine;
	size_t i;

	part_of.cpus = lesser(cpus, machine->cpus);
	divide(&part_of, share, n);
	for (i = 0; i < n; i++)
		share[i].cap = lesser(share[i].cap, share[i].fair);
}

/* The programs of one user as one: the sum of their demands, and the largest of their weights. */
static struct qos_share all_of(const struct qos_machine *machine, const struct qos_share *share, size_t n)
{
	struct qos_share all = {.demand = 0, .weight = 1};
	size_t i;

	for (i = 0; i < n; i++) {
		all.demand += lesser(lesser(share[i].demand, share[i].cap), machine->cpus);
		all.weight = greater(all.weight, share[i].weight);
	}
	return all;
}

/*
 * Divide CPUs among users by weights alone. A user who asks for less than his part gets what he
 * asks for; the others get what is left.
 */
static void share_alike(const struct qos_machine *machine, struct qos_share *all, size_t users)
{
	double low = 0, high = machine->cpus, middle, sum;
	size_t i;
	int k;

	for (k = 0; k < BISECTIONS; k++) {
		middle = (low + high) / 2;
		for (i = 0, sum = 0; i < users; i++)
			sum += lesser(all[i].demand, all[i].weight * middle);
		if (sum > machine->cpus)
			high = middle;
		else
			low = middle;
	}
	for (i = 0; i < users; i++)
		all[i].fair = lesser(all[i].demand, all[i].weight * low);
}

static size_t end_of_user(const unsigned int *user, size_t first, size_t n)
{
	size_t end = first;

	while (end < n && user[end] == user[first])
		end++;
	return end;
}

/**
 * qos_divide_users() - give each user a part, if demands do not fit
 * @share: the programs; the caps of a user's programs are lowered to his part
 * @user: user of each program; the programs of one user must be adjacent
 * @n: number of programs
 *
 * If there is no memory, nothing is changed.
 */
void qos_divide_users(const struct qos_machine *machine, struct qos_share *share,
		      const unsigned int *user, size_t n)
{
	struct qos_share *all = calloc(n ? n : 1, sizeof(*all));
	size_t first, end, users = 0;
	double sum = 0;

	for (first = 0; all && first < n; first = end) {
		end = end_of_user(user, first, n);
		all[users] = all_of(machine, share + first, end - first);
		sum += all[users++].demand;
	}
	if (users > 1 && sum > machine->cpus + NEARLY) {
		share_alike(machine, all, users);
		users = 0;
		for (first = 0; first < n; first = end) {
			end = end_of_user(user, first, n);
			qos_limit(machine, all[users++].fair, share + first, end - first);
		}
	}
	free(all);
}

static double rounded_down(double cpus, double unit)
{
	return floor(cpus / unit + NEARLY) * unit;
}

/*
 * The program that is owed most, and can be given one unit more. With @sign -1: the program that is
 * owed least, and can be given one unit less. NULL: there is none.
 */
static struct qos_share *most_owed(struct qos_share *share, size_t n, double least, double unit,
				   double sign)
{
	struct qos_share *found = NULL;
	double most = -INFINITY, owed;
	size_t i;

	for (i = 0; i < n; i++) {
		if (sign < 0 && share[i].granted - unit < least - NEARLY)
			continue;
		if (sign > 0 && share[i].granted + unit > ceil(share[i].cap / unit) * unit + NEARLY)
			continue;
		owed = sign * (share[i].fair + share[i].carry - share[i].granted);
		if (owed > most) {
			most = owed;
			found = &share[i];
		}
	}
	return found;
}

/* Round by largest remainder, with the error that was carried over. */
static void round_shares(const struct qos_machine *machine, struct qos_share *share, size_t n)
{
	double unit = machine->unit, all = rounded_down(machine->cpus, unit), sum = 0, target = 0;
	double least = n * unit <= all + NEARLY ? unit : 0, before, wanted;
	struct qos_share *one;
	size_t i;

	for (i = 0; i < n; i++) {
		before = share[i].granted;
		wanted = share[i].fair + share[i].carry;
		share[i].granted = greater(rounded_down(wanted, unit), least);
		/* The program keeps what it has, because the change is small. */
		if (before > 0 && fabs(wanted - before) < machine->hysteresis * unit)
			share[i].granted = rounded_down(before, unit);
		sum += share[i].granted;
		target += wanted;
	}
	target = lesser(rounded_down(target + unit / 2, unit), all);
	while (sum > all + NEARLY && (one = most_owed(share, n, least, unit, -1))) {
		one->granted -= unit;
		sum -= unit;
	}
	while (sum < target - NEARLY && (one = most_owed(share, n, least, unit, 1)) &&
	       one->fair + one->carry - one->granted > machine->hysteresis * unit / 2) {
		one->granted += unit;
		sum += unit;
	}
	for (i = 0; i < n; i++) {
		wanted = share[i].fair + share[i].carry - share[i].granted;
		share[i].carry = greater(lesser(wanted, unit), -unit);
	}
}

/**
 * qos_allocate() - grant CPUs to all programs
 * @share: the programs
 * @n: number of programs; with 0, nothing happens
 *
 * Afterwards the sum of qos_share::granted is no more than the CPUs that there are. Each program
 * has at least one unit, if there are as many units.
 */
void qos_allocate(const struct qos_machine *machine, struct qos_share *share, size_t n)
{
	if (!n)
		return;
	divide(machine, share, n);
	round_shares(machine, share, n);
}
