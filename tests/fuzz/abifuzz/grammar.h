/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The language of abifuzz: one line of text is one step of a run.
 *
 *	line := [ "user" | "thread" ] op { ";" op } | "race" op "|" op
 *	op   := NAME ARGUMENT...
 *
 * Arguments are numbers. The arguments of "new" are the attributes of a request
 * (request.c). Texts are written in hexadecimal, after a "-". Sessions, mappings
 * and children are named by the number of a slot. If that slot is empty, an
 * operation takes the next one that is in use, so that a log still makes sense
 * when lines are deleted from it.
 *
 * generate.c writes such lines, run.c executes them. This file has the limits
 * on which the two must agree.
 */
#ifndef PMCT_ABIFUZZ_GRAMMAR_H
#define PMCT_ABIFUZZ_GRAMMAR_H

#define NR_SESSIONS	12		/* slots */
#define NR_MAPS		6
#define NR_CHILDREN	9
#define NR_KINDS	12		/* of children, see child_main() */
#define MAX_LINE	(64 << 10)	/* bytes, with the final NUL */

#endif /* PMCT_ABIFUZZ_GRAMMAR_H */
