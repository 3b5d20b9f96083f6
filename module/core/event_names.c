// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of event names, with which monitoring modules name their event sets.
 *
 *	list := [ "coretype=" N ":" ] item { "," item }
 *	item := name { ":" flag }
 *	flag := "u" | "k" | "uk"	count in user mode (default), kernel mode, both
 *		| "ebs=" number		a sample each so many events
 *		| "ip=" number		an instruction's address each so many events
 *
 * Names and flags are those of users (pmctrack -c). As in users' lists, a comma may follow
 * "coretype=N", too. Names come from the backend's table. This file chooses the event codes and the
 * counters, for one core type.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "event_names.h"

#define PMCT_MAX_ITEM	64	/* bytes of an item, with NUL */

/**
 * struct pmct_named_event - an item of a list
 * @text: the item, cut off after the name
 * @usr: count in user mode
 * @os: count in kernel mode
 * @ebs: events between two samples, 0: no event-based sampling
 * @addresses: samples are addresses
 */
struct pmct_named_event {
	char text[PMCT_MAX_ITEM];
	bool usr;
	bool os;
	bool addresses;
	u64 ebs;
};

/**
 * struct pmct_choice - the counters of a set that is being made
 * @backend: backend of the events and counters
 * @type: core type of the set
 * @nr: number of events of the list
 * @used: mask of the counters that have an event
 * @by_counter: the events, indexed by counter
 */
struct pmct_choice {
	const struct pmct_backend *backend;
	const struct pmct_core_type *type;
	unsigned int nr;
	u32 used;
	struct pmct_event *by_counter;
};

static int pmct_parse_flag(struct pmct_named_event *item, const char *flag, struct pmct_msg *msg)
{
	if (!strncmp(flag, "ebs=", 4) || !strncmp(flag, "ip=", 3)) {
		const char *number = strchr(flag, '=') + 1;

		item->addresses = *flag == 'i';
		if (!isdigit(*number) || kstrtou64(number, 10, &item->ebs) || !item->ebs)
			return pmct_refuse(msg, -EINVAL,
					   "%s: ':%s' needs the number of events between two samples",
					   item->text, flag);
		return 0;
	}
	if (!*flag || strspn(flag, "uk") != strlen(flag))
		return pmct_refuse(msg, -EINVAL,
				   "%s: unknown flag ':%s'; there are :u, :k, :uk, :ebs=N and :ip=N",
				   item->text, flag);
	item->usr = strchr(flag, 'u');
	item->os = strchr(flag, 'k');
	return 0;
}

/* Parse the first @len bytes of @text, which are one item. */
static int pmct_parse_name(const char *text, size_t len, struct pmct_named_event *item,
			   struct pmct_msg *msg)
{
	char *rest = item->text;
	char *flag;
	size_t i;
	int err;

	/* isgraph() would accept Latin-1. */
	for (i = 0; i < len; i++) {
		if (!isascii(text[i]) || !isgraph(text[i]))
			return pmct_refuse(msg, -EINVAL,
					   "event list: contains blanks, control characters or other than ASCII");
	}
	if (len >= sizeof(item->text))
		return pmct_refuse(msg, -EINVAL, "event list: '%.32s...' is too long", text);
	memcpy(item->text, text, len);
	item->text[len] = '\0';
	item->usr = true;
	item->os = false;
	item->ebs = 0;
	item->addresses = false;
	strsep(&rest, ":");
	if (!item->text[0])
		return pmct_refuse(msg, -EINVAL,
				   "event list: an event without a name; separate events with single commas");
	while ((flag = strsep(&rest, ":"))) {
		err = pmct_parse_flag(item, flag, msg);
		if (err)
			return err;
	}
	return 0;
}

/* The index of @item in the module's own list, which gives counts their meaning. */
static int pmct_find_event(const struct pmct_named_event *item, const char *const *events,
			   unsigned int nr_events, struct pmct_msg *msg)
{
	struct pmct_named_event event;
	unsigned int i;
	int err;

	for (i = 0; i < nr_events && i < PMCT_MAX_NAMED_EVENTS; i++) {
		if (!events[i])
			continue;
		err = pmct_parse_name(events[i], strlen(events[i]), &event, msg);
		if (err)
			return err;
		if (!strcasecmp(event.text, item->text) && event.usr == item->usr &&
		    event.os == item->os)
			return i;
	}
	return pmct_refuse(msg, -EINVAL, "%s%s: is not in the module's list of events", item->text,
			   !item->os ? "" : item->usr ? ":uk" : ":k");
}

