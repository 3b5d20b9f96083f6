/* SPDX-License-Identifier: GPL-2.0-only */
/* Attaching a session to what it monitors. */
#ifndef _PMCT_ATTACH_H
#define _PMCT_ATTACH_H

#include "session.h"

int pmct_attach(struct pmct_session *s, const struct pmct_session_params *params,
		struct pmct_msg *msg);
long pmct_attach_ioctl(struct pmct_session *s, struct pmctrack_attach __user *arg);

#endif /* _PMCT_ATTACH_H */
