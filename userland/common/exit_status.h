/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exit statuses of tools. Otherwise, a tool that runs a program ends with the program's status. */
#ifndef COMMON_EXIT_STATUS_H
#define COMMON_EXIT_STATUS_H

#define STATUS_FAILED		1	/* the tool itself, not the program */
#define STATUS_USAGE		2
#define STATUS_CANNOT_RUN	126	/* as the shell: the program is there, but not executable */
#define STATUS_NOT_FOUND	127

#endif /* COMMON_EXIT_STATUS_H */
