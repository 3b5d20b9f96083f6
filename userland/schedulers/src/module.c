// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "complain.h"
#include "module.h"
#include "text_file.h"

#define MANAGER		"/proc/pmc/mmon_manager"
#define MODEL		"/proc/pmc/mmon_model"
#define INFO		"/proc/pmc/info"
#define NAME_SIZE	64

/**
 * struct module - the process that restores the monitoring module
 * @pid: its process ID
 * @fd: when this is closed, for any reason, the process restores the module
 */
struct module {
	pid_t pid;
	int fd;
};

/* Get the name of the active monitoring module ("[*] name - description"), or "none". */
static void active_module(char *name)
{
	char text[8192];
	const char *at;

	strcpy(name, "none");
	if (text_file_read(MANAGER, text, sizeof(text)) > 0) {
		at = strstr(text, "[*] ");
		if (at)
			sscanf(at + 4, "%63s", name);
	}
}

static int choose(const char *name)
{
	int fd = open(MANAGER, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, name, strlen(name)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/*
 * Check that the models of module @name call @fastest big. There is a line "NAME: from=PMU
 * kind=KIND big=PMU …" for each model. With another big core type, the threads that gain most would
 * be taken for those that gain least.
 */
static int check_models(const char *name, const struct core_type *fastest)
{
	char text[8192], module[NAME_SIZE], big[NAME_SIZE];
	char *line, *at;

	/* Some modules have no model, but a parameter. */
	snprintf(text, sizeof(text), "/sys/module/pmctrack_mmon_%.32s/parameters/big", name);
	if (text_file_line(text, big, sizeof(big)) && strtoul(big, NULL, 10) != fastest->index) {
		complain("the module '%s' takes core type %s for the fastest one, and not %u, %s: give --big, or the module its parameter big=%u",
			 name, big, fastest->index, fastest->name, fastest->index);
		return -1;
	}

	if (text_file_read(MODEL, text, sizeof(text)) <= 0)
		return 0;
	for (line = strtok_r(text, "\n", &at); line; line = strtok_r(NULL, "\n", &at)) {
		if (sscanf(line, "%63[^:]: from=%*s kind=%*s big=%63s", module, big) != 2 ||
		    strcmp(module, name) || !strcmp(big, fastest->name))
			continue;
		complain("the model of '%s' says that %s is the fastest core type, and not %s: give --big=%s, or another model",
			 name, big, fastest->name, big);
		return -1;
	}
	return 0;
}

static int run(const char *command)
{
	int status = system(command);

	return status == -1 || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
}

static int load_functions(void)
{
	char clients[256] = "";

	if (!access("/sys/kernel/btf/pmctrack_bpf", F_OK))
		return 0;
	if (run("modprobe pmctrack_bpf 2>/dev/null") == 0 && !access("/sys/kernel/btf/pmctrack_bpf", F_OK))
		return 0;
	if (!text_file_value(INFO, "scheduler_clients", clients, sizeof(clients)))
		complain("PMCTrack's kernel module is not loaded, or too old: modprobe pmctrack");
	else
		complain("pmctrack_bpf.ko, which policies ask, cannot be loaded; the kernel log says why. If it was built without BTF, install pahole, then build and install it again while this kernel runs");
	return -1;
}

/*
 * Runs in a process of its own: waits until the parent has gone, then restores the module. Only
 * SIGKILL ends it before.
 */
static void restore_at_end(int fd, const char *before, const char *ours)
{
	char now[NAME_SIZE], c;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	while (read(fd, &c, 1) < 0 && errno == EINTR)
		;
	active_module(now);
	if (!strcmp(now, ours) && strcmp(now, before))
		choose(before);
	_exit(0);
}

static struct module *start_restorer(const char *before, const char *ours)
{
	struct module *m = malloc(sizeof(*m));
	int fds[2];

	if (!m || pipe2(fds, O_CLOEXEC)) {
		free(m);
		return NULL;
	}
	m->pid = fork();
	if (!m->pid) {
		close(fds[1]);
		restore_at_end(fds[0], before, ours);
	}
	close(fds[0]);
	m->fd = fds[1];
	if (m->pid < 0) {
		close(m->fd);
		free(m);
		return NULL;
	}
	return m;
}

struct module *module_choose(const char *name, const struct core_type *fastest)
{
	char before[NAME_SIZE];
	struct module *m;
	int err;

	if (load_functions() || check_models(name, fastest))
		return NULL;
	active_module(before);
	m = start_restorer(before, name);
	if (!m) {
		complain("cannot start a process: %s", strerror(errno));
		return NULL;
	}
	err = strcmp(before, name) ? choose(name) : 0;
	if (!err)
		return m;
	complain("cannot choose the monitoring module '%s': %s%s", name, strerror(-err),
		 err == -ENOENT ? ": there is none of that name (cat /proc/pmc/mmon_manager)" :
		 " (see the kernel log)");
	/* The attempt to activate it may have left no module active. */
	if (strcmp(before, "none"))
		choose(before);
	module_restore(m);
	return NULL;
}

void module_restore(struct module *module)
{
	if (!module)
		return;
	close(module->fd);
	while (waitpid(module->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(module);
}
