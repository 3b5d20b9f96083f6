// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "qtop/table.h"
#include "watch/groups.h"

char table_digit(const struct sum *s)
{
	double quality;

	if (!s->cpu_ns)
		return '.';
	if (!sum_quality(s, &quality))
		return '?';
	return quality >= 0.9 ? '9' : (char)('0' + (int)(quality * 10));
}

/* "73", or "-" */
static const char *percent(const struct sum *s, char *text, size_t size)
{
	double quality;

	if (sum_quality(s, &quality))
		snprintf(text, size, "%.0f", 100 * quality);
	else
		snprintf(text, size, "-");
	return text;
}

static double share(uint64_t ns, double of_s)
{
	return of_s > 0 ? (double)ns / 1e7 / of_s : 0;
}

void table_summary(const struct moment *m, const struct rows *r, char *line, size_t size)
{
	char clock[16] = "", all[16], last[16];
	time_t now = time(NULL);
	struct tm tm;
	int n;

	if (localtime_r(&now, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	n = snprintf(line, size, "qtop %s  %u CPUs, %u processes; quality %s %%, since the start %s %%",
		     clock, m->cpus, r->processes, percent(&r->last, last, sizeof(last)),
		     percent(m->all, all, sizeof(all)));
	if (m->trouble && n > 0 && (size_t)n < size)
		n += snprintf(line + n, size - (size_t)n, "; %s", m->trouble);
	if (m->stolen_ms && n > 0 && (size_t)n < size)
		n += snprintf(line + n, size - (size_t)n, ", stolen %.1f %%",
			      (double)m->stolen_ms / 10 / m->slot_s / m->cpus);
	if (m->refused && n > 0 && (size_t)n < size)
		snprintf(line + n, size - (size_t)n, ", %u not watched", m->refused);
}

void table_head(const struct moment *m, char *line, size_t size)
{
	char windows[32] = "", title[16];

	for (unsigned int i = 0; i < m->choice->nr_windows; i++) {
		snprintf(title, sizeof(title), "%gs", m->choice->window[i] * m->interval_s);
		snprintf(windows + strlen(windows), sizeof(windows) - strlen(windows), " %4s", title);
	}
	snprintf(line, size, "%7s %-8s %5s %4s%s %5s %4s %3s %-*s %s",
		 m->choice->by == BY_PROCESS ? "PID" : "NUMBER", "USER", "CPU%", "QUAL", windows, "WAIT%",
		 "AGE", "ON", TABLE_HISTORY, "LAST",
		 m->choice->by == BY_PROCESS ? "PROGRAM" : m->choice->by == BY_USER ? "USER" : "GROUP");
}

/* "12" for seconds, "5m" for minutes */
static const char *age(const struct row *row, char *text, size_t size)
{
	uint64_t s = (row->sample_age_ms + 500) / 1000;

	if (!row->all.explained_ns)
		snprintf(text, size, "-");
	else if (s < 1000)
		snprintf(text, size, "%us", (unsigned int)s);
	else
		snprintf(text, size, "%um", (unsigned int)(s / 60 < 999 ? s / 60 : 999));
	return text;
}

void table_row(const struct moment *m, const struct row *row, char *line, size_t size)
{
	char windows[32] = "", all[16], text[16], history[TABLE_HISTORY + 1] = "", on[12] = "-", first[12];
	char waited[16] = "-";
	double seconds;
	bool one = m->choice->by == BY_PROCESS;

	for (unsigned int i = 0; i < m->choice->nr_windows; i++)
		snprintf(windows + strlen(windows), sizeof(windows) - strlen(windows), " %4s",
			 percent(&row->window[i], text, sizeof(text)));
	for (unsigned int i = 0; one && i < TABLE_HISTORY; i++)
		history[i] = table_digit(&row->process->slot[processes_slot(m->processes, TABLE_HISTORY - i)]);
	if (one && row->process->cpu >= 0)
		snprintf(on, sizeof(on), "%d", row->process->cpu);
	snprintf(first, sizeof(first), "%u", one ? (unsigned int)row->process->pid : row->processes);
	if (sum_waited(&row->last, &seconds))
		snprintf(waited, sizeof(waited), "%.1f", share(row->last.waited_ns, m->slot_s));
	snprintf(line, size, "%7s %-8.8s %5.1f %4s%s %5s %4s %3s %-*s %s%s", first, row->user,
		 share(row->last.cpu_ns, m->slot_s), percent(&row->all, all, sizeof(all)), windows, waited,
		 age(row, text, sizeof(text)), on, TABLE_HISTORY,
		 history, row->title, one && row->process->ended ? " (ended)" : "");
}
