/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs/abifuzz.c of the guest tests tries: lines of text made from a
 * seed and the architecture, so that the same seed gives the same lines again.
 *
 *	line := [ "user" | "thread" ] op { ";" op } | "race" op "|" op
 *	op   := NAME ARGUMENT...
 *
 * Arguments are numbers; those of "new" are the attributes of a request, see
 * gen_attr(); texts are hexadecimal. Sessions, mappings and children are named
 * by the number of a slot: the operation takes the next one that is in use.
 */
#ifndef PMCT_ABI_GENERATE_H
#define PMCT_ABI_GENERATE_H

#include <linux/netlink.h>
#include <linux/pmctrack.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR_SESSIONS	12
#define NR_MAPS		6
#define NR_CHILDREN	9
#define NR_KINDS	12
#define MAX_LINE	(64 << 10)
#define MAX_ATTRS	300

struct line {
	char text[MAX_LINE];
	size_t len;
	int session;		/* that all operations of the line are about; -1: any */
};

struct rng {
	uint64_t state;
};

/* splitmix64 */
static uint64_t any(struct rng *r)
{
	uint64_t x = r->state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static unsigned int below(struct rng *r, unsigned int n)
{
	return any(r) % n;
}

static bool percent(struct rng *r, unsigned int p)
{
	return below(r, 100) < p;
}

#define PICK(r, ...)								\
	((const uint64_t[]){ __VA_ARGS__ }					\
	 [below(r, sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))])
#define PICK_TEXT(r, ...)							\
	((const char *const[]){ __VA_ARGS__ }					\
	 [below(r, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))])

__attribute__((format(printf, 2, 3)))
static void put(struct line *l, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(l->text + l->len, sizeof(l->text) - l->len, fmt, args);
	va_end(args);
	if (n < 0 || l->len + (size_t)n >= sizeof(l->text))
		abort();
	l->len += (size_t)n;
}

static void put_hex(struct line *l, const void *data, size_t len)
{
	put(l, "-");
	for (size_t i = 0; i < len; i++)
		put(l, "%02x", ((const uint8_t *)data)[i]);
}

/* Numbers near which things change, or any. */
static uint64_t gen_number(struct rng *r)
{
	uint64_t n = PICK(r, 0, 1, 8, 55, 56, 512, 4095, 4096, 65536, 1 << 20, INT32_MAX, UINT32_MAX,
			  INT64_MAX, UINT64_MAX, 1000000, 4000000);

	return percent(r, 30) ? any(r) >> below(r, 64) : n + PICK(r, 0, 0, 0, 1, -1);
}

/* Change some bytes of a text; it keeps within @room. */
static size_t gen_mutated(struct rng *r, char *text, size_t len, size_t room)
{
	for (unsigned int n = 1 + below(r, 4); n; n--) {
		size_t at = len ? below(r, len) : 0;

		switch (below(r, 5)) {
		case 0:
			if (len)
				text[at] = (char)any(r);
			break;
		case 1:	/* one more */
			if (len + 1 < room) {
				memmove(text + at + 1, text + at, len++ - at);
				text[at] = (char)PICK(r, ',', '=', '0', 'x', '9', '\n', 0, 0xe9, ' ');
			}
			break;
		case 2:	/* less */
			if (len)
				memmove(text + at, text + at + 1, --len - at);
			break;
		case 3:	/* the end again */
			if (len && len + (len - at) < room) {
				memcpy(text + len, text + at, len - at);
				len += len - at;
			}
			break;
		default:
			len = percent(r, 20) ? at : len;
		}
	}
	return len;
}

/* Counters with an event of their own, and events for the others. */
#ifdef __aarch64__
#define NR_FIXED	1
#define RAW_EVENTS	0x8, 0x8, 0x11, 0, 0x23, 0x24
#else
#define NR_FIXED	3
#define RAW_EVENTS	0xc0, 0xc0, 0x3c, 0, 0xc4, 0xc5
#endif

