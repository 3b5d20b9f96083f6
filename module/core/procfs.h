/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/pmc */
#ifndef _PMCT_PROCFS_H
#define _PMCT_PROCFS_H

int pmct_procfs_init(void);
void pmct_procfs_exit(void);

#endif /* _PMCT_PROCFS_H */
