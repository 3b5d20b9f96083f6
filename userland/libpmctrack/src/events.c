// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Translate mnemonics into raw strings: look up each event, choose a counter for it,
 * and write the string that the kernel parses. Also: list the events of a PMU.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_set.h"
#include "internal.h"

/* One event of a list of mnemonics. */
struct wanted {
	char name[MAX_NAME];	/* as the user wrote it, without flags */
	bool usr;
	bool os;
	uint64_t ebs;		/* events between two samples, 0: none */
	uint64_t code;
};

bool pmu_implements(const struct pmu *pmu, uint64_t code)
{
	if (code >= pmu->nr_events)
		return true;	/* not known here: the kernel checks it */
	return pmu->events[code / 8] & (1 << code % 8);
}

/* Event, unit mask, edge (18), any (21), inv (23), cmask of an event select register */
#define X86_CODE	(0xfff00ffffull | 1u << 18 | 1u << 21 | 1u << 23)

bool pmu_is_perf(const struct pmu *pmu)
{
	return strcmp(pmu->model, "perf") == 0;
}

/* A simulated PMU has event codes of its own: the table of this machine's CPU does not apply. */
static bool pmu_is_simulated(const struct pmu *pmu)
{
	return strncmp(pmu->model, "sim=", 4) == 0;
}

static bool pmu_is_x86(const struct pmu *pmu)
{
	return strncmp(pmu->model, "x86=", 4) == 0;
}

const char *pmu_table(const struct pmu *pmu, uint64_t *limit)
{
	const char *present = vendor_table_present();

	*limit = 0;
	/* These backends use codes of their own, not those of the CPU. */
	if (pmu_is_perf(pmu) || pmu_is_simulated(pmu))
		return NULL;
	return present ? present : event_file_table(pmu->file, limit);
}

/* Look up "0x…", a name of the event file, or one of the table. Returns 0, -EINVAL or -ENOENT. */
static int find_code(const struct pmu *pmu, const char *name, uint64_t *code)
{
	uint64_t limit;
	const char *table;
	char *end;

	if (name[0] == '0' && (name[1] == 'x' || name[1] == 'X')) {
		errno = 0;
		*code = strtoull(name, &end, 16);
		return errno || *end || !name[2] ? -EINVAL : 0;
	}
	if (event_file_code(pmu->file, name, code) == 0)
		return 0;
	table = pmu_table(pmu, &limit);
	if (!table)
		return -ENOENT;
	return pmu_is_x86(pmu) ? vendor_table_find_x86(table, name, code) : vendor_table_find(table, limit, name, code);
}

static int resolve_alias(const struct pmu *pmu, const char *name, const char *const *events,
			 uint64_t *code)
{
	for (; *events; events++) {
		if (find_code(pmu, *events, code) == 0 && pmu_implements(pmu, *code))
			return 0;
	}
	return fail(EOPNOTSUPP, "event '%s': %s has no event for it; 'pmc-events -L' lists those it has",
		    name, pmu->name);
}

static int resolve(const struct pmu *pmu, const char *name, uint64_t *code)
{
	const char *const *alias = event_file_alias(pmu->file, name);
	int err;

	if (alias)
		return resolve_alias(pmu, name, alias, code);
	err = find_code(pmu, name, code);
	if (!err && pmu_is_x86(pmu) && *code & ~X86_CODE)
		return fail(EINVAL, "event '%s': bits 0x%llx are no part of an event code", name,
			    (unsigned long long)(*code & ~X86_CODE));
	if (err == -EINVAL)
		return fail(EINVAL, "event '%s': not a hexadecimal code", name);
	if (err)
		return fail(EINVAL, "unknown event '%s'; 'pmc-events -L' lists the events of this machine",
			    name);
	if (!pmu_implements(pmu, *code))
		return fail(EOPNOTSUPP, "event '%s' (0x%llx): %s does not have it; 'pmc-events -L' lists those it has",
			    name, (unsigned long long)*code, pmu->name);
	return 0;
}

