// SPDX-License-Identifier: GPL-2.0-or-later
#include "control.h"

#include <errno.h>
#include <linux/pmctrack.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "children.h"
#include "report.h"
#include "run.h"
#include "sessions.h"
#include "system.h"

static enum outcome do_ioctl(int fd, unsigned long cmd, unsigned long arg)
{
	enum outcome got = judge(ioctl(fd, cmd, arg), "ioctl", ENOTTY, ESRCH, EALREADY, EINTR, EFAULT,
				 ESHUTDOWN, EINVAL, 0);

	close(fd);
	return got;
}

static enum outcome ioctl_of(struct args *a, unsigned long cmd)
{
	unsigned int file;
	int fd = session_get(a, &file);

	return fd < 0 ? IDLE : do_ioctl(fd, cmd, 0);
}

enum outcome op_start(struct args *a)
{
	return ioctl_of(a, PMCTRACK_IOC_START);
}

enum outcome op_stop(struct args *a)
{
	return ioctl_of(a, PMCTRACK_IOC_STOP);
}

enum outcome op_detach(struct args *a)
{
	return ioctl_of(a, PMCTRACK_IOC_DETACH);
}

/* A refusal has a reason, in one line. */
enum outcome op_attach(struct args *a)
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
	if (!ret && arg.left_out && !run_is_racing() && arg.threads < system_attach_limit())
		broken("attach: %u threads were left out of one with %u", arg.left_out, arg.threads);
	close(fd);
	errno = err;
	return judge(ret, "attach", ENOTTY, ESRCH, EACCES, EBUSY, EINTR, ESHUTDOWN, ENOMEM, 0);
}

/*
 * Odd numbers become numbers near those of PMCTrack. Numbers that every file knows (FIOCLEX,
 * FIONBIO, ...) are left out, because they would change the descriptor.
 */
enum outcome op_ioctl(struct args *a)
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
