// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PID 1 of a test guest: mounts the Debian userland over 9p, loads the module,
 * runs one command with its output on two virtio ports, and reports.
 *
 * Folder /run/vm (9p tag "ctl", writable) is the interface with tests/vm/run:
 *   argv     in: the command, each word ended by NUL
 *   module   in: the modules to load, a line each: path and arguments; absent: none
 *   pmctrack/  in: the user's own simulated machines, where the kernel looks for firmware
 *   status   out: exit status of the command
 *   reboot   in: end by a reboot, which ends the emulator, too, because the emulator does
 *            not see a power-off after it has been suspended
 *   problem  out: what is wrong with the guest, whatever the command returned
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <dirent.h>
#include <unistd.h>

#define CTL "/run/vm/"

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		perror(path);
	fsync(fd);
	close(fd);
}

/* Returns the whole file with a NUL behind it, or NULL if it does not exist. */
static char *read_file(const char *path, size_t *len)
{
	size_t size = 0, room = 65536;
	char *text = malloc(room + 1);
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return NULL;
	while ((n = read(fd, text + size, room - size)) > 0) {
		size += n;
		if (size == room)
			text = realloc(text, (room *= 2) + 1);
	}
	close(fd);
	text[size] = '\0';
	if (len)
		*len = size;
	return text;
}

static void problem(const char *fmt, ...)
{
	char text[4096];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fprintf(stderr, "init: %s\n", text);
	write_file(CTL "problem", text);
}

static void power_off(void)
{
	sync();
	reboot(access(CTL "reboot", F_OK) ? RB_POWER_OFF : RB_AUTOBOOT);
	for (;;)
		pause();
}

static void must_mount(const char *src, const char *dst, const char *type,
		       unsigned long flags, const char *data)
{
	mkdir(dst, 0755);
	if (mount(src, dst, type, flags, data) == 0)
		return;
	fprintf(stderr, "init: mount %s on %s: %s\n", src, dst, strerror(errno));
	power_off();
}

static void mount_9p(const char *tag, const char *dst, unsigned long flags, const char *cache)
{
	char data[128];

	snprintf(data, sizeof(data), "trans=virtio,version=9p2000.L,msize=262144,cache=%s", cache);
	must_mount(tag, dst, "9p", flags, data);
}

/* Load what a stock kernel has as modules, in order (see tests/vm/fetch-kernel). */
static void load_early(void)
{
	struct dirent **names;
	int nr = scandir("/early", &names, NULL, alphasort);
	char path[512];

	for (int i = 0; i < nr; i++) {
		int fd;

		if (names[i]->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/early/%s", names[i]->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != ENODEV))
			fprintf(stderr, "init: cannot load %s: %s\n", path, strerror(errno));
		close(fd);
	}
}

/* The userland is shared by all guests: read-only, with a scratch layer on top. */
static void mount_root(void)
{
	must_mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	must_mount("tmpfs", "/rw", "tmpfs", 0, NULL);
	mkdir("/rw/upper", 0755);
	mkdir("/rw/work", 0755);
	mount_9p("root", "/lower", MS_RDONLY, "loose");
	must_mount("overlay", "/new", "overlay", 0,
		   "lowerdir=/lower,upperdir=/rw/upper,workdir=/rw/work");
	must_mount("/dev", "/new/dev", NULL, MS_MOVE, NULL);
	/* Move the root as switch_root does, because user namespaces accept only such a root. */
	if (chdir("/new") || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		power_off();
	must_mount("proc", "/proc", "proc", 0, NULL);
	must_mount("devpts", "/dev/pts", "devpts", 0, "ptmxmode=666");
	must_mount("sysfs", "/sys", "sysfs", 0, NULL);
	must_mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	must_mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, NULL);
	must_mount("tmpfs", "/tmp", "tmpfs", 0, "mode=1777");
	must_mount("tmpfs", "/run", "tmpfs", 0, NULL);
	must_mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777");
	mount_9p("ctl", "/run/vm", 0, "none");
	mount_9p("stage", "/opt/pmctrack", MS_RDONLY, "loose");
	mount_9p("share", "/share", 0, "mmap");
	symlink("/proc/self/fd", "/dev/fd");
}

static void load_module(const char *text)
{
	char *line = strdup(text);
	char *args = strchr(line, ' ');
	int fd;

	if (args)
		*args++ = '\0';
	fd = open(line, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || syscall(SYS_finit_module, fd, args ? args : "", 0) < 0)
		problem("cannot load %s: %s", line, strerror(errno));
	close(fd);
	free(line);
}

static void load_modules(char *lines)
{
	char *line;

	while ((line = strsep(&lines, "\n"))) {
		if (*line)
			load_module(line);
	}
}

static int open_port(const char *name)
{
	const char *base = "/sys/class/virtio-ports";
	DIR *dir = opendir(base);
	struct dirent *d;
	char path[512];
	int fd = -1;

	while (dir && fd < 0 && (d = readdir(dir))) {
		char *text;

		snprintf(path, sizeof(path), "%s/%s/name", base, d->d_name);
		text = read_file(path, NULL);
		if (text && strncmp(text, name, strlen(name)) == 0) {
			snprintf(path, sizeof(path), "/dev/%s", d->d_name);
			fd = open(path, O_WRONLY | O_CLOEXEC);
		}
		free(text);
	}
	if (dir)
		closedir(dir);
	if (fd < 0)
		problem("no virtio port '%s'", name);
	return fd;
}

static void write_all(int fd, const char *buf, ssize_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, buf, len);

		if (n <= 0)
			return;
		buf += n;
		len -= n;
	}
}

