/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations of the control plane: requests as they should not be, and checks of the answers. */
#ifndef PMCT_ABIFUZZ_NETLINK_H
#define PMCT_ABIFUZZ_NETLINK_H

#include "args.h"

/* Ends the program if the kernel does not know PMCTrack's family. */
void netlink_init(void);

/* new SLOT SOCKET NLFLAGS COMMAND VERSION ATTRIBUTE..., see request.h */
enum outcome op_new(struct args *a);

/* raw FLAGS BYTES: what follows the header of a message */
enum outcome op_raw(struct args *a);

enum outcome op_info(struct args *a);

#endif /* PMCT_ABIFUZZ_NETLINK_H */
