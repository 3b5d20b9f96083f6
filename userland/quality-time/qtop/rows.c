// SPDX-License-Identifier: GPL-2.0-or-later
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qtop/rows.h"
#include "watch/groups.h"

const char *const rows_by_names[NR_BY] = { "process", "user", "group" };
const char *const rows_order_names[NR_ORDERS] = { "cpu", "quality", "lost", "waiting", "name", "pid" };

struct filling {
	struct rows *rows;
	struct processes *p;
	const struct choice *choice;
	bool complete;
};

/* The name of a user. The last answers are cached, because a lookup may use the network. */
static const char *user_name(uid_t uid)
{
	static struct { uid_t uid; char name[16]; } known[64];
	static unsigned int nr, next;
	const struct passwd *pw;

	if (uid == (uid_t)-1)
		return "?";
	for (unsigned int i = 0; i < nr; i++) {
		if (known[i].uid == uid)
			return known[i].name;
	}
	if (nr < 64)
		nr++;
	known[next].uid = uid;
	pw = getpwuid(uid);
	if (pw)
		snprintf(known[next].name, sizeof(known[next].name), "%.15s", pw->pw_name);
	else
		snprintf(known[next].name, sizeof(known[next].name), "%u", uid);
	next = (next + 1) % 64;
	return known[(next + 63) % 64].name;
}

static bool is_wanted(const struct choice *c, const struct process *of)
{
	const char *user = user_name(of->uid);

	if (c->only_user && of->uid != c->uid)
		return false;
	return !c->filter[0] || strstr(of->name, c->filter) || strstr(user, c->filter) ||
	       strstr(of->group, c->filter);
}

static void name_row(struct row *row, const struct process *of, enum by by)
{
	switch (by) {
	case BY_PROCESS:
	case NR_BY:
		snprintf(row->title, sizeof(row->title), "%s", of->name);
		break;
	case BY_USER:
		snprintf(row->title, sizeof(row->title), "%s", user_name(of->uid));
		break;
	case BY_GROUP:
		groups_title(of->group, row->title, sizeof(row->title));
		break;
	}
	snprintf(row->user, sizeof(row->user), "%s", user_name(of->uid));
}

static struct row *new_row(struct rows *r)
{
	unsigned int room = r->room ? 2 * r->room : 64;
	struct row *of;

	if (r->nr == r->room) {
		of = realloc(r->of, room * sizeof(*of));
		if (!of)
			return NULL;
		r->of = of;
		r->room = room;
	}
	of = &r->of[r->nr++];
	memset(of, 0, sizeof(*of));
	return of;
}

static struct row *row_of(struct filling *f, const struct process *of)
{
	struct rows *r = f->rows;
	char key[sizeof(r->of->key)];
	struct row *row;

	switch (f->choice->by) {
	case BY_PROCESS:
	case NR_BY:
		key[0] = '\0';
		break;
	case BY_USER:
		snprintf(key, sizeof(key), "%u", of->uid);
		break;
	case BY_GROUP:
		snprintf(key, sizeof(key), "%s", of->group);
		break;
	}
	/* A linear search is enough, because users and groups are few. */
	for (unsigned int i = 0; f->choice->by != BY_PROCESS && i < r->nr; i++) {
		if (strcmp(r->of[i].key, key) == 0)
			return &r->of[i];
	}
	row = new_row(r);
	if (!row)
		return NULL;
	memcpy(row->key, key, sizeof(key));
	row->process = of;
	name_row(row, of, f->choice->by);
	return row;
}

/* What has ended, and has left the windows, is forgotten. */
static bool add(struct process *of, void *arg)
{
	struct filling *f = arg;
	struct sum last = processes_last(f->p, of, 1);
	struct row *row;

	sum_add(&f->rows->last, &last);
	f->rows->processes += !of->ended;
	if (of->ended && !processes_last(f->p, of, PROCESS_SLOTS).cpu_ns)
		return true;
	if (!is_wanted(f->choice, of))
		return false;
	row = row_of(f, of);
	if (!row) {
		f->complete = false;
		return false;
	}
	row->processes += !of->ended;
	sum_add(&row->all, &of->all);
	sum_add(&row->last, &last);
	for (unsigned int i = 0; i < f->choice->nr_windows; i++) {
		struct sum s = processes_last(f->p, of, f->choice->window[i]);

		sum_add(&row->window[i], &s);
	}
	if (!of->ended && of->sample_age_ms > row->sample_age_ms)
		row->sample_age_ms = of->sample_age_ms;
	return false;
}

/* Descending. */
static int by_number(double one, double other)
{
	return (one < other) - (one > other);
}

static double quality_of(const struct row *r)
{
	double quality;

	return sum_quality(&r->window[0], &quality) || sum_quality(&r->all, &quality) ? -quality : -2;
}

static double lost_of(const struct row *r)
{
	return (double)r->all.explained_ns - (double)r->all.quality_ns;
}

static enum order order;

static int compare(const void *a, const void *b)
{
	const struct row *one = a, *other = b;
	int way = 0;

	switch (order) {
	case ORDER_CPU:
	case NR_ORDERS:
		way = by_number((double)one->last.cpu_ns, (double)other->last.cpu_ns);
		break;
	case ORDER_QUALITY:
		way = by_number(quality_of(one), quality_of(other));
		break;
	case ORDER_LOST:
		way = by_number(lost_of(one), lost_of(other));
		break;
	case ORDER_WAITING:
		way = by_number((double)one->last.waited_ns, (double)other->last.waited_ns);
		break;
	case ORDER_NAME:
		way = strcmp(one->title, other->title);
		break;
	case ORDER_PID:
		break;
	}
	return way ? way : one->process->pid - other->process->pid;
}

bool rows_fill(struct rows *r, struct processes *p, const struct choice *choice)
{
	struct filling f = { .rows = r, .p = p, .choice = choice, .complete = true };

	r->nr = 0;
	r->processes = 0;
	r->last = (struct sum){ 0 };
	processes_each(p, add, &f);
	order = choice->order;
	if (r->nr)
		qsort(r->of, r->nr, sizeof(r->of[0]), compare);
	return f.complete;
}

void rows_free(struct rows *r)
{
	free(r->of);
	*r = (struct rows){ 0 };
}
