// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmctrack doctor: what this machine lacks, or what stands in the way of
 * counting, each with its reason and the remedy. It changes nothing.
 */
#include <json-c/json.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli.h"

enum verdict { GOOD, WARNING, BAD };

struct doctor {
	bool json;
	bool bad;
	struct utsname kernel;
};

static const char *const verdicts[] = { "ok", "warning", "FAIL" };

/* A check's result; @remedy NULL: none is needed, or known. */
__attribute__((format(printf, 5, 6)))
static void say(struct doctor *d, enum verdict verdict, const char *check, const char *remedy,
		const char *fmt, ...)
{
	struct json_object *line;
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	d->bad |= verdict == BAD;
	if (!d->json) {
		printf("%-8s %-12s %s\n", verdicts[verdict], check, text);
		if (remedy)
			printf("%21s => %s\n", "", remedy);
		return;
	}
	line = json_object_new_object();
	json_object_object_add(line, "check", json_object_new_string(check));
	json_object_object_add(line, "verdict", json_object_new_string(verdict == BAD ? "fail" :
								       verdicts[verdict]));
	json_object_object_add(line, "finding", json_object_new_string(text));
	json_object_object_add(line, "remedy", remedy ? json_object_new_string(remedy) : NULL);
	printf("%s\n", json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN |
						      JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(line);
}

/* The first line of a file, without its end; false if there is none. */
static bool read_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	bool have = f && fgets(line, (int)size, f);

	if (f)
		fclose(f);
	if (have)
		line[strcspn(line, "\n")] = '\0';
	return have;
}

static bool file_has(const char *path, const char *text)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	bool has = false;

	while (f && !has && getline(&line, &room, f) >= 0)
		has = strstr(line, text);
	free(line);
	if (f)
		fclose(f);
	return has;
}

/* The value of "name: value" in /proc/pmc/info; "" if it is not there. */
static const char *info(const char *name, char *value, size_t size)
{
	FILE *f = fopen("/proc/pmc/info", "re");
	size_t len = strlen(name);
	char line[256];

	value[0] = '\0';
	while (f && !value[0] && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, name, len) == 0 && strncmp(line + len, ": ", 2) == 0)
			snprintf(value, size, "%s", line + len + 2);
	}
	if (f)
		fclose(f);
	return value;
}

/* Why the module, which is installed, may not be loaded. */
static void check_signatures(struct doctor *d)
{
	static const char remedy[] =
		"sign pmctrack.ko with a key that the kernel knows (README, Secure boot)";
	char line[64];

	if (read_line("/sys/module/module/parameters/sig_enforce", line, sizeof(line)) &&
	    line[0] == 'Y')
		say(d, WARNING, "signatures", remedy,
		    "this kernel loads signed modules only");
	if (read_line("/sys/kernel/security/lockdown", line, sizeof(line)) &&
	    !strstr(line, "[none]"))
		say(d, WARNING, "lockdown", remedy,
		    "the kernel is locked down (%s), as with secure boot: it loads signed modules only",
		    line);
}

static bool check_module(struct doctor *d)
{
	char path[512], value[128];
	bool installed;

	say(d, GOOD, "kernel", NULL, "%s %s %s", d->kernel.sysname, d->kernel.release,
	    d->kernel.machine);
	if (info("version", value, sizeof(value))[0]) {
		say(d, GOOD, "module", NULL, "pmctrack %s is loaded", value);
		return true;
	}
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", d->kernel.release);
	installed = file_has(path, "/pmctrack.ko");
	if (installed) {
		say(d, BAD, "module", "sudo modprobe pmctrack; if it refuses, 'sudo dmesg' says why",
		    "pmctrack is installed, and not loaded");
		check_signatures(d);
		return false;
	}
	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile", d->kernel.release);
	if (access(path, R_OK) == 0)
		say(d, BAD, "module",
		    "sudo apt install pmctrack-dkms, or make && sudo make install in the sources",
		    "pmctrack is not installed for this kernel");
	else
		say(d, BAD, "module",
		    "sudo apt install linux-headers-$(uname -r), then pmctrack-dkms (or: sudo dkms autoinstall)",
		    "pmctrack is not installed for this kernel, and cannot be built without its headers");
	return false;
}

static void check_hooks(struct doctor *d)
{
	char value[128];

	info("hooks", value, sizeof(value));
	say(d, GOOD, "hooks", NULL, "%s%s", value, strcmp(value, "tracepoint") ? "" :
	    ": an unmodified kernel; schedulers in it get no metrics, that needs kernel-patch/");
}

