/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of programs/abifuzz.c: descriptors of sessions, which can be passed on. */
#ifndef PMCT_ABI_FILES_H
#define PMCT_ABI_FILES_H

static enum outcome op_dup(struct args *a)
{
	unsigned int file, to;
	int fd = session_get(a, &file);

	to = (unsigned int)next_number(a);
	if (fd >= 0)
		session_put(to, fd, file);
	return fd < 0 ? IDLE : OK;
}

static void send_fd(int sock, int fd, unsigned int slot, unsigned int file)
{
	uint32_t words[] = { slot, file };
	char control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = { words, sizeof(words) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (sendmsg(sock, &msg, 0) < 0)
		broken("a session cannot be passed on: %s", strerror(errno));
}

/* False: there are no more. */
static bool receive_fd(int sock)
{
	uint32_t words[2];
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { words, sizeof(words) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			      .msg_controllen = sizeof(control) };
	int fd;

	if (recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) != sizeof(words) || !CMSG_FIRSTHDR(&msg))
		return false;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	session_put(words[0], fd, words[1]);
	return true;
}

static enum outcome op_pass(struct args *a)
{
	unsigned int file;
	int fd = session_get(a, &file), socks[2];
	bool got = false;

	if (fd >= 0 && socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, socks) == 0) {
		send_fd(socks[0], fd, (unsigned int)next_number(a), file);
		got = receive_fd(socks[1]);
		close(socks[0]);
		close(socks[1]);
	}
	if (fd >= 0)
		close(fd);
	return got ? OK : IDLE;
}

static enum outcome op_close(struct args *a)
{
	unsigned int slot = (unsigned int)next_number(a);

	for (unsigned int i = 0; i < NR_SESSIONS; i++) {
		if (sessions[(slot + i) % NR_SESSIONS].fd < 0)
			continue;
		session_put(slot + i, -1, 0);
		return OK;
	}
	return IDLE;
}

#endif /* PMCT_ABI_FILES_H */
