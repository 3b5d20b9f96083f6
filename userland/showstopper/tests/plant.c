// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plant.h"

#define STEP		(NS_PER_MS / 4)
#define WINDOW		(500 * NS_PER_MS)
#define MAX_THREADS	128

/* A thread is busy for @busy ns, then idle for @idle ns, and so on. */
struct thread {
	int64_t busy, idle;
};

struct program {
	struct thread thread[MAX_THREADS];
	unsigned int threads;
	int64_t phase_end;
	bool alone;
	struct cycle cycle;
	int64_t due;
	bool begun;
};

struct plant {
	const struct plant_config *config;
	struct program *program;
	int64_t now;
	int64_t work;
	uint64_t random;
};

/* xorshift64* */
static double uniform(struct plant *p)
{
	p->random ^= p->random >> 12;
	p->random ^= p->random << 25;
	p->random ^= p->random >> 27;
	return (double)((p->random * 2685821657736338717ULL) >> 11) / (1ULL << 53);
}

static int64_t exponential(struct plant *p, double ms)
{
	return (int64_t)(-log(1 - uniform(p)) * ms * NS_PER_MS) + 1;
}

static unsigned int nr_threads(const struct plant_config *c)
{
	switch (c->class) {
	case PLANT_LIGHT: return 2;
	case PLANT_MILD: return 4;
	case PLANT_HEAVY: case PLANT_PHASED: return c->cpus < MAX_THREADS ? c->cpus : MAX_THREADS;
	default: return 1;
	}
}

static void next_burst(struct plant *p, struct program *b, unsigned int i)
{
	struct thread *t = &b->thread[i];

	switch (p->config->class) {
	case PLANT_LIGHT:
		t->busy = exponential(p, i ? 3 : 200);
		t->idle = exponential(p, i ? 60 : 2);
		break;
	case PLANT_MILD:
		t->busy = exponential(p, 0.3);
		t->idle = exponential(p, 0.6);
		break;
	case PLANT_HEAVY: case PLANT_PHASED:
		t->busy = exponential(p, 1000);
		t->idle = 0;
		break;
	case PLANT_BURSTY:
		t->busy = exponential(p, 80);
		t->idle = exponential(p, 40);
		break;
	case PLANT_BLOCKING:
		t->busy = exponential(p, 2);
		t->idle = exponential(p, 5);
		break;
	}
}

/* True if the thread wants a CPU. Waiting goes on while the program is stopped. */
static bool is_ready(struct plant *p, struct program *b, unsigned int i)
{
	struct thread *t = &b->thread[i];

	if (t->busy > 0)
		return b->cycle.run && !(b->alone && i);
	t->idle -= STEP;
	if (t->idle <= 0)
		next_burst(p, b, i);
	return false;
}

static void one_step(struct plant *p)
{
	const struct plant_config *c = p->config;
	double cpus = c->cpus * (1 - c->background), part;
	unsigned int ready = 0, i, j;
	static bool wants[256][MAX_THREADS];

	for (i = 0; i < c->nr; i++) {
		struct program *b = &p->program[i];

		if (c->class == PLANT_PHASED && p->now >= b->phase_end) {
			b->alone = !b->alone;
			b->phase_end = p->now + exponential(p, 500);
		}
		for (j = 0; j < b->threads; j++)
			ready += wants[i][j] = is_ready(p, b, j);
	}
	part = ready > cpus ? cpus / ready : 1;
	for (i = 0; i < c->nr; i++) {
		for (j = 0; j < p->program[i].threads; j++)
			p->program[i].thread[j].busy -= wants[i][j] ? (int64_t)(STEP * part) : 0;
	}
	p->work += (int64_t)(STEP * (ready * part + c->cpus * c->background));
	p->now += STEP;
}

