// SPDX-License-Identifier: GPL-2.0-or-later
#include "netlink.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/pmctrack.h>
#include <pmctrack/libpmctrack.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "children.h"
#include "report.h"
#include "sessions.h"
#include "system.h"

#define MAX_REQUEST	(64 << 10)

static int family;

static int nl_open(bool small)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC), one = 1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	if (small)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &one, sizeof(one));
	return fd;
}

static size_t put_header(uint8_t *buf, unsigned int type, unsigned int flags, unsigned int cmd,
			 unsigned int version)
{
	struct nlmsghdr *h = (struct nlmsghdr *)buf;
	struct genlmsghdr *g = NLMSG_DATA(h);

	*h = (struct nlmsghdr){ .nlmsg_type = (uint16_t)type, .nlmsg_flags = (uint16_t)flags };
	*g = (struct genlmsghdr){ .cmd = (uint8_t)cmd, .version = (uint8_t)version };
	return NLMSG_HDRLEN + GENL_HDRLEN;
}

/* An attribute that claims to be @lie bytes longer than it is. Returns its size. */
static size_t put_nla(uint8_t *buf, unsigned int type, const void *data, size_t len, int lie)
{
	struct nlattr *nla = (struct nlattr *)buf;

	nla->nla_type = (uint16_t)type;
	nla->nla_len = (uint16_t)((int)(NLA_HDRLEN + len) + lie);
	memcpy(buf + NLA_HDRLEN, data, len);
	memset(buf + NLA_HDRLEN + len, 0, NLA_ALIGN(len) - len);
	return NLA_HDRLEN + NLA_ALIGN(len);
}

static const void *find_nla(const void *attrs, size_t len, unsigned int type, size_t *size)
{
	const struct nlattr *nla = attrs;

	while (len >= NLA_HDRLEN && nla->nla_len >= NLA_HDRLEN && nla->nla_len <= len) {
		size_t step = NLA_ALIGN(nla->nla_len);

		if ((nla->nla_type & NLA_TYPE_MASK) == type) {
			*size = nla->nla_len - NLA_HDRLEN;
			return (const char *)nla + NLA_HDRLEN;
		}
		if (step >= len)
			break;
		len -= step;
		nla = (const struct nlattr *)((const char *)nla + step);
	}
	return NULL;
}

/* A message for people is one line of text that any terminal can show. */
static void check_message(const char *text, size_t size)
{
	report_count(TOTAL_MESSAGES);
	if (!size || text[size - 1] || strlen(text) != size - 1)
		broken("a message of %zu bytes does not end where it should", size);
	for (size_t i = 0; i + 1 < size; i++) {
		if ((uint8_t)text[i] < 0x20 || (uint8_t)text[i] >= 0x7f) {
			broken("byte %#x in the message '%.200s'", (uint8_t)text[i], text);
			break;
		}
	}
}

/* The error of an answer, whose message is checked. */
static int on_error(const struct nlmsghdr *h)
{
	const struct nlmsgerr *e = NLMSG_DATA(h);
	size_t skip = NLMSG_HDRLEN + sizeof(e->error);
	const char *text;
	size_t size;

	skip += h->nlmsg_flags & NLM_F_CAPPED || !e->error ? sizeof(e->msg) : NLMSG_ALIGN(e->msg.nlmsg_len);
	if (h->nlmsg_flags & NLM_F_ACK_TLVS && h->nlmsg_len > skip) {
		text = find_nla((const char *)h + skip, h->nlmsg_len - skip, NLMSGERR_ATTR_MSG, &size);
		if (text)
			check_message(text, size);
	}
	return e->error;
}

/*
 * Read the answers to a request; the kernel has sent all of them when send() returns.
 * Returns 0 or the first error. Sessions go into slots from @slot on, @nr is their number.
 */
static int nl_answers(int fd, unsigned int slot, unsigned int *nr)
{
	static _Thread_local uint8_t buf[64 << 10] __attribute__((aligned(8)));
	int err = 0, one;
	ssize_t len;

	while ((len = recv(fd, buf, sizeof(buf), MSG_DONTWAIT)) > 0 || (len < 0 && errno == ENOBUFS)) {
		const struct nlmsghdr *h = (const void *)buf;

		for (; len > 0 && NLMSG_OK(h, (size_t)len); h = NLMSG_NEXT(h, len)) {
			const struct genlmsghdr *g = NLMSG_DATA(h);
			const uint32_t *session;
			size_t size;

			if (h->nlmsg_type == NLMSG_ERROR) {
				one = on_error(h);
				err = err ? err : one;
			} else if (h->nlmsg_type == family && g->cmd == PMCTRACK_CMD_SESSION_NEW) {
				session = find_nla(g + 1, h->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN,
						   PMCTRACK_A_SESSION_FD, &size);
				if (!session || size != 4 || fcntl((int)*session, F_GETFD) < 0)
					broken("a reply without a session");
				else
					session_new(slot + (*nr)++, (int)*session);
			}
		}
	}
	return err;
}

static void nl_send_raw(int fd, const uint8_t *buf, size_t len)
{
	if (send(fd, buf, len, 0) < 0 && errno != EMSGSIZE && errno != ENOBUFS)
		broken("send: %s", strerror(errno));
}

static void nl_send(int fd, uint8_t *buf, size_t len)
{
	((struct nlmsghdr *)buf)->nlmsg_len = (uint32_t)len;
	nl_send_raw(fd, buf, len);
}

