/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generates "new" operations: requests for a session. */
#ifndef PMCT_ABIFUZZ_REQUEST_H
#define PMCT_ABIFUZZ_REQUEST_H

#include "text.h"

/*
 * What a session is for. The values are percentages: gen_new() draws one if it
 * gets WHO_ANY, and the ranges between them are other targets (gen_target()).
 */
enum {
	WHO_ANY = -1,
	WHO_ATTACH = 49,	/* running processes, see "attach" */
	WHO_READ = 88,		/* the caller, who reads its counters itself */
	WHO_SELF = 99,		/* the caller */
};

/*
 * new SLOT SOCKET NLFLAGS COMMAND VERSION ATTRIBUTE...
 *
 * SOCKET is a mode of op_new(). An attribute is TYPE:LIE:KIND[VALUE]:
 *	LIE	bytes that its length field claims beyond the true length
 *	KIND	u: 32 bits, q: 64 bits, each followed by a number
 *		p: the PID of a child, followed by its slot; s: the PID of the caller
 *		c: a descriptor: 1 of a control group, 0 of another directory
 *		-: bytes in hexadecimal
 */
void gen_new(struct line *l, struct rng *r, int who);

#endif /* PMCT_ABIFUZZ_REQUEST_H */
