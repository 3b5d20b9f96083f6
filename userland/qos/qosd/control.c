// SPDX-License-Identifier: GPL-2.0-or-later
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <json-c/json.h>

#include "complain.h"

#define REQUEST 512

static struct json_object *number(double value)
{
	return isfinite(value) ? json_object_new_double(value) : NULL;
}

static struct json_object *of_app(const struct app *a)
{
	struct json_object *o = json_object_new_object();
	char *why = app_why(a);

#define ADD(name, value) json_object_object_add(o, name, value)
	ADD("pid", json_object_new_int(a->info.pid));
	ADD("uid", json_object_new_int64(a->info.uid));
	ADD("program", json_object_new_string(a->info.name));
	ADD("unit", json_object_new_string(a->info.unit));
	ADD("rate", number(a->shown));
	ADD("goal_min", number(a->goal.min));
	ADD("goal_max", number(a->goal.max));
	ADD("weight", json_object_new_int((int)a->weight));
	ADD("cpus", number(app_granted(a)));
	ADD("asked", number(a->left ? NAN : a->share.demand));
	ADD("used", number(app_used(a)));
	ADD("slow_cpu_worth", number(app_worth_of_slow(a)));
	ADD("threads", json_object_new_int((int)a->threads));
	ADD("a", number(a->manager.model.a));
	ADD("b", number(a->manager.model.b));
	ADD("pole", number(a->manager.pole));
	ADD("trusted", json_object_new_boolean(qos_model_is_trusted(&a->manager.model)));
	ADD("state", json_object_new_string(app_state_name(a)));
	ADD("why", why ? json_object_new_string(why) : NULL);
#undef ADD
	free(why);
	return o;
}

static struct json_object *refuse(const char *text)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "error", json_object_new_string(text));
	return o;
}

/* A program that is hidden from other users (umask) is not shown to them here, either. */
static bool may_see(const struct app *a, uid_t uid)
{
	return !uid || uid == a->info.uid || a->info.is_public;
}

static struct json_object *list(const struct daemon *d, uid_t uid)
{
	struct json_object *o = json_object_new_object(), *apps = json_object_new_array();
	size_t i;

	for (i = 0; i < d->nr; i++)
		if (may_see(d->app[i], uid))
			json_object_array_add(apps, of_app(d->app[i]));
	json_object_object_add(o, "schema", json_object_new_int(1));
	json_object_object_add(o, "machine_cpus", number(d->machine.cpus));
	json_object_object_add(o, "steps", json_object_new_int64((int64_t)d->steps));
	json_object_object_add(o, "dry_run", json_object_new_boolean(d->dry));
	json_object_object_add(o, "programs", apps);
	return o;
}

static bool get(struct json_object *request, const char *name, double *value)
{
	struct json_object *o;

	if (!json_object_object_get_ex(request, name, &o) ||
	    (!json_object_is_type(o, json_type_int) && !json_object_is_type(o, json_type_double)))
		return false;
	*value = json_object_get_double(o);
	return isfinite(*value);
}

static struct json_object *set_goal(const struct daemon *d, struct app *a,
				    struct json_object *request, uid_t uid)
{
	const struct rule *rule = settings_rule(&d->settings, a->info.name, a->info.uid);
	double min, max;

	if (uid && rule && rule->min > 0)
		return refuse("the settings of qosd have a goal for it: only root can change that");

	if (!get(request, "min", &min) || !get(request, "max", &max) || min <= 0 || max < min)
		return refuse("a goal is more than 0, and its end not before its beginning");
	a->goal = (struct qos_goal){min, max};
	a->goal_asked = true;
	return of_app(a);
}

static struct json_object *set_weight(struct app *a, struct json_object *request, uid_t uid)
{
	double weight;

	if (!get(request, "weight", &weight) || weight < 1 || weight > 1000)
		return refuse("a weight is 1 to 1000");
	if (uid && weight > a->weight)
		return refuse("only root can make a weight greater");
	a->weight = (unsigned int)weight;
	a->weight_asked = true;
	return of_app(a);
}

static struct json_object *command(struct daemon *d, const char *name, struct json_object *request,
				   uid_t uid)
{
	struct app *a;
	double pid;

	if (!strcmp(name, "list"))
		return list(d, uid);
	if (!get(request, "pid", &pid))
		return refuse("no pid, or an unknown command");
	a = daemon_find(d, (pid_t)pid);
	if (!a || !may_see(a, uid))
		return refuse("qosd has no such program: it has not said what it delivers, or has no goal");
	if (!strcmp(name, "show"))
		return of_app(a);
	if (uid && uid != a->info.uid)
		return refuse("it is another user's");
	if (!strcmp(name, "goal"))
		return set_goal(d, a, request, uid);
	if (!strcmp(name, "weight"))
		return set_weight(a, request, uid);
	if (!strcmp(name, "pause") || !strcmp(name, "resume")) {
		/* A paused program keeps the CPUs that it has, so only root may pause. */
		if (uid)
			return refuse("only root can do that");
		a->paused = *name == 'p';
		return of_app(a);
	}
	return refuse("an unknown command");
}

char *control_answer(struct daemon *d, const char *text, uid_t uid)
{
	struct json_object *request = json_tokener_parse(text), *name, *answer;
	char *result;

	if (request && json_object_is_type(request, json_type_object) &&
	    json_object_object_get_ex(request, "command", &name) &&
	    json_object_is_type(name, json_type_string))
		answer = command(d, json_object_get_string(name), request, uid);
	else
		answer = refuse("a request is an object of JSON with a command");
	result = strdup(json_object_to_json_string_ext(answer, JSON_C_TO_STRING_PLAIN));
	json_object_put(answer);
	json_object_put(request);
	return result;
}

