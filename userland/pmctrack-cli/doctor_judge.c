// SPDX-License-Identifier: GPL-2.0-or-later
/* pmctrack doctor: derive findings from facts, with remedies that work in this environment. */
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "doctor.h"

/* A buffer for the text of a remedy. */
typedef char remedy_t[400];

void finding_add(struct findings *found, enum verdict verdict, const char *check,
		 const char *remedy, const char *fmt, ...)
{
	struct finding *f = &found->of[found->nr];
	va_list args;

	if (found->nr == MAX_FINDINGS)
		return;
	found->nr++;
	f->verdict = verdict;
	f->check = check;
	va_start(args, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, args);
	va_end(args);
	snprintf(f->remedy, sizeof(f->remedy), "%s", remedy ? remedy : "");
	found->bad |= verdict == BAD;
}

/* --- rights --------------------------------------------------------------- */

static bool in(uint64_t set, int cap)
{
	return set >> cap & 1;
}

/* The kernel checks for capabilities in the initial user namespace. */
static bool has(const struct facts *f, int cap)
{
	return !f->in_user_ns && in(f->effective, cap);
}

/* The same condition as perfmon_capable() in the kernel. */
static bool may_count_everything(const struct facts *f)
{
	return has(f, CAP_PERFMON) || has(f, CAP_SYS_ADMIN);
}

/* True if sudo can get a capability that this process does not have. */
static bool sudo_has(const struct facts *f, int cap)
{
	return !f->root && !f->in_user_ns && !f->no_new_privs && in(f->bounding, cap);
}

/* The text to print before a command that needs a capability. */
static const char *as_admin(const struct facts *f, int cap)
{
	if (has(f, cap))
		return "";
	return sudo_has(f, cap) ? "sudo " : "outside of this container or sandbox: sudo ";
}

static const char *allow_counting(const struct facts *f, remedy_t remedy)
{
	static const char command[] = "sysctl kernel.perf_event_paranoid=2";

	if (f->paranoid_writable)
		snprintf(remedy, sizeof(remedy_t), "%s", command);
	else if (sudo_has(f, CAP_PERFMON))
		snprintf(remedy, sizeof(remedy_t), "sudo %s, or run pmctrack with sudo", command);
	else if (f->in_user_ns)
		snprintf(remedy, sizeof(remedy_t),
			 "outside of this container or sandbox: sudo %s (capabilities of a user namespace do not count)",
			 command);
	else
		snprintf(remedy, sizeof(remedy_t),
			 "outside of this container or sandbox: sudo %s; or start it with CAP_PERFMON (docker or podman: --cap-add=PERFMON)",
			 command);
	return remedy;
}

static void judge_rights(const struct facts *f, struct findings *found)
{
	remedy_t remedy;

	if (may_count_everything(f))
		finding_add(found, GOOD, "rights", NULL,
			    "CAP_%s: everything may be counted%s",
			    has(f, CAP_PERFMON) ? "PERFMON" : "SYS_ADMIN",
			    has(f, CAP_SYS_PTRACE) ? "" : " but others' processes, which need CAP_SYS_PTRACE");
	else if (!f->paranoid_known)
		finding_add(found, BAD, "rights", allow_counting(f, remedy),
			    "kernel.perf_event_paranoid cannot be read: only CAP_PERFMON may count");
	else if (f->paranoid > 2)
		finding_add(found, BAD, "rights", allow_counting(f, remedy),
			    "kernel.perf_event_paranoid is %d: only CAP_PERFMON may count, which this process does not have%s",
			    f->paranoid, f->root ? " although it is root's" : "");
	else
		finding_add(found, GOOD, "rights", NULL,
			    "own processes in user mode; kernel mode and CPUs need CAP_PERFMON, others' processes CAP_SYS_PTRACE");
	if (!has(f, CAP_IPC_LOCK) && f->memlock < (512 << 10))
		finding_add(found, WARNING, "ulimit -l", "raise RLIMIT_MEMLOCK, or use small buffers (-k 64K)",
			    "%llu KiB of locked memory: hardly a session's buffer",
			    (unsigned long long)f->memlock >> 10);
}