/* A raw string; most are right for the guest's PMU (PMUv3, Intel). */
static size_t gen_raw(struct rng *r, char *text, size_t room)
{
	bool ebs = percent(r, 12), kernel = percent(r, 25);
	size_t len = 0;

	for (unsigned int c = below(r, 2); c < 7; c += 1 + below(r, 3)) {
		bool os = kernel && percent(r, 60);

		len += sprintf(text + len, "%spmc%u", len ? "," : "", c);
		if (c >= NR_FIXED)
			len += sprintf(text + len, "=0x%x", percent(r, 3) ? below(r, 0x20000) :
				       (unsigned int)PICK(r, RAW_EVENTS));
		if (os)
			len += sprintf(text + len, ",usr%u=%u,os%u", c, below(r, 2), c);
		if (ebs)
			len += sprintf(text + len, ",ebs%u=%u", c,
				       (unsigned int)PICK(r, 1000, 20000, 300000, 999));
		ebs = false;
	}
	if (percent(r, 10))
		len += sprintf(text + len, ",coretype=%u", percent(r, 80) ? 0 : below(r, 6));
	return percent(r, 12) ? gen_mutated(r, text, len, room) : len;
}

/*
 * TYPE:LIE:KIND[VALUE] with the length that the attribute claims to have beside
 * its true one (LIE), and the value: u (32 bits) or q (64) and a number, p and a
 * child, s: the caller, c: a cgroup (1) or another directory (0), -HEX bytes.
 */
static void put_attr(struct line *l, struct rng *r, bool odd, unsigned int type, const char *value)
{
	if (odd && percent(r, 8))
		type = percent(r, 50) ? below(r, 14) : any(r) & 0xffff;
	else if (odd && percent(r, 4))
		type |= percent(r, 50) ? NLA_F_NESTED : NLA_F_NET_BYTEORDER;
	put(l, " %u:%d:", type, odd && percent(r, 4) ? (int)below(r, 40) - 20 : 0);
	if (odd && percent(r, 8)) {
		uint8_t bytes[64];

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)any(r);
		put_hex(l, bytes, below(r, sizeof(bytes)));
	} else {
		put(l, "%s", value);
	}
}

__attribute__((format(printf, 5, 6)))
static void gen_attr(struct line *l, struct rng *r, bool odd, unsigned int type, const char *fmt, ...)
{
	unsigned int times = 1;
	char value[2200];
	va_list args;

	if (odd && percent(r, 6))
		return;
	if (odd && percent(r, 8))
		times = percent(r, 30) ? 70 : 2;
	va_start(args, fmt);
	vsnprintf(value, sizeof(value), fmt, args);
	va_end(args);
	while (times--)
		put_attr(l, r, odd, type, value);
}

static void gen_set(struct line *l, struct rng *r, bool odd)
{
	char raw[1000], hex[2 * sizeof(raw) + 4] = "-";
	size_t len = gen_raw(r, raw, sizeof(raw));

	/* Mostly with its NUL. */
	if (!odd || percent(r, 90))
		raw[len++] = '\0';
	for (size_t i = 0; i < len; i++)
		sprintf(hex + 1 + 2 * i, "%02x", (uint8_t)raw[i]);
	gen_attr(l, r, odd, PMCTRACK_A_SESSION_SET, "%s", hex);
}

static void gen_mmon_attrs(struct line *l, struct rng *r, bool odd)
{
	const char *name = percent(r, 5) ? "6e6f6e6500" : PICK_TEXT(r, "69706300", "7465737400");

	gen_attr(l, r, odd, PMCTRACK_A_SESSION_MMON, "-%s", name);
	gen_attr(l, r, odd, PMCTRACK_A_SESSION_VIRT, "u%llu", (unsigned long long)
		 PICK(r, 1, 1, 3, 0x3f, 5, any(r) & UINT32_MAX));
}

/* Percentages of targets; these also by themselves. */
enum { WHO_ATTACH = 49, WHO_READ = 88, WHO_SELF = 99 };

