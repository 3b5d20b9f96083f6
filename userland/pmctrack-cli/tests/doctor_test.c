// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of doctor: its findings for given facts; remedies must work in that environment. */
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <cmocka.h>

#include "doctor.h"

#define CAP(c)		(1ULL << (c))
#define ALL		0x1ffffffffffULL
/* The capabilities that root has in docker and podman. */
#define OF_CONTAINER	0xa80425fbULL
#define ELSEWHERE	"outside of this container or sandbox: "

/* The facts of a normal machine with the module loaded, for an unprivileged user. */
static struct facts user(void)
{
	struct facts f = {
		.system = "Linux", .release = "6.12.107+deb13-amd64", .machine = "x86_64",
		.version = "0.1.0", .hooks = "tracepoint", .backend = "x86-intel", .pmu = "intel_v4",
		.installed = true, .headers = true, .apt = true, .packaged = true, .has_modules = true,
		.bounding = ALL, .paranoid = 2, .paranoid_known = true, .memlock = 8 << 20,
	};

	return f;
}

static struct facts root(void)
{
	struct facts f = user();

	f.root = true;
	f.effective = ALL;
	f.paranoid_writable = true;
	return f;
}

/* The same for root in a container, where /proc/sys is read-only. */
static struct facts contained(void)
{
	struct facts f = root();

	f.effective = OF_CONTAINER;
	f.bounding = OF_CONTAINER;
	f.paranoid_writable = false;
	return f;
}

static struct facts without_module(struct facts f)
{
	f.version[0] = f.hooks[0] = f.backend[0] = f.pmu[0] = '\0';
	return f;
}

static const struct finding *find(const struct findings *found, const char *check)
{
	for (unsigned int i = 0; i < found->nr; i++) {
		if (strcmp(found->of[i].check, check) == 0)
			return &found->of[i];
	}
	return NULL;
}

/* Expect this finding about @check. If @remedy is NULL, there must be no remedy. */
static void expect(struct facts f, const char *check, enum verdict verdict, const char *text,
		   const char *remedy)
{
	struct findings found = { .nr = 0 };
	const struct finding *finding;

	judge(&f, &found);
	finding = find(&found, check);
	if (!finding)
		fail_msg("no finding about %s", check);
	if (finding->verdict != verdict || !strstr(finding->text, text))
		fail_msg("%s: %d %s; expected: %s", check, finding->verdict, finding->text, text);
	if (remedy ? strncmp(finding->remedy, remedy, strlen(remedy)) : finding->remedy[0])
		fail_msg("%s: remedy: %s; expected: %s", check, finding->remedy, remedy ? remedy : "none");
	assert_true(verdict != BAD || found.bad);
}

static void expect_nothing(struct facts f, const char *check)
{
	struct findings found = { .nr = 0 };

	judge(&f, &found);
	if (find(&found, check))
		fail_msg("%s: %s", check, find(&found, check)->text);
}

static void good_test(void **state)
{
	struct facts f = root();
	struct findings found = { .nr = 0 };

	(void)state;
	judge(&f, &found);
	assert_false(found.bad);
	assert_int_equal(found.nr, 5);
	for (unsigned int i = 0; i < found.nr; i++)
		assert_int_equal(found.of[i].verdict, GOOD);
	expect(f, "module", GOOD, "pmctrack 0.1.0 is loaded", NULL);
	expect(f, "hooks", GOOD, "an unmodified kernel", NULL);
}

/* There is a finding about policies only if the kernel can have policies. */
static void policies_test(void **state)
{
	struct facts f = user();

	(void)state;
	expect_nothing(f, "policies");
	f.sched_ext = true;
	expect(f, "policies", WARNING, "this kernel has no BTF", "boot a kernel with CONFIG_DEBUG_INFO_BTF_MODULES=y");
	f.module_btf = true;
	expect(f, "policies", WARNING, "pmctrack_bpf is not installed",
	       "install pahole, then build and install pmctrack's module again");
	f.kfuncs_installed = true;
	expect(f, "policies", GOOD, "others need 'sudo modprobe pmctrack_bpf'", NULL);
	f.kfuncs_loaded = true;
	expect(f, "policies", GOOD, "sched_ext policies can ask for metrics", NULL);
	expect_nothing(without_module(f), "policies");
}

