// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module/core/event_names.c: any list of event names is refused with a reason, or is an
 * event set of the fake PMU in which each event can be found again.
 *
 * The first line of the input is the list. Further lines are the events of the module;
 * without them, the module has the fake PMU's.
 */
#include "event_names.h"
#include "fake.h"
#include "kernel_side.h"

static const char *const fake_events[] = {
	"cycles", "cycles:k", "cycles:uk", "instr", "instr:k", "instr:uk", "branches", "branches:k",
	"branches:uk", "misses", "misses:k", NULL, "time", "nothing", "strange",
};

/* Each event has a counter that can count it, and a place in the map. */
static void check_named(const struct pmct_named_spec *named, const struct pmct_core_type *type,
			unsigned int nr_events, const char *list)
{
	const struct pmct_evset_spec *spec = &named->spec;
	u8 where[PMCT_MAX_NAMED_EVENTS];
	unsigned int nr = 1;

	for (const char *p = list; (p = strchr(p, ',')); p++)
		nr++;
	expect(spec->nr == nr, "%u events: '%s'", spec->nr, list);
	pmct_event_names_map(named, where);
	for (unsigned int i = 0; i < nr; i++) {
		const struct pmct_event *e = &spec->event[i];
		bool fixed = type->fixed >> e->counter & 1;

		expect(type->counters >> e->counter & 1, "counter %u: '%s'", e->counter, list);
		expect(e->has_code != fixed, "code of counter %u: '%s'", e->counter, list);
		expect(e->usr || e->os, "'%s'", list);
		expect(!i || spec->event[i - 1].counter < e->counter, "'%s'", list);
		expect(named->event[i] < nr_events && where[named->event[i]] == i, "'%s'", list);
	}
	for (unsigned int i = 0; i < PMCT_MAX_NAMED_EVENTS; i++)
		nr -= where[i] != U8_MAX;
	expect(!nr, "events of others: '%s'", list);
}

/* Events with names can be counted, unless their windows are too short or too long. */
static void check_build(const struct pmct_named_spec *named, const char *list)
{
	struct pmct_msg msg = { "" };
	struct pmct_hwset set;
	bool ebs = false;
	int err;

	for (unsigned int i = 0; i < named->spec.nr; i++)
		ebs |= named->spec.event[i].ebs;
	err = pmct_evset_build(&pmct_fake, &named->spec, (unsigned int)named->spec.core_type, &set,
			       &msg);
	expect(!err || (ebs && err == -EINVAL), "%d: '%s'", err, list);
	kernel_check_printed(&named->spec, pmct_fake.keys);
}

static void check(const char *list, const char *const *events, unsigned int nr_events)
{
	struct pmct_msg msg = { "" };
	struct pmct_named_spec named;
	int core_type, err;

	err = pmct_event_names_core_type(&list, pmct_fake.nr_core_types(), &core_type, &msg);
	expect(!err == !msg.text[0] && (!err || err == -EINVAL), "%d: '%s'", err, list);
	if (err)
		core_type = PMCT_ANY_CORE_TYPE;
	for (int i = 0; i < (int)pmct_fake.nr_core_types(); i++) {
		if (core_type != PMCT_ANY_CORE_TYPE && core_type != i)
			continue;
		msg.text[0] = '\0';
		err = pmct_event_names_resolve(&pmct_fake, (unsigned int)i, list, events, nr_events,
					       &named, &msg);
		expect(!err || err == -EINVAL || err == -EOPNOTSUPP || err == -E2BIG,
		       "error %d for '%s'", err, list);
		if (err) {
			kernel_check_msg(&msg, list);
			continue;
		}
		expect(!msg.text[0], "accepted, but '%s'", msg.text);
		check_named(&named, pmct_fake.core_type((unsigned int)i), nr_events, list);
		check_build(&named, list);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *events[PMCT_MAX_NAMED_EVENTS];
	char *text = fuzz_text(data, size), *rest = text, *list = strsep(&rest, "\n"), *event;
	unsigned int nr = 0;

	pmct_fake_reset();
	while (nr < PMCT_MAX_NAMED_EVENTS && (event = strsep(&rest, "\n")))
		events[nr++] = event;
	if (nr)
		check(list, events, nr);
	else
		check(list, fake_events, sizeof(fake_events) / sizeof(fake_events[0]));
	free(text);
	return 0;
}
