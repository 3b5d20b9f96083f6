/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slots of sessions: descriptors, which can be duplicated and passed on. Each
 * session has a number (its "file") that all its descriptors share.
 */
#ifndef PMCT_ABIFUZZ_SESSIONS_H
#define PMCT_ABIFUZZ_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "args.h"

void sessions_init(void);

/* Bytes of the control pages of a session. */
size_t session_ctl_size(void);

/* Put a descriptor into a slot (modulo NR_SESSIONS); -1 empties it. What was there is closed. */
void session_put(unsigned int slot, int fd, unsigned int file);

/* The same for a session that the kernel has just made. */
void session_new(unsigned int slot, int fd);

/*
 * A duplicate of the session that the next argument names, and its number; -1: there
 * is no session. The caller closes it. It is a duplicate because the other thread of a
 * race may close the slot.
 */
int session_get(struct args *a, unsigned int *file);

/* The descriptor in this slot itself, for children; -1: none. */
int session_peek(unsigned int slot);

/* Close all descriptors in a child. The slots keep their numbers. */
void sessions_close(void);

/*
 * Note that somebody has written to the control page of this session, so its records need not be
 * right any more. session_spoil_all(): it is not known of which session.
 */
void session_spoil(unsigned int file);
void session_spoil_all(void);
bool session_spoilt(unsigned int file);

/*
 * Take over what a forked process opens. Before fork(): sessions_mark(). The child sends
 * the sessions that are new since then over a socket; the parent receives them, one a
 * call, until session_receive() returns false.
 */
void sessions_mark(void);
void sessions_send_new(int sock);
bool session_receive(int sock);

enum outcome op_dup(struct args *a);
enum outcome op_pass(struct args *a);
enum outcome op_close(struct args *a);

#endif /* PMCT_ABIFUZZ_SESSIONS_H */
