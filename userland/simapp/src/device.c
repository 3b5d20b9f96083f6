// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "complain.h"
#include "device.h"
#include "interrupt.h"

#define DEVICE	"/dev/pmctrack_sim"

static int open_device(void)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	int err = errno;

	if (fd >= 0)
		return fd;
	if (err == ENOENT || err == ENODEV)
		complain("there is no simulated machine here: as root, modprobe pmctrack_sim topology=NAME, on a computer with as many CPUs as the topology has (the kernel log says why it was refused)");
	else
		complain("cannot open " DEVICE ": %s", strerror(err));
	return -err;
}

int device_open(const struct pmct_sim_profile *profile, uint64_t seed)
{
	struct pmct_sim_program program = { .seed = seed, .profile = *profile };
	int fd = open_device();
	int err;

	if (fd < 0)
		return fd;
	if (!ioctl(fd, PMCT_SIM_IOC_PROGRAM, &program))
		return fd;
	err = errno;
	program.why[sizeof(program.why) - 1] = '\0';
	if (err == ENOSPC)
		complain("the simulated machine has no room for another thread: end other simulated programs, or use fewer threads");
	else
		complain("%s cannot be simulated: %s", profile->name,
			 err == EINVAL ? program.why : strerror(err));
	close(fd);
	return -err;
}

int device_run(int fd, uint64_t instr)
{
	__u64 left = instr;

	while (left && ioctl(fd, PMCT_SIM_IOC_RUN, &left)) {
		if (errno == EAGAIN || errno == EINTR) {
			if (interrupt_came())
				return -EINTR;
			continue;
		}
		complain("the simulated machine does not run: %s", strerror(errno));
		return -errno;
	}
	return 0;
}

int device_truth(int fd, struct pmct_sim_truth *truth)
{
	if (!ioctl(fd, PMCT_SIM_IOC_TRUTH, truth))
		return 0;
	complain("the simulated machine does not tell the truth: %s", strerror(errno));
	return -errno;
}

int device_info(struct pmct_sim_info *info)
{
	int fd = open_device();
	int err = 0;

	if (fd < 0)
		return fd;
	if (ioctl(fd, PMCT_SIM_IOC_INFO, info)) {
		err = -errno;
		complain("the simulated machine does not say what it is: %s", strerror(errno));
	}
	close(fd);
	return err;
}
