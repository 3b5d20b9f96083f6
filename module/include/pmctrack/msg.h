/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages for people that say why a request is refused. */
#ifndef _PMCTRACK_MSG_H
#define _PMCTRACK_MSG_H

#include <linux/types.h>
#include <uapi/linux/pmctrack.h>

/**
 * struct pmct_msg - why a request was refused, in one line for a person
 * @text: names the problem and the remedy; no newline; empty: none
 */
struct pmct_msg {
	char text[PMCTRACK_MAX_MESSAGE];
};

/* Write the message, unless @msg has one (the first cause wins). Returns @err. */
__printf(3, 4)
int pmct_refuse(struct pmct_msg *msg, int err, const char *fmt, ...);

#endif /* _PMCTRACK_MSG_H */
