// SPDX-License-Identifier: GPL-2.0-or-later
#include "generate.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "request.h"

#define SLOW_PERCENT	5	/* how much of what takes long is left to a quick run */

/* A text for a file in /proc/pmc: 'c' config, 'n' the name of a monitoring module. */
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
 * An argument of this kind. The letters are: S session, M mapping, C child,
 * x number, l length, o page offset, p protection, b yes or no, m mode, k kind of
 * child, g signal, w milliseconds, c or n text, u user, h bytes.
 */
static void gen_arg(struct line *l, struct rng *r, char arg)
{
	uint8_t bytes[80];

	switch (arg) {
	case 'S':
		put(l, " %u", gen_session(l, r));
		break;
	case 'M':
		put(l, " %u", below(r, NR_MAPS));
		break;
	case 'C':
		put(l, " %u", below(r, NR_CHILDREN + 1));	/* the last one is the caller */
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

#define RACY	1	/* may run beside another operation */
#define SLOW	2	/* takes as long as many others: rare in a quick run */

/* What is generated, and how often. */
static const struct gen_op {
	const char *name;
	const char *args;	/* letters of gen_arg(); NULL: a "new" */
	unsigned int weight;
	unsigned int flags;	/* RACY, SLOW */
	int who;		/* of a "new" */
} gen_ops[] = {
	{ "new", NULL, 220, RACY, WHO_ANY },
	{ "newself", NULL, 5, RACY, WHO_SELF },
	{ "newread", NULL, 5, RACY, WHO_READ },
	{ "newattach", NULL, 30, RACY, WHO_ATTACH },
	{ "attach", "SC", 90, RACY, 0 },
	{ "raw", "xh", 8, RACY, 0 },
	{ "info", "", 4, RACY, 0 },
	{ "start", "S", 25, RACY, 0 },
	{ "stop", "S", 25, RACY, 0 },
	{ "detach", "S", 12, RACY, 0 },
	{ "ioctl", "Sxx", 10, RACY, 0 },
	{ "read", "Slm", 60, RACY, 0 },
	{ "poll", "Sw", 12, RACY, 0 },
	{ "map", "SMolpm", 40, 0, 0 },
	{ "unmap", "Mol", 10, 0, 0 },
	{ "protect", "Molp", 15, 0, 0 },
	{ "remap", "MMoll", 10, 0, 0 },
	{ "touch", "Mxbx", 25, 0, 0 },
	{ "tail", "Smx", 25, RACY, 0 },
	{ "scribble", "Sxx", 15, RACY, 0 },
	{ "consume", "S", 30, 0, 0 },
	{ "dup", "SS", 8, 0, 0 },
	{ "pass", "SS", 6, 0, 0 },
	{ "close", "S", 40, RACY, 0 },
	{ "spawn", "Ckbu", 50, SLOW, 0 },
	{ "kill", "Cg", 30, RACY | SLOW, 0 },
	{ "affine", "Cm", 20, RACY, 0 },
	{ "fork", "b", 12, SLOW, 0 },
	{ "burn", "w", 15, RACY, 0 },
	{ "wait", "w", 15, 0, 0 },
	{ "config", "c", 8, RACY, 0 },
	{ "mmon", "n", 30, RACY | SLOW, 0 },
	{ "module", "bbm", 12, RACY | SLOW, 0 },
	{ "sched", "Cb", 12, RACY, 0 },
	{ "metric", "Cx", 6, RACY, 0 },
	{ "procread", "", 4, RACY, 0 },
	{ "cpu", "b", 10, RACY | SLOW, 0 },
	{ "perf", "", 4, SLOW, 0 },
	{ "counter", "", 6, RACY, 0 },
};

#define NR_GEN_OPS	(sizeof(gen_ops) / sizeof(gen_ops[0]))

/* This operation with random arguments. */
static void gen_named(struct line *l, struct rng *r, const struct gen_op *op)
{
	if (!op->args) {
		gen_new(l, r, op->who);
		return;
	}
	put(l, "%s", op->name);
	for (const char *a = op->args; *a; a++)
		gen_arg(l, r, *a);
}

/* True if a quick run leaves out what takes long, this time. */
static bool is_left_out(struct rng *r, bool quick)
{
	return quick && !percent(r, SLOW_PERCENT);
}

/* A random operation, by weight. @racy: one that may run beside another one. */
static const struct gen_op *gen_pick(struct rng *r, bool racy, bool quick)
{
	unsigned int all = 0, at;

	for (size_t i = 0; i < NR_GEN_OPS; i++)
		all += gen_ops[i].weight;
	for (;;) {
		const struct gen_op *op = gen_ops;

		for (at = below(r, all); at >= op->weight; op++)
			at -= op->weight;
		if ((op->flags & RACY || !racy) && !(op->flags & SLOW && is_left_out(r, quick)))
			return op;
	}
}

/*
 * A sequence of operations on one session that would hardly be drawn by chance.
 * A step that begins with a dot is an operation with its arguments.
 */
static void gen_story(struct line *l, struct rng *r)
{
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

	if ((strstr(story, "spawn") || strstr(story, "fork")) && is_left_out(r, l->quick))
		story = "newself;start;tail;burn;read;close";
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

void generate(struct rng *r, struct line *l)
{
	unsigned int form = below(r, 100);

	l->len = 0;
	l->session = -1;
	if (form < 12) {
		put(l, "race ");
		/* Races are more likely on the same session. */
		if (percent(r, 60))
			l->session = (int)below(r, NR_SESSIONS);
		gen_named(l, r, gen_pick(r, true, l->quick));
		put(l, " | ");
		gen_named(l, r, gen_pick(r, true, l->quick));
	} else if (form < 18 && !is_left_out(r, l->quick)) {
		put(l, "user ");
		percent(r, 50) ? gen_story(l, r) : gen_named(l, r, gen_pick(r, true, l->quick));
	} else if (form < 26) {
		put(l, "thread ");
		gen_story(l, r);
	} else if (form < 34) {
		gen_story(l, r);
	} else {
		gen_named(l, r, gen_pick(r, false, l->quick));
	}
}