static void gen_target(struct line *l, struct rng *r, bool odd, unsigned int who)
{
	uint64_t flags = below(r, 4);

	if (who <= WHO_ATTACH) {	/* children, and all that is theirs: see "attach" */
		flags |= PMCTRACK_SESSION_ATTACH;
	} else if (who < 65) {		/* what they are going to execute */
		flags |= PMCTRACK_SESSION_ON_EXEC;
		gen_attr(l, r, odd, PMCTRACK_A_SESSION_PID, "p%u", below(r, NR_CHILDREN));
	} else if (who < 78) {		/* CPUs */
		flags = PMCTRACK_SESSION_SYSTEM;
		if (percent(r, 40))
			gen_attr(l, r, odd, PMCTRACK_A_SESSION_CGROUP, "c%u", !percent(r, 10));
	} else if (who < 82) {
		gen_attr(l, r, odd, PMCTRACK_A_SESSION_PID, "s");
	} else if (who < 85) {		/* somebody else, or nobody */
		gen_attr(l, r, odd, PMCTRACK_A_SESSION_PID, "u%llu", (unsigned long long)
			 PICK(r, 0, 1, 2, 999999, UINT32_MAX, 1U << 31));
	} else if (who <= WHO_READ) {
		flags = PMCTRACK_SESSION_USER_READ;
	}
	if (odd && percent(r, 10))
		flags = any(r) >> below(r, 64);
	gen_attr(l, r, odd, PMCTRACK_A_SESSION_FLAGS, "u%llu", (unsigned long long)(uint32_t)flags);
}

/* new SLOT SOCKET NLFLAGS COMMAND VERSION ATTRIBUTE...; @who: see gen_target(), -1: any */
static void gen_new(struct line *l, struct rng *r, int who)
{
	bool odd = who < 0 && percent(r, 25), mmon = who != WHO_READ && percent(r, 15);
	unsigned int sets = who == WHO_READ || percent(r, 80) ? 1 : percent(r, 90) ? 2 + below(r, 3) : below(r, 40);

	put(l, "new %u %u %u %u %u", l->session >= 0 ? (unsigned int)l->session : below(r, NR_SESSIONS),
	    percent(r, 88) ? 0 : 1 + below(r, 3),
	    odd && percent(r, 10) ? (unsigned int)any(r) & 0xffff : NLM_F_REQUEST | NLM_F_ACK,
	    odd && percent(r, 3) ? below(r, 256) : PMCTRACK_CMD_SESSION_NEW, odd ? below(r, 3) : 1);
	if (mmon)
		gen_mmon_attrs(l, r, odd);
	for (; sets && !(mmon && percent(r, 60)); sets--)
		gen_set(l, r, odd);
	if (percent(r, 90))
		gen_attr(l, r, odd, PMCTRACK_A_SESSION_PERIOD_NS, "q%llu", (unsigned long long)
			 (percent(r, 95) ? PICK(r, 4000000, 8000000, 8000000, 20000000, 100000000, 1) :
			  PICK(r, 0, UINT64_MAX, 86400000000000, 86400000000001)));
	if (percent(r, 60))
		gen_attr(l, r, odd, PMCTRACK_A_SESSION_RING_SIZE, "u%llu", (unsigned long long)
			 (percent(r, 93) ? PICK(r, 4096, 4096, 8192, 65536) :
			  PICK(r, 1, 4095, 1 << 22, 1 << 24, 1 << 25, 0x80000000, UINT32_MAX)));
	gen_target(l, r, odd, who >= 0 ? (unsigned int)who : below(r, 100));
}

/* Up to 80 bytes for a file in /proc/pmc. */
static void gen_text(struct line *l, struct rng *r, char what)
{
	char text[160];
	size_t len;

	if (what == 'c')
		len = sprintf(text, "%s=%s", PICK_TEXT(r, "ring_default_bytes", "ring_max_bytes", "user_read", "unprivileged",
					       "ebs_cpu_percent", "attach_max_threads", ""),
			      PICK_TEXT(r, "4096", "65536", "262144", "0x400000", "16777216", "-1", "1", "0", "2", "25"));
	else
		len = sprintf(text, "%s", PICK_TEXT(r, "ipc", "test", "test", "none", "no_such", "../x"));
	if (percent(r, 30))
		text[len++] = '\n';
	put(l, " ");
	put_hex(l, text, percent(r, 12) ? gen_mutated(r, text, len, sizeof(text)) : len);
}

