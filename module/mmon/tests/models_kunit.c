// SPDX-License-Identifier: GPL-2.0-only
/* Regression models: reading, hostile files, evaluation; and rounds of samples of one phase. */
#include <kunit/test.h>

#include "../fixed_log.h"
#include "../models.h"

#define HEAD	"pmctrack-model 2 speedup_factor\n# a comment\nfrom big_pmu\nbig big_pmu\nguard 20\n"
#define SETS	"set instr,cycles,misses\nset instr,cycles,branches\n"
#define FEATURES "feature instr cycles 1000 100 4000\nfeature misses instr 1000000 0 50000\n" \
		 "feature branches instr 1000000 0 300000\n"
#define OUTPUT	"output speedup_factor small_pmu 2000000 52\n"
#define STUMPS	"stump 0 1000 -100000 50000\nstump 1 20000 300000 -700000\n"
#define QUADRATIC "quadratic speedup_factor small_pmu 655360 52\n"
#define GIVEN	HEAD "given others\n" SETS FEATURES "feature others cycles 1000 0 4000\n"
#define WHOLE	HEAD SETS FEATURES OUTPUT STUMPS "end\n"

static int parse(struct kunit *test, const char *text, struct pmct_regression **model,
		 struct pmct_msg *msg)
{
	size_t size = strlen(text) + 1;
	char *copy = kunit_kmalloc(test, size, GFP_KERNEL);