static int read_times(void *data, struct load_time *times)
{
	const struct plant *p = data;
	int64_t all = p->now * p->config->cpus;
	int64_t tick = p->config->tick ?: 1;

	times->work = p->work / tick * tick;
	times->idle = (all - p->work) / tick * tick;
	return 0;
}

static void start(struct plant *p, const struct trace *trace, struct feedback_estimate *estimate,
		  const struct load_source *source, _Atomic double *outputs)
{
	const struct plant_config *c = p->config;
	unsigned int i, j;

	for (i = 0; i < c->nr; i++) {
		struct program *b = &p->program[i];

		outputs[i] = -1;
		b->threads = nr_threads(c);
		for (j = 0; j < b->threads; j++)
			next_burst(p, b, j);
		b->cycle = (struct cycle){
			.trace = trace,
			.feedback = { estimate, source, FEEDBACK_DELTA },
			.space = c->space, .tau = DITHER_TAU, .outputs = outputs,
			.kappa = c->method == CONTROL_GEOM ? CONTROL_KAPPA_GEOM :
				 c->method == CONTROL_PI ? CONTROL_KAPPA_PI : 0,
			.self = i, .nr = c->nr, .begin = STEP,
		};
		control_init(&b->cycle.control, c->method, c->cpus);
		b->due = cycle_phase(i, c->nr, DITHER_TAU);
	}
}

/* Loads of the windows so far. */
struct observed {
	double sum, squares, five[10], two[4];
	double twos, two_squares;
	unsigned int nr, nr_twos;
};

static void observe(struct observed *o, struct plant_result *r, double load, double target)
{
	double error = load - target, five = 0, two = 0;
	unsigned int i;

	o->sum += error;
	o->squares += error * error;
	o->five[o->nr % 10] = error;
	o->two[o->nr % 4] = error;
	o->nr++;
	if (load < r->low)
		r->low = load;
	if (load > r->high)
		r->high = load;
	for (i = 0; i < 10; i++)
		five += o->five[i] / 10;
	if (o->nr >= 10 && fabs(five) * 100 > r->worst)
		r->worst = fabs(five) * 100;
	if (o->nr % 4)
		return;
	for (i = 0; i < 4; i++)
		two += o->two[i] / 4;
	o->twos += two;
	o->two_squares += two * two;
	o->nr_twos++;
}

struct plant_result plant_run(const struct plant_config *config, const struct trace *trace)
{
	struct plant p = { .config = config, .random = config->seed * 0x9e3779b97f4a7c15ULL | 1,
			   .now = STEP };
	struct load_source source = { read_times, &p, config->cpus };
	struct plant_result r = { .low = 1, .high = 0 };
	struct feedback_estimate estimate = {};
	_Atomic double outputs[256];
	struct observed o = {};
	int64_t window = p.now, begin = 0;
	struct load_time last, now;
	unsigned int i;
	double mean;
	int err;

	p.program = calloc(config->nr, sizeof(*p.program));
	if (!p.program)
		abort();
	start(&p, trace, &estimate, &source, outputs);
	read_times(&p, &last);
	while (p.now < config->seconds * NS_PER_S) {
		for (i = 0; i < config->nr; i++) {
			struct program *b = &p.program[i];

			if (p.now >= b->due)
				b->due = p.now + cycle_next(&b->cycle, p.now, &err);
		}
		one_step(&p);
		begin = p.now - window;
		if (begin < WINDOW)
			continue;
		read_times(&p, &now);
		if (p.now >= config->settle * NS_PER_S)
			observe(&o, &r, (double)(now.work - last.work) /
				(now.work - last.work + now.idle - last.idle),
				trace_target(trace, p.now - WINDOW / 2));
		last = now;
		window = p.now;
	}
	free(p.program);
	r.error = 100 * o.sum / o.nr;
	r.square = 10000 * o.squares / o.nr;
	mean = o.twos / o.nr_twos;
	r.swing = 100 * sqrt(fmax(0, o.two_squares / o.nr_twos - mean * mean));
	return r;
}