/* --- the kernel and the module --------------------------------------------- */

/* True if PMCTrack was tested with this kernel series. The list is "6.1 6.12 7.2", oldest first. */
static bool is_tested(unsigned int major, unsigned int minor, bool *too_old)
{
	static const char all[] = KERNEL_SERIES;
	const char *series = all;
	unsigned int a, b;
	int len;

	*too_old = false;
	for (; sscanf(series, "%u.%u%n", &a, &b, &len) == 2; series += len) {
		if (series == all)
			*too_old = major < a || (major == a && minor < b);
		if (major == a && minor == b)
			return true;
	}
	return false;
}

/* Judge the kernel. Returns true if a module for it is possible. */
static bool judge_kernel(const struct facts *f, struct findings *found)
{
	bool too_old = false, machine = strcmp(f->machine, "x86_64") == 0 || strcmp(f->machine, "aarch64") == 0;
	unsigned int major = 0, minor = 0;
	bool tested = sscanf(f->release, "%u.%u", &major, &minor) == 2 && is_tested(major, minor, &too_old);
	remedy_t remedy;

	snprintf(remedy, sizeof(remedy), "boot a kernel of one of these series: %s", KERNEL_SERIES);
	if (f->version[0] || (machine && tested))
		finding_add(found, GOOD, "kernel", NULL, "%s %s %s", f->system, f->release, f->machine);
	else if (!machine)
		finding_add(found, BAD, "kernel", NULL, "%s %s %s: pmctrack is for x86_64 and aarch64",
			    f->system, f->release, f->machine);
	else if (too_old)
		finding_add(found, BAD, "kernel", remedy, "%s %s %s is older than pmctrack supports",
			    f->system, f->release, f->machine);
	else
		finding_add(found, WARNING, "kernel", remedy, "%s %s %s: pmctrack was not tested with this series",
			    f->system, f->release, f->machine);
	return f->version[0] || (machine && !too_old);
}

static void judge_signatures(const struct facts *f, struct findings *found)
{
	static const char remedy[] =
		"sign pmctrack.ko with a key that the kernel knows (README, Secure boot)";

	if (f->signed_only)
		finding_add(found, WARNING, "signatures", remedy,
			    "this kernel loads signed modules only");
	if (f->lockdown[0])
		finding_add(found, WARNING, "lockdown", remedy,
			    "the kernel is locked down (%s), as with secure boot: it loads signed modules only",
			    f->lockdown);
}

static const char *install(const struct facts *f, remedy_t remedy)
{
	const char *admin = as_admin(f, CAP_SYS_MODULE);

	if (f->headers && f->apt)
		snprintf(remedy, sizeof(remedy_t), "%sapt install pmctrack-dkms, or make && %smake install in the sources",
			 admin, admin);
	else if (f->headers)
		snprintf(remedy, sizeof(remedy_t), "make && %smake install in the sources", admin);
	else if (f->apt && f->packaged)
		snprintf(remedy, sizeof(remedy_t),
			 "%sapt install linux-headers-$(uname -r), then pmctrack-dkms (or: %sdkms autoinstall)",
			 admin, admin);
	else
		snprintf(remedy, sizeof(remedy_t),
			 "make KDIR=<the tree this kernel was built in> && %smake KDIR=<the same> install in the sources",
			 admin);
	return remedy;
}

