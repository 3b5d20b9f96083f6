// SPDX-License-Identifier: GPL-2.0-or-later
#include "sessions.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/pmctrack.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "grammar.h"
#include "report.h"

#define MAX_FILES	65536		/* After so many sessions, numbers are used again. */

/* Shared by all processes. */
static struct {
	unsigned int nr_files;
	bool spoilt[MAX_FILES];
} *shared;

static struct session {
	int fd;			/* -1: none */
	unsigned int file;
	bool fresh;		/* put here since sessions_mark() */
} sessions[NR_SESSIONS] = { [0 ... NR_SESSIONS - 1] = { .fd = -1 } };

static pthread_mutex_t sessions_lock = PTHREAD_MUTEX_INITIALIZER;

void sessions_init(void)
{
	shared = shared_alloc(sizeof(*shared));
}

size_t session_ctl_size(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (sizeof(struct pmctrack_ring_ctl) + page - 1) / page * page;
}

void session_put(unsigned int slot, int fd, unsigned int file)
{
	int old;

	pthread_mutex_lock(&sessions_lock);
	old = sessions[slot % NR_SESSIONS].fd;
	sessions[slot % NR_SESSIONS] = (struct session){ .fd = fd, .file = file, .fresh = true };
	pthread_mutex_unlock(&sessions_lock);
	if (old >= 0)
		close(old);
}

void session_new(unsigned int slot, int fd)
{
	int fl = fcntl(fd, F_GETFL);

	if (!(fcntl(fd, F_GETFD) & FD_CLOEXEC))
		broken("a session survives exec");
	fcntl(fd, F_SETFL, fl | O_NONBLOCK);
	report_count(TOTAL_SESSIONS);
	session_put(slot, fd, __atomic_add_fetch(&shared->nr_files, 1, __ATOMIC_RELAXED) % MAX_FILES);
}

int session_get(struct args *a, unsigned int *file)
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

int session_peek(unsigned int slot)
{
	return sessions[slot].fd;
}

void sessions_close(void)
{
	for (int i = 0; i < NR_SESSIONS; i++)
		close(sessions[i].fd);
}

void session_spoil(unsigned int file)
{
	__atomic_store_n(&shared->spoilt[file], true, __ATOMIC_SEQ_CST);
}

void session_spoil_all(void)
{
	for (int i = 0; i < NR_SESSIONS; i++) {
		if (sessions[i].fd >= 0)
			session_spoil(sessions[i].file);
	}
}

bool session_spoilt(unsigned int file)
{
	return shared->spoilt[file];
}

void sessions_mark(void)
{
	for (int i = 0; i < NR_SESSIONS; i++)
		sessions[i].fresh = false;
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

void sessions_send_new(int sock)
{
	for (unsigned int i = 0; i < NR_SESSIONS; i++) {
		if (sessions[i].fresh && sessions[i].fd >= 0)
			send_fd(sock, sessions[i].fd, i, sessions[i].file);
	}
}

bool session_receive(int sock)
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

enum outcome op_dup(struct args *a)
{
	unsigned int file, to;
	int fd = session_get(a, &file);

	to = (unsigned int)next_number(a);
	if (fd >= 0)
		session_put(to, fd, file);
	return fd < 0 ? IDLE : OK;
}

enum outcome op_pass(struct args *a)
{
	unsigned int file;
	int fd = session_get(a, &file), socks[2];
	bool got = false;

	if (fd >= 0 && socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, socks) == 0) {
		send_fd(socks[0], fd, (unsigned int)next_number(a), file);
		got = session_receive(socks[1]);
		close(socks[0]);
		close(socks[1]);
	}
	if (fd >= 0)
		close(fd);
	return got ? OK : IDLE;
}

enum outcome op_close(struct args *a)
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
