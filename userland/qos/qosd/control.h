/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control socket: a request is one line of JSON, and so is the answer. All users may ask. The
 * owner of a program may set its goal, and root may set the goals of all programs.
 */
#ifndef QOSD_CONTROL_H
#define QOSD_CONTROL_H

#include <poll.h>

#include "daemon.h"

#define CONTROL_SOCKET DAEMON_FOLDER "/socket"
#define CONTROL_CLIENTS 16

/**
 * struct control - the socket and its clients
 * @client: clients that have not asked yet, or do not have all of their answers; -1: a free place
 * @answer: what is left of each client's answer, in @text; NULL: it has not asked
 * @text: the answer of each client
 * @spare: a descriptor to give up if there are no others; see take()
 * @uid: user of each client
 * @came: number of each client, in the order in which they came
 * @number: the last of these numbers
 */
struct control {
	int socket;
	int client[CONTROL_CLIENTS];
	char *text[CONTROL_CLIENTS];
	const char *answer[CONTROL_CLIENTS];
	int spare;
	uid_t uid[CONTROL_CLIENTS];
	unsigned long came[CONTROL_CLIENTS];
	unsigned long number;
};

/* Open the socket. The caller holds the lock of qosd. Returns 0 or a negative errno. */
int control_begin(struct control *c);
/* Fill @fds with the descriptors to wait for: at most 1 + CONTROL_CLIENTS. Returns how many. */
unsigned int control_fds(const struct control *c, struct pollfd *fds);
void control_serve(struct control *c, const struct pollfd *fds, unsigned int nr, struct daemon *d);
void control_end(struct control *c);
/* Returns the answer to a request of this user; the caller frees it. */
char *control_answer(struct daemon *d, const char *request, uid_t uid);

#endif /* QOSD_CONTROL_H */
