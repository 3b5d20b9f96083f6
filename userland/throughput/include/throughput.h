/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * libthroughput: a program says what it delivers - frames, requests - and what it should deliver;
 * others read that, system-wide, and may give it the CPUs that it needs (qosd(8)).
 *
 * A program is one application, with all its threads, and with the processes that it forks. All
 * functions return 0, or a negative errno. All may be called from any thread.
 */
#ifndef THROUGHPUT_H
#define THROUGHPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of names and units, with the 0 at the end. */
#define THROUGHPUT_NAME 32

/** Rates are computed anew after so long. */
#define THROUGHPUT_REFRESH_NS 10000000

/*
 * Programs that deliver something
 */

/**
 * throughput_begin() - register this program
 * @name: how people know it; NULL: the name of its file
 * @unit: of what it delivers in a second ("frames/s"); NULL: "units/s"
 *
 * The other functions do that by themselves if it was not done. Called again, it changes name and
 * unit. A program that another one executes instead of itself goes on with its counts.
 *
 * Return: 0; -EACCES, -ENOSPC, …: it cannot be registered. What it delivers is then counted in this
 * process only, see throughput_count().
 */
int throughput_begin(const char *name, const char *unit);

/**
 * throughput_goal() - say how much should be delivered
 * @goal: in a second; 0: there is no goal
 * @unit: see throughput_begin(); NULL: as it was
 *
 * Return: 0; -EINVAL: @goal is negative, or no number; otherwise as throughput_begin().
 */
int throughput_goal(double goal, const char *unit);

/**
 * throughput_goal_range() - likewise, and anything in a range will do
 * @min: in a second; 0: there is no goal
 * @max: at least @min
 * @weight: when there are too few CPUs: how important it is, 1 to 1000; usually 100
 *
 * Return: 0; -EINVAL: they are not such numbers; otherwise as throughput_begin().
 */
int throughput_goal_range(double min, double max, unsigned int weight);

/**
 * throughput_tick() - something was delivered
 * @n: how many units
 *
 * Some instructions, and no system call but for the first one of each thread. Threads do not
 * disturb each other. Safe in signal handlers. No tick is lost: not when a thread ends, nor over
 * fork and exec.
 */
void throughput_tick(uint64_t n);

/** throughput_count() - units since the beginning, of all threads and processes */
uint64_t throughput_count(void);

/**
 * throughput_end() - unregister; at exit this is done by itself
 *
 * What is delivered afterwards is nobody's, until throughput_begin() makes another application.
 *
 * Return: 0.
 */
int throughput_end(void);

/*
 * Whoever reads what others deliver
 */

/**
 * struct throughput_info - an application
 * @pid: the process that registered it
 * @uid: whose it is
 * @began: when it began, in clock ticks since boot (/proc/PID/stat)
 * @alive: it, or a process that it forked, is there. Otherwise the count is final
 * @is_public: everybody may read it
 * @name: printable
 * @unit: likewise
 * @goal_min: in a second; 0: no goal
 * @goal_max: likewise
 * @weight: see throughput_goal_range()
 * @began_ns: CLOCK_MONOTONIC
 */
struct throughput_info {
	pid_t pid;
	uid_t uid;
	uint64_t began;
	bool alive;
	bool is_public;
	char name[THROUGHPUT_NAME];
	char unit[THROUGHPUT_NAME];
	double goal_min;
	double goal_max;
	unsigned int weight;
	uint64_t began_ns;
};

struct throughput_reader;

/**
 * throughput_each() - find all applications that may be read
 * @found: is called for each; what it returns, if it is not 0, ends the search
 * @data: for it
 *
 * What dead applications have left is removed, as far as the caller may do that.
 *
 * Return: what @found returned last, or 0; a negative errno.
 */
int throughput_each(int (*found)(pid_t pid, void *data), void *data);

/**
 * throughput_some() - the same, a part of them: anybody can make many files
 * @first: in: how many to pass over; out: for the next call, also if @found has ended the search;
 *	0: there are no more
 * @most: how many to look at, alive or not
 * @known: returns true for those that are not to be looked at; NULL: all are
 * @found: see above
 * @data: for both
 *
 * Return: as throughput_each().
 */
int throughput_some(unsigned long *first, unsigned long most, bool (*known)(pid_t pid, void *data),
		    int (*found)(pid_t pid, void *data), void *data);

/**
 * throughput_open() - look at an application
 * @pid: the process that registered it
 * @reader: goes here; for throughput_close()
 *
 * Return: 0; -ESRCH: there is none; -EACCES: it may not be read; -EPROTO: it is of another version,
 * or was damaged.
 */
int throughput_open(pid_t pid, struct throughput_reader **reader);
void throughput_close(struct throughput_reader *reader);

/** throughput_info() - what it says of itself. 0; -EPROTO: that was damaged. */
int throughput_info(struct throughput_reader *reader, struct throughput_info *info);

/**
 * throughput_read() - units since the beginning
 * @count: goes here. It never becomes smaller, whatever the application does
 *
 * Return: 0; -EPROTO: it was damaged.
 */
int throughput_read(struct throughput_reader *reader, uint64_t *count);

/**
 * throughput_rate() - units in a second, lately
 * @window_ns: that long, as far as it was looked at before: at most 10 s
 * @rate: goes here; of the whole time since the beginning, if it was not looked at before
 *
 * It is computed anew at most each THROUGHPUT_REFRESH_NS.
 *
 * Return: 0; -EPROTO: it was damaged.
 */
int throughput_rate(struct throughput_reader *reader, uint64_t window_ns, double *rate);

#ifdef __cplusplus
}
#endif

#endif /* THROUGHPUT_H */
