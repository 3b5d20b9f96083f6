// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ask FILE [unprivileged|cost]: load the system call programs of FILE (ask.bpf.o), run one, and
 * print what it returns. "unprivileged": load them with CAP_BPF alone. Only who has CAP_SYS_ADMIN
 * finds the module's functions (libbpf does), so the rest is given up in between. "cost": what
 * pmcs_metric(), and pmcs_metrics() of four, take, in ns.
 * ask FILE trace COMMAND...: run a command, and print what the tracing program of FILE
 * (trace.bpf.o) has seen.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#define TRIES	5

/* Keep CAP_BPF only. Called by libbpf when all is ready for the verifier. */
static int give_up(struct bpf_program *program, struct bpf_prog_load_opts *opts, long cookie)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { { 0 } };

	(void)program;
	opts->prog_flags |= BPF_F_SLEEPABLE;
	if (!cookie)
		return 0;
	caps[CAP_TO_INDEX(CAP_BPF)].effective = CAP_TO_MASK(CAP_BPF);
	caps[CAP_TO_INDEX(CAP_BPF)].permitted = CAP_TO_MASK(CAP_BPF);
	return syscall(SYS_capset, &header, caps) ? -1 : 0;
}

/* Run @name. Exits if there is none, or it does not run. */
static unsigned int call(struct bpf_object *object, const char *name)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct bpf_program *program = bpf_object__find_program_by_name(object, name);
	int err = program ? bpf_prog_test_run_opts(bpf_program__fd(program), &opts) : -ENOENT;

	if (err) {
		fprintf(stderr, "ask: %s: %s\n", name, strerror(-err));
		exit(1);
	}
	return opts.retval;
}

/* Long enough that the monitoring module knows this thread. */
static void work(void)
{
	volatile unsigned long i;

	for (i = 0; i < 400000000; i++)
		;
}

static int trace(struct bpf_object *object, char **command)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object, "switched");
	int status = 0;
	pid_t pid;

	if (!program || !bpf_program__attach(program)) {
		fprintf(stderr, "ask: switched: %s\n", strerror(errno));
		return 1;
	}
	pid = fork();
	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
		return 1;
	printf("%u\n", call(object, "traced"));
	return 0;
}

int main(int argc, char **argv)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, handler, .prog_prepare_load_fn = give_up);
	const char *mode = argc >= 3 ? argv[2] : "";
	struct bpf_object *object;
	unsigned int cost, one = ~0U, four = ~0U;
	int err, i;

	handler.cookie = !strcmp(mode, "unprivileged");
	libbpf_register_prog_handler("call", BPF_PROG_TYPE_SYSCALL, 0, &handler);
	object = argc >= 2 ? bpf_object__open_file(argv[1], NULL) : NULL;
	if (!object) {
		fprintf(stderr, "Usage: ask FILE [unprivileged|cost|trace COMMAND...]\n");
		return 2;
	}
	err = bpf_object__load(object);
	if (err) {
		fprintf(stderr, "ask: %s\n", strerror(-err));
		return 1;
	}
	if (!strcmp(mode, "trace") && argc > 3)
		return trace(object, argv + 3);
	if (strcmp(mode, "cost")) {
		printf("%u\n", call(object, "ask"));
		return 0;
	}
	if (call(object, "watch"))
		return 1;
	work();
	/* The least of some: the timer's interrupt may be in the others. */
	for (i = 0; i < TRIES; i++) {
		cost = call(object, "cost");
		if (!cost)
			return 1;
		one = (cost & 0xffff) < one ? cost & 0xffff : one;
		four = cost >> 16 < four ? cost >> 16 : four;
	}
	printf("kfunc_one %u\nkfunc_four %u\n", one, four);
	return 0;
}
