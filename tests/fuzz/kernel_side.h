/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's parser of raw strings, in user space, with its promises checked. */
#ifndef PMCT_FUZZ_KERNEL_SIDE_H
#define PMCT_FUZZ_KERNEL_SIDE_H

#include <errno.h>

#include "evset.h"
#include "fuzz.h"

/* A message for people is one line of text that any terminal and any JSON can take. */
static inline void kernel_check_msg(const struct pmct_msg *msg, const char *raw)
{
	size_t len = strnlen(msg->text, sizeof(msg->text));

	expect(len, "refused without a reason: '%s'", raw);
	expect(len < sizeof(msg->text), "message without an end: '%s'", raw);
	for (size_t i = 0; i < len; i++)
		expect(msg->text[i] >= 0x20 && msg->text[i] < 0x7f, "byte %#x in message '%s'",
		       (unsigned char)msg->text[i], msg->text);
}

/* Returns 0 and fills @spec, or returns a negative errno. */
static inline int kernel_parse(const char *raw, const char *const *keys,
			       struct pmct_evset_spec *spec)
{
	struct pmct_msg msg;
	int err;

	/* Only the first byte of a message says that there is none. */
	memset(&msg, 0xff, sizeof(msg));
	msg.text[0] = '\0';
	err = pmct_evset_parse(raw, keys, spec, &msg);
	if (err) {
		expect(err == -EINVAL || err == -E2BIG, "error %d for '%s'", err, raw);
		kernel_check_msg(&msg, raw);
		return err;
	}
	expect(!msg.text[0], "accepted, but '%s'", msg.text);
	expect(spec->nr && spec->nr <= PMCTRACK_MAX_COUNTERS, "%u counters: '%s'", spec->nr, raw);
	expect(spec->core_type >= PMCT_ANY_CORE_TYPE && spec->core_type < PMCTRACK_MAX_CORE_TYPES,
	       "core type %d: '%s'", spec->core_type, raw);
	for (unsigned int i = 0; i < spec->nr; i++) {
		expect(spec->event[i].counter < PMCTRACK_MAX_COUNTERS, "'%s'", raw);
		expect(!i || spec->event[i - 1].counter < spec->event[i].counter,
		       "counter %u after %u: '%s'", spec->event[i].counter,
		       spec->event[i - 1].counter, raw);
		expect(spec->event[i].usr || spec->event[i].os, "counts nothing: '%s'", raw);
	}
	return 0;
}

static inline void kernel_check_same(const struct pmct_evset_spec *a,
				     const struct pmct_evset_spec *b, const char *raw)
{
	expect(a->nr == b->nr && a->core_type == b->core_type, "'%s'", raw);
	for (unsigned int i = 0; i < a->nr; i++) {
		const struct pmct_event *x = &a->event[i], *y = &b->event[i];

		expect(x->counter == y->counter && x->has_code == y->has_code &&
		       x->usr == y->usr && x->os == y->os && x->code == y->code &&
		       x->ebs == y->ebs && !memcmp(x->extra, y->extra, sizeof(x->extra)),
		       "counter %u is another one in '%s'", x->counter, raw);
	}
}

/* The kernel reads what it prints as the same set. */
static inline void kernel_check_printed(const struct pmct_evset_spec *spec,
					const char *const *keys)
{
	struct pmct_evset_spec again;
	char raw[PMCTRACK_MAX_RAW];
	int err = pmct_evset_print(spec, keys, raw, sizeof(raw));

	expect(!err || err == -E2BIG, "%d for '%s'", err, raw);
	if (err)
		return;
	expect(!kernel_parse(raw, keys, &again), "refused: '%s'", raw);
	kernel_check_same(spec, &again, raw);
}

#endif /* PMCT_FUZZ_KERNEL_SIDE_H */
