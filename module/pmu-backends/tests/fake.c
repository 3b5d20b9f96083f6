// SPDX-License-Identifier: GPL-2.0-only
/*
 * A PMU in memory, with an ordinary backend. Events 0x10 to 0x1f exist. General counters count only
 * these.
 */
#include <linux/string.h>

#include "fake.h"

struct pmct_fake_state pmct_fake_state;
bool pmct_fake_narrow;

static const struct pmct_core_type fake_types[] = {
	{ .name = "fake_big", .model = "fake=0", .counters = 0xff, .fixed = 0x1, .width = 64 },
	{ .name = "fake_small", .model = "fake=1", .counters = 0x0f, .fixed = 0x1, .width = 64 },
};

static const char *const fake_keys[] = { "umask", NULL };

static const struct pmct_event_name fake_names[] = {
	{ "cycles", 1, { 0x11 } },
	{ "instr", 1, { 0x10 } },
	{ "branches", 2, { 0x20, 0x12 } },
	{ "misses", 1, { 0x4113 } },
	{ "time", 1, { 0x30 } },
	{ "nothing", 2, { 0x20, 0x21 } },
};

static const struct pmct_fixed_event fake_fixed[] = {
	{ 0, false, 0x11 },
	{ 5, true, 0x30 },
};

static const struct pmct_event_table fake_events = {
	.names = fake_names,
	.nr_names = ARRAY_SIZE(fake_names),
	.fixed = fake_fixed,
	.nr_fixed = ARRAY_SIZE(fake_fixed),
};

void pmct_fake_reset(void)
{
	memset(&pmct_fake_state, 0, sizeof(pmct_fake_state));
	pmct_fake_narrow = false;
}

void pmct_fake_count(unsigned int counter, u64 events)
{
	u64 mask = pmct_fake_narrow && counter ? U32_MAX : U64_MAX;
	u64 value = pmct_fake_state.value[counter];

	if (events > mask - (value & mask))
		pmct_fake_state.overflow |= BIT_ULL(counter);
	/* As PMUv3p5 with PMCR_EL0.LP = 0: wraps at 32 bits, but keeps more. */
	pmct_fake_state.value[counter] = value + events;
}

static int fake_probe(struct pmct_msg *msg)
{
	return 0;
}

static unsigned int fake_nr_core_types(void)
{
	return ARRAY_SIZE(fake_types);
}

static const struct pmct_core_type *fake_core_type(unsigned int i)
{
	return &fake_types[i];
}

static unsigned int fake_cpu_core_type(int cpu)
{
	return 0;
}

static void fake_set_code(struct pmct_event *event, u64 code)
{
	event->code = code & 0xff;
	event->extra[0] = code >> 8;
}

static int fake_translate(const struct pmct_core_type *type, const struct pmct_event *event,
			  u64 *config, u64 *mask, struct pmct_msg *msg)
{
	if (event->counter && (event->code < 0x10 || event->code > 0x1f))
		return pmct_refuse(msg, -EOPNOTSUPP, "pmc%u=%#llx: no such event",
				   event->counter, event->code);
	*config = event->code | (u64)event->extra[0] << 16 | (event->os ? BIT_ULL(62) : 0) |
		  (event->usr ? BIT_ULL(63) : 0);
	*mask = pmct_fake_narrow && event->counter ? U32_MAX : U64_MAX;
	return 0;
}

static int fake_claim(bool (*overflow)(void), struct pmct_msg *msg)
{
	return 0;
}

static void fake_release(void)
{
}

static void fake_program(const struct pmct_hwset *set)
{
	pmct_fake_state.set = set;
	pmct_fake_state.nr_program++;
	pmct_fake_state.disturbed = false;
}

static bool fake_intact(const struct pmct_hwset *set)
{
	return !pmct_fake_state.disturbed;
}

static u64 fake_read(const struct pmct_hwset *set, u64 *values)
{
	unsigned int i;

	pmct_fake_state.nr_read++;
	pmct_fake_count(1, pmct_fake_state.own);
	for (i = 0; i < set->nr; i++)
		values[i] = pmct_fake_state.value[set->counter[i]];
	return set->narrow ? pmct_fake_state.overflow & set->counters : 0;
}

static void fake_write(unsigned int counter, u64 value)
{
	pmct_fake_count(1, pmct_fake_state.own);
	pmct_fake_state.value[counter] = value;
}

static void fake_user_access(const struct pmct_hwset *set)
{
	if (set)
		memset(pmct_fake_state.value, 0, sizeof(pmct_fake_state.value));
}

static u64 fake_overflow_pending(void)
{
	return pmct_fake_state.overflow;
}

static void fake_overflow_clear(u64 counters)
{
	pmct_fake_state.overflow &= ~counters;
}

const struct pmct_backend pmct_fake = {
	.name			= "fake",
	.owns_counters	= true,
	.keys			= fake_keys,
	.events			= &fake_events,
	.sensor			= &pmct_fake_sensor,
	.set_code		= fake_set_code,
	.probe			= fake_probe,
	.nr_core_types		= fake_nr_core_types,
	.core_type		= fake_core_type,
	.cpu_core_type		= fake_cpu_core_type,
	.translate		= fake_translate,
	.claim			= fake_claim,
	.release		= fake_release,
	.program		= fake_program,
	.read			= fake_read,
	.intact			= fake_intact,
	.write			= fake_write,
	.user_access		= fake_user_access,
	.overflow_pending	= fake_overflow_pending,
	.overflow_clear		= fake_overflow_clear,
};
