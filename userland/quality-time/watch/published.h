/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of <pmctrack/quality_table.h>: qualityd writes it, other tools read it. */
#ifndef WATCH_PUBLISHED_H
#define WATCH_PUBLISHED_H

#include <sys/types.h>

#include "pmctrack/quality_table.h"
#include "watch/processes.h"

/* --- the reader ------------------------------------------------------------ */

struct published;

/* Returns NULL after printing the reason. */
struct published *published_open(const char *path);
void published_close(struct published *p);
/* Calls @fn for each entry that is used. */
void published_each(const struct published *p,
		    void (*fn)(const struct pmctrack_quality_entry *e, void *arg), void *arg);
/* True if the table was not written for many intervals. */
bool published_is_stale(const struct published *p);
/* Change to the file that @path names now, whose sums begin anew. False: it is missing or stale. */
bool published_reopen(struct published *p, const char *path);
uint32_t published_missing(const struct published *p);
/* How often the table is written, in seconds. */
double published_interval_s(const struct published *p);

/* --- the writer ------------------------------------------------------------ */

struct publisher;

/* Create a table of @entries. @gid -1: the caller's group. NULL: the reason was printed. */
struct publisher *publisher_open(const char *path, unsigned int entries, mode_t mode, gid_t gid,
				 unsigned int interval_ms);
/* Publish @processes as they are now. Processes that have ended are forgotten. */
void publisher_update(struct publisher *p, struct processes *processes, unsigned int refused);
/* Remove the file. */
void publisher_close(struct publisher *p);
/* Write an entry so that readers see the whole change or nothing of it. */
void publisher_write(struct pmctrack_quality_entry *to, const struct pmctrack_quality_entry *from);

#endif /* WATCH_PUBLISHED_H */
