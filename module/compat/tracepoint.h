/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints that are not exported, found by name, and probes whose type is checked. If kernel
 * versions differ in the arguments, there is a probe for each version, and the compiler selects the
 * one that fits.
 */
#ifndef _PMCT_COMPAT_TRACEPOINT_H
#define _PMCT_COMPAT_TRACEPOINT_H

#include <linux/tracepoint.h>

/**
 * struct pmct_tracepoint - a tracepoint with our probe
 * @name: name of the tracepoint
 * @probe: function that the tracepoint calls; its first argument is NULL
 * @tp: the tracepoint, found by for_each_kernel_tracepoint()
 */
struct pmct_tracepoint {
	const char *name;
	void *probe;
	struct tracepoint *tp;
};

/* For each tracepoint, the kernel declares a function that takes a fitting probe. */
#define PMCT_PROBE_FITS(_name, _probe)	\
	__builtin_types_compatible_p(typeof(check_trace_callback_type_##_name), \
				     void (typeof(_probe) *))

#define PMCT_TRACEPOINT(...)	\
	CONCATENATE(__PMCT_TRACEPOINT, COUNT_ARGS(__VA_ARGS__))(__VA_ARGS__)
#define __PMCT_TRACEPOINT2(_name, _probe)	__PMCT_TRACEPOINT3(_name, _probe, _probe)
#define __PMCT_TRACEPOINT3(_name, _probe, _other) {				\
	.name	= #_name,							\
	.probe	= __builtin_choose_expr(PMCT_PROBE_FITS(_name, _probe), (void *)(_probe), \
		  __builtin_choose_expr(PMCT_PROBE_FITS(_name, _other), (void *)(_other), \
					(void)0)),				\
}

#endif /* _PMCT_COMPAT_TRACEPOINT_H */
