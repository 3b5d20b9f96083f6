/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of <pmctrack/quality_table.h>: qualityd writes it, other tools read it. */
#ifndef WATCH_PUBLISHED_H
#define WATCH_PUBLISHED_H

#include <sys/types.h>

#include "pmctrack/quality_table.h"
#include "watch/processes.h"

/* --- the reader ------------------------------------------------------------ */

struct published;

/* NULL: the reason was printed. */
struct published *published_open(const char *path);
void published_close(struct published *p);
/* Calls @fn for each entry that is used. */
void published_each(const struct published *p,
		    void (*fn)(const struct pmctrack_quality_entry *e, void *arg), void *arg);
/* Nobody writes it any more: not for many intervals. */
bool published_is_stale(const struct published *p);
/* Another file that is not stale has its name: it is taken instead, and begins anew. */
bool published_reopen(struct published *p, const char *path);
uint32_t published_missing(const struct published *p);
/* How often it is written, in seconds. */
double published_interval_s(const struct published *p);

/* --- the writer ------------------------------------------------------------ */

struct publisher;

/* For so many processes; @gid -1: the caller's. NULL: the reason was printed. */
struct publisher *publisher_open(const char *path, unsigned int entries, mode_t mode, gid_t gid,
				 unsigned int interval_ms);
/* What is in the table now; processes that have ended are forgotten there. */
void publisher_update(struct publisher *p, struct processes *processes, unsigned int refused);
/* The file is removed. */
void publisher_close(struct publisher *p);
/* An entry, so that readers see all of it or nothing. */
void publisher_write(struct pmctrack_quality_entry *to, const struct pmctrack_quality_entry *from);

#endif /* WATCH_PUBLISHED_H */
