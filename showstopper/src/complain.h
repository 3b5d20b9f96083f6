/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHOWSTOPPER_COMPLAIN_H
#define SHOWSTOPPER_COMPLAIN_H

/* One line to standard error, with the program's name. */
__attribute__((format(printf, 1, 2)))
void complain(const char *fmt, ...);

#endif /* SHOWSTOPPER_COMPLAIN_H */