static const struct pmct_event_name *pmct_find_name(const struct pmct_event_table *table,
						    const char *name)
{
	unsigned int i;

	for (i = 0; table && i < table->nr_names; i++) {
		if (!strcasecmp(table->names[i].name, name))
			return &table->names[i];
	}
	return NULL;
}

static const struct pmct_fixed_event *pmct_find_fixed(const struct pmct_event_table *table,
						      u64 code)
{
	unsigned int i;

	for (i = 0; i < table->nr_fixed; i++) {
		if (table->fixed[i].code == code)
			return &table->fixed[i];
	}
	return NULL;
}

static u32 pmct_fixed_counters(const struct pmct_core_type *type)
{
	return type->counters & type->fixed;
}

static u32 pmct_general_counters(const struct pmct_core_type *type)
{
	return type->counters & ~type->fixed;
}

static struct pmct_event pmct_make_event(const struct pmct_choice *choice,
					 const struct pmct_named_event *item,
					 unsigned int counter, u64 code)
{
	struct pmct_event event = {
		.counter = counter,
		.has_code = true,
		.usr = item->usr,
		.os = item->os,
		.code = code,
	};

	if (choice->backend->set_code)
		choice->backend->set_code(&event, code);
	return event;
}

/* True if the PMU can count @code, even if no counter is free. */
static bool pmct_implements(const struct pmct_choice *choice,
			    const struct pmct_named_event *item, u64 code)
{
	const struct pmct_fixed_event *fixed = pmct_find_fixed(choice->backend->events, code);
	const struct pmct_core_type *type = choice->type;
	u32 general = pmct_general_counters(type);
	struct pmct_event event;
	struct pmct_msg unused = {};
	u64 config, mask;

	if (code < type->nr_events && !test_bit(code, type->events))
		return false;
	if (fixed && pmct_fixed_counters(type) & BIT(fixed->counter))
		return true;
	if (!general || (fixed && fixed->only))
		return false;
	/*
	 * The bitmap does not cover all codes, so the backend decides. -EINVAL would be an error in
	 * the table. It is not hidden, because building the set reports it.
	 */
	event = pmct_make_event(choice, item, ffs(general) - 1, code);
	return choice->backend->translate(type, &event, &config, &mask, &unused) != -EOPNOTSUPP;
}

/* Give @code a counter: the fixed one if it is free, otherwise the next general one. */
static int pmct_take_counter(struct pmct_choice *choice, const struct pmct_named_event *item,
			     u64 code, struct pmct_msg *msg)
{
	const struct pmct_fixed_event *fixed = pmct_find_fixed(choice->backend->events, code);
	const struct pmct_core_type *type = choice->type;
	u32 general = pmct_general_counters(type) & ~choice->used;
	struct pmct_event event;

	if (fixed && pmct_fixed_counters(type) & ~choice->used & BIT(fixed->counter)) {
		event = (struct pmct_event) {
			.counter = fixed->counter,
			.usr = item->usr,
			.os = item->os,
		};
	} else if (!general || (fixed && fixed->only)) {
		return pmct_refuse(msg, -E2BIG,
				   "%s: no counter is left for it: the set has %u events, %s has %u counters",
				   item->text, choice->nr, type->name, hweight32(type->counters));
	} else {
		event = pmct_make_event(choice, item, ffs(general) - 1, code);
	}
	event.ebs = item->ebs;
	event.addresses = item->addresses;
	choice->by_counter[event.counter] = event;
	choice->used |= BIT(event.counter);
	return event.counter;
}

/* Returns the number of the counter, or a negative errno. */
static int pmct_choose(struct pmct_choice *choice, const struct pmct_named_event *item,
		       struct pmct_msg *msg)
{
	const struct pmct_event_name *name = pmct_find_name(choice->backend->events, item->text);
	unsigned int i;

	if (!name)
		return pmct_refuse(msg, -EINVAL,
				   "%s: unknown event; the names are those of events/ that have a code",
				   item->text);
	for (i = 0; i < name->nr; i++) {
		if (pmct_implements(choice, item, name->code[i]))
			return pmct_take_counter(choice, item, name->code[i], msg);
	}
	return pmct_refuse(msg, -EOPNOTSUPP, "%s: not an event of %s", item->text,
			   choice->type->name);
}

/**
 * pmct_event_names_has() - can a core type count this event?
 * @backend: a probed backend
 * @core_type: the core type
 * @name: a name of the backend's table
 *
 * Context: process context.
 */
