/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of complain() while readers may hang, and while the screen is in use. */
#ifndef SHOWSTOPPER_MESSAGES_H
#define SHOWSTOPPER_MESSAGES_H

#include <stdbool.h>

/*
 * Messages have showstopper's name. They are lost if their reader does not take them in time,
 * because no process that controls programs waits for a reader. Call this first in main().
 */
void messages_begin(void);

/* Keep messages while the screen is in use (@later), and print them when it is not any more. */
void messages_later(bool later);

/* The last message that is kept, or NULL. */
const char *messages_last(void);

#endif /* SHOWSTOPPER_MESSAGES_H */
