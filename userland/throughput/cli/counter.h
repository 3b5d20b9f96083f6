/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel counts of a program that says nothing itself: calls of a function, events of the
 * PMU. Counting begins when the program is executed, and is of all that it starts, too.
 */
#ifndef THROUGHPUT_COUNTER_H
#define THROUGHPUT_COUNTER_H

#include <stdint.h>
#include <sys/types.h>

/**
 * struct counter - a way to count
 * @read: units since the beginning; 0 or a negative errno
 * @close: also frees it
 * @nothing: what to say if that is 0 in the end
 */
struct counter {
	int (*read)(struct counter *c, uint64_t *units);
	void (*close)(struct counter *c);
	const char *nothing;
};

/*
 * @pid is the process that is going to execute the program. NULL: what is wrong has been said.
 *
 * "uprobe:FILE:FUNCTION", "uretprobe:FILE:FUNCTION", "usdt:FILE:PROVIDER:NAME"
 */
struct counter *probe_open(const char *spec, pid_t pid);
/* An event, or a virtual counter of the monitoring module that can be added up. */
struct counter *events_open(const char *name, pid_t pid);

#endif /* THROUGHPUT_COUNTER_H */
