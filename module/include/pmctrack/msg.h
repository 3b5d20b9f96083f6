/* SPDX-License-Identifier: GPL-2.0-only */
/* Refusals with a text for a person. */
#ifndef _PMCTRACK_MSG_H
#define _PMCTRACK_MSG_H

#include <linux/types.h>
#include <uapi/linux/pmctrack.h>

/**
 * struct pmct_msg - why a request was refused, in one line for a person
 * @text: names the thing and the remedy; no newline; empty: none
 */
struct pmct_msg {
	char text[PMCTRACK_MAX_MESSAGE];
};

/* Write the message (once: the first cause wins) and return @err. */
__printf(3, 4)
int pmct_refuse(struct pmct_msg *msg, int err, const char *fmt, ...);

#endif /* _PMCTRACK_MSG_H */