static void check_pmu(struct doctor *d)
{
	bool hypervisor = file_has("/proc/cpuinfo", " hypervisor");
	char backend[64], pmu[128], watchdog[16];

	info("backend", backend, sizeof(backend));
	info("pmu", pmu, sizeof(pmu));
	if (strcmp(pmu, "perf_software_events") == 0)
		say(d, WARNING, "PMU", hypervisor ?
		    "give the virtual machine a PMU (libvirt: <pmu state='on'/>, QEMU: -cpu host,pmu=on)" :
		    "see whether the firmware disables it; 'dmesg | grep -i -e pmu -e perf' may tell",
		    "this machine has no counters: only software events (task_clock, page_faults, ...)");
	else if (strcmp(backend, "perf") == 0)
		say(d, GOOD, "PMU", NULL,
		    "%s, through perf's driver: no event-based sampling, and a switch costs more", pmu);
	else
		say(d, GOOD, "PMU", NULL, "%s, backend %s", pmu, backend);
	if (hypervisor)
		say(d, GOOD, "hypervisor", NULL, "a virtual machine: counts are of its virtual PMU");
	if (strncmp(backend, "x86", 3) == 0 &&
	    read_line("/proc/sys/kernel/nmi_watchdog", watchdog, sizeof(watchdog)) &&
	    watchdog[0] == '1')
		say(d, WARNING, "watchdog",
		    "sudo sysctl kernel.nmi_watchdog=0, or load the module with backend=perf",
		    "the NMI watchdog uses a counter, and the native backend wants them all");
}

static void check_rights(struct doctor *d)
{
	struct rlimit locked;
	char line[32];
	int paranoid = 4;

	if (geteuid() == 0) {
		say(d, GOOD, "rights", NULL, "root: everything may be counted");
		return;
	}
	if (read_line("/proc/sys/kernel/perf_event_paranoid", line, sizeof(line)))
		paranoid = atoi(line);
	if (paranoid > 2)
		say(d, BAD, "rights", "sudo sysctl kernel.perf_event_paranoid=2, or run pmctrack as root",
		    "kernel.perf_event_paranoid is %s: only root (CAP_PERFMON) may count", line);
	else
		say(d, GOOD, "rights", NULL,
		    "own processes in user mode; kernel mode, CPUs and others' processes need root");
	if (getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur < (512 << 10))
		say(d, WARNING, "ulimit -l", "raise RLIMIT_MEMLOCK, or use small buffers (-k 64K)",
		    "%llu KiB of locked memory: hardly a session's buffer",
		    (unsigned long long)locked.rlim_cur >> 10);
}

/* The proof: count something. */
static void check_counting(struct doctor *d)
{
	static const char *const events[] = { "instr", "cycles", "task_clock" };
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	struct pmctrack_evset *set = NULL;
	struct pmctrack_session *s;
	unsigned int i;

	if (!ctl) {
		say(d, BAD, "library", "install library and module of the same version", "%s",
		    pmctrack_error());
		return;
	}
	for (i = 0; !set && i < sizeof(events) / sizeof(events[0]); i++)
		set = pmctrack_evset__parse(ctl, 0, events[i]);
	if (!set) {
		say(d, WARNING, "counting", "'pmc-events -L' lists the events of this machine",
		    "none of the usual events is there: %s", pmctrack_error());
		goto out;
	}
	s = pmctrack_session__open(ctl, &set, 1, NULL);
	if (!s) {
		say(d, BAD, "counting", NULL, "%s", pmctrack_error());
	} else if (pmctrack_session__start(s) || pmctrack_session__stop(s)) {
		say(d, BAD, "counting", NULL, "%s", pmctrack_error());
	} else {
		say(d, GOOD, "counting", NULL, "%s of this process can be counted", events[i - 1]);
	}
	pmctrack_session__close(s);
	pmctrack_evset__free(set);
out:
	pmctrack_ctl__close(ctl);
}

int doctor(int argc, char **argv)
{
	struct doctor d = { .json = false };

	if (argc == 3 && strcmp(argv[2], "--json") == 0) {
		d.json = true;
	} else if (argc != 2) {
		fprintf(stderr, "pmctrack: usage: pmctrack doctor [--json]\n");
		return EXIT_USAGE;
	}
	if (uname(&d.kernel))
		return EXIT_SELF;
	if (check_module(&d)) {
		check_hooks(&d);
		check_pmu(&d);
	}
	check_rights(&d);
	if (!d.bad)
		check_counting(&d);
	return d.bad ? EXIT_SELF : 0;
}
