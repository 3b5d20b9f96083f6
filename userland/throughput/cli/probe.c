// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts calls of a function by a breakpoint that the kernel puts there (uprobes). The breakpoint
 * is an event of the tracer, and is counted by perf_event_open(2).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "complain.h"
#include "counter.h"
#include "elf_place.h"
#include "find_program.h"
#include "text_file.h"

#define TRACING "/sys/kernel/tracing"
#define EVENTS TRACING "/uprobe_events"
#define FOLDER "throughput"
#define NAME 32

/**
 * struct probe - places where the program is stopped and counted
 * @name: name of the kernel's event of each place: in FOLDER, with our PID
 * @fd: descriptor of each event, @nr of them
 */
struct probe {
	struct counter counter;
	char name[ELF_PLACES][NAME];
	int fd[ELF_PLACES];
	unsigned int nr;
};

static int read_probe(struct counter *c, uint64_t *units)
{
	struct probe *p = (struct probe *)c;
	uint64_t calls;
	unsigned int i;

	*units = 0;
	for (i = 0; i < p->nr; i++) {
		if (read(p->fd[i], &calls, sizeof(calls)) != sizeof(calls))
			return -EIO;
		*units += calls;
	}
	return 0;
}

static int write_event(const char *text)
{
	int fd = open(EVENTS, O_WRONLY | O_APPEND | O_CLOEXEC), err = 0;

	if (fd < 0)
		return errno == ENOENT ? -ENOSYS : -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/*
 * Remove an event. It stays as long as something that the program has started is counted, see
 * remove_old().
 */
static void remove_event(const char *name)
{
	char text[2 * NAME];

	snprintf(text, sizeof(text), "-:" FOLDER "/%s\n", name);
	write_event(text);
}

/* Remove events that our killed processes have left. The list is read first, and changed then. */
static void remove_old(void)
{
	FILE *in = fopen(EVENTS, "re");
	char line[PATH_MAX + 128], name[NAME], (*found)[NAME] = NULL, (*more)[NAME];
	size_t nr = 0;
	int pid;

	while (in && fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%*[pr]:" FOLDER "/%31[a-z0-9_]", name) != 1 || sscanf(name, "p%d_", &pid) != 1 ||
		    !kill(pid, 0) || errno != ESRCH)
			continue;
		more = realloc(found, (nr + 1) * sizeof(*found));
		if (!more)
			break;
		found = more;
		memcpy(found[nr++], name, sizeof(name));
	}
	if (in)
		fclose(in);
	while (nr)
		remove_event(found[--nr]);
	free(found);
}

static void close_probe(struct counter *c)
{
	struct probe *p = (struct probe *)c;

	while (p->nr) {
		close(p->fd[--p->nr]);
		remove_event(p->name[p->nr]);
	}
	free(p);
}

static int make_event(const char *name, const char *path, uint64_t at, uint64_t semaphore, bool is_return)
{
	char text[PATH_MAX + 128], counter[32] = "";
	int err;

	/* The syntax of the file has no way to write blanks. */
	if (strpbrk(path, " \t\n"))
		return -EINVAL;
	if (semaphore)
		snprintf(counter, sizeof(counter), "(0x%llx)", (unsigned long long)semaphore);
	snprintf(text, sizeof(text), "%c:" FOLDER "/%s %s:0x%llx%s\n", is_return ? 'r' : 'p', name, path,
		 (unsigned long long)at, counter);
	err = write_event(text);
	/* The file is known to have the place: it is the path that the kernel does not find. */
	return err == -ENOENT ? -EXDEV : err;
}

/* Count an event in the process, once it has executed the program, and in all that it starts. */
static int count(uint64_t id, pid_t pid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1,
		/*
		 * A context switch between two tasks that have inherited the same events usually
		 * changes the owners of the events only. When one of the tasks ends, the kernel
		 * then removes the breakpoint from the memory of the other, if that is another
		 * process. With this sample_type, the kernel switches the events, since 6.12.
		 */
		.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TID,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == EINVAL) {
		attr.sample_type = 0;
		fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}

/*
 * Count at one place. perf's PMU "uprobe" is not used, because at each fork it reads the path
 * again, from the memory of the process that forks.
 */