	*model = kunit_kzalloc(test, sizeof(**model), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	KUNIT_ASSERT_NOT_NULL(test, *model);
	memcpy(copy, text, size);
	memset(msg, 0, sizeof(*msg));
	return pmct_regression_parse(copy, *model, msg);
}

static void parse_test(struct kunit *test)
{
	struct pmct_regression *m;
	struct pmct_msg msg;

	KUNIT_ASSERT_EQ_MSG(test, 0, parse(test, WHOLE "rest\n", &m, &msg), "%s", msg.text);
	KUNIT_EXPECT_STREQ(test, m->module, "speedup_factor");
	KUNIT_EXPECT_STREQ(test, m->from, "big_pmu");
	KUNIT_EXPECT_EQ(test, m->guard, 20);
	KUNIT_EXPECT_EQ(test, m->nr_events, 4);
	KUNIT_EXPECT_EQ(test, m->nr_sets, 2);
	KUNIT_EXPECT_STREQ(test, m->set[1], "instr,cycles,branches");
	KUNIT_EXPECT_EQ(test, m->in_set[1], BIT(0) | BIT(1) | BIT(3));
	KUNIT_EXPECT_EQ(test, m->nr_features, 3);
	KUNIT_EXPECT_EQ(test, pmct_regression_features_of(m, 0), BIT(0) | BIT(1));
	KUNIT_EXPECT_EQ(test, pmct_regression_features_of(m, 1), BIT(0) | BIT(2));
	KUNIT_EXPECT_EQ(test, m->nr_outputs, 1);
	KUNIT_EXPECT_STREQ(test, m->output[0].small, "small_pmu");
	KUNIT_EXPECT_EQ(test, m->output[0].error, 52);
	KUNIT_EXPECT_EQ(test, m->output[0].nr_stumps, 2);
}

struct bad_case {
	const char *desc;
	const char *text;
	const char *why;
};

static const struct bad_case bad_cases[] = {
	{ "nothing", "", "is this a model" },
	{ "another file", "#!/bin/sh\n", "is this a model" },
	{ "another version", "pmctrack-model 1 speedup_factor\n", "version 2" },
	{ "no name", "pmctrack-model 2\n", "word 3 must be a name" },
	{ "no core type", "pmctrack-model 2 x\nguard 20\n", "expected 'from NAME'" },
	{ "no guard", "pmctrack-model 2 x\nfrom a\nbig a\nset instr,cycles\n", "expected 'guard" },
	{ "guard 0", "pmctrack-model 2 x\nfrom a\nbig a\nguard 0\n", "number from 1 to 1000" },
	{ "cut off", HEAD SETS FEATURES OUTPUT STUMPS, "cut off" },
	{ "cut off in a line", HEAD SETS FEATURES OUTPUT "stump 0 10", "word 4 must be a number" },
	{ "set without cycles", HEAD "set instr,misses\nend\n", "needs instr and cycles" },
	{ "set with an empty name", HEAD "set instr,,cycles\nend\n", "1 to 31 characters" },
	{ "given behind a set", HEAD SETS "given others\nend\n", "before the sets" },
	{ "given in a set", HEAD "given misses\n" SETS "end\n", "cannot be in a set" },
	{ "feature of no set", HEAD SETS "feature loads instr 1 0 1\nend\n", "in no set" },
	{ "feature of two sets", HEAD SETS "feature misses branches 1 0 1\nend\n",
	  "no set has both" },
	{ "range upside down", HEAD SETS "feature instr cycles 1000 5 4\nend\n", "word 6" },
	{ "set behind a feature", HEAD SETS FEATURES "set instr,cycles\nend\n", "before the" },
	{ "output without features", HEAD SETS OUTPUT "end\n", "after the features" },
	{ "no output", HEAD SETS FEATURES "end\n", "needs an output" },
	{ "stump without output", HEAD SETS FEATURES "stump 0 1 2 3\nend\n", "after their output" },
	{ "stump of no feature", HEAD SETS FEATURES OUTPUT "stump 3 1 2 3\nend\n", "from 0 to 2" },
	{ "value of 33 bits", HEAD SETS FEATURES OUTPUT "stump 0 1 2147483648 3\nend\n", "word 4" },
	{ "no number", HEAD SETS FEATURES OUTPUT "stump 0 1 2x 3\nend\n", "word 4" },
	{ "linear without quadratic", HEAD SETS FEATURES OUTPUT "linear 0 0 1\nend\n",
	  "behind 'quadratic'" },
	{ "product without quadratic", HEAD SETS FEATURES "product 0 0 1\nend\n",
	  "behind 'quadratic'" },
	{ "stump of a quadratic", HEAD SETS FEATURES QUADRATIC "stump 0 1 2 3\nend\n",
	  "after their output" },
	{ "product of no feature", HEAD SETS FEATURES QUADRATIC "product 0 3 1\nend\n", "word 3" },
	{ "product upside down", HEAD SETS FEATURES QUADRATIC "product 1 0 1\nend\n",
	  "from 1 to 2" },
	{ "coefficient above 256", HEAD SETS FEATURES QUADRATIC "product 0 1 16777217\nend\n",
	  "word 4" },
	{ "center above 32", HEAD SETS FEATURES QUADRATIC "linear 0 2097153 1\nend\n", "word 3" },
	{ "too many words", HEAD SETS FEATURES OUTPUT "stump 0 1 2 3 4 5\nend\n", "expected set" },
	{ "unknown word", HEAD SETS "sets a\nend\n", "expected set" },
};

static void bad_desc(const struct bad_case *c, char *desc)
{
	strscpy(desc, c->desc, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(bad, bad_cases, bad_desc);

static void bad_test(struct kunit *test)
{
	const struct bad_case *c = test->param_value;
	struct pmct_regression *m;
	struct pmct_msg msg;

	KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, c->text, &m, &msg));
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(msg.text, c->why), "says: %s", msg.text);
}

/* One more of everything than there is room for. */
static void full_test(struct kunit *test)
{
	char *text = kunit_kzalloc(test, PMCT_REGRESSION_BYTES, GFP_KERNEL);
	struct pmct_regression *m;
	struct pmct_msg msg;
	size_t len;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, text);
	len = scnprintf(text, PMCT_REGRESSION_BYTES, HEAD SETS FEATURES OUTPUT);
	for (i = 0; i < PMCT_REGRESSION_STUMPS; i++)
		len += scnprintf(text + len, PMCT_REGRESSION_BYTES - len, "stump 0 %d -7 7\n", i);
	strscpy(text + len, "end\n", PMCT_REGRESSION_BYTES - len);
	KUNIT_EXPECT_EQ_MSG(test, 0, parse(test, text, &m, &msg), "%s", msg.text);
	strscpy(text + len, "stump 0 1 2 3\nend\n", PMCT_REGRESSION_BYTES - len);
	KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, text, &m, &msg));

	len = scnprintf(text, PMCT_REGRESSION_BYTES, HEAD);
	for (i = 0; i <= PMCT_REGRESSION_SETS; i++)
		len += scnprintf(text + len, PMCT_REGRESSION_BYTES - len, "set instr,cycles\n");
	KUNIT_EXPECT_EQ(test, -EINVAL, parse(test, text, &m, &msg));
	KUNIT_EXPECT_NOT_NULL(test, strstr(msg.text, "at most 8 sets"));
}

