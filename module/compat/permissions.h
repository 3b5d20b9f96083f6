/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules of the kernel that modules cannot check through the kernel, unless it has the patch. */
#ifndef _PMCT_COMPAT_PERMISSIONS_H
#define _PMCT_COMPAT_PERMISSIONS_H

#include <linux/types.h>

struct task_struct;

bool pmct_may_access(struct task_struct *task);
bool pmct_may_count(void);

#endif /* _PMCT_COMPAT_PERMISSIONS_H */
