/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows that qtop shows: a row for each process, user or group; their choice and their order. */
#ifndef QTOP_ROWS_H
#define QTOP_ROWS_H

#include "watch/processes.h"

#define MAX_WINDOWS	3
#define TEXT_MOST	64

/* What a row is about. */
enum by { BY_PROCESS, BY_USER, BY_GROUP, NR_BY };

/* Order of rows: the greatest first, except for quality, names and PIDs. */
enum order { ORDER_CPU, ORDER_QUALITY, ORDER_LOST, ORDER_WAITING, ORDER_NAME, ORDER_PID, NR_ORDERS };

extern const char *const rows_by_names[NR_BY];
extern const char *const rows_order_names[NR_ORDERS];

/**
 * struct choice - what the user wants to see
 * @by: what a row is about
 * @order: order of rows
 * @filter: part of the name of a program, user or group; "": all
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
 * @key: identifies a row of a user or group
 * @process: its process, or one of its processes
 * @processes: number of its processes that exist
 * @user: name of the user
 * @title: name of the program, user or group
 * @all: sum since the processes were first seen
 * @window: sums of the last slots, see struct choice
 * @last: sum of the last slot
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
	unsigned int processes;	/* number of existing processes, without filter */
	struct sum last;	/* sum of the last slot, without filter */
};

/*
 * Fill the rows from the last slots. A process that has ended keeps its row while one of the slots
 * has CPU time of it. Returns false if there is no memory: some rows are missing then. The rows are
 * valid until the table changes.
 */
bool rows_fill(struct rows *r, struct processes *p, const struct choice *choice);
void rows_free(struct rows *r);

#endif /* QTOP_ROWS_H */
