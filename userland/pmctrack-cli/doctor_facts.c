// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmctrack doctor: read the facts. Capabilities are read with capget(2), because two
 * masks do not justify a dependency on another library.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "doctor.h"
#include "text_file.h"

/* Read the value of a line "name: value" in /proc/pmc/info; "" if there is no such line. */
static void read_info(const char *name, char *value, size_t size)
{
	text_file_value("/proc/pmc/info", name, value, size);
}

static bool exists(const char *fmt, const char *release)
{
	char path[256];

	snprintf(path, sizeof(path), fmt, release);
	return access(path, R_OK) == 0;
}

static void read_module(struct facts *f)
{
	char path[256];

	read_info("version", f->version, sizeof(f->version));
	read_info("hooks", f->hooks, sizeof(f->hooks));
	read_info("backend", f->backend, sizeof(f->backend));
	read_info("pmu", f->pmu, sizeof(f->pmu));
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", f->release);
	f->installed = text_file_has(path, "/pmctrack.ko");
	f->kfuncs_installed = text_file_has(path, "/pmctrack_bpf.ko");
	f->kfuncs_loaded = exists("/sys/kernel/btf/pmctrack_bpf%s", "");
	f->headers = exists("/lib/modules/%s/build/Makefile", f->release);
	f->apt = exists("/usr/bin/apt%s", "");
	f->packaged = exists("/var/lib/dpkg/info/linux-image-%s.list", f->release) ||
		      exists("/var/lib/dpkg/info/linux-image-unsigned-%s.list", f->release) ||
		      exists("/var/lib/dpkg/info/linux-headers-%s.list", f->release);
}

/* The file reads like "none [integrity] confidentiality"; the brackets mark the state. */
static void read_lockdown(struct facts *f)
{
	char line[64], *chosen;

	if (!text_file_line("/sys/kernel/security/lockdown", line, sizeof(line)))
		return;
	chosen = strchr(line, '[');
	if (!chosen || strncmp(chosen, "[none]", 6) == 0)
		return;
	snprintf(f->lockdown, sizeof(f->lockdown), "%.*s", (int)strcspn(chosen + 1, "]"), chosen + 1);
}

static bool is_one(const char *path)
{
	char line[16];

	return text_file_line(path, line, sizeof(line)) && (line[0] == '1' || line[0] == 'Y');
}

static void read_kernel(struct facts *f)
{
	/* This file exists only with CONFIG_MODULES. */
	f->has_modules = access("/proc/modules", F_OK) == 0;
	f->modules_disabled = is_one("/proc/sys/kernel/modules_disabled");
	f->signed_only = is_one("/sys/module/module/parameters/sig_enforce");
	f->nmi_watchdog = is_one("/proc/sys/kernel/nmi_watchdog");
	f->hypervisor = text_file_has("/proc/cpuinfo", " hypervisor");
	f->sched_ext = access("/sys/kernel/sched_ext", F_OK) == 0;
	/* This is BTF of the kernel itself. Distributions that have it have BTF of modules, too. */
	f->module_btf = access("/sys/kernel/btf/vmlinux", F_OK) == 0;
	read_lockdown(f);
}

static int read_capabilities(struct facts *f)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	f->effective = data[0].effective | (uint64_t)data[1].effective << 32;
	for (int cap = 0; cap < 64 && prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		f->bounding |= (uint64_t)prctl(PR_CAPBSET_READ, cap, 0, 0, 0) << cap;
	return 0;
}

static int read_process(struct facts *f)
{
	static const char paranoid[] = "/proc/sys/kernel/perf_event_paranoid";
	unsigned int inside, outside, count;
	struct rlimit locked;
	char line[64];

	f->root = geteuid() == 0;
	f->no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
	/* The initial user namespace maps all user IDs to themselves. */
	f->in_user_ns = text_file_line("/proc/self/uid_map", line, sizeof(line)) &&
			(sscanf(line, "%u %u %u", &inside, &outside, &count) != 3 ||
			 inside || outside || count != UINT32_MAX);
	f->paranoid_known = text_file_line(paranoid, line, sizeof(line));
	f->paranoid = f->paranoid_known ? atoi(line) : 0;
	f->paranoid_writable = access(paranoid, W_OK) == 0;
	if (getrlimit(RLIMIT_MEMLOCK, &locked))
		return -errno;
	f->memlock = locked.rlim_cur;
	return read_capabilities(f);
}

/* Returns 0 or a negative errno. */
int facts_read(struct facts *f)
{
	struct utsname kernel;

	memset(f, 0, sizeof(*f));
	if (uname(&kernel))
		return -errno;
	snprintf(f->system, sizeof(f->system), "%s", kernel.sysname);
	snprintf(f->release, sizeof(f->release), "%s", kernel.release);
	snprintf(f->machine, sizeof(f->machine), "%s", kernel.machine);
	read_module(f);
	read_kernel(f);
	return read_process(f);
}
