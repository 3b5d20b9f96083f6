// SPDX-License-Identifier: GPL-2.0-only
/* Energy of threads, from a meter in memory that all CPUs share. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/seq_file.h>
#include <linux/smp.h>

#include "../../core/tests/fixture.h"
#include "../../pmu-backends/tests/fake.h"
#include "../energy.h"

#define PERIOD_US	1000

/* Units of 1 uJ. More than 1000 W is not plausible. */
static const struct pmct_meter meter = {
	.name = "package", .uj_mul = 1, .uj_shift = 0, .width = 28,
};

/**
 * struct meter_state - what the fake hardware holds
 * @value: value of the meter
 * @runs: the meter advances by one at each read
 * @err: error of the next reads
 * @while_read: called in the next read
 */
static struct meter_state {
	u64 value;
	bool runs;
	int err;
	void (*while_read)(void);
} state;

static int fake_probe(struct pmct_msg *msg)
{
	return 0;
}

static unsigned int fake_nr_meters(void)
{
	return 1;
}

static const struct pmct_meter *fake_meter(unsigned int i)
{
	return &meter;
}

static int fake_domain(unsigned int i, int cpu)
{
	return 0;
}

static int fake_read(unsigned int i, u64 *value)
{
	void (*while_read)(void) = state.while_read;

	state.while_read = NULL;
	if (while_read)
		while_read();
	state.value += state.runs;
	*value = state.value & GENMASK(meter.width - 1, 0);
	return state.err;
}

const struct pmct_sensor pmct_fake_sensor = {
	.name		= "fake",
	.period_us	= PERIOD_US,
	.watch_ms	= 3600 * MSEC_PER_SEC,
	.max_w		= 1000,
	.probe		= fake_probe,
	.nr_meters	= fake_nr_meters,
	.meter		= fake_meter,
	.domain		= fake_domain,
	.read		= fake_read,
};

/* The sums that an administrator sees. */
struct sums {
	u64 total, threads, others, idle, unwatched, resets;
	bool gone, still;
};

static struct sums show(struct kunit *test)
{
	struct sums s = {};
	struct seq_file m = { .size = 512 };
	char *total;

	m.buf = kunit_kzalloc(test, m.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m.buf);
	pmct_energy_show(&m);
	KUNIT_EXPECT_TRUE(test, strstarts(m.buf, "meter=package cpus="));
	KUNIT_EXPECT_NOT_NULL(test, strstr(m.buf, " unit_uj=1/2^0 "));
	total = strstr(m.buf, "total=");
	KUNIT_ASSERT_NOT_NULL(test, total);
	KUNIT_ASSERT_EQ(test, 6,
			sscanf(total,
			       "total=%llu threads=%llu others=%llu idle=%llu unwatched=%llu resets=%llu",
			       &s.total, &s.threads, &s.others, &s.idle, &s.unwatched, &s.resets));
	s.gone = strstr(m.buf, " gone");
	s.still = strstr(m.buf, " still");
	return s;
}

/* The meter advances while a thread runs on this CPU until a tick. */
static void run(struct pmct_energy *e, u64 units, unsigned int us)
{
	unsigned long flags;

	local_irq_save(flags);
	pmct_energy_on_switch_in(e);
	state.value += units;
	while (us > 1000) {
		mdelay(1);
		us -= 1000;
	}
	udelay(us);
	pmct_energy_on_tick(e);
	pmct_energy_on_switch_out(e);
	local_irq_restore(flags);
}

static unsigned int period_us(void)
{
	/* The period, see VISIT_NS, and a little more. */
	return max(PERIOD_US, 100 * num_online_cpus()) + 200;
}

static void start(struct kunit *test)
{
	state.runs = true;
	KUNIT_ASSERT_EQ(test, pmct_energy_start("test"), 0);
	state.runs = false;
}