/* The output is 2, then -0.1 or +0.05, and +0.3 or -0.7. */
static void eval_test(struct kunit *test)
{
	struct pmct_regression *m;
	struct pmct_output *o;
	struct pmct_msg msg;

	KUNIT_ASSERT_EQ(test, 0, parse(test, WHOLE, &m, &msg));
	o = &m->output[0];
	KUNIT_EXPECT_EQ(test, 2200, pmct_regression_eval(m, o, (u32[]) { 999, 19999, 0 }));
	KUNIT_EXPECT_EQ(test, 2350, pmct_regression_eval(m, o, (u32[]) { 1000, 0, 0 }));
	KUNIT_EXPECT_EQ(test, 1350, pmct_regression_eval(m, o, (u32[]) { U32_MAX, 20000, 0 }));
	o->base = -300000;
	KUNIT_EXPECT_EQ(test, 0, pmct_regression_eval(m, o, (u32[]) { 1000, 20000, 0 }));
	KUNIT_EXPECT_TRUE(test, pmct_regression_known(m, (u32[]) { 100, 50000, 0 }));
	KUNIT_EXPECT_FALSE(test, pmct_regression_known(m, (u32[]) { 99, 50000, 0 }));
	KUNIT_EXPECT_FALSE(test, pmct_regression_known(m, (u32[]) { 100, 50001, 0 }));
}

/* Powers of two are exact, values between them are near, and the logarithm never decreases. */
static void log_test(struct kunit *test)
{
	/* log2(n + 1) * 2^16, by bc. */
	static const struct { u32 n, log; } known[] = {
		{ 0, 0 }, { 1, 65536 }, { 2, 103872 }, { 4, 152170 }, { 6, 183983 }, { 99, 435412 },
		{ 999, 653118 }, { 1022, 655268 }, { 1023, 655360 }, { 1000000, 1306235 },
		{ U32_MAX, 32 << 16 },
	};
	u32 log, before = 0;
	unsigned int i;
	u64 n;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		KUNIT_EXPECT_LE(test, abs((s64)pmct_log2(known[i].n) - known[i].log), 72);
		log = pmct_exp2(known[i].log);
		KUNIT_EXPECT_LE(test, abs((s64)log - known[i].n - 1), 1 + known[i].n / 5000);
	}
	for (n = 0; n <= U32_MAX; n += 1 + n / 97) {
		log = pmct_log2(n);
		KUNIT_EXPECT_GE(test, log, before);
		before = log;
	}
	KUNIT_EXPECT_EQ(test, 1, pmct_exp2(0));
	KUNIT_EXPECT_EQ(test, 0, pmct_exp2(-1));
	KUNIT_EXPECT_EQ(test, 0, pmct_exp2(S64_MIN));
	KUNIT_EXPECT_EQ(test, 2048, pmct_exp2(11 << 16));
	KUNIT_EXPECT_EQ(test, U32_MAX, pmct_exp2(32LL << 16));
	KUNIT_EXPECT_EQ(test, U32_MAX, pmct_exp2(S64_MAX));
}

