// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abifuzz --seed N --ops M [--log FILE] | --replay FILE: what user space can do
 * to the module, right, wrong and at the same time. Each line of operations (see
 * abi_generate.h) is in the log before it is executed; a log replays itself, and
 * still means something when lines are deleted.
 *
 * The kernel has to survive, to refuse with errors that are known here and in
 * one line of text, to give correct records to a reader who behaves, and to be
 * as before when all sessions are closed. Exit status 1 if it does not.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <linux/genetlink.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pmctrack/libpmctrack.h>

#include "../../fuzz/abi_generate.h"

#define ARENA		(32UL << 20)	/* address space of a mapping slot */
#define MAX_FILES	65536		/* sessions ever */
#define RESET_EVERY	250		/* lines */
#define MAX_BROKEN	10
#define CGROUP		"/sys/fs/cgroup/abifuzz"
#define MODULES		"/opt/pmctrack/modules/pmctrack_mmon_"

enum outcome { OK, REFUSED, IDLE };

struct args {
	char *at;
};

/* Of all processes. */
static struct shared {
	unsigned int sessions, messages, records, broken;
	unsigned int nr_files;
	bool spoilt[MAX_FILES];		/* by a writer of its control page */
	struct { unsigned int did, ok, idle; } op[64];
} *shared;

static struct session {
	int fd;			/* -1: none */
	unsigned int file;	/* dups are of one */
	bool fresh;
} sessions[NR_SESSIONS];
static pthread_mutex_t sessions_lock = PTHREAD_MUTEX_INITIALIZER;

static char *arena[NR_MAPS];
static pid_t children[NR_CHILDREN];
static int cgroups[2];
static int family;
static long page;
static unsigned long line_nr;
static const char *line_text;
static _Thread_local bool racing;

/* Bytes of a session's control pages. */
static size_t ctl_size(void)
{
	return (sizeof(struct pmctrack_ring_ctl) + (size_t)page - 1) / (size_t)page * (size_t)page;
}

__attribute__((format(printf, 1, 2)))
static void broken(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "abifuzz: line %lu: ", line_nr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, ", in: %.300s\n", line_text);
	if (__atomic_add_fetch(&shared->broken, 1, __ATOMIC_RELAXED) == MAX_BROKEN)
		fprintf(stderr, "abifuzz: further ones are not shown\n");
}

static void count(unsigned int *n)
{
	__atomic_add_fetch(n, 1, __ATOMIC_RELAXED);
}

/* Refusals are fine if they are documented: the list ends with 0. */
static enum outcome judge(long ret, const char *what, ...)
{
	int err = errno, known;
	va_list args;

	if (ret >= 0)
		return OK;
	va_start(args, what);
	while ((known = va_arg(args, int)) && known != err)
		;
	va_end(args);
	if (!known && shared->broken < MAX_BROKEN)
		broken("%s: unexpected error %d (%s)", what, err, strerror(err));
	return REFUSED;
}

static const char *next_word(struct args *a)
{
	char *w;

	do {
		w = strsep(&a->at, " \n");
	} while (w && !*w);
	return w;
}

static uint64_t next_number(struct args *a)
{
	const char *w = next_word(a);

	return w ? strtoull(w, NULL, 10) : 0;
}

/* "-HEX" */
static size_t from_hex(const char *hex, uint8_t *bytes, size_t room)
{
	size_t len = 0;
	unsigned int byte;

	for (hex += hex && *hex == '-'; hex && len < room && sscanf(hex, "%2x", &byte) == 1; hex += 2)
		bytes[len++] = (uint8_t)byte;
	return len;
}

/*
 * Sessions. A descriptor is only used as a duplicate of one's own, because the
 * other thread of a race may close it.
 */
static void session_put(unsigned int slot, int fd, unsigned int file)
{
	int old;

	pthread_mutex_lock(&sessions_lock);
	old = sessions[slot % NR_SESSIONS].fd;
	sessions[slot % NR_SESSIONS] = (struct session){ .fd = fd, .file = file, .fresh = true };
	pthread_mutex_unlock(&sessions_lock);
	if (old >= 0)
		close(old);
}

