/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What qtop shows: a row a process, user or group; which ones, and in which order. */
#ifndef QTOP_ROWS_H
#define QTOP_ROWS_H

#include "watch/processes.h"

#define MAX_WINDOWS	3
#define TEXT_MOST	64

/* What a row is about. */
enum by { BY_PROCESS, BY_USER, BY_GROUP, NR_BY };

/* The greatest first, but for quality, names and PIDs. */
enum order { ORDER_CPU, ORDER_QUALITY, ORDER_LOST, ORDER_WAITING, ORDER_NAME, ORDER_PID, NR_ORDERS };

extern const char *const rows_by_names[NR_BY];
extern const char *const rows_order_names[NR_ORDERS];

/**
 * struct choice - what the user wants to see
 * @by: see there
 * @order: see there
 * @filter: part of a program's name, a user's or a group's; "": all
 * @only_user: this user's processes only
 * @uid: that user
 * @window: lengths of the windows of columns, in slots
 * @nr_windows: their number
 */
struct choice {
	enum by by;
	enum order order;
	char filter[TEXT_MOST];
	bool only_user;
	uid_t uid;
	unsigned int window[MAX_WINDOWS];
	unsigned int nr_windows;
};

/**
 * struct row - a row
 * @key: what tells it from others
 * @process: of which it is, or one of those
 * @processes: how many
 * @user: name
 * @title: of the program, user or group
 * @all: since the processes were first seen
 * @window: the last slots, see struct choice
 * @last: the last slot
 * @sample_age_ms: age of the oldest of the last samples alone
 */
struct row {
	char key[sizeof(((struct process *)0)->group)];
	const struct process *process;
	unsigned int processes;
	char user[16];
	char title[TEXT_MOST];
	struct sum all;
	struct sum window[MAX_WINDOWS];
	struct sum last;
	uint64_t sample_age_ms;
};

struct rows {
	struct row *of;
	unsigned int nr;
	unsigned int room;
	unsigned int processes;	/* that are there, without filter */
	struct sum last;	/* of these, in the last slot */
};

/*
 * Those of the last slots; what ended is in its row until it leaves the windows. False: no
 * memory, some are missing. The rows are valid until the table changes.
 */
bool rows_fill(struct rows *r, struct processes *p, const struct choice *choice);
void rows_free(struct rows *r);

#endif /* QTOP_ROWS_H */
