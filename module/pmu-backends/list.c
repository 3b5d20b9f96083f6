// SPDX-License-Identifier: GPL-2.0-only
/* The backends of this build, in the order of preference. */
#include "list.h"

const struct pmct_backend *const pmct_backends[] = {
#if defined(CONFIG_ARM64) && defined(CONFIG_PMCTRACK)
	&pmct_pmuv3,
#endif
#ifdef CONFIG_X86
	&pmct_intel,
	&pmct_amd,
#endif
#ifdef CONFIG_PERF_EVENTS
	&pmct_perf,
#endif
	NULL
};
