// SPDX-License-Identifier: GPL-2.0-only
/* The backends of this build, in the order of preference. */
#include <pmctrack/backend.h>

#ifdef CONFIG_ARM64
extern const struct pmct_backend pmct_pmuv3;
#endif

const struct pmct_backend *const pmct_backends[] = {
#ifdef CONFIG_ARM64
	&pmct_pmuv3,
#endif
	NULL
};