/* Returns true while there may be more to copy. */
static bool pump(int from, int to)
{
	char buf[65536];
	ssize_t n = read(from, buf, sizeof(buf));

	if (n > 0)
		write_all(to, buf, n);
	return n > 0;
}

static char **split_argv(char *words, size_t len)
{
	char **argv = calloc(len + 2, sizeof(*argv));
	size_t n = 0;

	for (char *p = words; p < words + len; p += strlen(p) + 1)
		argv[n++] = p;
	return argv;
}

static void run_child(char **argv, const int out[2], const int err[2])
{
	int null = open("/dev/null", O_RDONLY);

	setsid();
	dup2(null, 0);
	dup2(out[1], 1);
	dup2(err[1], 2);
	setenv("PATH", "/opt/pmctrack/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("LD_LIBRARY_PATH", "/opt/pmctrack/lib", 1);
	setenv("HOME", "/root", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	if (chdir("/share"))
		perror("/share");
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Returns the exit status of the command, or 128 + signal if a signal killed it. */
static int run_command(char **argv)
{
	int ports[2] = { open_port("out"), open_port("err") };
	int out[2], err[2];
	struct pollfd fds[2];
	int status;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC | O_NONBLOCK) || pipe2(err, O_CLOEXEC | O_NONBLOCK))
		power_off();
	/* The command sees ordinary, blocking pipes. */
	fcntl(out[1], F_SETFL, 0);
	fcntl(err[1], F_SETFL, 0);
	pid = fork();
	if (pid == 0)
		run_child(argv, out, err);

	fds[0] = (struct pollfd){ .fd = out[0], .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = err[0], .events = POLLIN };
	for (;;) {
		pid_t gone;

		poll(fds, 2, 100);
		while (pump(out[0], ports[0]))
			;
		while (pump(err[0], ports[1]))
			;
		/* Orphans are children of this process, which reaps them, too. */
		while ((gone = waitpid(-1, &status, WNOHANG)) > 0 && gone != pid)
			;
		if (gone == pid)
			break;
	}
	while (pump(out[0], ports[0]) || pump(err[0], ports[1]))
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* End what the command left running, then unload the modules. Orphans are children of PID 1. */
static void clean_up(bool loaded)
{
	static const char *const modules[] = { "pmctrack", "pmctrack_sim" };

	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	for (int i = 0; loaded && i < 2; i++) {
		if (syscall(SYS_delete_module, modules[i], O_NONBLOCK) < 0 && errno != ENOENT)
			problem("rmmod %s: %s", modules[i], strerror(errno));
	}
}

#define KMEMLEAK "/sys/kernel/debug/kmemleak"

/* Returns false without kmemleak, or if it was switched off at boot: it refuses the write. */
static bool leaks_are_tracked(void)
{
	int fd = open(KMEMLEAK, O_WRONLY);
	bool tracked = fd >= 0 && write(fd, "scan=off", 8) == 8;

	if (fd >= 0)
		close(fd);
	return tracked;
}

/* Forget leaks that are older than the module and the command. False: leaks are not tracked. */
static bool leaks_begin(void)
{
	if (!leaks_are_tracked())
		return false;
	write_file(KMEMLEAK, "clear");
	return true;
}

static void leaks_check(void)
{
	char *text;

	/* For example, because it had no memory for itself. */
	if (!leaks_are_tracked()) {
		problem("kmemleak has switched itself off\n");
		return;
	}
	/* An object counts after two scans, 5 s after its allocation. */
	write_file(KMEMLEAK, "scan");
	sleep(6);
	write_file(KMEMLEAK, "scan");
	text = read_file(KMEMLEAK, NULL);
	if (text && text[0])
		problem("kmemleak:\n%s", text);
}

int main(void)
{
	char *words, *module;
	char status[16];
	bool loaded, tracks_leaks;
	size_t len;

	load_early();
	mount_root();
	words = read_file(CTL "argv", &len);
	module = read_file(CTL "module", NULL);
	if (!words || !len) {
		problem("no command");
		power_off();
	}
	tracks_leaks = leaks_begin();
	loaded = module;
	load_modules(module);
	snprintf(status, sizeof(status), "%d", run_command(split_argv(words, len)));
	clean_up(loaded);
	if (tracks_leaks)
		leaks_check();
	write_file(CTL "status", status);
	power_off();
}
