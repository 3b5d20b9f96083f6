/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ready metrics (-m list). */
#ifndef PMCTRACK_CLI_METRIC_LIST_H
#define PMCTRACK_CLI_METRIC_LIST_H

#include <stdio.h>

struct pmctrack_ctl;

/* Both: 0, or a negative errno with the reason printed. */
int metrics_list(void);
/* Those that can be counted with @ctl, then the others; all alike if @ctl is NULL. */
int metrics_print(FILE *out, const struct pmctrack_ctl *ctl);

#endif /* PMCTRACK_CLI_METRIC_LIST_H */
