// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module/core/evset.c: any raw string is refused with a reason, or is a set that is the same after
 * it has been written down and read again. The fake PMU takes or refuses this set.
 */
#include "fake.h"
#include "kernel_side.h"

struct text {
	char buf[4 * PMCTRACK_MAX_RAW];
	size_t len;
};

__attribute__((format(printf, 2, 3)))
static void add(struct text *t, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(t->buf + t->len, sizeof(t->buf) - t->len, fmt, args);
	va_end(args);
	expect(n > 0 && t->len + (size_t)n < sizeof(t->buf), "canonical string too long");
	t->len += (size_t)n;
}

/* Everything that is not the default, with the number of the counter first. */
static void print_spec(const struct pmct_evset_spec *spec, const char *const *keys, struct text *t)
{
	for (unsigned int i = 0; i < spec->nr; i++) {
		const struct pmct_event *e = &spec->event[i];

		add(t, "%spmc%u", i ? "," : "", e->counter);
		if (e->has_code)
			add(t, "=%llx", e->code);
		if (!e->usr)
			add(t, ",usr%u=0", e->counter);
		if (e->os)
			add(t, ",os%u", e->counter);
		if (e->ebs)
			add(t, ",ebs%u=%llu", e->counter, e->ebs);
		for (int k = 0; keys && k < PMCT_MAX_KEYS && keys[k]; k++) {
			if (e->extra[k])
				add(t, ",%s%u=%u", keys[k], e->counter, e->extra[k]);
		}
	}
	if (spec->core_type != PMCT_ANY_CORE_TYPE)
		add(t, ",coretype=%d", spec->core_type);
}

static void check_rewritten(const struct pmct_evset_spec *spec, const char *const *keys)
{
	struct pmct_evset_spec again;
	struct text t = { .len = 0 };
	int err;

	print_spec(spec, keys, &t);
	err = kernel_parse(t.buf, keys, &again);
	expect(err == (t.len < PMCTRACK_MAX_RAW ? 0 : -E2BIG), "%d for '%s'", err, t.buf);
	if (!err)
		kernel_check_same(spec, &again, t.buf);
	kernel_check_printed(spec, keys);
}

static void check_set(const struct pmct_hwset *set, const struct pmct_evset_spec *spec,
		      const struct pmct_core_type *type, const char *raw)
{
	u32 counters = 0;
	bool narrow = false;

	expect(set->nr == spec->nr, "%u of %u counters: '%s'", set->nr, spec->nr, raw);
	for (unsigned int i = 0; i < set->nr; i++) {
		const struct pmct_event *e = &spec->event[i];
		bool samples = set->ebs && set->ebs_index == i;

		expect(set->counter[i] == e->counter, "counter %u: '%s'", set->counter[i], raw);
		expect(samples ? set->ebs == e->ebs && set->ebs >= PMCT_EBS_MIN : !e->ebs,
		       "sampling of counter %u: '%s'", e->counter, raw);
		expect(!(set->mask[i] & (set->mask[i] + 1)) && set->mask[i], "mask: '%s'", raw);
		counters |= BIT(set->counter[i]);
		narrow |= samples || set->mask[i] != U64_MAX;
	}
	expect(set->counters == counters && !(counters & ~type->counters), "%#x: '%s'",
	       set->counters, raw);
	expect(set->narrow == narrow, "narrow: '%s'", raw);
}

/* No setting is given twice, and none is of a counter that is not used. */
static void check_items(const struct pmct_evset_spec *spec, const char *raw)
{
	char seen[PMCTRACK_MAX_RAW][32];
	u32 used = 0;
	int nr = 0;

	for (unsigned int i = 0; i < spec->nr; i++)
		used |= BIT(spec->event[i].counter);
	for (const char *p = raw; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
		int key = (int)strcspn(p, "0123456789=,");
		unsigned long counter = strtoul(p + key, NULL, 10);

		if (strncmp(p, "coretype=", 9))
			expect(counter < PMCTRACK_MAX_COUNTERS && used >> counter & 1,
			       "counter %lu: '%s'", counter, raw);
		expect(snprintf(seen[nr], sizeof(seen[nr]), "%.*s %lu", key, p, counter) <
		       (int)sizeof(seen[nr]), "key of %d bytes: '%s'", key, raw);
		for (int i = 0; i < nr; i++)
			expect(strcmp(seen[i], seen[nr]), "'%s' twice: '%s'", seen[i], raw);
		nr++;
	}
}

static void check_build(const struct pmct_evset_spec *spec, const char *raw)
{
	for (unsigned int type = 0; type < pmct_fake.nr_core_types(); type++) {
		struct pmct_msg msg = { "" };
		struct pmct_hwset set;
		int err = pmct_evset_build(&pmct_fake, spec, type, &set, &msg);

		expect(!err || err == -EINVAL || err == -EOPNOTSUPP, "error %d for '%s'", err, raw);
		expect(set.core_type == type, "'%s'", raw);
		if (err)
			kernel_check_msg(&msg, raw);
		else
			check_set(&set, spec, pmct_fake.core_type(type), raw);
	}
}

static void check(const char *raw, const char *const *keys)
{
	struct pmct_evset_spec spec;
	bool kernel = false;

	if (kernel_parse(raw, keys, &spec))
		return;
	for (unsigned int i = 0; i < spec.nr; i++)
		kernel |= spec.event[i].os;
	expect(pmct_evset_counts_kernel(&spec) == kernel, "'%s'", raw);
	check_items(&spec, raw);
	check_rewritten(&spec, keys);
	for (int narrow = 0; narrow < 2; narrow++) {
		pmct_fake_narrow = narrow;
		check_build(&spec, raw);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *raw = fuzz_text(data, size);

	pmct_fake_reset();
	check(raw, pmct_fake.keys);
	check(raw, NULL);
	free(raw);
	return 0;
}