/*
 * Arguments by letter: S session, M mapping, C child, x number, l length, o page
 * offset, p protection, b yes or no, m mode, k kind of child, g signal, w
 * milliseconds, c or n text, u user, h bytes.
 */
static void gen_arg(struct line *l, struct rng *r, char arg)
{
	uint8_t bytes[80];

	switch (arg) {
	case 'S':
		put(l, " %u", l->session >= 0 ? (unsigned int)l->session : below(r, NR_SESSIONS));
		break;
	case 'M':
		put(l, " %u", below(r, NR_MAPS));
		break;
	case 'C':
		put(l, " %u", below(r, NR_CHILDREN + 1));	/* one more: the caller */
		break;
	case 'l':
		put(l, " %llu", (unsigned long long)(percent(r, 70) ? PICK(r, 4096, 8192, 65536) :
						     gen_number(r) % (1 << 20)));
		break;
	case 'o':
		put(l, " %llu", (unsigned long long)(percent(r, 80) ? PICK(r, 0, 0, 0x10000, 4096) :
						     (any(r) >> below(r, 64)) & ~0xfffULL));
		break;
	case 'p':
		put(l, " %u", percent(r, 70) ? (unsigned int)PICK(r, 1, 3) : below(r, 8));
		break;
	case 'b':
		put(l, " %u", below(r, 2));
		break;
	case 'm':
		put(l, " %u", below(r, 8));
		break;
	case 'k':
		put(l, " %u", below(r, NR_KINDS));
		break;
	case 'g':
		put(l, " %u", (unsigned int)PICK(r, SIGKILL, SIGSTOP, SIGCONT, SIGCONT, SIGUSR1, SIGSEGV));
		break;
	case 'w':
		put(l, " %u", 1 + below(r, 20));
		break;
	case 'u':
		put(l, " %u", percent(r, 25) ? 1000 : 0);
		break;
	case 'h':
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)(percent(r, 60) ? below(r, 12) : any(r));
		put(l, " ");
		put_hex(l, bytes, below(r, sizeof(bytes)));
		break;
	case 'c':
	case 'n':
		gen_text(l, r, arg);
		break;
	default:
		put(l, " %llu", (unsigned long long)gen_number(r));
	}
}

/* Operations with their arguments; how often; and whether they may race with others. */
static const struct gen_op {
	const char *name;
	const char *args;
	unsigned int weight;
	bool racy;
} gen_ops[] = {
	{ "new", NULL, 220, true },
	{ "newself", NULL, 5, true },	/* a "new" that monitors the caller... */
	{ "newread", NULL, 5, true },	/* ...who reads its counters itself */
	{ "newattach", NULL, 30, true },	/* or running processes */
	{ "attach", "SC", 90, true },
	{ "raw", "xh", 8, true },
	{ "info", "", 4, true },
	{ "start", "S", 25, true },
	{ "stop", "S", 25, true },
	{ "detach", "S", 12, true },
	{ "ioctl", "Sxx", 10, true },
	{ "read", "Slm", 60, true },
	{ "poll", "Sw", 12, true },
	{ "map", "SMolpm", 40, false },
	{ "unmap", "Mol", 10, false },
	{ "protect", "Molp", 15, false },
	{ "remap", "MMoll", 10, false },
	{ "touch", "Mxbx", 25, false },
	{ "tail", "Smx", 25, true },
	{ "scribble", "Sxx", 15, true },
	{ "consume", "S", 30, false },
	{ "dup", "SS", 8, false },
	{ "pass", "SS", 6, false },
	{ "close", "S", 40, true },
	{ "spawn", "Ckbu", 50, false },
	{ "kill", "Cg", 30, true },
	{ "affine", "Cm", 20, true },
	{ "fork", "b", 12, false },
	{ "burn", "w", 15, true },
	{ "wait", "w", 15, false },
	{ "config", "c", 8, true },
	{ "mmon", "n", 30, true },
	{ "module", "bbm", 12, true },
	{ "sched", "Cb", 12, true },
	{ "metric", "Cx", 6, true },
	{ "procread", "", 4, true },
	{ "cpu", "b", 10, true },
	{ "perf", "", 4, false },
	{ "counter", "", 6, true },
};

