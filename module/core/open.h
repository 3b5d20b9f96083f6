/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of a session. */
#ifndef _PMCT_OPEN_H
#define _PMCT_OPEN_H

#include "session.h"

struct file;

struct file *pmct_session_open(struct pmct_session_params *params, struct pmct_msg *msg);

#endif /* _PMCT_OPEN_H */
