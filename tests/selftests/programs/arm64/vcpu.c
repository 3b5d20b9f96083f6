// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vcpu: a thread reads its counters in user mode and runs a virtual CPU. If its access ends while
 * the virtual CPU is loaded, it must not have access afterwards: KVM saves the host's PMUSERENR_EL0
 * meanwhile, and restores it.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <pmctrack/libpmctrack.h>

#define GUEST_CODE	0x10000UL	/* guest-physical */
#define BRANCH_TO_SELF	0x14000000U	/* b . */
#define REG_PC		(KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE | KVM_REG_ARM_CORE_REG(regs.pc))

static pthread_t runner;
static struct pmctrack_session *session;
static struct kvm_run *run;
static sigjmp_buf undefined;

static void on_undefined(int sig)
{
	(void)sig;
	siglongjmp(undefined, 1);
}

static void on_kick(int sig)
{
	(void)sig;
}

/* True if this thread can read a counter register. */
static bool access_granted(void)
{
	uint64_t value;

	if (sigsetjmp(undefined, 1))
		return false;
	__asm__ volatile("mrs %0, pmevcntr0_el0" : "=r" (value));
	return true;
}

static int request(int fd, unsigned long number, void *arg, const char *what)
{
	int ret = ioctl(fd, number, arg);

	if (ret < 0)
		err(1, "%s", what);
	return ret;
}

/* Make a virtual CPU that does nothing, forever. */
static int make_vcpu(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint32_t *code = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct kvm_userspace_memory_region memory = {
		.guest_phys_addr = GUEST_CODE,
		.memory_size = page,
		.userspace_addr = (uintptr_t)code,
	};
	uint64_t pc = GUEST_CODE;
	struct kvm_one_reg reg = { .id = REG_PC, .addr = (uintptr_t)&pc };
	struct kvm_vcpu_init init;
	int kvm, vm, vcpu;

	if (code == MAP_FAILED)
		err(1, "memory of the guest");
	*code = BRANCH_TO_SELF;
	kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (kvm < 0)
		err(77, "/dev/kvm");
	vm = request(kvm, KVM_CREATE_VM, NULL, "KVM_CREATE_VM");
	request(vm, KVM_SET_USER_MEMORY_REGION, &memory, "KVM_SET_USER_MEMORY_REGION");
	vcpu = request(vm, KVM_CREATE_VCPU, NULL, "KVM_CREATE_VCPU");
	request(vm, KVM_ARM_PREFERRED_TARGET, &init, "KVM_ARM_PREFERRED_TARGET");
	request(vcpu, KVM_ARM_VCPU_INIT, &init, "KVM_ARM_VCPU_INIT");
	request(vcpu, KVM_SET_ONE_REG, &reg, "the program counter");
	run = mmap(NULL, (size_t)request(kvm, KVM_GET_VCPU_MMAP_SIZE, NULL, "KVM_GET_VCPU_MMAP_SIZE"),
		   PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
	if (run == MAP_FAILED)
		err(1, "the virtual CPU's page");
	return vcpu;
}

/* While the virtual CPU runs: end the session if it is to end, then end KVM_RUN. */
static void *disturb(void *end)
{
	usleep(20000);
	if (end)
		pmctrack_session__close(session);
	usleep(20000);
	pthread_kill(runner, SIGUSR1);
	return NULL;
}

static void run_vcpu(int vcpu, bool end)
{
	pthread_t other;

	if (pthread_create(&other, NULL, disturb, end ? &runner : NULL))
		errx(1, "no second thread");
	if (ioctl(vcpu, KVM_RUN, NULL) != -1 || errno != EINTR)
		errx(1, "the virtual CPU ended with reason %u", run->exit_reason);
	pthread_join(other, NULL);
}

int main(void)
{
	struct pmctrack_session_opts opts = { .sz = sizeof(opts), .flags = PMCTRACK_SESSION_USER_READ };
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	struct pmctrack_evset *set = ctl ? pmctrack_evset__parse(ctl, 0, "cycles") : NULL;
	int vcpu = make_vcpu();

	signal(SIGILL, on_undefined);
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = on_kick }, NULL);
	runner = pthread_self();
	session = set ? pmctrack_session__open(ctl, &set, 1, &opts) : NULL;
	if (!session || pmctrack_session__start(session))
		errx(1, "%s", pmctrack_error());
	if (!access_granted())
		errx(1, "no access to counters before the virtual CPU runs");
	run_vcpu(vcpu, false);
	if (!access_granted())
		errx(1, "no access to counters after the virtual CPU ran");
	run_vcpu(vcpu, true);
	if (access_granted())
		errx(1, "access to counters is left after the end of the session");
	pmctrack_evset__free(set);
	pmctrack_ctl__close(ctl);
	return 0;
}