#define NR_GEN_OPS	(sizeof(gen_ops) / sizeof(gen_ops[0]))

static void gen_named(struct line *l, struct rng *r, const struct gen_op *op)
{
	if (!op->args) {
		gen_new(l, r, op->name[3] == 's' ? WHO_SELF : op->name[3] == 'r' ? WHO_READ :
			op->name[3] == 'a' ? WHO_ATTACH : -1);
		return;
	}
	put(l, "%s", op->name);
	for (const char *a = op->args; *a; a++)
		gen_arg(l, r, *a);
}

static const struct gen_op *gen_pick(struct rng *r, bool racy)
{
	unsigned int all = 0, at;

	for (size_t i = 0; i < NR_GEN_OPS; i++)
		all += gen_ops[i].weight;
	for (;;) {
		const struct gen_op *op = gen_ops;

		for (at = below(r, all); at >= op->weight; op++)
			at -= op->weight;
		if (op->racy || !racy)
			return op;
	}
}

/* What takes several operations on one session, and would hardly come by chance. */
static void gen_story(struct line *l, struct rng *r)
{
	/* What begins with a dot is an operation as it is. */
	const char *story = PICK_TEXT(r,
		"newself;start;burn;stop;read;close",
		"newread;start;counter;burn;counter;affine;counter;stop;counter;read;close;counter",
		"newread;start;fork;counter;burn;counter;close;counter",
		"newself;start;fork;burn;stop;consume;close",
		"newself;start;stop;start;tail;burn;stop;read;close",
		"newself;start;affine;burn;affine;stop;consume;close",
		"newself;start;spawn;spawn;burn;close",
		"newself;start;burn",
		"spawn;newattach;attach;attach;wait;detach;read;read",
		"spawn;newattach;attach;wait;read;consume",
		"spawn;newattach;attach;wait;.kill 0 9;read;consume;close",
		"newself;start;burn;.config -756e70726976696c656765643d30;stop;consume;.config -756e70726976696c656765643d31",
		"new;close;new;close",
		"new;tail;wait;read",
		"new;map;wait;consume;touch;close",
		".module 1 1 0;.mmon -697063;spawn;newattach;attach;wait;consume",
		".module 0 1 2;.mmon -74657374;spawn;newattach;attach;sched;metric;wait;consume");
	char copy[200], *rest = copy, *name;

	l->session = (int)below(r, NR_SESSIONS);
	strcpy(copy, story);
	while ((name = strsep(&rest, ";"))) {
		if (*name == '.')
			put(l, "%s", name + 1);
		for (size_t i = 0; i < NR_GEN_OPS; i++) {
			if (!strcmp(gen_ops[i].name, name))
				gen_named(l, r, &gen_ops[i]);
		}
		if (rest)
			put(l, " ; ");
	}
	l->session = -1;
}

static void generate(struct rng *r, struct line *l)
{
	unsigned int form = below(r, 100);

	l->len = 0;
	l->session = -1;
	if (form < 12) {
		put(l, "race ");
		/* Often about the same session. */
		if (percent(r, 60))
			l->session = (int)below(r, NR_SESSIONS);
		gen_named(l, r, gen_pick(r, true));
		put(l, " | ");
		gen_named(l, r, gen_pick(r, true));
	} else if (form < 18) {
		put(l, "user ");
		percent(r, 50) ? gen_story(l, r) : gen_named(l, r, gen_pick(r, true));
	} else if (form < 26) {
		put(l, "thread ");
		gen_story(l, r);
	} else if (form < 34) {
		gen_story(l, r);
	} else {
		gen_named(l, r, gen_pick(r, false));
	}
}

#endif /* PMCT_ABI_GENERATE_H */
