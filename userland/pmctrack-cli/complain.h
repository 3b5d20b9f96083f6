/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages to the user. */
#ifndef PMCTRACK_CLI_COMPLAIN_H
#define PMCTRACK_CLI_COMPLAIN_H

/* One line on the standard error, after what was printed before. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* PMCTRACK_CLI_COMPLAIN_H */
