/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets the kernel count the units of a program that does not report them itself: calls of a
 * function, or events of the PMU. Counting begins when the program is executed, and includes all
 * that it starts.
 */
#ifndef THROUGHPUT_COUNTER_H
#define THROUGHPUT_COUNTER_H

#include <stdint.h>
#include <sys/types.h>

/**
 * struct counter - a way to count
 * @read: get the units since the beginning; returns 0 or a negative errno
 * @close: close and free the counter
 * @nothing: message if there are no units in the end
 */
struct counter {
	int (*read)(struct counter *c, uint64_t *units);
	void (*close)(struct counter *c);
	const char *nothing;
};

/*
 * The process @pid is going to execute the program. Returns NULL on failure: the reason has been
 * printed.
 *
 * @spec: "uprobe:FILE:FUNCTION", "uretprobe:FILE:FUNCTION", "usdt:FILE:PROVIDER:NAME"
 */
struct counter *probe_open(const char *spec, pid_t pid);
/* @name: an event, or a virtual counter of the monitoring module that can be added up. */
struct counter *events_open(const char *name, pid_t pid);

#endif /* THROUGHPUT_COUNTER_H */
