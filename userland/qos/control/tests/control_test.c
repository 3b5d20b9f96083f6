// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of the model, the manager and the allocator, with simulated programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "allocator.h"
#include "manager.h"
#include "plant.h"

#define assert_near(value, expected, off) do {						\
	double v = (value), x = (expected);						\
	if (!(fabs(v - x) <= (off)))							\
		fail_msg("%s is %g, not %g", #value, v, x);				\
} while (0)

/* The model finds a and b if the CPUs change. */
static void model_test(void **state)
{
	static const double truth[][2] = {{0.2, 3}, {0.6, 1}, {0.9, 0.05}};
	struct qos_model m;
	unsigned int i, k;
	double r, c;

	(void)state;
	for (i = 0; i < 3; i++) {
		qos_model_begin(&m, 0.98, 0.5);
		r = 4;
		for (k = 0; k < 200; k++) {
			c = 2 + (k * 7919 % 13) / 3.0;
			qos_model_apply(&m, r, c);
			r = truth[i][0] * r + truth[i][1] * c;
			qos_model_learn(&m, r);
		}
		assert_near(m.a, truth[i][0], 0.01);
		assert_near(m.b, truth[i][1], 0.01 * truth[i][1] + 0.001);
		assert_true(qos_model_is_trusted(&m));
		assert_true(qos_model_is_excited(&m));
	}
}

/* First, rates do not depend on CPUs, so the last rate predicts them better. Then they do. */
static void trust_test(void **state)
{
	struct qos_model m;
	uint32_t lot = 1;
	unsigned int k;
	double r = 100, c;

	(void)state;
	qos_model_begin(&m, 0.95, 0);
	for (k = 0; k < 200; k++) {
		qos_model_apply(&m, r, 2 + k % 2);
		r = k / 7 % 2 ? 100 : 160;
		qos_model_learn(&m, r);
	}
	assert_false(qos_model_is_trusted(&m));
	for (k = 0; k < 200; k++) {
		lot = lot * 1664525 + 1013904223;
		c = 1 + 7 * (lot / 4294967296.0);
		qos_model_apply(&m, r, c);
		r = 25 * c;
		qos_model_learn(&m, r);
	}
	assert_true(qos_model_is_trusted(&m));
}

/* If the CPUs do not change, b stays where (1-p)/b is finite, whatever the rates are. */
static void unexcited_test(void **state)
{
	struct qos_model m;
	uint32_t lot = 1;
	unsigned int k;
	double r = 10;

	(void)state;
	qos_model_begin(&m, 0.95, 0.3);
	for (k = 0; k < 10000; k++) {
		qos_model_apply(&m, r, 2);
		lot = lot * 1664525 + 1013904223;
		r = k % 100 ? 10 + 5 * (lot / 4294967296.0 - 0.5) : 0;
		qos_model_learn(&m, r);
		if (!m.steps)
			continue;
		assert_true(m.a >= 0 && m.a <= QOS_MOST_A);
		assert_true(m.b > 0.02 && m.b < 20);
	}
	/* The rate is 5 for each CPU. */
	assert_near(m.b / (1 - m.a), 5, 1.5);
}

/* With an exact model the loop is (1-p)/(z-p): k steps after a goal step, the error is p^k. */
static void nominal_test(void **state)
{
	static const double poles[] = {0.3, 0.6, 0.9};
	struct qos_manager m;
	struct qos_goal goal = {12, 12};
	double r, c, want;
	unsigned int i, k;

	(void)state;
	for (i = 0; i < 3; i++) {
		qos_manager_begin(&m, poles[i], 0.4, 10 / 3.0, 64);
		m.model.a = 0.4;
		m.model.b = 1.8;
		m.model.steps = 1;
		m.known = true;
		r = 10;
		want = 2;
		for (k = 0; k < 12; k++) {
			c = qos_manager_step(&m, r, false, &goal);
			qos_manager_grant(&m, r, c, false);
			r = 0.4 * r + 1.8 * c;
			want *= poles[i];
			assert_near(12 - r, want, 1e-9);
		}
	}
}

