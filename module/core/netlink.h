/* SPDX-License-Identifier: GPL-2.0-only */
/* The generic-netlink family "pmctrack". */
#ifndef _PMCT_NETLINK_H
#define _PMCT_NETLINK_H

int pmct_netlink_init(void);
void pmct_netlink_exit(void);

#endif /* _PMCT_NETLINK_H */