bool pmct_event_names_has(const struct pmct_backend *backend, unsigned int core_type,
			  const struct pmct_event_name *name)
{
	const struct pmct_choice choice = {
		.backend = backend,
		.type = backend->core_type(core_type),
	};
	static const struct pmct_named_event item = { .usr = true };
	unsigned int i;

	for (i = 0; i < name->nr; i++) {
		if (pmct_implements(&choice, &item, name->code[i]))
			return true;
	}
	return false;
}

static unsigned int pmct_count_items(const char *list)
{
	unsigned int nr = 1;

	while ((list = strchr(list, ','))) {
		list++;
		nr++;
	}
	return nr;
}

/* Change the index of the events from counters to consecutive numbers. */
static void pmct_move_together(struct pmct_named_spec *named, u32 used)
{
	unsigned int i;

	for (i = 0; i < PMCTRACK_MAX_COUNTERS; i++) {
		if (!(used & BIT(i)))
			continue;
		named->spec.event[named->spec.nr] = named->spec.event[i];
		named->event[named->spec.nr++] = named->event[i];
	}
}

/**
 * pmct_event_names_core_type() - the core type that a list is for
 * @list: the list; on return, the part after coretype=N
 * @nr_types: number of core types of the machine
 * @core_type: result: N, or PMCT_ANY_CORE_TYPE
 * @msg: on failure, the reason
 *
 * Return: 0, or -EINVAL if there is no such core type.
 */
int pmct_event_names_core_type(const char **list, unsigned int nr_types, int *core_type,
			       struct pmct_msg *msg)
{
	static const char key[] = "coretype=";
	const char *number = *list + sizeof(key) - 1;
	size_t len;

	*core_type = PMCT_ANY_CORE_TYPE;
	if (strncmp(*list, key, sizeof(key) - 1))
		return 0;
	len = strcspn(number, ":,");
	if (len != 1 || !isdigit(*number) || !number[len])
		return pmct_refuse(msg, -EINVAL,
				   "event list: coretype= needs a number, and events: 'coretype=0:instr'");
	if (*number - '0' >= nr_types)
		return pmct_refuse(msg, -EINVAL, "coretype=%c: this machine has core types 0 to %u",
				   *number, nr_types - 1);
	*core_type = *number - '0';
	*list = number + len + 1;
	return 0;
}

/**
 * pmct_event_names_resolve() - make an event set from a list of names
 * @backend: a probed backend
 * @core_type: core type whose counters are used
 * @list: the events, without coretype=
 * @events: all events of the monitoring module, as items of lists; some may be NULL
 * @nr_events: number of @events
 * @named: result; its core type is @core_type
 * @msg: on failure, the reason
 *
 * Return: 0; -EINVAL: an event is unknown, not in @events, or named twice; -EOPNOTSUPP: the PMU
 * does not have an event; -E2BIG: the PMU has too few counters.
 */
int pmct_event_names_resolve(const struct pmct_backend *backend, unsigned int core_type,
			     const char *list, const char *const *events,
			     unsigned int nr_events, struct pmct_named_spec *named,
			     struct pmct_msg *msg)
{
	struct pmct_choice choice = {
		.backend = backend,
		.type = backend->core_type(core_type),
		.nr = pmct_count_items(list),
		.by_counter = named->spec.event,
	};
	struct pmct_named_event item;
	u32 seen = 0;
	int event, counter, err;
	size_t len;

	memset(named, 0, sizeof(*named));
	named->spec.core_type = core_type;
	for (;; list += len + 1) {
		len = strcspn(list, ",");
		err = pmct_parse_name(list, len, &item, msg);
		if (err)
			return err;
		event = pmct_find_event(&item, events, nr_events, msg);
		if (event < 0)
			return event;
		if (seen & BIT(event))
			return pmct_refuse(msg, -EINVAL, "%s: is in the set twice", item.text);
		seen |= BIT(event);
		counter = pmct_choose(&choice, &item, msg);
		if (counter < 0)
			return counter;
		named->event[counter] = event;
		if (!list[len])
			break;
	}
	pmct_move_together(named, choice.used);
	return 0;
}

/**
 * pmct_event_names_map() - find the counts of a module's events in records
 * @named: event set
 * @where: for each of the module's events, its index in pmctrack_record::counts, or U8_MAX if
 *	@named does not count the event
 */
void pmct_event_names_map(const struct pmct_named_spec *named,
			  u8 where[PMCT_MAX_NAMED_EVENTS])
{
	unsigned int i;

	memset(where, U8_MAX, PMCT_MAX_NAMED_EVENTS);
	for (i = 0; i < named->spec.nr; i++)
		where[named->event[i]] = i;
}
