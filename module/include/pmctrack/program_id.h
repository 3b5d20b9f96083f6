/* SPDX-License-Identifier: GPL-2.0-only */
/* Which program a process executes, for backends and monitoring modules. */
#ifndef _PMCTRACK_PROGRAM_ID_H
#define _PMCTRACK_PROGRAM_ID_H

#include <linux/types.h>

/**
 * struct pmct_program_id - which program a process executes
 * @content: a number that is the same for the same program, and differs for other programs, as far
 *	as can be known
 * @text: address of its code
 * @text_size: bytes of its code
 */
struct pmct_program_id {
	u64 content;
	u64 text;
	u64 text_size;
};

#endif /* _PMCTRACK_PROGRAM_ID_H */
