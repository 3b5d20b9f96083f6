/* SPDX-License-Identifier: GPL-2.0-only */
/* The backends: each is defined in the file of its hardware. */
#ifndef _PMCT_BACKEND_LIST_H
#define _PMCT_BACKEND_LIST_H

#include <pmctrack/backend.h>

extern const struct pmct_backend pmct_pmuv3, pmct_intel, pmct_amd, pmct_perf;

#endif /* _PMCT_BACKEND_LIST_H */