/* Rights depend on capabilities in the initial user namespace, not on user IDs. */
static void rights_test(void **state)
{
	struct facts f = root();

	(void)state;
	expect(f, "rights", GOOD, "CAP_PERFMON: everything may be counted", NULL);
	f = user();
	expect(f, "rights", GOOD, "own processes in user mode", NULL);
	f.effective = CAP(CAP_PERFMON);
	expect(f, "rights", GOOD, "CAP_PERFMON: everything may be counted but others' processes", NULL);
	f.effective = CAP(CAP_SYS_ADMIN) | CAP(CAP_SYS_PTRACE);
	f.paranoid = 3;
	expect(f, "rights", GOOD, "CAP_SYS_ADMIN: everything may be counted", NULL);
	f.in_user_ns = true;
	expect(f, "rights", BAD, "perf_event_paranoid is 3", ELSEWHERE "sudo sysctl");

	f = user();
	f.paranoid = 3;
	expect(f, "rights", BAD, "kernel.perf_event_paranoid is 3", "sudo sysctl kernel.perf_event_paranoid=2, or run pmctrack with sudo");
	f.no_new_privs = true;
	expect(f, "rights", BAD, "kernel.perf_event_paranoid is 3", ELSEWHERE "sudo sysctl kernel.perf_event_paranoid=2; or start it with CAP_PERFMON");
	f.no_new_privs = false;
	f.bounding = OF_CONTAINER;
	expect(f, "rights", BAD, "kernel.perf_event_paranoid is 3", ELSEWHERE);
	f = contained();
	expect(f, "rights", GOOD, "own processes in user mode", NULL);
	f.paranoid = 3;
	expect(f, "rights", BAD, "although it is root's", ELSEWHERE);
	f.paranoid_writable = true;
	expect(f, "rights", BAD, "although it is root's", "sysctl kernel.perf_event_paranoid=2");
	f = user();
	f.paranoid_known = false;
	expect(f, "rights", BAD, "cannot be read", "sudo sysctl");
}

static void memlock_test(void **state)
{
	struct facts f = user();

	(void)state;
	expect_nothing(f, "ulimit -l");
	f.memlock = 64 << 10;
	expect(f, "ulimit -l", WARNING, "64 KiB of locked memory", "raise RLIMIT_MEMLOCK");
	f.effective = CAP(CAP_IPC_LOCK);
	expect_nothing(f, "ulimit -l");
}

static void kernel_test(void **state)
{
	struct facts f = without_module(root());

	(void)state;
	expect(f, "kernel", GOOD, "Linux 6.12.107+deb13-amd64 x86_64", NULL);
	strcpy(f.release, "6.6.9");
	expect(f, "kernel", WARNING, "not tested with this series", "boot a kernel of one of these series: 6.1 6.12 7.2");
	expect(f, "module", BAD, "not loaded", "modprobe");
	strcpy(f.release, "9.0.0-rc1");
	expect(f, "kernel", WARNING, "not tested", "boot");
	/* 6.2 is not 6.12, and 6.10 is newer than 6.1. */
	strcpy(f.release, "6.10.1");
	expect(f, "kernel", WARNING, "not tested", "boot");
	strcpy(f.release, "5.15.0-generic");
	expect(f, "kernel", BAD, "older than pmctrack supports", "boot a kernel of one of these series: 6.1 6.12 7.2");
	expect_nothing(f, "module");
	strcpy(f.release, "6.1.0-amd64");
	strcpy(f.machine, "riscv64");
	expect(f, "kernel", BAD, "pmctrack is for x86_64 and aarch64", NULL);
	expect_nothing(f, "module");
	strcpy(f.machine, "aarch64");
	expect(f, "kernel", GOOD, "aarch64", NULL);
	/* If the module is loaded, it works with this kernel. */
	f = root();
	strcpy(f.release, "6.6.9");
	expect(f, "kernel", GOOD, "6.6.9", NULL);
}

