// SPDX-License-Identifier: GPL-2.0-only
/*
 * Raw configuration strings, and the event sets made of them.
 *
 *	string := item { "," item }
 *	item   := "pmc" N [ "=" hex ]	use counter N, with this event code
 *		| "usr" N [ "=" 0|1 ]	count in user mode (default: yes)
 *		| "os" N [ "=" 0|1 ]	count in kernel mode (default: no)
 *		| "ebs" N "=" number	a sample each so many events
 *		| "ip" N "=" number	an address for the monitoring module each so many
 *		| key N [ "=" number ]	what the backend defines ("umask")
 *		| "coretype=" N		for CPUs of this type only
 *
 * The items of a counter may come in any order. This is the only parser of
 * user strings in the module; its input is bounded and NUL-terminated.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "evset.h"

struct pmct_item {
	char key[12];
	bool has_index;
	unsigned int index;
	const char *value;	/* NULL: none */
};

/* What has been seen so far, as masks of counters. */
struct pmct_seen {
	u32 pmc, usr, os, ebs, any;
	u32 extra[PMCT_MAX_KEYS];
};

/* Cut "key[N][=value]" into its parts; @text is modified. */
static int pmct_split_item(char *text, struct pmct_item *item, struct pmct_msg *msg)
{
	size_t len = 0;
	char *p = text;
	char *eq;

	item->value = NULL;
	/* kstrto*() would accept a newline, and isgraph() Latin-1. */
	while (isascii(p[len]) && isgraph(p[len]))
		len++;
	if (p[len])
		return pmct_refuse(msg, -EINVAL,
				   "raw string: contains blanks, control characters or other than ASCII");
	len = 0;
	while (isalpha(p[len]) || p[len] == '_')
		len++;
	if (!len || len >= sizeof(item->key))
		return pmct_refuse(msg, -EINVAL,
				   "raw string: cannot read '%.32s'; expected pmcN[=0xCODE], usrN, osN",
				   text);
	memcpy(item->key, p, len);
	item->key[len] = '\0';
	p += len;

	eq = strchr(p, '=');
	if (eq) {
		*eq = '\0';
		item->value = eq + 1;
	}
	item->has_index = *p != '\0';
	if (item->has_index &&
	    (!isdigit(*p) || kstrtouint(p, 10, &item->index) ||
	     item->index >= PMCTRACK_MAX_COUNTERS))
		return pmct_refuse(msg, -EINVAL,
				   "raw string: '%s%.16s' names no counter; counters are 0 to %d",
				   item->key, p, PMCTRACK_MAX_COUNTERS - 1);
	return 0;
}

static int pmct_item_u64(const struct pmct_item *item, unsigned int base, u64 max,
			 u64 *value, struct pmct_msg *msg)
{
	if (!item->value || !isxdigit(item->value[0]) ||
	    kstrtou64(item->value, base, value) || *value > max)
		return pmct_refuse(msg, -EINVAL,
				   "raw string: %s%u needs a %snumber up to %#llx, not '%.24s'",
				   item->key, item->index, base == 16 ? "hexadecimal " : "",
				   max, item->value ?: "nothing");
	return 0;
}

/* "usr3" means "usr3=1". */
static int pmct_item_bool(const struct pmct_item *item, bool *value, struct pmct_msg *msg)
{
	u64 number = 1;
	int err;

	if (item->value) {
		err = pmct_item_u64(item, 10, 1, &number, msg);
		if (err)
			return err;
	}
	*value = number;
	return 0;
}

static int pmct_once(u32 *seen, const struct pmct_item *item, struct pmct_msg *msg)
{
	if (*seen & BIT(item->index))
		return pmct_refuse(msg, -EINVAL, "raw string: %s%u is given twice",
				   item->key, item->index);
	*seen |= BIT(item->index);
	return 0;
}

/* Apply an item that belongs to one counter. */
static int pmct_apply_item(const struct pmct_item *item, const char *const *keys,
			   struct pmct_event *event, struct pmct_seen *seen,
			   struct pmct_msg *msg)
{
	unsigned int k;
	u64 value = 1;
	int err;