static double mean_cpus;

static double settle(struct plant *p, struct qos_manager *m, double goal, double cpus, double pole,
		     unsigned int steps, double *worst)
{
	struct qos_goal range = {goal, goal};
	double r = plant_step(p, 1), c = 1, sum = 0;
	unsigned int k, last = steps / 2;

	qos_manager_begin(m, pole, p->a, 1, cpus);
	qos_manager_grant(m, r, c, false);
	*worst = mean_cpus = 0;
	for (k = 0; k < steps; k++) {
		r = plant_step(p, c);
		c = qos_manager_step(m, r, true, &range);
		c = fmin(fmax(c, 1), cpus);
		qos_manager_grant(m, r, c, false);
		if (k >= steps - last) {
			sum += p->r / goal;
			mean_cpus += c / last;
			*worst = fmax(*worst, fabs(p->r / goal - 1));
		}
	}
	return sum / last;
}

/* Plants that the model does not know: delayed, noisy, and of another shape. */
static void plants_test(void **state)
{
	static const struct plant plants[] = {
		{.a = 0.0, .work = 3, .threads = 64},
		{.a = 0.5, .work = 3, .threads = 64},
		{.a = 0.3, .work = 3, .threads = 64, .serial = 0.1},
		{.a = 0.3, .work = 3, .threads = 64, .serial = 0.02, .harm = 0.002},
		{.a = 0.3, .work = 3, .threads = 64, .delay = 1},
		{.a = 0.3, .work = 3, .threads = 64, .delay = 2, .serial = 0.05},
		{.a = 0.3, .work = 3, .threads = 64, .noise = 0.1},
		{.a = 0.3, .work = 3, .threads = 64, .noise = 0.1, .delay = 1, .serial = 0.05},
		{.a = 0.8, .work = 300, .threads = 64, .noise = 0.05},
	};
	struct qos_manager m;
	unsigned int i, k;
	double mean, worst;

	(void)state;
	for (i = 0; i < sizeof(plants) / sizeof(*plants); i++) {
		double least = fmax(qos_least_pole(plants[i].delay), 0);

		for (k = 0; k < 4; k++) {
			struct plant p = plants[i];
			double pole = least + (0.95 - least) * k / 4;

			p.lot = k + 1;
			mean = settle(&p, &m, 5 * p.work, 16, pole, 400, &worst);
			if (!(fabs(mean - 1) < 0.03) || !(worst < 0.12 + 2 * p.noise))
				fail_msg("plant %u, p %g: mean %g of the goal, off by %g at worst", i,
					 pole, mean, worst);
		}
	}
}

/* Whatever p is asked for, the p that is used is no smaller than is safe with the window. */
static void window_test(void **state)
{
	static const double poles[] = {0, 0.01, 0.5, 0.7, 0.99};
	const struct qos_goal slow = {3, 3}, fast = {1000, 1000};
	struct qos_manager m;
	size_t i;

	(void)state;
	qos_manager_begin(&m, 0, 0, 1, 4);
	for (i = 0; i < sizeof(poles) / sizeof(*poles); i++) {
		assert_near(qos_manager_window(&m, 0, &slow, 0.25, poles[i]), 2, 1e-9);
		/* A mean of eight steps is late by 3.5 steps, plus the step itself. */
		assert_true(m.pole >= qos_least_pole(4.5) && m.pole >= poles[i]);
		assert_near(qos_manager_window(&m, 1000, &fast, 0.25, poles[i]), 0.25, 1e-9);
		assert_true(m.pole >= qos_least_pole(1) && m.pole >= poles[i]);
		assert_near(m.pole, poles[i] > 0 ? fmax(poles[i], qos_least_pole(1)) : 0.6, 1e-9);
	}
}

