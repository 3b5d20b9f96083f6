// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "qtop/batch.h"
#include "watch/json.h"

void batch_text(const struct moment *m, const struct rows *r)
{
	char line[256];

	table_summary(m, r, line, sizeof(line));
	puts(line);
	table_head(m, line, sizeof(line));
	puts(line);
	for (unsigned int i = 0; i < r->nr; i++) {
		table_row(m, &r->of[i], line, sizeof(line));
		puts(line);
	}
	putchar('\n');
}

static struct json_object *row_object(const struct moment *m, const struct row *row)
{
	struct json_object *of = json_object_new_object(), *last = json_object_new_object();
	bool one = m->choice->by == BY_PROCESS;

	json_add_text(of, rows_by_names[m->choice->by], row->title);
	if (one)
		json_add_u64(of, "pid", (uint64_t)row->process->pid);
	json_add_u64(of, "processes", row->processes);
	json_add_text(of, "user", row->process->uid == (uid_t)-1 ? NULL : row->user);
	json_add_text(of, "cgroup", (one || m->choice->by == BY_GROUP) && row->process->group[0] ?
		      row->process->group : NULL);
	json_add_sum(of, &row->all);
	json_add(of, "sample_age_ms", row->all.explained_ns ? json_object_new_uint64(row->sample_age_ms) : NULL);
	json_add(of, "cpu", one && row->process->cpu >= 0 ? json_object_new_int(row->process->cpu) : NULL);
	json_add_sum(last, &row->last);
	json_add(of, "last", last);
	return of;
}

void batch_json(const struct moment *m, const struct rows *r, double elapsed_s)
{
	struct json_object *line = json_new_line("interval"), *rows = json_object_new_array();
	struct json_object *all = json_object_new_object();

	json_add(line, "elapsed_s", json_rounded(elapsed_s));
	json_add_u64(line, "cpus", m->cpus);
	json_add_u64(line, "not_watched", m->refused);
	json_add(line, "stale", json_object_new_boolean(m->trouble != NULL));
	json_add(line, "stolen_ms", m->has_stolen ? json_object_new_uint64(m->stolen_ms) : NULL);
	json_add_sum(all, m->all);
	json_add(line, "all", all);
	for (unsigned int i = 0; i < r->nr; i++)
		json_object_array_add(rows, row_object(m, &r->of[i]));
	json_add(line, "rows", rows);
	json_print(stdout, line);
}
