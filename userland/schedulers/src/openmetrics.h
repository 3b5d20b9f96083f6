/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a policy does, as OpenMetrics text for monitoring systems. */
#ifndef SCHEDULERS_OPENMETRICS_H
#define SCHEDULERS_OPENMETRICS_H

#include "policy.h"
#include "show.h"

/*
 * Replace the file @path as a whole. Counters begin at 0 when the policy begins, also when it
 * begins again. Return: 0 or a negative errno.
 */
int openmetrics_write(const char *path, const struct show *s, const struct policy *policy);

#endif /* SCHEDULERS_OPENMETRICS_H */