static int session_get(struct args *a, unsigned int *file)
{
	unsigned int slot = (unsigned int)next_number(a);
	int fd = -1;

	pthread_mutex_lock(&sessions_lock);
	for (unsigned int i = 0; fd < 0 && i < NR_SESSIONS; i++) {
		const struct session *s = &sessions[(slot + i) % NR_SESSIONS];

		if (s->fd < 0)
			continue;
		fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
		*file = s->file;
	}
	pthread_mutex_unlock(&sessions_lock);
	return fd;
}

static void session_new(unsigned int slot, int fd)
{
	int fl = fcntl(fd, F_GETFL);

	if (!(fcntl(fd, F_GETFD) & FD_CLOEXEC))
		broken("a session survives exec");
	fcntl(fd, F_SETFL, fl | O_NONBLOCK);
	count(&shared->sessions);
	session_put(slot, fd, __atomic_add_fetch(&shared->nr_files, 1, __ATOMIC_RELAXED) % MAX_FILES);
}

/* The process in a slot, or the caller; 0: none. */
static pid_t child_get(struct args *a)
{
	unsigned int slot = (unsigned int)next_number(a);

	for (unsigned int i = 0; slot < NR_CHILDREN && i < NR_CHILDREN; i++) {
		if (children[(slot + i) % NR_CHILDREN] > 0)
			return children[(slot + i) % NR_CHILDREN];
	}
	return slot < NR_CHILDREN ? 0 : getpid();
}

#include "../../fuzz/abi_netlink.h"
#include "../../fuzz/abi_reader.h"
#include "../../fuzz/abi_memory.h"
#include "../../fuzz/abi_files.h"
#include "../../fuzz/abi_children.h"

static enum outcome op_info(struct args *a)
{
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();

	(void)a;
	if (!ctl && errno != EMFILE)
		broken("info: %s", pmctrack_error());
	pmctrack_ctl__close(ctl);
	return ctl ? OK : REFUSED;
}

static enum outcome do_ioctl(int fd, unsigned long cmd, unsigned long arg)
{
	enum outcome got = judge(ioctl(fd, cmd, arg), "ioctl", ENOTTY, ESRCH, EALREADY, EINTR, EFAULT,
				 ESHUTDOWN, EINVAL, 0);

	close(fd);
	return got;
}

static enum outcome op_ioctl_of(struct args *a, unsigned long cmd)
{
	unsigned int file;
	int fd = session_get(a, &file);

	return fd < 0 ? IDLE : do_ioctl(fd, cmd, 0);
}

static enum outcome op_start(struct args *a)
{
	return op_ioctl_of(a, PMCTRACK_IOC_START);
}

static enum outcome op_stop(struct args *a)
{
	return op_ioctl_of(a, PMCTRACK_IOC_STOP);
}

static enum outcome op_detach(struct args *a)
{
	return op_ioctl_of(a, PMCTRACK_IOC_DETACH);
}

/* attach SESSION CHILD: a refusal has its reason, in one line */
static enum outcome op_attach(struct args *a)
{
	unsigned int file;
	int fd = session_get(a, &file);
	struct pmctrack_attach arg = { .pid = child_get(a) };
	int ret, err;

	if (fd < 0)
		return IDLE;
	ret = ioctl(fd, PMCTRACK_IOC_ATTACH, &arg);
	err = errno;
	if (ret && err != ENOTTY &&
	    (!arg.message[0] || memchr(arg.message, '\n', sizeof(arg.message)) ||
	     !memchr(arg.message, '\0', sizeof(arg.message))))
		broken("attach: error %d with message '%.160s'", err, arg.message);
	if (!ret && arg.left_out)
		broken("attach: %u threads were left out of one with %u", arg.left_out, arg.threads);
	close(fd);
	errno = err;
	return judge(ret, "attach", ENOTTY, ESRCH, EACCES, EBUSY, EINTR, ESHUTDOWN, ENOMEM, 0);
}

