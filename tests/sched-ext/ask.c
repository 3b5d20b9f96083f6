// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ask FILE [unprivileged]: load the system call program of FILE (ask.bpf.o), run it, and print what
 * it returns. "unprivileged": load it with CAP_BPF alone. Only who has CAP_SYS_ADMIN finds the
 * module's functions (libbpf does), so the rest is given up in between.
 */
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

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

int main(int argc, char **argv)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, handler, .cookie = argc == 3, .prog_prepare_load_fn = give_up);
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct bpf_program *program;
	struct bpf_object *object;
	int err;

	libbpf_register_prog_handler("call", BPF_PROG_TYPE_SYSCALL, 0, &handler);
	object = argc >= 2 ? bpf_object__open_file(argv[1], NULL) : NULL;
	program = object ? bpf_object__find_program_by_name(object, "ask") : NULL;
	if (!program) {
		fprintf(stderr, "Usage: ask ask.bpf.o [unprivileged]\n");
		return 2;
	}
	err = bpf_object__load(object);
	if (!err)
		err = bpf_prog_test_run_opts(bpf_program__fd(program), &opts);
	if (err) {
		fprintf(stderr, "ask: %s\n", strerror(-err));
		return 1;
	}
	printf("%u\n", opts.retval);
	return 0;
}
