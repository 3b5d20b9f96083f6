/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ready metrics (-m list). */
#ifndef PMCTRACK_CLI_METRIC_LIST_H
#define PMCTRACK_CLI_METRIC_LIST_H

#include <stdio.h>

struct pmctrack_ctl;

/* Both functions return 0; or they print the reason and return a negative errno. */
int metrics_list(void);
/* Print metrics that can be counted with @ctl, then the others. @ctl NULL: print all alike. */
int metrics_print(FILE *out, const struct pmctrack_ctl *ctl);

#endif /* PMCTRACK_CLI_METRIC_LIST_H */