/* A program that computes, and delivers nothing that is seen, is not given all CPUs for that. */
static void silent_test(void **state)
{
	const struct qos_goal goal = {24, 24};
	struct plant p = {.work = 10, .threads = 16};
	struct qos_manager m;
	double c = 1, most = 0;
	int k;

	(void)state;
	qos_manager_begin(&m, 0, 0, 1, 16);
	for (k = 0; k < 60; k++) {
		qos_manager_window(&m, 0, &goal, 0.25, 0);
		c = qos_manager_step(&m, 0, true, &goal);
		qos_manager_grant(&m, 0, c, false);
		most = fmax(most, c);
	}
	assert_near(most, 16, 1e-9);
	assert_true(qos_manager_is_silent(&m));
	assert_near(c, 1, 1e-9);
	/* A program that waits for something else delivers nothing, and is not silent. */
	qos_manager_begin(&m, 0, 0, 1, 16);
	for (k = 0; k < 60; k++) {
		qos_manager_window(&m, 0, &goal, 0.25, 0);
		qos_manager_step(&m, 0, false, &goal);
	}
	assert_false(qos_manager_is_silent(&m));
	/* A program that delivers 15 s of output at a time is silent the first time at most. */
	qos_manager_begin(&m, 0, 0, 1, 16);
	for (k = 0; k < 600; k++) {
		double r = k % 60 ? 0 : 24 * 60;

		qos_manager_window(&m, r, &goal, 0.25, 0);
		c = qos_manager_step(&m, r, true, &goal);
		qos_manager_grant(&m, r, c, false);
		assert_true(k < 60 || !qos_manager_is_silent(&m));
	}
	/* A program begins to deliver: it soon has its goal. Then it stops again. */
	qos_manager_begin(&m, 0, 0, 1, 16);
	c = 1;
	for (k = 0; k < 60; k++) {
		double r = plant_step(&p, c);

		qos_manager_window(&m, r, &goal, 0.25, 0);
		c = qos_manager_step(&m, r, true, &goal);
		qos_manager_grant(&m, r, c, false);
	}
	assert_near(p.r, 24, 1);
	for (k = 0; k < 60; k++) {
		qos_manager_window(&m, 24, &goal, 0.25, 0);
		c = qos_manager_step(&m, 0, true, &goal);
		qos_manager_grant(&m, 0, c, false);
	}
	assert_near(c, 1, 1e-9);
}

/* Phases that are half as fast come and go: the goal is soon met again. */
static void phases_test(void **state)
{
	struct plant p = {.a = 0.3, .work = 3, .threads = 64, .serial = 0.03};
	struct qos_goal goal = {12, 12};
	struct qos_manager m;
	unsigned int k, off = 0;
	double r, c = 1;

	(void)state;
	qos_manager_begin(&m, 0.6, 0.3, c, 16);
	r = plant_step(&p, c);
	qos_manager_grant(&m, r, c, false);
	for (k = 0; k < 400; k++) {
		p.work = k / 50 % 2 ? 2 : 4;
		r = plant_step(&p, c);
		c = fmin(fmax(qos_manager_step(&m, r, true, &goal), 1), 16);
		qos_manager_grant(&m, r, c, false);
		off += k % 50 >= 8 && fabs(r / 12 - 1) > 0.1;
	}
	assert_in_range(off, 0, 2);
}

/* A goal that is too high: the program gets only CPUs that help, and its highest rate is known. */
static void plateau_test(void **state)
{
	struct plant p = {.a = 0.2, .work = 3, .threads = 4};
	struct qos_manager m;
	double worst, mean;

	(void)state;
	mean = settle(&p, &m, 40, 32, 0.6, 300, &worst);
	assert_near(qos_manager_best(&m), 12, 0.2);
	assert_near(mean * 40, 12, 1);
	assert_in_range(mean_cpus, 4, 12);
	/* Now the goal can be met with fewer CPUs. */
	p.began = 0;
	settle(&p, &m, 6, 32, 0.6, 200, &worst);
	assert_near(m.granted, 2, 0.1);
}

