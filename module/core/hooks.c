// SPDX-License-Identifier: GPL-2.0-only
/* Choosing the provider of scheduling events. */
#include <linux/string.h>

#include "hooks.h"
#include "tie.h"

#if !defined(CONFIG_PMCTRACK) && !defined(CONFIG_TRACEPOINTS)
#error "pmctrack needs a kernel with CONFIG_TRACEPOINTS, or with the patch of kernel-patch/"
#endif

/* In the order of preference. */
static const struct pmct_hooks *const pmct_providers[] = {
#ifdef CONFIG_PMCTRACK
	&pmct_hooks_patch,
#endif
#ifdef CONFIG_TRACEPOINTS
	&pmct_hooks_tracepoint,
#endif
};

/**
 * pmct_hooks_choose() - choose the provider of scheduling events
 * @name: name of the provider; "auto": the best one of this kernel
 * @msg: on failure, the reason
 *
 * Context: process context, at load.
 * Return: 0, or -EINVAL if this kernel has no such provider.
 */
int pmct_hooks_choose(const char *name, struct pmct_msg *msg)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pmct_providers); i++) {
		if (strcmp(name, "auto") && strcmp(name, pmct_providers[i]->name))
			continue;
		pmct_hooks = pmct_providers[i];
		if (!pmct_hooks->patched)
			static_branch_disable(&pmct_hooks_patched);
		return 0;
	}
	if (!strcmp(name, "patch"))
		return pmct_refuse(msg, -EINVAL,
				   "hooks=patch: this kernel has not got the PMCTrack patch; use hooks=tracepoint, or build one with kernel-patch/");
	if (!strcmp(name, "tracepoint"))
		return pmct_refuse(msg, -EINVAL,
				   "hooks=tracepoint: this kernel was built without CONFIG_TRACEPOINTS");
	return pmct_refuse(msg, -EINVAL, "hooks=%s: there are auto, patch and tracepoint", name);
}
