// SPDX-License-Identifier: LGPL-2.1-or-later
/* Event sets: making them from raw strings, names of their events, and access to their members. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_set.h"
#include "internal.h"

void evset_append(struct pmctrack_evset *set, const char *fmt, ...)
{
	size_t len = strlen(set->raw);
	va_list args;

	va_start(args, fmt);
	vsnprintf(set->raw + len, sizeof(set->raw) - len, fmt, args);
	va_end(args);
}

/* --- names ---------------------------------------------------------------- */

static void append_name(char *name, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Append to an event's name, but leave room for "@pmcN". */
static void append_name(char *name, const char *fmt, ...)
{
	size_t len = strlen(name), size = MAX_EVENT_NAME - sizeof("@pmc31");
	va_list args;

	va_start(args, fmt);
	vsnprintf(name + len, size - len, fmt, args);
	va_end(args);
}

void evset_make_names_unique(struct pmctrack_evset *set)
{
	bool twice[PMCTRACK_MAX_COUNTERS] = { false };

	for (unsigned int i = 0; i < set->nr; i++) {
		for (unsigned int j = 0; j < i; j++) {
			if (strcasecmp(set->event[i].name, set->event[j].name) == 0)
				twice[i] = twice[j] = true;
		}
	}
	for (unsigned int i = 0; i < set->nr; i++) {
		if (twice[i])
			sprintf(set->event[i].name + strlen(set->event[i].name), "@pmc%u",
				set->event[i].counter);
	}
}

/* The mode ":u" is the default, and not part of an event's name. */
static size_t length_without_mode_u(const char *event)
{
	size_t len = strlen(event);

	return len > 2 && strcmp(event + len - 2, ":u") == 0 ? len - 2 : len;
}

/* Upper and lower case are the same, as in lists of mnemonics. */
static bool name_begins(const char *name, const char *event, size_t len, char next)
{
	return strncasecmp(name, event, len) == 0 && name[len] == next;
}

static void list_names(const struct pmctrack_evset *set, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < set->nr && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%s", i ? "," : "",
					set->event[i].name);
}

int pmctrack_evset__find(const struct pmctrack_evset *set, const char *event)
{
	size_t len = length_without_mode_u(event);
	char names[300];

	for (unsigned int i = 0; len && i < set->nr; i++) {
		const char *name = set->event[i].name;

		if (name_begins(name, event, len, '\0') || name_begins(name, event, len, '@'))
			return (int)i;
	}
	list_names(set, names, sizeof(names));
	return fail(ENOENT, "event '%.60s' is not in the set, which counts %s", event, names);
}

int pmctrack_record__count(const struct pmctrack_record *rec, const struct pmctrack_evset *set,
			   const char *event, uint64_t *value)
{
	int i;

	if (!set || !rec->nr_counts)
		return fail(ENODATA, "event '%.60s': the record has no counts", event);
	i = pmctrack_evset__find(set, event);
	if (i < 0)
		return i;
	if (i >= rec->nr_counts)
		return fail(ENODATA, "event '%.60s': the record is of another event set", event);
	*value = rec->counts[i];
	return 0;
}

/* --- raw strings ---------------------------------------------------------- */

/* The items of a raw string that belong to one counter, as they are written there. */
struct raw_event {
	const char *event;	/* the code, or "pmcN"; NULL: the counter is not used */
	char fields[MAX_EVENT_NAME];	/* event select register: ":umask=0x41:edge" */
	bool no_user;
	bool kernel;
};

static bool is_on(const char *value)
{
	return !value || strtoul(value, NULL, 10);
}