/* 2^(10 + (x - 8)/2 - (x - 8)(y - 9)/4 + (y - 9)^2/8), where x = log2(a + 1), y = log2(b + 1). */
static void quadratic_test(struct kunit *test)
{
	struct pmct_regression *m;
	struct pmct_output *o;
	struct pmct_msg msg;

	KUNIT_ASSERT_EQ_MSG(test, 0, parse(test, HEAD SETS FEATURES QUADRATIC
					   "linear 0 524288 32768\nlinear 1 589824 0\n"
					   "product 0 1 -16384\nproduct 1 1 8192\nend\n",
					   &m, &msg), "%s", msg.text);
	o = &m->output[0];
	KUNIT_EXPECT_TRUE(test, o->quadratic);
	KUNIT_EXPECT_EQ(test, 1024, pmct_regression_eval(m, o, (u32[]) { 255, 511, 7 }));
	KUNIT_EXPECT_EQ(test, 2048, pmct_regression_eval(m, o, (u32[]) { 1023, 511, 7 }));
	KUNIT_EXPECT_EQ(test, 1024 << 2, pmct_regression_eval(m, o, (u32[]) { 255, 8191, 7 }));
	KUNIT_EXPECT_EQ(test, 2048, pmct_regression_eval(m, o, (u32[]) { 1023, 8191, 7 }));
	/* Outside of the trained range, the output is as at the end of the range. */
	KUNIT_EXPECT_EQ(test, pmct_regression_eval(m, o, (u32[]) { 4000, 50000, 0 }),
			pmct_regression_eval(m, o, (u32[]) { U32_MAX, U32_MAX, 0 }));
}

/**
 * struct thread - a thread with samples
 * @models: models of its module
 * @round: its round
 * @rec: the record of the last sample
 */
struct thread {
	struct pmct_models models;
	struct pmct_round round;
	struct pmctrack_record *rec;
};

static struct thread *new_thread(struct kunit *test)
{
	struct thread *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	struct pmct_regression *m;
	struct pmct_msg msg;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->rec = kunit_kzalloc(test, sizeof(*t->rec) + 4 * sizeof(u64), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->rec);
	KUNIT_ASSERT_EQ(test, 0, parse(test, WHOLE, &m, &msg));
	t->models.of_type[0] = m;
	t->models.of_type[1] = m;
	/* The module's events are in another order than the model's. */
	for (i = 0; i < 4; i++) {
		t->models.index[0][i] = 3 - i;
		t->models.index[1][i] = 3 - i;
	}
	t->models.instr = 3;
	t->models.cycles = 2;
	return t;
}

/* A sample of @set: @instr instructions, 1,000,000 cycles, and 5,000 misses or 7,000 branches. */
static enum pmct_round_state sample(struct thread *t, unsigned int type, unsigned int set,
				    u64 instr)
{
	static const u8 where[2][PMCT_MAX_MMON_EVENTS] = {
		{ 0xff, 2, 1, 0 }, { 2, 0xff, 1, 0 },
	};
	struct pmct_sample s = { .rec = t->rec, .own_sets = true, .where = where[set] };

	t->rec->core_type = type;
	t->rec->hw_ns = 200000000;
	t->rec->nr_counts = 3;
	t->rec->counts[0] = instr;
	t->rec->counts[1] = 1000000;
	t->rec->counts[2] = set ? 7000 : 5000;
	return pmct_models_sample(&t->models, &t->round, &s);
}

static void round_test(struct kunit *test)
{
	struct thread *t = new_thread(test);

	KUNIT_EXPECT_EQ(test, PMCT_ROUND_GOES_ON, sample(t, 0, 0, 1000000));
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_COMPLETE, sample(t, 0, 1, 1000000));
	KUNIT_EXPECT_EQ(test, t->round.feature[0], 1000);
	KUNIT_EXPECT_EQ(test, t->round.feature[1], 5000);
	KUNIT_EXPECT_EQ(test, t->round.feature[2], 7000);
	KUNIT_EXPECT_EQ(test, PMCT_ESTIMATED, pmct_models_confidence(&t->models, &t->round));
	/* The next round is of the same phase. */
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_GOES_ON, sample(t, 0, 0, 1050000));
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_COMPLETE, sample(t, 0, 1, 1100000));
}