static int parse_flag(struct wanted *w, const char *flag)
{
	char *end;

	if (strcmp(flag, "ebs") == 0) {
		w->ebs = PMCTRACK_EBS_DEFAULT;
		return 0;
	}
	if (strncmp(flag, "ebs=", 4) == 0) {
		errno = 0;
		w->ebs = strtoull(flag + 4, &end, 10);
		if (errno || *end || !isdigit((unsigned char)flag[4]) || !w->ebs)
			return fail(EINVAL, "event '%s': ':%s' needs the number of events between two samples",
				    w->name, flag);
		return 0;
	}
	if (!*flag || strspn(flag, "uk") != strlen(flag))
		return fail(EINVAL, "event '%s': unknown flag ':%s'; there are :u (user mode), :k (kernel mode), :uk, :ebs and :ebs=N",
			    w->name, flag);
	w->usr = strchr(flag, 'u');
	w->os = strchr(flag, 'k');
	return 0;
}

static int parse_item(const struct pmu *pmu, char *item, struct wanted *w)
{
	char *name = strsep(&item, ":");
	char *flag;
	int err;

	if (!*name)
		return fail(EINVAL, "empty event name; separate events with single commas");
	if (strlen(name) >= sizeof(w->name))
		return fail(EINVAL, "event '%.40s...': name too long", name);
	memset(w, 0, sizeof(*w));
	strcpy(w->name, name);
	w->usr = true;
	while ((flag = strsep(&item, ":"))) {
		err = parse_flag(w, flag);
		if (err)
			return err;
	}
	return resolve(pmu, w->name, &w->code);
}

static unsigned int bits(uint32_t mask)
{
	return (unsigned int)__builtin_popcount(mask);
}

/* Choose a counter for the event: its fixed counter if that is free, else a general counter. */
static int assign(const struct pmu *pmu, const struct wanted *w, uint32_t *used,
		  unsigned int *counter, bool *needs_code)
{
	uint32_t general = pmu->counters & ~pmu->fixed & ~*used;

	*needs_code = false;
	if (event_file_fixed(pmu->file, w->code, counter) && (pmu->fixed & 1u << *counter) &&
	    !(*used & 1u << *counter)) {
		*used |= 1u << *counter;
		return 0;
	}
	if (event_file_fixed_only(pmu->file, w->code)) {
		if (!(pmu->fixed & 1u << *counter))
			return fail(EOPNOTSUPP, "event '%s': %s has no counter for it", w->name, pmu->name);
		general = 0;
	}
	if (!general)
		return fail(ENOSPC, "no counter left for '%s': %s has %u general counters and %u for fixed events; ask for fewer events, or run twice",
			    w->name, pmu->name, bits(pmu->counters & ~pmu->fixed), bits(pmu->fixed));
	*counter = (unsigned int)__builtin_ctz(general);
	*used |= 1u << *counter;
	*needs_code = true;
	return 0;
}

/* On x86, the code has the layout of an event select register; the raw string has its fields. */
static void append_code(struct pmctrack_evset *set, const struct pmu *pmu, unsigned int counter,
			uint64_t code)
{
	unsigned int event = (code & 0xff) | (code >> 24 & 0xf00);

	if (!pmu_is_x86(pmu)) {
		evset_append(set, "=0x%llx", (unsigned long long)code);
		return;
	}
	evset_append(set, "=0x%x", event);
	if (code >> 8 & 0xff)
		evset_append(set, ",umask%u=0x%x", counter, (unsigned int)(code >> 8 & 0xff));
	if (code >> 24 & 0xff)
		evset_append(set, ",cmask%u=%u", counter, (unsigned int)(code >> 24 & 0xff));
	if (code & 1 << 18)
		evset_append(set, ",edge%u", counter);
	if (code & 1 << 21)
		evset_append(set, ",any%u", counter);
	if (code & 1 << 23)
		evset_append(set, ",inv%u", counter);
}

