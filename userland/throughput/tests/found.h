/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests: does throughput_each() find a process? */
#ifndef FOUND_H
#define FOUND_H

#include <stdbool.h>
#include <sys/types.h>

#include "throughput.h"

static inline int found_note(pid_t pid, void *data)
{
	if (pid == *(pid_t *)data)
		*(pid_t *)data = 0;
	return 0;
}

static inline bool is_found(pid_t pid)
{
	throughput_each(found_note, &pid);
	return !pid;
}

#endif /* FOUND_H */
