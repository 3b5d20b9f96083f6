/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations that control a session: its ioctls. */
#ifndef PMCT_ABIFUZZ_CONTROL_H
#define PMCT_ABIFUZZ_CONTROL_H

#include "args.h"

enum outcome op_start(struct args *a);
enum outcome op_stop(struct args *a);
enum outcome op_detach(struct args *a);

/* attach SESSION CHILD */
enum outcome op_attach(struct args *a);

/* ioctl SESSION NUMBER ARGUMENT */
enum outcome op_ioctl(struct args *a);

#endif /* PMCT_ABIFUZZ_CONTROL_H */
