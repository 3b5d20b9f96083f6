/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The socket: a request is a line of JSON, and so is the answer. Everybody may ask; who owns a
 * program may set its goal, and root all.
 */
#ifndef QOSD_CONTROL_H
#define QOSD_CONTROL_H

#include <poll.h>

#include "daemon.h"

#define CONTROL_SOCKET DAEMON_FOLDER "/socket"
#define CONTROL_CLIENTS 16

/**
 * struct control - the socket
 * @client: those who have not asked yet; -1: nobody
 * @uid: whose each is
 * @came: when, by numbers
 * @number: the last of these
 */
struct control {
	int socket;
	int client[CONTROL_CLIENTS];
	uid_t uid[CONTROL_CLIENTS];
	unsigned long came[CONTROL_CLIENTS];
	unsigned long number;
};

/* 0 or a negative errno: -EBUSY: another qosd has it. */
int control_begin(struct control *c);
/* Descriptors to wait for; there is room for 1 + CONTROL_CLIENTS. Returns how many. */
unsigned int control_fds(const struct control *c, struct pollfd *fds);
void control_serve(struct control *c, const struct pollfd *fds, unsigned int nr, struct daemon *d);
void control_end(struct control *c);
/* The answer to a request of this user, allocated. */
char *control_answer(struct daemon *d, const char *request, uid_t uid);

#endif /* QOSD_CONTROL_H */
