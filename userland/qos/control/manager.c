// SPDX-License-Identifier: GPL-2.0-or-later
#include "manager.h"

#include <math.h>
#include <string.h>

#define FORGETTING 0.95
/*
 * A rate is measured over at least so many ticks, but over at most so many seconds, because slow
 * programs tick seldom.
 */
#define TICKS 7
#define MOST_WINDOW_S 2.0
#define LEAST_POLE 0.6
/* The true slope may be so many times the estimated one, for example at the end of a phase. */
#define GAIN_MARGIN 2.0
/*
 * Plateau: with at least FURTHER times the CPUs, the rate grows by less than their ratio to the
 * power of FLAT.
 */
#define FURTHER 1.25
#define FLAT 0.15
/*
 * If a rate differs by more than this part from the earlier rate with as many CPUs, the program has
 * changed.
 */
#define CHANGED 0.15
/* A rate that was last seen more steps ago is not used, because it may have changed. */
#define FRESH_STEPS 60
#define SEEN_OFTEN 3
/*
 * A program that has all CPUs and misses its goal is given fewer now and then, because fewer may do
 * as well.
 */
#define SHORT_STEPS 8
#define PROBE_STEPS 4
#define PROBE_EACH 20
#define PROBE_PART 0.6
/* In one step, the CPUs grow at most by this factor. */
#define GROWTH 2.0
/*
 * A program that should have delivered so much, and has delivered nothing, gets no more CPUs for
 * that.
 */
#define SILENT_UNITS 50
#define SILENT_S 10

/**
 * qos_least_pole() - the smallest p with which the loop is stable
 * @delay_steps: steps from a change of CPUs until it is measured, beyond the one step that the
 *	model has
 *
 * With the model's parameters the loop is g (1-p) / ((z-1) z^d), where g is the true slope divided
 * by the estimated one. The loop is stable for g (1-p) < 2 sin(pi / (2 (2d+1))).
 *
 * Return: p, at least 0.
 */
double qos_least_pole(double delay_steps)
{
	return fmax(0, 1 - 2 * sin(M_PI / (2 * (2 * fmax(delay_steps, 0) + 1))) / GAIN_MARGIN);
}

/**
 * qos_manager_begin() - begin to control a program
 * @pole: p, 0 to 1
 * @window_a: see struct qos_model
 * @granted: CPUs that the program has
 * @most: CPUs that it can have at most
 */
void qos_manager_begin(struct qos_manager *m, double pole, double window_a, double granted,
		       double most)
{
	memset(m, 0, sizeof(*m));
	qos_model_begin(&m->model, FORGETTING, window_a);
	m->pole = pole;
	m->granted = granted;
	m->most = most;
}

/**
 * qos_manager_window() - choose the time over which a rate is measured
 * @rate: units/s that the program has, as far as is known
 * @goal: its goal
 * @step_s: seconds of a step
 * @pole: p, which is raised to what is safe with this window; 0: the smallest safe p, but at least
 *	LEAST_POLE
 *
 * A window that is longer than a step contains a part of the rate before, and shows a change later.
 *
 * Return: seconds, at least @step_s.
 */
double qos_manager_window(struct qos_manager *m, double rate, const struct qos_goal *goal,
			  double step_s, double pole)
{
	double wanted = TICKS / fmax(fmax(rate, goal->min), 1e-9);
	double window = fmin(fmax(wanted, step_s), fmax(MOST_WINDOW_S, step_s));
	double late = 1 + (window / step_s - 1) / 2;

	m->model.window_a = fmin(fmax(1 - step_s / window, 0), QOS_MOST_A);
	m->pole = fmax(pole > 0 ? pole : LEAST_POLE, qos_least_pole(late));
	m->step_s = step_s;
	return window;
}

static struct qos_level *level_of(struct qos_manager *m, double cpus)
{
	int i = (int)ceil(cpus - 0.25);

	i = i < 1 ? 1 : i;
	return &m->level[i <= QOS_LEVELS ? i - 1 : QOS_LEVELS - 1];
}

static bool is_fresh(const struct qos_manager *m, const struct qos_level *level)
{
	return level->seen && m->steps - level->at <= FRESH_STEPS;
}

static void note_level(struct qos_manager *m, double rate)
{
	struct qos_level *level = level_of(m, m->granted);

	if (!is_fresh(m, level))
		level->seen = 0;
	/* Rates of another phase say nothing about this one. */
	if (level->seen && fabs(rate - level->rate) > CHANGED * level->rate)
		memset(m->level, 0, sizeof(m->level));
	level->seen += level->seen < 8;
	level->rate += (rate - level->rate) / level->seen;
	level->at = m->steps;
}

static bool is_known(const struct qos_manager *m, int i)
{
	return is_fresh(m, &m->level[i]) && m->level[i].seen >= SEEN_OFTEN;
}

