// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.h"

#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "args.h"
#include "children.h"
#include "control.h"
#include "grammar.h"
#include "memory.h"
#include "netlink.h"
#include "reader.h"
#include "report.h"
#include "sessions.h"
#include "system.h"

#define OP(name) { #name, op_##name }
static const struct {
	const char *name;
	enum outcome (*run)(struct args *a);
} ops[] = {
	OP(new), OP(raw), OP(info), OP(start), OP(stop), OP(attach), OP(detach), OP(ioctl), OP(read), OP(poll), OP(map),
	OP(unmap), OP(protect), OP(remap), OP(touch), OP(tail), OP(scribble), OP(consume), OP(dup), OP(pass),
	OP(close), OP(spawn), OP(kill), OP(affine), OP(fork), OP(burn), OP(wait), OP(config), OP(mmon), OP(sched),
	OP(metric), OP(module), OP(procread), OP(cpu), OP(perf), OP(counter), OP(reset),
};
#define NR_OPS (sizeof(ops) / sizeof(ops[0]))

/* Statistics of each operation, shared by all processes. Other programs run in that time, too. */
static struct statistics {
	unsigned int did, ok, idle;
	uint64_t ns;
} *statistics;

static _Thread_local bool racing;

static void run_nothing(int sig)
{
	(void)sig;
}

void run_init(void)
{
	struct sigaction wake = { .sa_handler = run_nothing };

	statistics = shared_alloc(NR_OPS * sizeof(*statistics));
	/* Without SA_RESTART, because the signal ends system calls that wait. */
	sigaction(SIGALRM, &wake, NULL);
	signal(SIGPIPE, SIG_IGN);
}

bool run_is_racing(void)
{
	return racing;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Execute the operations "a ; b ; c", one after the other. */
static void run_ops(char *text)
{
	char *one;

	while ((one = strsep(&text, ";"))) {
		struct args a = { one };
		const char *name = next_word(&a);
		enum outcome got;
		uint64_t began;
		size_t i = 0;

		while (name && i < NR_OPS && strcmp(ops[i].name, name))
			i++;
		if (!name || i == NR_OPS)
			report_no_operation(name ? name : "");
		count(&statistics[i].did);
		began = now_ns();
		got = ops[i].run(&a);
		__atomic_add_fetch(&statistics[i].ns, now_ns() - began, __ATOMIC_RELAXED);
		switch (got) {
		case OK:
			count(&statistics[i].ok);
			break;
		case IDLE:
			count(&statistics[i].idle);
			break;
		case REFUSED:
			break;
		}
	}
}

static void *run_racing(void *text)
{
	racing = true;
	run_ops(text);
	return NULL;
}

static void *run_thread(void *text)
{
	run_ops(text);
	return NULL;
}

/*
 * Execute operations in a child without privileges. The child sends the sessions that it opens to
 * this process, so that later lines can use them.
 */
static void run_user(char *text)
{
	struct rlimit little = { 256 << 10, 256 << 10 };
	int socks[2], status;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks))
		err(1, "socketpair");
	sessions_mark();
	pid = fork();
	if (pid == 0) {
		memory_clear();
		setrlimit(RLIMIT_MEMLOCK, &little);
		become_user();
		children_mark();
		run_ops(text);
		sessions_send_new(socks[1]);
		children_end_new();
		_exit(0);
	}
	close(socks[1]);
	while (session_receive(socks[0]))
		;
	close(socks[0]);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && status)
		broken("the child without privileges ended with status %#x", status);
}

void run_line(unsigned long nr, const char *line)
{
	static char copy[MAX_LINE];
	pthread_t other;
	sigset_t alarm;
	char *bar;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	report_line(nr, line);
	strcpy(copy, line);
	bar = strchr(copy, '|');
	if (strncmp(copy, "user ", 5) == 0) {
		run_user(copy + 5);
	} else if (strncmp(copy, "thread ", 7) == 0) {
		if (pthread_create(&other, NULL, run_thread, copy + 7))
			err(1, "pthread_create");
		/* The timer signals the process. Its signal must reach the other thread. */
		pthread_sigmask(SIG_BLOCK, &alarm, NULL);
		pthread_join(other, NULL);
		pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	} else if (strncmp(copy, "race ", 5) == 0 && bar) {
		*bar = '\0';
		racing = true;
		if (pthread_create(&other, NULL, run_racing, bar + 1))
			err(1, "pthread_create");
		run_ops(copy + 5);
		pthread_join(other, NULL);
		racing = false;
	} else {
		run_ops(copy);
	}
}

void run_print_statistics(void)
{
	unsigned int all = 0;

	printf("%-10s %8s %8s %8s %8s %10s\n", "operation", "done", "worked", "refused", "idle", "us each");
	for (size_t i = 0; i < NR_OPS; i++) {
		const struct statistics *s = &statistics[i];

		all += s->did;
		printf("%-10s %8u %8u %8u %8u %10.1f\n", ops[i].name, s->did, s->ok, s->did - s->ok - s->idle,
		       s->idle, s->did ? (double)s->ns / s->did / 1000 : 0);
	}
	printf("%u operations, %u sessions, %u messages, %u records\n", all, report_total(TOTAL_SESSIONS),
	       report_total(TOTAL_MESSAGES), report_total(TOTAL_RECORDS));
}
