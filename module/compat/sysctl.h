/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings of the kernel whose variables are not exported. */
#ifndef _PMCT_COMPAT_SYSCTL_H
#define _PMCT_COMPAT_SYSCTL_H

int pmct_sysctl(const char *path, int *value);

#endif /* _PMCT_COMPAT_SYSCTL_H */