/* Returns the highest rate (units/s) that was seen lately, and often enough; 0: none. */
double qos_manager_best(const struct qos_manager *m)
{
	double best = 0;
	int i;

	for (i = 0; i < QOS_LEVELS; i++)
		if (is_known(m, i))
			best = fmax(best, m->level[i].rate);
	return best;
}

/*
 * Returns the CPUs beyond which the rate does not grow, as a trial of more CPUs has shown; 0: this
 * was not seen.
 */
double qos_manager_plateau(const struct qos_manager *m)
{
	double most = 0;
	int i, last = 0, found = 0;

	for (i = QOS_LEVELS - 1; i >= 0; i--) {
		if (!is_known(m, i))
			continue;
		if (!last)
			last = i + 1;
		if (last >= FURTHER * (i + 1) &&
		    most <= m->level[i].rate * pow((double)last / (i + 1), FLAT))
			found = i + 1;
		most = fmax(most, m->level[i].rate);
	}
	return found;
}

/*
 * True if the program uses its CPUs and delivers nothing. More CPUs do not help it, or what it
 * delivers is not seen.
 */
bool qos_manager_is_silent(const struct qos_manager *m)
{
	return m->missed >= SILENT_UNITS + 2 * m->usual;
}

static void note_silence(struct qos_manager *m, double rate, bool learn, const struct qos_goal *goal)
{
	/*
	 * Silence takes ten seconds at least, however high the goal is. A program that waits for
	 * something else is idle.
	 */
	if (learn)
		m->missed += fmin(goal->min, SILENT_UNITS / (double)SILENT_S) * m->step_s;
	else
		m->missed = 0;
	if (rate <= 0)
		return;
	m->usual = fmax(m->usual / 2, m->missed);
	m->missed = 0;
}

static double error_of(double rate, const struct qos_goal *goal)
{
	if (rate < goal->min)
		return goal->min - rate;
	return rate > goal->max ? goal->max - rate : 0;
}

/*
 * Returns the CPUs to ask for. If the goal is out of reach, they are fewer now and then: fewer may
 * be as good.
 */
static double probe(struct qos_manager *m, double e, double demand, double plateau)
{
	double all = plateau > 0 ? fmin(plateau, m->most) : m->most;

	if (m->probing) {
		m->probing--;
		return m->probed;
	}
	m->short_of = e > 0 && m->granted >= 0.99 * all ? m->short_of + 1 : 0;
	if (m->short_of >= SHORT_STEPS && m->steps - m->probed_at >= PROBE_EACH && m->granted > 1) {
		m->probing = PROBE_STEPS - 1;
		m->probed_at = m->steps;
		m->probed = m->granted * PROBE_PART;
		return m->probed;
	}
	return e > 0 && plateau > 0 ? fmin(demand, plateau) : demand;
}

/**
 * qos_manager_step() - end a step, and ask for CPUs
 * @rate: units/s of the last step, 0 or more
 * @learn: the program had the CPUs that it was granted, and could use them
 * @goal: its goal
 *
 * Nothing is learnt from steps without a tick.
 *
 * Return: CPUs, more than 0.
 */
double qos_manager_step(struct qos_manager *m, double rate, bool learn, const struct qos_goal *goal)
{
	double e = error_of(rate, goal), pole, gain, demand;

	m->steps++;
	note_silence(m, rate, learn, goal);
	if (learn && rate > 0) {
		qos_model_learn(&m->model, rate);
		note_level(m, rate);
	}
	if (qos_manager_is_silent(m)) {
		m->demand = fmin(1, m->most);
		m->known = false;
		return m->demand;
	}
	if (!m->model.steps || m->model.b <= 0) {
		/* All that is known is whether the CPUs are enough. */
		m->demand = fmin(m->granted * (e > 0 ? GROWTH : 1), m->most);
		m->e = e;
		m->known = false;
		return m->demand;
	}
	/* The need of a new phase is known at once, so there is nothing to smooth. */
	pole = m->model.changed ? 0 : m->pole;
	gain = (1 - pole) / m->model.b;
	demand = m->granted + gain * (e - (m->known ? m->model.a * m->e : m->model.a * e));
	demand = fmin(fmax(demand, m->granted / GROWTH), m->granted * GROWTH);
	/*
	 * A program that was given less than it asked for asks for all that it needs, not only for
	 * some more than it has. The reason is that it is to get a part of its whole need.
	 */
	if (e > 0 && m->shared)
		demand = fmax(demand, (1 - m->model.a) * goal->min / m->model.b);
	m->demand = probe(m, e, fmin(demand, m->most), qos_manager_plateau(m));
	m->e = e;
	m->known = true;
	return m->demand;
}

/**
 * qos_manager_grant() - begin the next step
 * @rate: units/s of the last step
 * @cpus: CPUs that the program is given
 * @shared: this is less than it asked for, because other programs ask, too
 */
void qos_manager_grant(struct qos_manager *m, double rate, double cpus, bool shared)
{
	m->granted = cpus;
	m->shared = shared;
	qos_model_apply(&m->model, rate, cpus);
}
