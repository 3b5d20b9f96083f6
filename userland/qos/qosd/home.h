/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the control groups of programs are. Without systemd, they are made in one folder, and
 * programs are moved there. With it, all groups are systemd's: a program stays in that of its unit.
 */
#ifndef QOSD_HOME_H
#define QOSD_HOME_H

#include <stdbool.h>

/* In group @name; "": in systemd's, if it runs, or in "qosd". 0, or what is wrong has been said. */
int home_begin(const char *name, bool with_cpus);
/* The folder; NULL: there is none. */
const char *home_folder(void);
/* Is it this group, or one below? */
bool home_has(const char *group);
void home_end(void);

#endif /* QOSD_HOME_H */