/* Why the module is not loaded. Reasons without a remedy on the running kernel come first. */
static void judge_absent_module(const struct facts *f, struct findings *found)
{
	remedy_t remedy;

	if (!f->has_modules) {
		finding_add(found, BAD, "module", "boot a kernel with CONFIG_MODULES=y, for example your distribution's",
			    "this kernel cannot load modules (CONFIG_MODULES is off)");
		return;
	}
	if (f->modules_disabled) {
		snprintf(remedy, sizeof(remedy), "%sreboot with the module installed and named in /etc/modules-load.d: those are loaded first",
			 has(f, CAP_SYS_MODULE) || sudo_has(f, CAP_SYS_MODULE) ? "" : "outside of this container or sandbox: ");
		finding_add(found, BAD, "module", remedy,
			    "pmctrack is not loaded, and no module can be until the next boot (kernel.modules_disabled is 1)");
		return;
	}
	if (f->installed)
		snprintf(remedy, sizeof(remedy), "%smodprobe pmctrack; if it refuses, '%sdmesg' says why",
			 as_admin(f, CAP_SYS_MODULE), has(f, CAP_SYSLOG) ? "" : "sudo ");
	else
		install(f, remedy);
	finding_add(found, BAD, "module", remedy, "%s",
		    f->installed ? "pmctrack is installed, and not loaded" :
		    f->headers ? "pmctrack is not installed for this kernel" :
		    "pmctrack is not installed for this kernel, and cannot be built without its headers");
	judge_signatures(f, found);
}

static void judge_pmu(const struct facts *f, struct findings *found)
{
	remedy_t remedy;

	if (strcmp(f->pmu, "perf_software_events") == 0)
		finding_add(found, WARNING, "PMU", f->hypervisor ?
			    "give the virtual machine a PMU (libvirt: <pmu state='on'/>, QEMU: -cpu host,pmu=on)" :
			    "see whether the firmware disables it; 'dmesg | grep -i -e pmu -e perf' may tell",
			    "this machine has no counters: only software events (task_clock, page_faults, ...)");
	else if (strcmp(f->backend, "perf") == 0)
		finding_add(found, GOOD, "PMU", NULL,
			    "%s, through perf's driver: no event-based sampling, and a switch costs more", f->pmu);
	else
		finding_add(found, GOOD, "PMU", NULL, "%s, backend %s", f->pmu, f->backend);
	if (f->hypervisor)
		finding_add(found, GOOD, "hypervisor", NULL, "a virtual machine: counts are of its virtual PMU");
	if (strncmp(f->backend, "x86", 3) || !f->nmi_watchdog)
		return;
	snprintf(remedy, sizeof(remedy), "%ssysctl kernel.nmi_watchdog=0, or load the module with backend=perf",
		 as_admin(f, CAP_SYS_ADMIN));
	finding_add(found, WARNING, "watchdog", remedy,
		    "the NMI watchdog uses a counter, and the native backend wants them all");
}

/* Judge whether sched_ext policies can ask for metrics, if this kernel can have such policies. */
static void judge_policies(const struct facts *f, struct findings *found)
{
	const char *admin = as_admin(f, CAP_SYS_MODULE);

	if (!f->sched_ext)
		return;
	if (f->kfuncs_loaded) {
		finding_add(found, GOOD, "policies", NULL, "sched_ext policies can ask for metrics");
	} else if (!f->module_btf) {
		finding_add(found, WARNING, "policies", "boot a kernel with CONFIG_DEBUG_INFO_BTF_MODULES=y, as distributions have",
			    "sched_ext policies cannot ask for metrics: this kernel has no BTF, which says what functions there are");
	} else if (f->kfuncs_installed) {
		finding_add(found, GOOD, "policies", NULL,
			    "pmctrack-sched loads pmctrack_bpf, which sched_ext policies ask; others need '%smodprobe pmctrack_bpf'; if it refuses, 'dmesg' says why",
			    admin);
	} else {
		finding_add(found, WARNING, "policies",
			    "install pahole, then build and install pmctrack's module again while this kernel runs",
			    "sched_ext policies cannot ask for metrics: pmctrack_bpf is not installed for this kernel");
	}
}

void judge(const struct facts *f, struct findings *found)
{
	bool possible = judge_kernel(f, found);

	if (f->version[0]) {
		finding_add(found, GOOD, "module", NULL, "pmctrack %s is loaded", f->version);
		finding_add(found, GOOD, "hooks", NULL, "%s%s", f->hooks, strcmp(f->hooks, "tracepoint") ? "" :
			    ": an unmodified kernel; sched_ext policies get metrics, scheduling classes need kernel-patch/");
		judge_pmu(f, found);
		judge_policies(f, found);
	} else if (possible) {
		judge_absent_module(f, found);
	}
	judge_rights(f, found);
}