/* If the rate is within the range, nothing changes. CPUs that are not needed are given back. */
static void range_test(void **state)
{
	struct plant p = {.a = 0.2, .work = 3, .threads = 32};
	struct qos_goal goal = {9, 15};
	struct qos_manager m;
	double r, c = 4;
	unsigned int k;

	(void)state;
	qos_manager_begin(&m, 0.6, 0.2, c, 32);
	r = plant_step(&p, c);
	qos_manager_grant(&m, r, c, false);
	for (k = 0; k < 100; k++) {
		r = plant_step(&p, c);
		c = fmax(qos_manager_step(&m, r, true, &goal), 1);
		qos_manager_grant(&m, r, c, false);
		if (k == 50)
			c = 12;
		else if (k < 50 && k > 10)
			assert_near(c, 4, 0.5);
	}
	assert_true(r > 8.8 && r < 15.2);
}

/* Rates of 0, and rates that are far too high. */
static void absurd_test(void **state)
{
	static const double rates[] = {0, 1e-300, 1e300, 0, 3, 0, 0, 1e9, 1, 1};
	struct qos_goal goals[] = {{1e-9, 1e-9}, {1e12, 1e12}, {1, 1e9}};
	struct qos_manager m;
	unsigned int k, g;
	double c = 1;

	(void)state;
	for (g = 0; g < 3; g++) {
		qos_manager_begin(&m, 0.6, 0.3, 1, 64);
		for (k = 0; k < 1000; k++) {
			double r = rates[k * 7 % 10];

			c = qos_manager_step(&m, r, k % 3, &goals[g]);
			assert_true(isfinite(c) && c > 0);
			c = fmin(fmax(c, 0.01), 64);
			qos_manager_grant(&m, r, c, false);
		}
	}
	assert_near(qos_least_pole(0), 0, 1e-9);
	assert_near(qos_least_pole(1), 0.5, 1e-9);
	assert_true(qos_least_pole(2) > 0.6 && qos_least_pole(10) < 1);
}

static double sum_of(const struct qos_share *share, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += share[i].granted;
	return sum;
}

/* Water filling, with results worked out by hand. */
static void divide_test(void **state)
{
	struct qos_machine machine = {.cpus = 6, .unit = 0.01};
	struct qos_share fits[] = {{1.5, 64, 100, 0, 0, 0}, {2.25, 64, 100, 0, 0, 0}};
	struct qos_share even[] = {{4, 64, 100, 0, 0, 0}, {8, 64, 100, 0, 0, 0}};
	struct qos_share weights[] = {{6, 64, 100, 0, 0, 0}, {6, 64, 200, 0, 0, 0}, {1, 64, 1, 0, 0, 0}};
	struct qos_share capped[] = {{60, 2, 100, 0, 0, 0}, {60, 64, 100, 0, 0, 0}};
	struct qos_share many[12];
	size_t i;

	(void)state;
	qos_allocate(&machine, fits, 2);
	assert_near(fits[0].granted, 1.5, 0.01);
	assert_near(fits[1].granted, 2.25, 0.01);
	/* Equation 3. No demand counts for more than the machine has. */
	qos_allocate(&machine, even, 2);
	assert_near(even[0].granted, 2.4, 0.011);
	assert_near(even[1].granted, 3.6, 0.011);
	/* The small program has its floor; the others divide the rest one to two. */
	qos_allocate(&machine, weights, 3);
	assert_near(weights[2].granted, 1, 0.011);
	assert_near(weights[0].granted, 5 / 3.0, 0.011);
	assert_near(weights[1].granted, 10 / 3.0, 0.011);
	qos_allocate(&machine, capped, 2);
	assert_near(capped[0].granted, 1.5, 0.011);
	assert_near(capped[1].granted, 4.5, 0.011);
	for (i = 0; i < 12; i++)
		many[i] = (struct qos_share){.demand = 5, .cap = 8, .weight = i ? 1 : 1000};
	qos_allocate(&machine, many, 12);
	for (i = 1; i < 12; i++)
		assert_near(many[i].granted, 0.5, 0.011);
	assert_near(sum_of(many, 12), 6, 0.001);
}

