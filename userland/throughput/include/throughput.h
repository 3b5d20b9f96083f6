/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * libthroughput: a program says what it delivers - frames, requests - and what it should deliver.
 * Other programs read that, system-wide, and may give it the CPUs that it needs (qosd(8)).
 *
 * A program is one application, with all its threads, and with the processes that it forks. All
 * functions that return an int return 0 or a negative errno, unless they say otherwise. All
 * functions may be called from any thread, but only one thread at a time may use a reader.
 */
#ifndef THROUGHPUT_H
#define THROUGHPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Size of names and units in bytes, with the 0 at the end. */
#define THROUGHPUT_NAME 32

/** A rate is computed anew after this time, in nanoseconds. */
#define THROUGHPUT_REFRESH_NS 10000000

/*
 * Programs that deliver something
 */

/**
 * throughput_begin() - register this program
 * @name: name that people see; NULL: the name of the program's file
 * @unit: unit of what it delivers in a second ("frames/s"); NULL: "units/s"
 *
 * throughput_goal() and throughput_goal_range() do that by themselves if it was not done. Units of
 * ticks before it are counted, and seen from then on. If this function is called again, it changes
 * the name and the unit, if they are not NULL. If the process executes another program,
 * that program goes on with the counts.
 *
 * Return: 0; -EACCES, -ENOSPC, …: the program cannot be registered. What it delivers is then
 * counted in this process only, see throughput_count().
 */
int throughput_begin(const char *name, const char *unit);

/**
 * throughput_goal() - set how much this program should deliver
 * @goal: units in a second; 0: there is no goal
 * @unit: see throughput_begin(); NULL: unchanged
 *
 * The weight becomes 100, see throughput_goal_range().
 *
 * Return: 0; -EINVAL: @goal is negative, or not a finite number; otherwise as throughput_begin().
 */
int throughput_goal(double goal, const char *unit);

/**
 * throughput_goal_range() - set a range of goals: any rate in the range will do
 * @min: units in a second; 0: there is no goal
 * @max: units in a second, at least @min
 * @weight: importance of this program if there are too few CPUs, 1 to 1000; usually 100
 *
 * Return: 0; -EINVAL: a parameter is not such a number; otherwise as throughput_begin().
 */
int throughput_goal_range(double min, double max, unsigned int weight);

/**
 * throughput_tick() - count what was delivered
 * @n: number of units
 *
 * A tick takes some instructions, and no system call except for the first tick of each thread.
 * Threads do not disturb each other. No tick is lost if a thread ends, or over fork and exec. Ticks
 * before a fork are the parent's if neither of both is registered yet.
 *
 * Context: Any thread; safe in signal handlers.
 */
void throughput_tick(uint64_t n);

/** throughput_count() - units since the beginning, of all threads and processes of this program */
uint64_t throughput_count(void);

/**
 * throughput_end() - unregister this program; this is done automatically at exit
 *
 * What is delivered afterwards belongs to no application, until throughput_begin() makes another
 * one.
 *
 * Return: 0.
 */
int throughput_end(void);

/*
 * Programs that read what others deliver
 */

/**
 * struct throughput_info - what is known of an application
 * @pid: process that registered it
 * @uid: user that it belongs to
 * @began: when this process began, in clock ticks since boot (/proc/PID/stat)
 * @alive: this process, or one that it forked, is there. Otherwise the count is final
 * @is_public: all users may read it
 * @name: printable
 * @unit: printable
 * @goal_min: units in a second; 0: no goal
 * @goal_max: likewise
 * @weight: see throughput_goal_range()
 * @began_ns: when it was registered, CLOCK_MONOTONIC, nanoseconds
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
 * @found: called for each; if it does not return 0, the search ends
 * @data: passed to @found
 *
 * Files of dead applications are removed, as far as the caller may do that.
 *
 * Return: the last value of @found, or 0; a negative errno if the search fails.
 */
int throughput_each(int (*found)(pid_t pid, void *data), void *data);

/**
 * throughput_some() - find some applications, because any user can make many files
 * @first: in: number of files to skip; out: the same for the next call, also if @found has ended
 *	the search; 0: there are no more files
 * @most: number of files to look at, alive or not
 * @known: returns true for applications that are not to be looked at; NULL: all are looked at
 * @found: see throughput_each()
 * @data: passed to both functions
 *
 * Return: as throughput_each().
 */
int throughput_some(unsigned long *first, unsigned long most, bool (*known)(pid_t pid, void *data),
		    int (*found)(pid_t pid, void *data), void *data);

/**
 * throughput_open() - open an application for reading
 * @pid: process that registered it
 * @reader: out: the reader, to be closed by throughput_close()
 *
 * Return: 0; -ESRCH: there is no such application; -EACCES: it may not be read; -EPROTO: its file
 * is of another version, or was damaged.
 */
int throughput_open(pid_t pid, struct throughput_reader **reader);
void throughput_close(struct throughput_reader *reader);

/** throughput_info() - get what an application says of itself. 0; -EPROTO: its file was damaged. */
int throughput_info(struct throughput_reader *reader, struct throughput_info *info);

/**
 * throughput_read() - get the units since the beginning
 * @count: out: number of units. It never becomes smaller, whatever the application does
 *
 * Return: 0; -EPROTO: the file was damaged.
 */
int throughput_read(struct throughput_reader *reader, uint64_t *count);

/**
 * throughput_rate() - get the recent rate
 * @window_ns: time that the rate covers, in nanoseconds, at most 10 s. It begins no earlier than
 *	the first look at the application (throughput_open(), throughput_rate())
 * @rate: out: units in a second. Without an earlier look: the rate since the beginning
 *
 * It is computed anew at most once in THROUGHPUT_REFRESH_NS.
 *
 * Return: 0; -EPROTO: the file was damaged.
 */
int throughput_rate(struct throughput_reader *reader, uint64_t window_ns, double *rate);

#ifdef __cplusplus
}
#endif

#endif /* THROUGHPUT_H */