	seen->any |= BIT(item->index);
	if (!strcmp(item->key, "pmc")) {
		event->has_code = item->value;
		return pmct_once(&seen->pmc, item, msg) ?:
		       item->value ? pmct_item_u64(item, 16, U64_MAX, &event->code, msg) : 0;
	}
	if (!strcmp(item->key, "usr"))
		return pmct_once(&seen->usr, item, msg) ?:
		       pmct_item_bool(item, &event->usr, msg);
	if (!strcmp(item->key, "os"))
		return pmct_once(&seen->os, item, msg) ?:
		       pmct_item_bool(item, &event->os, msg);
	if (!strcmp(item->key, "ebs") || !strcmp(item->key, "ip")) {
		event->addresses = item->key[0] == 'i';
		err = pmct_once(&seen->ebs, item, msg) ?:
		      pmct_item_u64(item, 10, U64_MAX, &event->ebs, msg);
		if (!err && !event->ebs)
			err = pmct_refuse(msg, -EINVAL,
					  "raw string: %s%u=0: give the number of events between two samples",
					  item->key, item->index);
		return err;
	}
	for (k = 0; keys && k < PMCT_MAX_KEYS && keys[k]; k++) {
		if (strcmp(item->key, keys[k]))
			continue;
		err = pmct_once(&seen->extra[k], item, msg);
		if (!err && item->value)
			err = pmct_item_u64(item, 0, U32_MAX, &value, msg);
		event->extra[k] = value;
		return err;
	}
	return pmct_refuse(msg, -EINVAL, "raw string: this PMU knows no key '%s'", item->key);
}

static int pmct_parse_item(char *text, const char *const *keys,
			   struct pmct_event *by_counter, struct pmct_seen *seen,
			   int *core_type, struct pmct_msg *msg)
{
	struct pmct_item item;
	u64 value;
	int err;

	err = pmct_split_item(text, &item, msg);
	if (err)
		return err;
	if (item.has_index)
		return pmct_apply_item(&item, keys, &by_counter[item.index], seen, msg);
	if (strcmp(item.key, "coretype"))
		return pmct_refuse(msg, -EINVAL,
				   "raw string: '%s' lacks the number of its counter", item.key);
	if (*core_type != PMCT_ANY_CORE_TYPE)
		return pmct_refuse(msg, -EINVAL, "raw string: coretype is given twice");
	item.index = 0;
	err = pmct_item_u64(&item, 10, PMCTRACK_MAX_CORE_TYPES - 1, &value, msg);
	if (!err)
		*core_type = value;
	return err;
}

/**
 * pmct_evset_parse() - parse a raw configuration string
 * @raw: the string, shorter than PMCTRACK_MAX_RAW
 * @keys: further keys of the backend, NULL-terminated; NULL: none
 * @spec: result
 * @msg: on failure, the reason
 *
 * Return: 0, -EINVAL if @raw does not follow the grammar, -E2BIG if it is too long.
 */
int pmct_evset_parse(const char *raw, const char *const *keys,
		     struct pmct_evset_spec *spec, struct pmct_msg *msg)
{
	/* The array is indexed by counter first, then its elements are moved together. */
	struct pmct_event *by_counter = spec->event;
	char buf[PMCTRACK_MAX_RAW];
	struct pmct_seen seen = {};
	char *rest = buf;
	char *text;
	int err;
	int i;

	if (strscpy(buf, raw, sizeof(buf)) < 0)
		return pmct_refuse(msg, -E2BIG, "raw string: longer than %zu bytes",
				   sizeof(buf) - 1);

	memset(spec, 0, sizeof(*spec));
	for (i = 0; i < PMCTRACK_MAX_COUNTERS; i++) {
		by_counter[i].counter = i;
		by_counter[i].usr = true;
	}
	spec->core_type = PMCT_ANY_CORE_TYPE;

	while ((text = strsep(&rest, ","))) {
		err = pmct_parse_item(text, keys, by_counter, &seen, &spec->core_type, msg);
		if (err)
			return err;
	}

	if (seen.any & ~seen.pmc)
		return pmct_refuse(msg, -EINVAL,
				   "raw string: counter %d has settings, but pmc%d is not used",
				   ffs(seen.any & ~seen.pmc) - 1, ffs(seen.any & ~seen.pmc) - 1);
	if (!seen.pmc)
		return pmct_refuse(msg, -EINVAL, "raw string: uses no counter");

	for (i = 0; i < PMCTRACK_MAX_COUNTERS; i++) {
		if (!(seen.pmc & BIT(i)))
			continue;
		if (!by_counter[i].usr && !by_counter[i].os)
			return pmct_refuse(msg, -EINVAL,
					   "raw string: pmc%d counts neither in user nor in kernel mode; set usr%d or os%d",
					   i, i, i);
		spec->event[spec->nr++] = by_counter[i];
	}
	return 0;
}

struct pmct_text {
	char *buf;
	size_t size;
	size_t len;
};

__printf(2, 3)
static void pmct_text_add(struct pmct_text *text, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	text->len += vscnprintf(text->buf + text->len, text->size - text->len, fmt, args);
	va_end(args);
}

