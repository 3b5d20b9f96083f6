/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exit statuses of pmctrack and pmc-events; otherwise that of the program. */
#ifndef PMCTRACK_CLI_EXIT_STATUS_H
#define PMCTRACK_CLI_EXIT_STATUS_H

#define EXIT_USAGE	2
#define EXIT_SELF	1	/* pmctrack itself failed */
#define EXIT_CANNOT_RUN	126	/* as the shell: found, but cannot be executed */
#define EXIT_NOT_FOUND	127

#endif /* PMCTRACK_CLI_EXIT_STATUS_H */