/* Over several turns, the shares of threads, others and nobody add up to what the meter showed. */
static void adds_up_test(struct kunit *test)
{
	struct pmct_energy e = {};
	u64 before, units, sum = 0;
	struct sums s;
	unsigned int i;

	state.value = (1 << 28) - 30;
	start(test);
	before = show(test).total;
	for (i = 0; i < 50; i++) {
		units = i * 7919 % 1000;
		run(&e, units, period_us());
		sum += units;
	}
	/* Read what came after the last period. */
	usleep_range(2 * period_us(), 3 * period_us());
	s = show(test);
	KUNIT_EXPECT_EQ(test, s.total - before, sum);
	KUNIT_EXPECT_EQ(test, s.threads, e.units[0]);
	KUNIT_EXPECT_EQ(test, s.total, s.threads + s.others + s.idle + s.unwatched);
	KUNIT_EXPECT_EQ(test, s.resets, 0ULL);
	/* This CPU was busy. At most all CPUs shared the energy. */
	KUNIT_EXPECT_GE(test, e.units[0] * num_online_cpus() * 5 / 4, sum);
	KUNIT_EXPECT_LE(test, e.units[0], sum);
	pmct_energy_stop();
}

/* What the CPU had got before the thread came does not belong to the thread. */
static void before_test(struct kunit *test)
{
	struct pmct_energy e = {};

	start(test);
	state.value += 1000;
	usleep_range(2 * period_us(), 3 * period_us());
	run(&e, 0, period_us());
	KUNIT_EXPECT_EQ(test, e.units[0], 0ULL);
	pmct_energy_stop();
}

/* A thread starts without a switch in. What the CPU had got before does not belong to it. */
static void unannounced_test(struct kunit *test)
{
	struct pmct_energy e = {};
	unsigned long flags;

	start(test);
	run(&e, 1000, period_us());
	memset(&e, 0, sizeof(e));
	local_irq_save(flags);
	state.value += 1000;
	udelay(period_us());
	pmct_energy_on_tick(&e);
	KUNIT_EXPECT_EQ(test, e.units[0], 0ULL);
	state.value += 1000;
	udelay(period_us());
	pmct_energy_on_tick(&e);
	local_irq_restore(flags);
	KUNIT_EXPECT_GT(test, e.units[0], 0ULL);
	pmct_energy_stop();
}

/* It is not known which threads ran while the meter was not read. */
static void unwatched_test(struct kunit *test)
{
	struct pmct_energy e = {};

	start(test);
	state.value += 5000;
	msleep(150);
	run(&e, 0, period_us());
	KUNIT_EXPECT_EQ(test, e.units[0], 0ULL);
	KUNIT_EXPECT_EQ(test, show(test).unwatched, 5000ULL);
	pmct_energy_stop();
}

/* If firmware or a sleep has set the meter back, that is no energy. */
static void reset_test(struct kunit *test)
{
	struct pmct_energy e = {};
	struct sums s;

	state.value = 1000000;
	start(test);
	run(&e, 100, period_us());
	s = show(test);
	state.value = 5;
	run(&e, 0, period_us());
	KUNIT_EXPECT_EQ(test, show(test).total, s.total);
	KUNIT_EXPECT_EQ(test, show(test).resets, 1ULL);
	run(&e, 70, period_us());
	KUNIT_EXPECT_EQ(test, show(test).total, s.total + 70);
	pmct_energy_stop();
}

static void sample(struct kunit *test, struct pmct_energy *e, struct pmct_energy_interval *interval)
{
	struct fixture *f = test->priv;
	unsigned long flags;

	local_irq_save(flags);
	pmct_energy_sample(f->a, e, interval);
	local_irq_restore(flags);
}

/*
 * A meter is read by one CPU, while an interrupt on another CPU ends a row of that CPU.
 *
 * @ctx: the other CPU's context
 * @began: the interrupt has come
 * @ended: the row has ended
 * @reading: the meter is being read
 * @early: the row ended before the meter was read
 */
static struct {
	struct pmct_ctx *ctx;
	struct completion ended;
	bool began, reading, early;
} row;