static int add(struct pmctrack_evset *set, const struct pmu *pmu, const struct wanted *w)
{
	unsigned int counter, i;
	bool needs_code;
	int err;

	err = assign(pmu, w, &set->used, &counter, &needs_code);
	if (err)
		return err;
	evset_append(set, "%spmc%u", set->nr ? "," : "", counter);
	if (needs_code)
		append_code(set, pmu, counter, w->code);
	if (!w->usr)
		evset_append(set, ",usr%u=0", counter);
	if (w->os)
		evset_append(set, ",os%u=1", counter);
	if (w->ebs)
		evset_append(set, ",ebs%u=%llu", counter, (unsigned long long)w->ebs);

	/* Records have their counts in the order of the counters, so sort the events, too. */
	for (i = set->nr; i > 0 && set->event[i - 1].counter > counter; i--)
		set->event[i] = set->event[i - 1];
	set->event[i].counter = counter;
	snprintf(set->event[i].name, sizeof(set->event[i].name), "%.*s%s", MAX_NAME - 4, w->name,
		 !w->os ? "" : w->usr ? ":uk" : ":k");
	set->nr++;
	return 0;
}

static struct pmctrack_evset *new_set(const struct pmctrack_ctl *ctl, unsigned int pmu)
{
	struct pmctrack_evset *set = calloc(1, sizeof(*set));

	if (!set)
		return fail_null(ENOMEM, "no memory");
	set->core_type = ctl->nr_pmus > 1 ? (int)pmu : -1;
	return set;
}

/* Without coretype=, the kernel would apply the set to all core types. */
static int finish_set(struct pmctrack_evset *set)
{
	if (!set->nr)
		return fail(EINVAL, "an event set without an event");
	if (set->core_type >= 0)
		evset_append(set, ",coretype=%d", set->core_type);
	if (strlen(set->raw) >= sizeof(set->raw) - 1)
		return fail(E2BIG, "event set too long");
	evset_make_names_unique(set);
	return 0;
}

/*
 * Append the sets for @list to @sets, which has @nr sets already. Returns the new number
 * of sets or a negative errno. Items coretype=N are skipped, see named_pmu().
 */
static int parse_sets(const struct pmctrack_ctl *ctl, unsigned int i, char *list,
		      struct pmctrack_evset **sets, unsigned int nr, unsigned int max)
{
	const struct pmu *pmu = &ctl->pmus[i];
	struct wanted w;
	char *item;
	int err;

	if (nr == max)
		return fail(E2BIG, "more than %u event sets", max);
	sets[nr] = new_set(ctl, i);
	if (!sets[nr])
		return -ENOMEM;
	nr++;
	while ((item = strsep(&list, ","))) {
		if (strncmp(item, "coretype=", 9) == 0)
			continue;
		err = parse_item(pmu, item, &w);
		if (!err)
			err = add(sets[nr - 1], pmu, &w);
		/* Add the event to one more set: the first event of a set always fits. */
		if (err == -ENOSPC && nr < max) {
			sets[nr] = new_set(ctl, i);
			if (!sets[nr])
				return -ENOMEM;
			err = add(sets[nr++], pmu, &w);
		}
		if (err)
			return err;
	}
	return (int)nr;
}

/* Returns the PMU that an item coretype=N names; -ENOENT: there is no such item. */
static int named_pmu(const struct pmctrack_ctl *ctl, const char *events)
{
	const char *p = events, *number;
	int named = -ENOENT;
	unsigned long n;
	char *end;

	for (; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
		if (strncmp(p, "coretype=", 9))
			continue;
		number = p + 9;
		n = strtoul(number, &end, 10);
		if (!isdigit((unsigned char)*number) || (*end && *end != ','))
			return fail(EINVAL, "'%.40s': coretype needs a number", p);
		if (n >= ctl->nr_pmus)
			return fail(EINVAL, "coretype=%lu: this machine has core types 0 to %u", n,
				    ctl->nr_pmus - 1);
		if (named >= 0)
			return fail(EINVAL, "coretype is given twice");
		named = (int)n;
	}
	return named;
}

