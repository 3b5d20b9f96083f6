/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The master: starts the executors, observes, and says when all is over. */
#ifndef SHOWSTOPPER_MASTER_H
#define SHOWSTOPPER_MASTER_H

#include "load.h"
#include "options.h"
#include "run.h"

/* Runs in a process of its own, whose exit status is that of showstopper. */
_Noreturn void master_main(const struct options *o, struct run *run, struct load *load);

#endif /* SHOWSTOPPER_MASTER_H */
