// SPDX-License-Identifier: GPL-2.0-or-later
#include "request.h"

#include <linux/netlink.h>
#include <linux/pmctrack.h>
#include <stdarg.h>
#include <stdio.h>

/* The number of fixed counters, and codes of events for the general ones. */
#ifdef __aarch64__
#define NR_FIXED	1
#define RAW_EVENTS	0x8, 0x8, 0x11, 0, 0x23, 0x24
#else
#define NR_FIXED	3
#define RAW_EVENTS	0xc0, 0xc0, 0x3c, 0, 0xc4, 0xc5
#endif

/* A raw string of an event set. Most are valid for the guest's PMU (PMUv3, Intel). */
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

/* One attribute, as request.h describes it. @odd: it may be wrong in any way. */
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

/* An attribute of this type and value; if @odd, it may be missing or come several times. */
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

	/* The kernel expects the final NUL. */
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

/* Choose what the session monitors. @who: 0 to 99. */
static void gen_target(struct line *l, struct rng *r, bool odd, unsigned int who)
{
	uint64_t flags = below(r, 4);

	if (who <= WHO_ATTACH) {	/* see "attach" */
		flags |= PMCTRACK_SESSION_ATTACH;
	} else if (who < 65) {		/* a child, from its next exec on */
		flags |= PMCTRACK_SESSION_ON_EXEC;
		gen_attr(l, r, odd, PMCTRACK_A_SESSION_PID, "p%u", below(r, NR_CHILDREN));
	} else if (who < 78) {		/* whole CPUs */
		flags = PMCTRACK_SESSION_SYSTEM;
		if (percent(r, 40))
			gen_attr(l, r, odd, PMCTRACK_A_SESSION_CGROUP, "c%u", !percent(r, 10));
	} else if (who < 82) {
		gen_attr(l, r, odd, PMCTRACK_A_SESSION_PID, "s");
	} else if (who < 85) {		/* a process of others, or none */
		gen_attr(l, r, odd, PMCTRACK_A_SESSION_PID, "u%llu", (unsigned long long)
			 PICK(r, 0, 1, 2, 999999, UINT32_MAX, 1U << 31));
	} else if (who <= WHO_READ) {
		flags = PMCTRACK_SESSION_USER_READ;
	}
	if (odd && percent(r, 10))
		flags = any(r) >> below(r, 64);
	gen_attr(l, r, odd, PMCTRACK_A_SESSION_FLAGS, "u%llu", (unsigned long long)(uint32_t)flags);
}

void gen_new(struct line *l, struct rng *r, int who)
{
	bool odd = who == WHO_ANY && percent(r, 25), mmon = who != WHO_READ && percent(r, 15);
	unsigned int sets = who == WHO_READ || percent(r, 80) ? 1 : percent(r, 90) ? 2 + below(r, 3) : below(r, 40);

	put(l, "new %u %u %u %u %u", gen_session(l, r),
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
	/* To get and to free large rings takes longer than all else. */
	if (percent(r, l->quick ? 98 : 60))
		gen_attr(l, r, odd, PMCTRACK_A_SESSION_RING_SIZE, "u%llu", (unsigned long long)
			 (percent(r, l->quick ? 99 : 93) ? PICK(r, 4096, 4096, 8192, 65536) :
			  PICK(r, 1, 4095, 1 << 22, 1 << 24, 1 << 25, 0x80000000, UINT32_MAX)));
	gen_target(l, r, odd, who != WHO_ANY ? (unsigned int)who : below(r, 100));
}
