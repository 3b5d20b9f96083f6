// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A library for LD_PRELOAD. It has functions with the names of those of common frameworks, which
 * call the real functions, and tick. See throughput(1), -f.
 *
 * The first function that is called is the one that counts, because some functions call each other.
 * A process that calls none of them is not an application. No call of a function is changed by
 * this.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "throughput.h"

typedef long (*function)(long, long, long, long, long, long);

#define NUMBER(name, is_unit, by_itself) CALL_##name,
enum call { NO_CALL, EACH_CALL(NUMBER) };

/**
 * struct settings - what "throughput run" has set, as of the start of the program
 * @function: the function that counts; "": any
 * @name: and @unit: "": not set
 * @min: goal; 0: none
 */
static struct {
	char function[64];
	char name[THROUGHPUT_NAME];
	char unit[THROUGHPUT_NAME];
	double min;
	double max;
	unsigned int weight;
} settings;

static int counted;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void copy(char *to, size_t size, const char *name)
{
	const char *text = getenv(name);

	snprintf(to, size, "%s", text ? text : "");
}

/*
 * Settings are read at the start, because programs change their environment, and the way in which
 * numbers are written.
 */
static __attribute__((constructor)) void read_settings(void)
{
	const char *goal = getenv(CALLS_GOAL), *weight = getenv(CALLS_WEIGHT);
	char *end;

	copy(settings.function, sizeof(settings.function), CALLS_FUNCTION);
	copy(settings.name, sizeof(settings.name), CALLS_NAME);
	copy(settings.unit, sizeof(settings.unit), CALLS_UNIT);
	if (!strcmp(settings.function, CALLS_ANY))
		settings.function[0] = '\0';
	settings.weight = weight ? (unsigned int)strtoul(weight, NULL, 10) : 100;
	if (!goal)
		return;
	settings.min = strtod(goal, &end);
	settings.max = *end == '-' ? strtod(end + 1, NULL) : settings.min;
}

static void begin(void)
{
	throughput_begin(settings.name[0] ? settings.name : NULL, settings.unit[0] ? settings.unit : NULL);
	if (settings.min > 0)
		throughput_goal_range(settings.min, settings.max, settings.weight);
}

/* True if this function is the one that counts. */
static bool is_counted(enum call call, const char *name, bool by_itself)
{
	int now = __atomic_load_n(&counted, __ATOMIC_RELAXED);

	if (now)
		return now == (int)call;
	if (settings.function[0] ? strcmp(settings.function, name) : !by_itself)
		return false;
	pthread_once(&once, begin);
	return __atomic_compare_exchange_n(&counted, &now, (int)call, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED) || now == (int)call;
}

/*
 * Find the real function. RTLD_NEXT does not look at the libraries of a plugin, so the function is
 * then looked for in those of the caller. Returns NULL if there is no real function. A program that
 * asked whether there is one was told so by our name, and calls it.
 */
static function next(function *known, const char *name, const void *caller)
{
	function f = __atomic_load_n(known, __ATOMIC_RELAXED);
	void *found, *library = NULL;
	Dl_info info;

	if (f)
		return f;
	found = dlsym(RTLD_NEXT, name);
	if (!found && dladdr(caller, &info) && info.dli_fname)
		library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (library) {
		found = dlsym(library, name);
		dlclose(library);
	}
	if (!found)
		return NULL;
	memcpy(&f, &found, sizeof(f));
	__atomic_store_n(known, f, __ATOMIC_RELAXED);
	return f;
}

#define DEFINE(name, is_unit, by_itself)                                                   \
	__attribute__((visibility("default"))) long name(long, long, long, long, long, long); \
	long name(long a, long b, long c, long d, long e, long f)                             \
	{                                                                                     \
		static function known;                                                        \
		function real = next(&known, #name, __builtin_return_address(0));             \
		bool counts = real && is_counted(CALL_##name, #name, by_itself);              \
		long result = real ? real(a, b, c, d, e, f) : 0;                              \
                                                                                              \
		if (counts && (is_unit))                                                      \
			throughput_tick(1);                                                   \
		return result;                                                                \
	}

EACH_CALL(DEFINE)