/* Numbers beside ours, and any; none that files in general know (FIOCLEX, FIONBIO...). */
static enum outcome op_ioctl(struct args *a)
{
	unsigned int file;
	int fd = session_get(a, &file);
	uint64_t cmd = next_number(a);

	if (fd < 0)
		return IDLE;
	cmd = cmd & 1 ? _IOC(cmd >> 1 & 3, '%', 0x6e + (cmd >> 3 & 7), cmd >> 6 & 0x3fff) : (uint32_t)cmd;
	if (_IOC_TYPE(cmd) == 'T' || _IOC_TYPE(cmd) == 'X' || _IOC_TYPE(cmd) == 'f')
		cmd = 0;
	return do_ioctl(fd, cmd, next_number(a));
}


static enum outcome op_burn(struct args *a)
{
	burn_ms((unsigned int)next_number(a) % 21);
	return OK;
}

static enum outcome op_wait(struct args *a)
{
	usleep((useconds_t)next_number(a) % 21 * 1000);
	return OK;
}

#include "../../fuzz/abi_system.h"

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

/* Of each of the operations "a ; b ; c", one after the other. */
static void run_ops(char *text)
{
	char *one;

	while ((one = strsep(&text, ";"))) {
		struct args a = { one };
		const char *name = next_word(&a);
		size_t i = 0;

		while (name && i < NR_OPS && strcmp(ops[i].name, name))
			i++;
		if (!name || i == NR_OPS) {
			fprintf(stderr, "abifuzz: line %lu: no operation '%s'\n", line_nr, name ? name : "");
			exit(2);
		}
		count(&shared->op[i].did);
		switch (ops[i].run(&a)) {
		case OK:
			count(&shared->op[i].ok);
			break;
		case IDLE:
			count(&shared->op[i].idle);
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

/* In a child without privileges; the sessions that it opens are ours then. */
static void run_user(char *text)
{
	struct rlimit little = { 256 << 10, 256 << 10 };
	pid_t ours[NR_CHILDREN];
	int socks[2], status;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks))
		err(1, "socketpair");
	for (int i = 0; i < NR_SESSIONS; i++)
		sessions[i].fresh = false;
	pid = fork();
	if (pid == 0) {
		arenas_of_child();
		setrlimit(RLIMIT_MEMLOCK, &little);
		become_user();
		memcpy(ours, children, sizeof(ours));
		run_ops(text);
		for (unsigned int i = 0; i < NR_SESSIONS; i++) {
			if (sessions[i].fresh && sessions[i].fd >= 0)
				send_fd(socks[1], sessions[i].fd, i, sessions[i].file);
		}
		for (unsigned int i = 0; i < NR_CHILDREN; i++) {
			if (children[i] != ours[i])
				child_end(i);
		}
		_exit(0);
	}
	close(socks[1]);
	while (receive_fd(socks[0]))
		;
	close(socks[0]);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && status)
		broken("the child without privileges ended with status %#x", status);
}

