/* SPDX-License-Identifier: GPL-2.0-only */
/* Choosing the provider of scheduling events. */
#ifndef _PMCT_HOOKS_H
#define _PMCT_HOOKS_H

struct pmct_hooks;
struct pmct_msg;

extern const struct pmct_hooks pmct_hooks_patch, pmct_hooks_tracepoint;

int pmct_hooks_choose(const char *name, struct pmct_msg *msg);

#endif /* _PMCT_HOOKS_H */