static void no_module_test(void **state)
{
	struct facts f = without_module(root());

	(void)state;
	expect(f, "module", BAD, "installed, and not loaded", "modprobe pmctrack; if it refuses, 'dmesg'");
	expect(without_module(user()), "module", BAD, "installed, and not loaded", "sudo modprobe pmctrack; if it refuses, 'sudo dmesg'");
	expect(without_module(contained()), "module", BAD, "installed, and not loaded", ELSEWHERE "sudo modprobe");
	expect_nothing(f, "hooks");
	expect_nothing(f, "PMU");
	f.installed = false;
	expect(f, "module", BAD, "not installed for this kernel", "apt install pmctrack-dkms");
	f.apt = false;
	expect(f, "module", BAD, "not installed for this kernel", "make && make install");
	f.headers = false;
	expect(f, "module", BAD, "without its headers", "make KDIR=");
	f.apt = true;
	expect(f, "module", BAD, "without its headers", "apt install linux-headers-$(uname -r), then pmctrack-dkms");
	/* The kernel was built by hand, so there is no package with its headers. */
	f.packaged = false;
	expect(f, "module", BAD, "without its headers", "make KDIR=");
	f.root = false;
	f.effective = 0;
	expect(f, "module", BAD, "without its headers", "make KDIR=<the tree this kernel was built in> && sudo make");

	/* Headers do not help if the kernel cannot load modules. */
	f.has_modules = false;
	expect(f, "module", BAD, "CONFIG_MODULES is off", "boot a kernel with CONFIG_MODULES=y");
	f = without_module(root());
	f.modules_disabled = true;
	expect(f, "module", BAD, "kernel.modules_disabled is 1", "reboot with the module installed");
	expect_nothing(f, "lockdown");
}

static void signatures_test(void **state)
{
	struct facts f = without_module(root());

	(void)state;
	expect_nothing(f, "lockdown");
	expect_nothing(f, "signatures");
	strcpy(f.lockdown, "integrity");
	expect(f, "lockdown", WARNING, "locked down (integrity)", "sign pmctrack.ko with a key");
	f.signed_only = true;
	f.installed = false;
	expect(f, "signatures", WARNING, "signed modules only", "sign pmctrack.ko with a key");
	f = root();
	f.signed_only = true;
	expect_nothing(f, "signatures");
}

static void pmu_test(void **state)
{
	struct facts f = root();

	(void)state;
	f.nmi_watchdog = true;
	expect(f, "watchdog", WARNING, "uses a counter", "sysctl kernel.nmi_watchdog=0");
	f = user();
	f.nmi_watchdog = true;
	expect(f, "watchdog", WARNING, "uses a counter", "sudo sysctl kernel.nmi_watchdog=0");
	strcpy(f.backend, "perf");
	expect_nothing(f, "watchdog");
	expect(f, "PMU", GOOD, "through perf's driver", NULL);
	strcpy(f.pmu, "perf_software_events");
	expect(f, "PMU", WARNING, "no counters", "see whether the firmware");
	f.hypervisor = true;
	expect(f, "PMU", WARNING, "no counters", "give the virtual machine a PMU");
	expect(f, "hypervisor", GOOD, "virtual PMU", NULL);
}

/* Read a hexadecimal number from /proc/self/status, for example a mask of capabilities. */
static uint64_t mask_of_status(const char *name)
{
	FILE *f = fopen("/proc/self/status", "re");
	unsigned long long mask = 0;
	char line[256];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, name, strlen(name)) == 0)
			sscanf(line + strlen(name), ": %llx", &mask);
	}
	fclose(f);
	return mask;
}

/* Facts about this machine and process agree with what other sources say. */
static void facts_test(void **state)
{
	struct facts f;

	(void)state;
	assert_int_equal(facts_read(&f), 0);
	assert_true(f.release[0] && f.machine[0]);
	assert_true(f.effective == mask_of_status("CapEff"));
	assert_true(f.bounding == mask_of_status("CapBnd"));
	assert_int_equal(f.root, geteuid() == 0);
	assert_int_equal(f.no_new_privs, (int)mask_of_status("NoNewPrivs"));
	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(facts_read(&f), 0);
	assert_true(f.no_new_privs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_test),
		cmocka_unit_test(policies_test),
		cmocka_unit_test(rights_test),
		cmocka_unit_test(memlock_test),
		cmocka_unit_test(kernel_test),
		cmocka_unit_test(no_module_test),
		cmocka_unit_test(signatures_test),
		cmocka_unit_test(pmu_test),
		cmocka_unit_test(facts_test),
	};

	return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