/* Whole CPUs: the sum fits, each program has one, and over time each has what it asked for. */
static void rounding_test(void **state)
{
	struct qos_machine machine = {.cpus = 6, .unit = 1, .hysteresis = 0.6};
	struct qos_share share[3] = {{1.3, 8, 100, 0, 0, 0}, {2.4, 8, 100, 0, 0, 0},
				     {1.8, 8, 100, 0, 0, 0}};
	const double demand[3] = {1.3, 2.4, 1.8};
	double had[3] = {0}, before[3];
	unsigned int k, i, changes = 0;

	(void)state;
	for (k = 0; k < 200; k++) {
		for (i = 0; i < 3; i++) {
			share[i].demand = demand[i];
			before[i] = share[i].granted;
		}
		qos_allocate(&machine, share, 3);
		assert_true(sum_of(share, 3) <= 6);
		for (i = 0; i < 3; i++) {
			assert_true(share[i].granted >= 1 && share[i].granted == floor(share[i].granted));
			had[i] += share[i].granted;
			changes += k && share[i].granted != before[i];
		}
	}
	for (i = 0; i < 3; i++)
		assert_near(had[i] / 200, demand[i], 0.05);
	/* The CPUs do not change in each step. */
	assert_in_range(changes, 1, 3 * 200 * 2 / 3);
}

/* The bounds hold for any demands, and for any number of programs. */
static void random_test(void **state)
{
	struct qos_share share[64];
	struct qos_machine machine;
	uint32_t lot = 7;
	unsigned int k, i;
	size_t n;

	(void)state;
#define LOT(below) (lot = lot * 1664525 + 1013904223, (lot >> 8) % (below))
	memset(share, 0, sizeof(share));
	for (k = 0; k < 5000; k++) {
		machine = (struct qos_machine){.cpus = 1 + LOT(64), .unit = LOT(2) ? 1 : 0.05,
					       .hysteresis = LOT(2) ? 0.6 : 0};
		n = 1 + LOT(64);
		for (i = 0; i < n; i++) {
			share[i].demand = LOT(10) ? LOT(1000) / 50.0 : LOT(2) ? 0 : 1e12;
			share[i].cap = LOT(3) ? 1 + LOT(100) : 1;
			share[i].weight = 1 + LOT(1000);
		}
		qos_allocate(&machine, share, n);
		assert_true(sum_of(share, n) <= machine.cpus + 1e-6);
		for (i = 0; i < n; i++) {
			assert_true(share[i].granted >= 0 && isfinite(share[i].granted));
			assert_true(fabs(share[i].carry) <= machine.unit + 1e-9);
			if (n * machine.unit <= machine.cpus)
				assert_true(share[i].granted >= machine.unit - 1e-9);
		}
	}
}

/* The programs of one user have a limit together; the others have what is left. */
static void limit_test(void **state)
{
	struct qos_machine machine = {.cpus = 8, .unit = 0.01};
	struct qos_share share[] = {{6, 64, 100, 0, 0, 0}, {6, 64, 200, 0, 0, 0}, {5, 64, 100, 0, 0, 0}};
	struct qos_share fits[] = {{1.5, 64, 100, 0, 0, 0}};

	(void)state;
	qos_limit(&machine, 3, share, 2);
	qos_allocate(&machine, share, 3);
	assert_near(share[0].granted, 1, 0.011);
	assert_near(share[1].granted, 2, 0.011);
	assert_near(share[2].granted, 5, 0.011);
	/* Half a CPU for two programs. */
	share[0].cap = share[1].cap = 64;
	qos_limit(&machine, 0.5, share, 2);
	qos_allocate(&machine, share, 3);
	assert_near(share[0].granted + share[1].granted, 0.5, 0.011);
	qos_limit(&machine, 3, fits, 1);
	qos_allocate(&machine, fits, 1);
	assert_near(fits[0].granted, 1.5, 0.011);
}