int pmctrack_evset__parse_list(const struct pmctrack_ctl *ctl, const char *events, uint32_t flags,
			       struct pmctrack_evset **sets, unsigned int max)
{
	unsigned int first = 0, last;
	int named, nr = 0;

	if (!ctl)
		return -errno;
	named = named_pmu(ctl, events);
	if (named < 0 && named != -ENOENT)
		return named;
	last = ctl->nr_pmus - 1;
	if (named >= 0)
		first = last = (unsigned int)named;
	memset(sets, 0, max * sizeof(*sets));
	for (unsigned int i = first; nr >= 0 && i <= last; i++) {
		unsigned int room = flags & PMCTRACK_EVSET_STRICT && (unsigned int)nr < max ?
				    (unsigned int)nr + 1 : max;
		char *copy = strdup(events);

		nr = copy ? parse_sets(ctl, i, copy, sets, (unsigned int)nr, room) :
			    fail(ENOMEM, "no memory");
		free(copy);
	}
	for (int i = 0; i < nr; i++) {
		int err = finish_set(sets[i]);

		if (err)
			nr = err;
	}
	for (unsigned int i = 0; nr < 0 && i < max && sets[i]; i++) {
		free(sets[i]);
		sets[i] = NULL;
	}
	return nr;
}

struct pmctrack_evset *pmctrack_evset__parse(const struct pmctrack_ctl *ctl, unsigned int i,
					     const char *events)
{
	struct pmctrack_evset *set = NULL;
	int named, err;
	char *copy;

	if (!ctl)
		return NULL;
	if (i >= ctl->nr_pmus)
		return fail_null(EINVAL, "no PMU %u: this machine has %u", i, ctl->nr_pmus);
	named = named_pmu(ctl, events);
	if (named >= 0 && named != (int)i)
		return fail_null(EINVAL, "coretype=%d: the events are asked for PMU %u", named, i);
	copy = strdup(events);
	err = copy ? 0 : fail(ENOMEM, "no memory");
	if (named < 0 && named != -ENOENT)
		err = named;
	if (!err)
		err = parse_sets(ctl, i, copy, &set, 0, 1);
	free(copy);
	if (err > 0)
		err = finish_set(set);
	if (!err)
		return set;
	free(set);
	errno = -err;
	return NULL;
}

/* A call of pmctrack_ctl__each_event(). It lists portable names first, then the table. */
struct listing {
	const struct pmu *pmu;
	int (*fn)(const struct pmctrack_event_info *info, void *arg);
	void *arg;
};

static int list_alias(const char *name, const char *const *events, void *arg)
{
	struct listing *l = arg;
	struct pmctrack_event_info info = { .name = name, .desc = "" };

	for (; *events; events++) {
		if (find_code(l->pmu, *events, &info.code) || !pmu_implements(l->pmu, info.code))
			continue;
		info.alias_of = *events;
		return l->fn(&info, l->arg);
	}
	return 0;
}

static int list_event(const struct pmctrack_event_info *info, void *arg)
{
	struct listing *l = arg;

	return pmu_implements(l->pmu, info->code) ? l->fn(info, l->arg) : 0;
}

int pmctrack_ctl__each_event(const struct pmctrack_ctl *ctl, unsigned int i,
			     int (*fn)(const struct pmctrack_event_info *info, void *arg),
			     void *arg)
{
	struct listing l = { .fn = fn, .arg = arg };
	const char *table;
	uint64_t limit;
	int ret;

	if (i >= ctl->nr_pmus)
		return fail(EINVAL, "no PMU %u: this machine has %u", i, ctl->nr_pmus);
	l.pmu = &ctl->pmus[i];
	table = pmu_table(l.pmu, &limit);
	ret = event_file_each_alias(l.pmu->file, list_alias, &l);
	if (ret || !table)
		return ret;
	return pmu_is_x86(l.pmu) ? vendor_table_each_x86(table, list_event, &l) :
				   vendor_table_each(table, limit, list_event, &l);
}