static int find_family(void)
{
	static uint8_t buf[8192] __attribute__((aligned(8)));
	int fd = nl_open(false);
	size_t size = 0, len = put_header(buf, GENL_ID_CTRL, NLM_F_REQUEST, CTRL_CMD_GETFAMILY, 1);
	const uint16_t *id = NULL;
	ssize_t got;

	len += put_nla(buf + len, CTRL_ATTR_FAMILY_NAME, PMCTRACK_FAMILY_NAME, sizeof(PMCTRACK_FAMILY_NAME), 0);
	nl_send(fd, buf, len);
	got = recv(fd, buf, sizeof(buf), 0);
	if (got > (ssize_t)(NLMSG_HDRLEN + GENL_HDRLEN))
		id = find_nla(buf + NLMSG_HDRLEN + GENL_HDRLEN, (size_t)got - NLMSG_HDRLEN - GENL_HDRLEN,
			      CTRL_ATTR_FAMILY_ID, &size);
	close(fd);
	return id && size == 2 ? *id : -1;
}

void netlink_init(void)
{
	family = find_family();
	if (family < 0)
		errx(2, "the pmctrack kernel module is not loaded");
}

/* TYPE:LIE:KIND[VALUE], see request.h. Returns its size. */
static size_t parse_attr(const char *word, uint8_t *out)
{
	uint8_t value[1100];
	unsigned int type;
	size_t len = 4;
	uint64_t n;
	int lie, at = 0;

	if (sscanf(word, "%u:%d:%n", &type, &lie, &at) < 2 || !at)
		return 0;
	n = strtoull(word + at + !!word[at], NULL, 10);
	switch (word[at]) {
	case '-':
		len = from_hex(word + at, value, sizeof(value));
		break;
	case 'q':
		len = 8;
		break;
	case 'p': {
		char slot[] = { (char)('0' + n % 10), '\0' };
		struct args a = { slot };

		n = (uint64_t)child_get(&a);
		break;
	}
	case 's':
		n = (uint64_t)getpid();
		break;
	case 'c':
		n = (uint64_t)system_cgroup(n & 1);
		break;
	}
	if (word[at] != '-')
		memcpy(value, &n, len);
	return put_nla(out, type, value, len, lie);
}

/* SOCKET is 1: too small for the answer, 2: no descriptor is free, 3: two requests at once. */
enum outcome op_new(struct args *a)
{
	static _Thread_local uint8_t buf[2 * MAX_REQUEST] __attribute__((aligned(8)));
	unsigned int slot = (unsigned int)next_number(a), mode = (unsigned int)next_number(a);
	unsigned int flags = (unsigned int)next_number(a), cmd = (unsigned int)next_number(a);
	unsigned int nr = 0;
	struct rlimit old, none;
	const char *word;
	int fd = nl_open(mode == 1), err;
	size_t len;

	if (fd < 0)
		return IDLE;
	/* Fill the socket, so that the answer does not fit. */
	for (int i = 0; mode == 1 && i < 3; i++)
		nl_send(fd, buf, put_header(buf, family, NLM_F_REQUEST, PMCTRACK_CMD_INFO_GET, 1));
	len = put_header(buf, family, flags, cmd, (unsigned int)next_number(a));
	while ((word = next_word(a)) && len < MAX_REQUEST - 2048)
		len += parse_attr(word, buf + len);

	if (mode == 3) {
		((struct nlmsghdr *)buf)->nlmsg_len = (uint32_t)len;
		memcpy(buf + len, buf, len);
		nl_send_raw(fd, buf, 2 * len);
	} else {
		getrlimit(RLIMIT_NOFILE, &old);
		none = (struct rlimit){ 0, old.rlim_max };
		if (mode == 2)
			setrlimit(RLIMIT_NOFILE, &none);
		nl_send(fd, buf, len);
		if (mode == 2)
			setrlimit(RLIMIT_NOFILE, &old);
	}
	err = nl_answers(fd, slot, &nr);
	close(fd);
	if (nr || !err)
		return nr ? OK : REFUSED;
	errno = -err;
	return judge(-1, "new", EINVAL, ERANGE, E2BIG, EACCES, EBUSY, ESRCH, ENOENT, ENOMEM, EOPNOTSUPP,
		     EBADF, EMFILE, EAGAIN, 0);
}

enum outcome op_raw(struct args *a)
{
	uint8_t buf[512] __attribute__((aligned(8)));
	unsigned int nr = 0, flags = (unsigned int)next_number(a);
	int fd = nl_open(false), err;
	size_t len;

	if (fd < 0)
		return IDLE;
	put_header(buf, family, flags | NLM_F_REQUEST, 0, 0);
	len = NLMSG_HDRLEN + from_hex(next_word(a), buf + NLMSG_HDRLEN, sizeof(buf) - NLMSG_HDRLEN);
	nl_send(fd, buf, len);
	err = nl_answers(fd, (unsigned int)len, &nr);
	close(fd);
	errno = -err;
	return judge(err ? -1 : 0, "raw", EINVAL, ERANGE, EOPNOTSUPP, E2BIG, 0);
}

enum outcome op_info(struct args *a)
{
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();

	(void)a;
	if (!ctl && errno != EMFILE)
		broken("info: %s", pmctrack_error());
	pmctrack_ctl__close(ctl);
	return ctl ? OK : REFUSED;
}