/* An event that the module adds to each sample is used like a counted event. */
static void given_test(struct kunit *test)
{
	static const char given[] = GIVEN OUTPUT "end\n";
	struct thread *t = new_thread(test);
	struct pmct_models models = {};
	struct pmct_regression *m;
	struct pmct_msg msg;
	char *text;

	KUNIT_ASSERT_EQ_MSG(test, 0, parse(test, given, &m, &msg), "%s", msg.text);
	KUNIT_EXPECT_EQ(test, m->given, BIT(0));
	KUNIT_EXPECT_EQ(test, pmct_regression_features_of(m, 1), BIT(0) | BIT(2) | BIT(3));
	t->models.of_type[0] = m;
	/* The added event is the model's first one. */
	memmove(&t->models.index[0][1], &t->models.index[0][0], 4);
	t->models.index[0][0] = PMCT_MODELS_GIVEN;
	t->round.given = 1000;
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_GOES_ON, sample(t, 0, 0, 1000000));
	t->round.given = 3000;
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_COMPLETE, sample(t, 0, 1, 1000000));
	KUNIT_EXPECT_EQ(test, t->round.feature[0], 1000);
	KUNIT_EXPECT_EQ(test, t->round.feature[3], 3);
	/* A module that has no such event refuses the model. */
	text = kunit_kzalloc(test, sizeof(given), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, text);
	memcpy(text, given, sizeof(given));
	KUNIT_EXPECT_EQ(test, -EINVAL, pmct_models_load(&models, "speedup_factor", text, &msg));
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(msg.text, "no event 'others'"), "says: %s",
				  msg.text);
}

/* After a sudden change of IPC, the old samples are dropped. The round begins with the new one. */
static void phase_test(struct kunit *test)
{
	struct thread *t = new_thread(test);

	sample(t, 0, 0, 1000000);
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_STALE, sample(t, 0, 1, 500000));
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_COMPLETE, sample(t, 0, 0, 500000));
	KUNIT_EXPECT_EQ(test, t->round.feature[1], 10000);
	/* Outside of the trained range. */
	sample(t, 0, 0, 5000000);
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_COMPLETE, sample(t, 0, 1, 5000000));
	KUNIT_EXPECT_EQ(test, PMCT_EXTRAPOLATED, pmct_models_confidence(&t->models, &t->round));
}

/* A migration aborts the round; averages are kept for each core type. */
static void migration_test(struct kunit *test)
{
	struct thread *t = new_thread(test);

	sample(t, 0, 0, 1000000);
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_GOES_ON, sample(t, 1, 1, 400000));
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_COMPLETE, sample(t, 1, 0, 400000));
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_GOES_ON, sample(t, 0, 0, 1000000));
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_COMPLETE, sample(t, 0, 1, 1000000));
}

/* A thread that changes its core type at each sample becomes stale once, after 2 * 2 sets. */
static void late_test(struct kunit *test)
{
	struct thread *t = new_thread(test);
	unsigned int i;

	sample(t, 0, 0, 1000000);
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_COMPLETE, sample(t, 0, 1, 1000000));
	for (i = 1; i <= 600; i++)
		KUNIT_EXPECT_EQ(test, i >= 4 ? PMCT_ROUND_STALE : PMCT_ROUND_GOES_ON,
				sample(t, i % 2, 0, i % 2 ? 400000 : 1000000));
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_COMPLETE, sample(t, 0, 1, 1000000));
	/* A thread that hardly runs. */
	for (i = 1; i <= 6; i++) {
		struct pmct_sample s = { .rec = t->rec, .own_sets = true };

		t->rec->hw_ns = PMCT_ROUND_LEAST_NS - 1;
		KUNIT_EXPECT_EQ(test, i >= 4 ? PMCT_ROUND_STALE : PMCT_ROUND_GOES_ON,
				pmct_models_sample(&t->models, &t->round, &s));
	}
}

/* Samples of other event sets, short intervals, and intervals without events are ignored. */
static void ignored_test(struct kunit *test)
{
	struct thread *t = new_thread(test);
	struct pmct_sample s = { .rec = t->rec };

	t->rec->hw_ns = 200000000;
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_GOES_ON,
			pmct_models_sample(&t->models, &t->round, &s));
	s.own_sets = true;
	t->rec->hw_ns = PMCT_ROUND_LEAST_NS - 1;
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_GOES_ON,
			pmct_models_sample(&t->models, &t->round, &s));
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_GOES_ON, sample(t, 0, 0, 0));
	t->rec->core_type = PMCTRACK_MAX_CORE_TYPES;
	/* The fourth sample without a complete round. */
	KUNIT_EXPECT_EQ(test, PMCT_ROUND_STALE,
			pmct_models_sample(&t->models, &t->round, &s));
	KUNIT_EXPECT_EQ(test, 0, t->round.have);
}