static void run_line(const char *line)
{
	static char copy[MAX_LINE];
	pthread_t other;
	sigset_t alarm;
	char *bar;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	line_text = line;
	strcpy(copy, line);
	bar = strchr(copy, '|');
	if (strncmp(copy, "user ", 5) == 0) {
		run_user(copy + 5);
	} else if (strncmp(copy, "thread ", 7) == 0) {
		if (pthread_create(&other, NULL, run_thread, copy + 7))
			err(1, "pthread_create");
		/* The timer is the thread's; it repeats itself. */
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

static void run_nothing(int sig)
{
	(void)sig;
}

static void set_up(void)
{
	struct sigaction wake = { .sa_handler = run_nothing };

	page = sysconf(_SC_PAGESIZE);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		err(1, "shared memory");
	arenas_make();
	/* Without SA_RESTART: it ends what waits. */
	sigaction(SIGALRM, &wake, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGILL, undefined);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	mkdir(CGROUP, 0755);
	cgroups[0] = open("/tmp", O_RDONLY | O_CLOEXEC);
	cgroups[1] = open(CGROUP, O_RDONLY | O_CLOEXEC);
	write_text(CGROUP "/cgroup.procs", "0", 1);
	family = find_family();
	if (family < 0)
		errx(2, "the pmctrack kernel module is not loaded");
	perf_works = open_and_close_perf();
}

static void tear_down(void)
{
	static const char *const modules[] = { "pmctrack_mmon_ipc", "pmctrack_mmon_test" };

	run_line("reset");
	for (int i = 0; i < 2; i++)
		syscall(SYS_delete_module, modules[i], O_NONBLOCK);
	close(cgroups[1]);
	write_text("/sys/fs/cgroup/cgroup.procs", "0", 1);
	rmdir(CGROUP);
}

static void fuzz(uint64_t seed, unsigned long nr, const char *log)
{
	static struct line line;
	struct rng r = { seed };
	int fd = log ? open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;

	if (log && fd < 0)
		err(2, "%s", log);
	for (line_nr = 1; line_nr <= nr && shared->broken < MAX_BROKEN; line_nr++) {
		if (line_nr % RESET_EVERY)
			generate(&r, &line);
		else
			line.len = (size_t)sprintf(line.text, "reset");
		line.text[line.len] = '\n';
		/* One write: it has reached the host when the kernel crashes. */
		if (fd >= 0 && write(fd, line.text, line.len + 1) < 0)
			err(2, "%s", log);
		line.text[line.len] = '\0';
		run_line(line.text);
	}
	if (fd >= 0)
		close(fd);
}

static void replay(const char *path)
{
	static char line[MAX_LINE];
	FILE *f = fopen(path, "re");

	if (!f)
		err(2, "%s", path);
	while (fgets(line, sizeof(line), f)) {
		line_nr++;
		line[strcspn(line, "\n")] = '\0';
		if (*line && *line != '#')
			run_line(line);
	}
	fclose(f);
}

static void print_statistics(void)
{
	printf("%-10s %8s %8s %8s %8s\n", "operation", "done", "worked", "refused", "idle");
	for (size_t i = 0; i < NR_OPS; i++)
		printf("%-10s %8u %8u %8u %8u\n", ops[i].name, shared->op[i].did, shared->op[i].ok,
		       shared->op[i].did - shared->op[i].ok - shared->op[i].idle, shared->op[i].idle);
	printf("%u sessions, %u messages, %u records\n", shared->sessions, shared->messages, shared->records);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' }, { "ops", required_argument, NULL, 'o' },
		{ "log", required_argument, NULL, 'l' }, { "replay", required_argument, NULL, 'r' },
		{ "child", required_argument, NULL, 'c' }, { NULL, 0, NULL, 0 },
	};
	const char *log = NULL, *old = NULL;
	unsigned long nr = 0;
	uint64_t seed = 1;
	int opt;

	for (int i = 0; i < NR_SESSIONS; i++)
		sessions[i].fd = -1;
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 's':
			seed = strtoull(optarg, NULL, 10);
			break;
		case 'o':
			nr = strtoul(optarg, NULL, 10);
			break;
		case 'l':
			log = optarg;
			break;
		case 'r':
			old = optarg;
			break;
		case 'c':
			child_main((unsigned int)atoi(optarg));
			break;
		default:
			nr = 0, old = NULL;
			optind = argc + 1;
		}
	}
	if (optind != argc || !nr == !old)
		errx(2, "usage: abifuzz --seed N --ops M [--log FILE] | --replay FILE");
	set_up();
	if (old)
		replay(old);
	else
		fuzz(seed, nr, log);
	tear_down();
	print_statistics();
	/* Refusals alone would prove little. */
	if (nr >= 1000 && (shared->sessions < nr / 20 || shared->records < nr / 20))
		errx(1, "only %u sessions and %u records", shared->sessions, shared->records);
	return shared->broken ? 1 : 0;
}