static void pmct_print_event(const struct pmct_event *event, const char *const *keys,
			     struct pmct_text *text)
{
	unsigned int k;

	pmct_text_add(text, "%spmc%u", text->len ? "," : "", event->counter);
	if (event->has_code)
		pmct_text_add(text, "=0x%llx", event->code);
	for (k = 0; keys && k < PMCT_MAX_KEYS && keys[k]; k++) {
		if (event->extra[k])
			pmct_text_add(text, ",%s%u=0x%x", keys[k], event->counter,
				      event->extra[k]);
	}
	if (!event->usr)
		pmct_text_add(text, ",usr%u=0", event->counter);
	if (event->os)
		pmct_text_add(text, ",os%u=1", event->counter);
	if (event->ebs)
		pmct_text_add(text, ",%s%u=%llu", event->addresses ? "ip" : "ebs", event->counter,
			      event->ebs);
}

/**
 * pmct_evset_print() - write the raw configuration string of a set
 * @spec: the set, with at least one event
 * @keys: further keys of the backend, NULL-terminated; NULL: none
 * @raw: where the string goes
 * @size: bytes of @raw, at least 1
 *
 * The inverse of pmct_evset_parse().
 *
 * Return: 0, -E2BIG if it does not fit.
 */
int pmct_evset_print(const struct pmct_evset_spec *spec, const char *const *keys,
		     char *raw, size_t size)
{
	struct pmct_text text = { .buf = raw, .size = size };
	unsigned int i;

	raw[0] = '\0';
	for (i = 0; i < spec->nr; i++)
		pmct_print_event(&spec->event[i], keys, &text);
	if (spec->core_type != PMCT_ANY_CORE_TYPE)
		pmct_text_add(&text, ",coretype=%d", spec->core_type);
	/* A string that fills the buffer may be truncated. */
	return text.len < size - 1 ? 0 : -E2BIG;
}

/* True if the set counts in kernel mode, which needs a privilege. */
bool pmct_evset_counts_kernel(const struct pmct_evset_spec *spec)
{
	unsigned int i;

	for (i = 0; i < spec->nr; i++) {
		if (spec->event[i].os)
			return true;
	}
	return false;
}

static int pmct_evset_add_ebs(struct pmct_hwset *set, unsigned int i,
			      const struct pmct_event *event, struct pmct_msg *msg)
{
	if (set->ebs)
		return pmct_refuse(msg, -EINVAL,
				   "ebs%u and ebs%u: one counter of a set can sample; drop one",
				   set->counter[set->ebs_index], event->counter);
	if (event->ebs < PMCT_EBS_MIN || event->ebs > S64_MAX)
		return pmct_refuse(msg, -EINVAL,
				   "ebs%u=%llu: at least %d events between two samples, at most %llu",
				   event->counter, event->ebs, PMCT_EBS_MIN, (u64)S64_MAX);
	set->ebs = event->ebs;
	set->ebs_index = i;
	set->ebs_kernel = event->os;
	set->addresses = event->addresses;
	set->narrow = true;
	return 0;
}

/**
 * pmct_evset_build() - make an event set for a core type
 * @backend: a probed backend
 * @spec: what to count
 * @core_type: core type that the set is for
 * @set: result; its index is 0
 * @msg: on failure, the reason
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP if this PMU cannot count it.
 */
int pmct_evset_build(const struct pmct_backend *backend,
		     const struct pmct_evset_spec *spec, unsigned int core_type,
		     struct pmct_hwset *set, struct pmct_msg *msg)
{
	const struct pmct_core_type *type = backend->core_type(core_type);
	unsigned int i;
	int err;

	memset(set, 0, sizeof(*set));
	set->core_type = core_type;
	for (i = 0; i < spec->nr; i++) {
		const struct pmct_event *event = &spec->event[i];

		if (!(type->counters & BIT(event->counter)))
			return pmct_refuse(msg, -EINVAL,
					   "pmc%u: %s has %u counters (mask %#x); see 'pmc-events -I'",
					   event->counter, type->name,
					   hweight32(type->counters), type->counters);
		err = backend->translate(type, event, &set->config[i], &set->mask[i], msg);
		if (err)
			return err;
		set->counter[i] = event->counter;
		err = event->ebs ? pmct_evset_add_ebs(set, i, event, msg) : 0;
		if (err)
			return err;
		set->counters |= BIT(event->counter);
		set->narrow |= set->mask[i] < PMCT_WIDE_MASK || backend->missed;
		set->wraps |= set->narrow || set->mask[i] != U64_MAX;
	}
	set->nr = spec->nr;
	return 0;
}