/* Returns the ns from the sample that completes a round to the estimate. */
static u64 cost_of(struct kunit *test, const char *text)
{
	struct thread *t = new_thread(test);
	u64 start, ns = 0, sum = 0;
	struct pmct_regression *m;
	struct pmct_msg msg;
	unsigned int i;

	KUNIT_ASSERT_EQ_MSG(test, 0, parse(test, text, &m, &msg), "%s", msg.text);
	t->models.of_type[0] = m;
	for (i = 0; i < 100; i++) {
		KUNIT_EXPECT_EQ(test, PMCT_ROUND_GOES_ON, sample(t, 0, 0, 1000000));
		start = ktime_get_mono_fast_ns();
		if (sample(t, 0, 1, 1000000) == PMCT_ROUND_COMPLETE)
			sum += pmct_regression_eval(m, &m->output[0], t->round.feature) +
			       pmct_models_confidence(&t->models, &t->round);
		ns += ktime_get_mono_fast_ns() - start;
	}
	KUNIT_EXPECT_GT(test, sum, 0ULL);
	return ns / 100;
}

/*
 * For tests/bench: the largest models, of sets that take turns. With a fixed icount, one nanosecond
 * is one instruction.
 */
static void cost_test(struct kunit *test)
{
	char *text = kunit_kzalloc(test, PMCT_REGRESSION_BYTES, GFP_KERNEL);
	unsigned int i, j;
	size_t len;
	u64 ns;

	KUNIT_ASSERT_NOT_NULL(test, text);
	len = scnprintf(text, PMCT_REGRESSION_BYTES, HEAD SETS FEATURES OUTPUT);
	for (i = 0; i < PMCT_REGRESSION_STUMPS; i++)
		len += scnprintf(text + len, PMCT_REGRESSION_BYTES - len, "stump %u %u -7 7\n",
				 i % 3, i * 7919 % 9973);
	strscpy(text + len, "end\n", PMCT_REGRESSION_BYTES - len);
	ns = cost_of(test, text);

	len = scnprintf(text, PMCT_REGRESSION_BYTES, HEAD SETS FEATURES);
	for (i = 3; i < PMCT_REGRESSION_FEATURES; i++)
		len += scnprintf(text + len, PMCT_REGRESSION_BYTES - len,
				 "feature misses instr %u 0 50000\n", i * 1000);
	len += scnprintf(text + len, PMCT_REGRESSION_BYTES - len, QUADRATIC);
	for (i = 0; i < PMCT_REGRESSION_FEATURES; i++) {
		len += scnprintf(text + len, PMCT_REGRESSION_BYTES - len,
				 "linear %u 524288 -7\n", i);
		for (j = i; j < PMCT_REGRESSION_FEATURES; j++)
			len += scnprintf(text + len, PMCT_REGRESSION_BYTES - len,
					 "product %u %u 7\n", i, j);
	}
	strscpy(text + len, "end\n", PMCT_REGRESSION_BYTES - len);
	kunit_info(test, "cost: model_sample %llu", max(ns, cost_of(test, text)));
}

static struct kunit_case models_cases[] = {
	KUNIT_CASE(parse_test),
	KUNIT_CASE_PARAM(bad_test, bad_gen_params),
	KUNIT_CASE(full_test),
	KUNIT_CASE(eval_test),
	KUNIT_CASE(log_test),
	KUNIT_CASE(quadratic_test),
	KUNIT_CASE(round_test),
	KUNIT_CASE(given_test),
	KUNIT_CASE(phase_test),
	KUNIT_CASE(migration_test),
	KUNIT_CASE(late_test),
	KUNIT_CASE(ignored_test),
	KUNIT_CASE(cost_test),
	{}
};

static struct kunit_suite models_suite = {
	.name = "pmctrack_models",
	.test_cases = models_cases,
};

kunit_test_suite(models_suite);
