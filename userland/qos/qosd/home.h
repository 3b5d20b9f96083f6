/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the control groups of programs are. Without systemd, they are made in one folder, and
 * programs are moved there. With systemd, all groups belong to systemd: a program stays in the
 * group of its unit.
 */
#ifndef QOSD_HOME_H
#define QOSD_HOME_H

#include <stdbool.h>

/*
 * Use the group @name; "": systemd's groups if it runs, otherwise "qosd". Returns 0, or a negative
 * errno: the reason has been printed.
 */
int home_begin(const char *name, bool with_cpus);
/* Returns the folder; NULL: there is none. */
const char *home_folder(void);
/* True if @group is this folder, or is below it. */
bool home_has(const char *group);
void home_end(void);

#endif /* QOSD_HOME_H */