static int open_place(struct probe *p, const char *path, uint64_t at, uint64_t semaphore, bool is_return,
		      pid_t pid)
{
	char file[128], id[16], *name = p->name[p->nr];
	uint32_t lot;
	int fd, err;

	/* Other processes may have our PID: earlier ones, and those in other containers. */
	if (getrandom(&lot, sizeof(lot), GRND_NONBLOCK) != sizeof(lot))
		lot = 0;
	snprintf(name, NAME, "p%d_%08x_%u", (int)getpid(), lot, p->nr);
	err = make_event(name, path, at, semaphore, is_return);
	if (err)
		return err;
	snprintf(file, sizeof(file), TRACING "/events/" FOLDER "/%s/id", name);
	fd = text_file_line(file, id, sizeof(id)) ? count(strtoul(id, NULL, 10), pid) : -ESTALE;
	if (fd < 0) {
		remove_event(name);
		return fd;
	}
	p->fd[p->nr++] = fd;
	return 0;
}

static const char *reason(int err)
{
	switch (err) {
	case -ENOENT:
		return "the file has no such function or mark (a stripped program has those of libraries only)";
	case -ENOEXEC:
		return "the file is not a program or library (ELF)";
	case -EOPNOTSUPP:
		return "a function that is chosen when the program begins: name the one that is chosen";
	case -ENOSYS:
		return "no " EVENTS ": mount -t tracefs none " TRACING ", and a kernel with CONFIG_UPROBE_EVENTS";
	case -EINVAL:
		return "the kernel takes no such place, or no path with blanks";
	case -EXDEV:
		return "the kernel finds no such file: is it in another mount namespace?";
	case -ESTALE:
		return "somebody else has changed " EVENTS " meanwhile: try again";
	case -EACCES:
	case -EPERM:
		return "needs root: CAP_PERFMON, and " EVENTS;
	default:
		return strerror(-err);
	}
}

/**
 * struct words - a specification, cut at its colons
 * @kind: "uprobe", …
 * @path: path of the file, after a search
 * @provider: provider of a mark; NULL: @name is a function
 */
struct words {
	char *kind;
	char path[PATH_MAX];
	char *provider;
	char *name;
};

static int cut(char *spec, struct words *w)
{
	char *file, *rest;

	w->kind = strtok_r(spec, ":", &rest);
	file = strtok_r(NULL, ":", &rest);
	w->provider = w->kind && !strcmp(w->kind, "usdt") ? strtok_r(NULL, ":", &rest) : NULL;
	w->name = strtok_r(NULL, "", &rest);
	if (!file || !w->name || (strcmp(w->kind, "usdt") && strcmp(w->kind, "uprobe") &&
				  strcmp(w->kind, "uretprobe"))) {
		complain("-p: uprobe:FILE:FUNCTION, uretprobe:FILE:FUNCTION or usdt:FILE:PROVIDER:NAME");
		return -EINVAL;
	}
	if (find_program(file, w->path, sizeof(w->path)) && find_library(file, w->path, sizeof(w->path))) {
		complain("-p: '%s': there is no such file, nor a program in PATH, nor a library", file);
		return -ENOENT;
	}
	return 0;
}

struct counter *probe_open(const char *spec, pid_t pid)
{
	struct probe *p = calloc(1, sizeof(*p));
	struct elf_places places;
	char *copy = strdup(spec);
	struct words w;
	unsigned int i;
	int err = -ENOMEM;

	if (!p || !copy || cut(copy, &w))
		goto out;
	remove_old();
	p->counter = (struct counter){read_probe, close_probe, "the function was never called, or the kernel could not put a breakpoint there"};
	err = w.provider ? elf_find_mark(w.path, w.provider, w.name, &places) :
			   elf_find_function(w.path, w.name, &places);
	for (i = 0; !err && i < places.nr; i++)
		err = open_place(p, w.path, places.at[i], places.semaphore[i], !strcmp(w.kind, "uretprobe"), pid);
	if (err)
		complain("-p %s: %s: %s", spec, w.path, reason(err));
out:
	free(copy);
	if (!err)
		return &p->counter;
	if (p)
		close_probe(&p->counter);
	return NULL;
}