int control_begin(struct control *c)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = CONTROL_SOCKET};
	int i;

	*c = (struct control){.spare = open("/dev/null", O_RDONLY | O_CLOEXEC)};
	for (i = 0; i < CONTROL_CLIENTS; i++)
		c->client[i] = -1;
	c->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->socket < 0)
		return -errno;
	unlink(CONTROL_SOCKET);
	if (bind(c->socket, (struct sockaddr *)&address, sizeof(address)) || chmod(CONTROL_SOCKET, 0666) ||
	    listen(c->socket, CONTROL_CLIENTS)) {
		int err = -errno;

		close(c->socket);
		return err;
	}
	return 0;
}

unsigned int control_fds(const struct control *c, struct pollfd *fds)
{
	unsigned int nr = 0;
	int i;

	fds[nr++] = (struct pollfd){.fd = c->socket, .events = POLLIN};
	for (i = 0; i < CONTROL_CLIENTS; i++)
		if (c->client[i] >= 0)
			fds[nr++] = (struct pollfd){.fd = c->client[i], .events = c->answer[i] ? POLLOUT : POLLIN};
	return nr;
}

static uid_t user_of(int fd)
{
	struct ucred who = {.uid = (uid_t)-1};
	socklen_t size = sizeof(who);

	getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size);
	return who.uid;
}

static unsigned int clients_of(const struct control *c, uid_t uid)
{
	unsigned int nr = 0;
	int i;

	for (i = 0; i < CONTROL_CLIENTS; i++)
		nr += c->client[i] >= 0 && c->uid[i] == uid;
	return nr;
}

/*
 * Returns a free place. If there is none: that of the oldest client of the user with most clients.
 */
static int place_for_client(const struct control *c)
{
	unsigned int most = 0, nr;
	int i, found = 0;

	for (i = 0; i < CONTROL_CLIENTS; i++) {
		if (c->client[i] < 0)
			return i;
		nr = clients_of(c, c->uid[i]);
		if (nr > most || (nr == most && c->came[i] < c->came[found])) {
			most = nr;
			found = i;
		}
	}
	return found;
}

static void dismiss(struct control *c, int i)
{
	close(c->client[i]);
	c->client[i] = -1;
	free(c->text[i]);
	c->text[i] = NULL;
	c->answer[i] = NULL;
}

/*
 * Accept a client; clients that say nothing, or do not read, make room for it. Returns false if
 * none waits. Without a descriptor for it, it is sent away: otherwise it would wait for ever, and
 * poll() would return at once.
 */
static bool take(struct control *c)
{
	int fd = accept4(c->socket, NULL, NULL, SOCK_CLOEXEC), i;

	if (fd < 0 && (errno == EMFILE || errno == ENFILE) && c->spare >= 0) {
		close(c->spare);
		fd = accept4(c->socket, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			close(fd);
		c->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
		return fd >= 0;
	}
	if (fd < 0)
		return false;
	i = place_for_client(c);
	if (c->client[i] >= 0)
		dismiss(c, i);
	c->client[i] = fd;
	c->uid[i] = user_of(fd);
	c->came[i] = ++c->number;
	return true;
}

/* Send what the client takes at once. Returns true if it has the whole answer, or is gone. */
static bool send_rest(struct control *c, int i)
{
	ssize_t sent;

	while (*c->answer[i]) {
		sent = send(c->client[i], c->answer[i], strlen(c->answer[i]), MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent < 0)
			return errno != EAGAIN && errno != EINTR;
		c->answer[i] += sent;
	}
	return true;
}

/* Answer a client's request. Returns true if there is nothing left to send. */
static bool answer(struct control *c, int i, struct daemon *d)
{
	char request[REQUEST], *text, *end;
	ssize_t length = recv(c->client[i], request, sizeof(request) - 1, MSG_DONTWAIT);

	if (length <= 0)
		return true;
	request[length] = '\0';
	end = strchr(request, '\n');
	if (end)
		*end = '\0';
	text = control_answer(d, request, user_of(c->client[i]));
	if (!text || asprintf(&c->text[i], "%s\n", text) < 0)
		c->text[i] = NULL;
	free(text);
	c->answer[i] = c->text[i];
	return !c->answer[i] || send_rest(c, i);
}

void control_serve(struct control *c, const struct pollfd *fds, unsigned int nr, struct daemon *d)
{
	unsigned int i;
	int k;

	for (i = 1; i < nr; i++) {
		for (k = 0; k < CONTROL_CLIENTS && fds[i].revents; k++) {
			if (c->client[k] != fds[i].fd)
				continue;
			if (c->answer[k] ? send_rest(c, k) : answer(c, k, d))
				dismiss(c, k);
			break;
		}
	}
	for (k = 0; fds[0].revents && k < CONTROL_CLIENTS / 2; k++)
		if (!take(c))
			break;
}

void control_end(struct control *c)
{
	int i;

	for (i = 0; i < CONTROL_CLIENTS; i++)
		if (c->client[i] >= 0)
			dismiss(c, i);
	if (c->spare >= 0)
		close(c->spare);
	close(c->socket);
	unlink(CONTROL_SOCKET);
}
