// SPDX-License-Identifier: GPL-2.0-or-later
#include "calls_run.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "calls.h"
#include "complain.h"
#include "elf_place.h"
#include "exit_status.h"
#include "find_program.h"

#define NAME(name, is_unit, by_itself) #name,
static const char *const names[] = {CALLS_ANY, EACH_CALL(NAME)};

static bool is_known(const char *function)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(function, names[i]))
			return true;
	return false;
}

static void list(void)
{
	size_t i;

	fprintf(stderr, "Functions:");
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		fprintf(stderr, " %s", names[i]);
	fprintf(stderr, "\n");
}

/* True if libraries can be loaded into the program: the dynamic linker must load it. */
static bool can_load(const char *program)
{
	char path[PATH_MAX];
	struct stat st;

	/* If the program cannot be executed at all, execvp() says so. */
	if (find_program(program, path, sizeof(path)) || stat(path, &st))
		return true;
	if ((st.st_mode & S_ISUID && st.st_uid != getuid()) || (st.st_mode & S_ISGID && st.st_gid != getgid()) ||
	    getxattr(path, "security.capability", NULL, 0) > 0) {
		complain("'%s' has other rights than you (set-uid, capabilities), and is not watched by -f: try -p",
			 program);
		return false;
	}
	if (!elf_is_dynamic(path)) {
		complain("'%s' is statically linked, and is not watched by -f: try -p", program);
		return false;
	}
	return true;
}

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

int calls_run(const struct calls_options *o, char **argv)
{
	const char *library = getenv("THROUGHPUT_LIBRARY"), *others = getenv("LD_PRELOAD");
	char text[64], *preload = NULL;
	int err;

	if (!is_known(o->function)) {
		complain("-f %s: not known", o->function);
		list();
		return STATUS_USAGE;
	}
	library = library ? library : CALLS_LIBRARY;
	if (access(library, R_OK)) {
		complain("%s: %s", library, strerror(errno));
		return STATUS_FAILED;
	}
	/* These characters separate names in LD_PRELOAD. */
	if (strpbrk(library, ": ")) {
		complain("%s: LD_PRELOAD has no way to name it: there is a blank or a colon", library);
		return STATUS_FAILED;
	}
	if (!can_load(argv[0]))
		return STATUS_FAILED;
	if (asprintf(&preload, "%s%s%s", library, others ? ":" : "", others ? others : "") < 0)
		return STATUS_FAILED;
	setenv("LD_PRELOAD", preload, 1);
	free(preload);
	set(CALLS_FUNCTION, o->function);
	set(CALLS_NAME, o->name);
	set(CALLS_UNIT, o->unit);
	snprintf(text, sizeof(text), "%.17g-%.17g", o->min, o->max);
	set(CALLS_GOAL, o->min > 0 ? text : NULL);
	snprintf(text, sizeof(text), "%u", o->weight);
	set(CALLS_WEIGHT, text);
	execvp(argv[0], argv);
	err = errno;
	complain("cannot execute '%s': %s", argv[0], strerror(err));
	return err == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}
