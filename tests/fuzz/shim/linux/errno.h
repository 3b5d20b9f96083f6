// SPDX-License-Identifier: GPL-2.0-or-later
/* The C library's <errno.h> includes this file, too. */
#ifndef PMCT_SHIM_ERRNO_H
#define PMCT_SHIM_ERRNO_H

#include <asm/errno.h>

#endif /* PMCT_SHIM_ERRNO_H */