static void end_row(void *unused)
{
	struct pmct_energy_interval interval;
	struct pmct_energy e = {};

	WRITE_ONCE(row.began, true);
	pmct_energy_sample(row.ctx, &e, &interval);
	row.early = READ_ONCE(row.reading);
	complete(&row.ended);
}

static call_single_data_t row_call = CSD_INIT(end_row, NULL);

static void end_row_elsewhere(void)
{
	unsigned int other = cpumask_any_but(cpu_online_mask, smp_processor_id());
	unsigned int i;

	row.reading = true;
	smp_call_function_single_async(other, &row_call);
	for (i = 0; i < 1000 && !READ_ONCE(row.began); i++)
		mdelay(1);
	mdelay(5);
	WRITE_ONCE(row.reading, false);
}

/* A row of a CPU has what another CPU is just reading. It does not end before that. */
static void read_elsewhere_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_energy e = {};

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU");
	f->a->task = NULL;
	memset(&row, 0, sizeof(row));
	row.ctx = f->a;
	init_completion(&row.ended);
	start(test);
	state.while_read = end_row_elsewhere;
	run(&e, 1000, period_us());
	KUNIT_EXPECT_NULL(test, state.while_read);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&row.ended, 60 * HZ), 0UL);
	KUNIT_EXPECT_FALSE(test, row.early);
	pmct_energy_stop();
}

/* A meter that is gone, or stands still, has no value. It does not have the value 0. */
static void gone_test(struct kunit *test)
{
	struct pmct_energy_interval interval;
	struct pmct_energy e = {};

	start(test);
	run(&e, 100, period_us());
	sample(test, &e, &interval);
	KUNIT_EXPECT_TRUE(test, interval.complete);
	KUNIT_EXPECT_EQ(test, interval.mask, 1U);
	KUNIT_EXPECT_EQ(test, interval.total_uj, e.units[0]);
	state.err = -EIO;
	run(&e, 0, period_us());
	sample(test, &e, &interval);
	KUNIT_EXPECT_FALSE(test, interval.complete);
	KUNIT_EXPECT_EQ(test, interval.mask, 0U);
	KUNIT_EXPECT_TRUE(test, show(test).gone);
	pmct_energy_stop();
}

static void still_test(struct kunit *test)
{
	struct pmct_energy_interval interval;
	struct pmct_energy e = {};
	unsigned int i;

	start(test);
	/* On a busy host, the meter may not be read often enough for a while. */
	for (i = 0; i < 1000 && !show(test).still; i++) {
		msleep(20);
		run(&e, 0, period_us());
	}
	sample(test, &e, &interval);
	KUNIT_EXPECT_FALSE(test, interval.complete);
	KUNIT_EXPECT_TRUE(test, show(test).still);
	run(&e, 1, period_us());
	sample(test, &e, &interval);
	KUNIT_EXPECT_TRUE(test, interval.complete);
	KUNIT_EXPECT_FALSE(test, show(test).still);
	pmct_energy_stop();
}

static void refused_test(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pmct_energy_start("test"), -EIO);
	state.runs = true;
	state.err = -EIO;
	KUNIT_EXPECT_EQ(test, pmct_energy_start("test"), -EIO);
	state.err = 0;
	KUNIT_EXPECT_EQ(test, pmct_energy_start("test"), 0);
	pmct_energy_stop();
}

static int init(struct kunit *test)
{
	state = (struct meter_state) {};
	return pmct_fixture_init(test);
}

static struct kunit_case energy_cases[] = {
	KUNIT_CASE(adds_up_test),
	KUNIT_CASE(before_test),
	KUNIT_CASE(unannounced_test),
	KUNIT_CASE(unwatched_test),
	KUNIT_CASE(reset_test),
	KUNIT_CASE(read_elsewhere_test),
	KUNIT_CASE(gone_test),
	KUNIT_CASE(still_test),
	KUNIT_CASE(refused_test),
	{}
};

static struct kunit_suite energy_suite = {
	.name = "pmctrack_energy",
	.init = init,
	.exit = pmct_fixture_exit,
	.test_cases = energy_cases,
};

kunit_test_suite(energy_suite);