/* One user with 64 programs, and one user with a single program, on 16 CPUs. */
static void users_test(void **state)
{
	struct qos_machine machine = {.cpus = 16, .unit = 0.01};
	struct qos_share share[65];
	unsigned int user[65], i;

	(void)state;
	for (i = 0; i < 65; i++) {
		share[i] = (struct qos_share){.demand = i < 64 ? 2 : 6, .cap = 16, .weight = 100};
		user[i] = i < 64 ? 1000 : 1001;
	}
	qos_divide_users(&machine, share, user, 65);
	qos_allocate(&machine, share, 65);
	assert_near(share[64].granted, 6, 0.02);
	assert_near(sum_of(share, 64), 10, 0.7);
	/* Both users ask for all CPUs. */
	for (i = 0; i < 65; i++) {
		share[i].demand = 16;
		share[i].cap = 16;
	}
	qos_divide_users(&machine, share, user, 65);
	qos_allocate(&machine, share, 65);
	assert_near(share[64].granted, 8, 0.5);
	/* A single user may have all CPUs. Demands that fit are met. */
	share[0] = share[1] = (struct qos_share){.demand = 10, .cap = 16, .weight = 100};
	qos_divide_users(&machine, share, user, 2);
	assert_near(share[0].cap, 16, 1e-9);
	share[1].demand = 5;
	user[1] = 1001;
	qos_divide_users(&machine, share, user, 2);
	assert_near(share[0].cap, 16, 1e-9);
}

/* Scarce CPUs (also whole ones), new demands: in each 10 s (40 steps), parts are within 5 %. */
static void crowded_test(void **state)
{
	static const double cpus[] = {2, 6, 16, 64};
	struct qos_share share[32];
	double fair[32], had[32], worst = 0;
	uint32_t lot = 3;
	unsigned int m, k, step, i, n;

	(void)state;
	for (m = 0; m < 8; m++) {
		struct qos_machine machine = {.cpus = cpus[m / 2], .unit = m % 2 ? 1 : 0.05,
					      .hysteresis = m % 2 ? 0.6 : 0.5};

		n = (unsigned int)cpus[m / 2] / 2;
		memset(share, 0, sizeof(share));
		for (k = 0; k < 50; k++) {
			memset(fair, 0, sizeof(fair));
			memset(had, 0, sizeof(had));
			for (step = 0; step < 40; step++) {
				for (i = 0; i < n; i++) {
					share[i].cap = 64;
					share[i].weight = i % 3 ? 100 : 200;
					if (!LOT(20) || share[i].demand <= 0)
						share[i].demand = cpus[m / 2] * (1 + LOT(100) / 25.0) / n;
				}
				qos_allocate(&machine, share, n);
				assert_true(sum_of(share, n) <= machine.cpus + 1e-6);
				for (i = 0; i < n; i++) {
					fair[i] += share[i].fair;
					had[i] += share[i].granted;
				}
			}
			for (i = 0; i < n; i++)
				worst = fmax(worst, fabs(had[i] / fair[i] - 1));
		}
	}
	print_message("crowded: at most %.1f %% off in 10 s\n", 100 * worst);
	assert_true(worst <= 0.05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(model_test),	cmocka_unit_test(trust_test), cmocka_unit_test(unexcited_test),
		cmocka_unit_test(nominal_test), cmocka_unit_test(plants_test), cmocka_unit_test(window_test), cmocka_unit_test(silent_test),
		cmocka_unit_test(phases_test),	cmocka_unit_test(plateau_test),
		cmocka_unit_test(range_test),	cmocka_unit_test(absurd_test),
		cmocka_unit_test(divide_test),	cmocka_unit_test(rounding_test),
		cmocka_unit_test(random_test),	cmocka_unit_test(limit_test),
		cmocka_unit_test(users_test),
		cmocka_unit_test(crowded_test),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