/* Read one item, for example "umask3=0x41". Bad items are ignored; the kernel refuses them. */
static void read_item(struct raw_event *events, struct pmctrack_evset *set, char *item)
{
	size_t len = strspn(item, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
	struct raw_event *e;
	unsigned long n;
	char *value;

	if (strncmp(item, "coretype=", 9) == 0)
		set->core_type = atoi(item + 9);
	if (!isdigit((unsigned char)item[len]))
		return;
	n = strtoul(item + len, &value, 10);
	if (n >= PMCTRACK_MAX_COUNTERS)
		return;
	e = &events[n];
	value = *value == '=' ? value + 1 : NULL;
	if (len == 3 && strncmp(item, "pmc", len) == 0)
		e->event = value ? value : item;
	else if (len == 3 && strncmp(item, "usr", len) == 0)
		e->no_user = !is_on(value);
	else if (len == 2 && strncmp(item, "os", len) == 0)
		e->kernel = is_on(value);
	else if (len != 3 || strncmp(item, "ebs", len))
		append_name(e->fields, ":%.*s%s%s", (int)len, item, value ? "=" : "",
			    value ? value : "");
}

/*
 * Append an item to the raw string, in the form that the kernel accepts: "ebsN" without
 * a number, as in PMCTrack 4.0, gets the number. Returns false if the item does not fit.
 */
static bool copy_item(struct pmctrack_evset *set, const char *separator, const char *item)
{
	bool ebs = strncmp(item, "ebs", 3) == 0 && isdigit((unsigned char)item[3]) &&
		   item[3 + strspn(item + 3, "0123456789")] == '\0';
	size_t len = strlen(set->raw), room = sizeof(set->raw) - len;
	char number[16] = "";

	if (ebs)
		snprintf(number, sizeof(number), "=%d", PMCTRACK_EBS_DEFAULT);
	return (size_t)snprintf(set->raw + len, room, "%s%s%s", separator, item, number) < room;
}

static void name_events(struct pmctrack_evset *set, const struct raw_event *events)
{
	for (unsigned int n = 0; n < PMCTRACK_MAX_COUNTERS; n++) {
		const struct raw_event *e = &events[n];

		if (!e->event)
			continue;
		set->event[set->nr].counter = n;
		append_name(set->event[set->nr++].name, "%s%s%s", e->event, e->fields,
			    !e->kernel ? "" : e->no_user ? ":k" : ":uk");
	}
	evset_make_names_unique(set);
}

/* Here, only the counters and their events are read; the kernel parses the whole string. */
struct pmctrack_evset *pmctrack_evset__parse_raw(const struct pmctrack_ctl *ctl, const char *raw)
{
	struct raw_event events[PMCTRACK_MAX_COUNTERS] = { { .event = NULL } };
	struct pmctrack_evset *set = calloc(1, sizeof(*set));
	char *copy = strdup(raw), *rest = copy, *item;
	int err = set && copy ? 0 : ENOMEM;

	(void)ctl;
	if (!err)
		set->core_type = -1;
	while (!err && (item = strsep(&rest, ","))) {
		err = copy_item(set, item == copy ? "" : ",", item) ? 0 : E2BIG;
		read_item(events, set, item);
	}
	if (!err)
		name_events(set, events);
	free(copy);
	if (!err && set->nr)
		return set;
	free(set);
	if (err == ENOMEM)
		return fail_null(ENOMEM, "no memory");
	return err ? fail_null(E2BIG, "raw string longer than %d bytes", PMCTRACK_MAX_RAW - 1) :
	       fail_null(EINVAL, "raw string '%.60s' uses no counter (pmcN)", raw);
}

/* --- members of a set -------------------------------------------------------- */

struct pmctrack_evset *evset_copy(const struct pmctrack_evset *set)
{
	struct pmctrack_evset *copy = malloc(sizeof(*copy));

	if (!copy)
		return fail_null(ENOMEM, "no memory");
	*copy = *set;
	return copy;
}

void pmctrack_evset__free(struct pmctrack_evset *set)
{
	free(set);
}

int pmctrack_evset__core_type(const struct pmctrack_evset *set)
{
	return set->core_type;
}

int pmctrack_evset__of_record(struct pmctrack_evset *const *sets, unsigned int nr,
			      const struct pmctrack_record *rec)
{
	unsigned int index = 0;

	/* rec->set counts only the sets of the record's core type. */
	for (unsigned int i = 0; i < nr; i++) {
		if (sets[i]->core_type >= 0 && sets[i]->core_type != rec->core_type)
			continue;
		if (index++ == rec->set)
			return (int)i;
	}
	return -ENOENT;
}

const char *pmctrack_evset__raw(const struct pmctrack_evset *set)
{
	return set->raw;
}

unsigned int pmctrack_evset__nr(const struct pmctrack_evset *set)
{
	return set->nr;
}

unsigned int pmctrack_evset__counter(const struct pmctrack_evset *set, unsigned int i)
{
	return set->event[i].counter;
}

const char *pmctrack_evset__name(const struct pmctrack_evset *set, unsigned int i)
{
	return set->event[i].name;
}
