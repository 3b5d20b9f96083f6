/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHOWSTOPPER_COMPLAIN_H
#define SHOWSTOPPER_COMPLAIN_H

#include <stdbool.h>

/* One line to standard error, with the program's name. It is lost if nobody takes it. */
__attribute__((format(printf, 1, 2)))
void complain(const char *fmt, ...);

/* The screen is in use: lines are kept until it is not. */
void complain_later(bool later);
/* The last line that is kept, NULL: none. */
const char *complain_last(void);

#endif /* SHOWSTOPPER_COMPLAIN_H */
