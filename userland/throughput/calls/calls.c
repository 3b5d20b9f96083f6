// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A library for LD_PRELOAD: it has functions of common frameworks, which call those, and tick. See
 * throughput(1), -f.
 *
 * The first function that is called is the one that counts, as some call each other. A process that
 * calls none is not an application.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "throughput.h"

typedef long (*function)(long, long, long, long, long, long);

#define NUMBER(name, is_unit, by_itself) CALL_##name,
enum call { NO_CALL, EACH_CALL(NUMBER) };

static int counted;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void begin(void)
{
	const char *goal = getenv(CALLS_GOAL), *weight = getenv(CALLS_WEIGHT);
	double min, max;

	throughput_begin(getenv(CALLS_NAME), getenv(CALLS_UNIT));
	if (goal && sscanf(goal, "%lf-%lf", &min, &max) == 2)
		throughput_goal_range(min, max, weight ? (unsigned int)atoi(weight) : 100);
}

static bool is_wanted(const char *name, bool by_itself)
{
	const char *wanted = getenv(CALLS_FUNCTION);

	return !wanted || !strcmp(wanted, CALLS_ANY) ? by_itself : !strcmp(wanted, name);
}

/* Is it this function that counts? */
static bool is_counted(enum call call, const char *name, bool by_itself)
{
	int now = __atomic_load_n(&counted, __ATOMIC_RELAXED);

	if (now)
		return now == (int)call;
	if (!is_wanted(name, by_itself))
		return false;
	pthread_once(&once, begin);
	return __atomic_compare_exchange_n(&counted, &now, (int)call, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED) || now == (int)call;
}

static function next(function *known, const char *name)
{
	function f = __atomic_load_n(known, __ATOMIC_RELAXED);
	void *found;

	if (f)
		return f;
	found = dlsym(RTLD_NEXT, name);
	if (!found) {
		fprintf(stderr, "throughput: %s is called, and no library has it\n", name);
		_exit(127);
	}
	memcpy(&f, &found, sizeof(f));
	__atomic_store_n(known, f, __ATOMIC_RELAXED);
	return f;
}

#define DEFINE(name, is_unit, by_itself)                                                   \
	__attribute__((visibility("default"))) long name(long, long, long, long, long, long); \
	long name(long a, long b, long c, long d, long e, long f)                             \
	{                                                                                     \
		static function real;                                                         \
		bool counts = is_counted(CALL_##name, #name, by_itself);                      \
		long result = next(&real, #name)(a, b, c, d, e, f);                           \
                                                                                              \
		if (counts && (is_unit))                                                      \
			throughput_tick(1);                                                   \
		return result;                                                                \
	}

EACH_CALL(DEFINE)
