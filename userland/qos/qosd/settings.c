// SPDX-License-Identifier: GPL-2.0-or-later
#include "settings.h"

#include <errno.h>
#include <math.h>
#include <pwd.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "complain.h"

static const char *const actuators[] = {"bandwidth", "cpuset", "both"};

void settings_begin(struct settings *s)
{
	*s = (struct settings){.tick_s = 0.05, .step_s = 0.25, .most_weight = 100, .most_programs = 64};
}

void settings_end(struct settings *s)
{
	free(s->rule);
}

/* Read a number within limits. @name says for people which one it is. */
static int number(const char *path, const char *name, struct json_object *value, double least,
		  double most, double *to)
{
	double d = json_object_get_double(value);

	if ((!json_object_is_type(value, json_type_double) && !json_object_is_type(value, json_type_int)) ||
	    !isfinite(d) || d < least || d > most) {
		complain("%s: %s is a number from %g to %g", path, name, least, most);
		return -EINVAL;
	}
	*to = d;
	return 0;
}

static int boolean(const char *path, const char *name, struct json_object *value, bool *to)
{
	if (!json_object_is_type(value, json_type_boolean)) {
		complain("%s: %s is true or false", path, name);
		return -EINVAL;
	}
	*to = json_object_get_boolean(value);
	return 0;
}

static int unknown(const char *path, const char *name)
{
	complain("%s: '%s' is not known; see qosd(8)", path, name);
	return -EINVAL;
}

static int read_user(struct rule *r, const char *path, struct json_object *value)
{
	const char *name = json_object_get_string(value);
	const struct passwd *user = name ? getpwnam(name) : NULL;

	if (!user) {
		complain("%s: user '%s': there is none", path, name ? name : "");
		return -EINVAL;
	}
	r->uid = user->pw_uid;
	return 0;
}

static int read_rule(struct rule *r, const char *path, const char *name, struct json_object *of)
{
	double weight = 0;
	int err = 0;

	if (!json_object_is_type(of, json_type_object)) {
		complain("%s: programs.%s is an object", path, name);
		return -EINVAL;
	}
	memset(r, 0, sizeof(*r));
	strncpy(r->name, name, sizeof(r->name) - 1);
	json_object_object_foreach(of, key, value) {
		if (!strcmp(key, "goal")) {
			err = number(path, key, value, 1e-9, 1e12, &r->min);
			r->max = r->min;
		} else if (!strcmp(key, "min")) {
			err = number(path, key, value, 1e-9, 1e12, &r->min);
		} else if (!strcmp(key, "max")) {
			err = number(path, key, value, 1e-9, 1e12, &r->max);
		} else if (!strcmp(key, "weight")) {
			err = number(path, key, value, 1, 1000, &weight);
			r->weight = (unsigned int)weight;
		} else if (!strcmp(key, "user")) {
			err = read_user(r, path, value);
		} else if (!strcmp(key, "ignore")) {
			err = boolean(path, key, value, &r->ignore);
		} else {
			err = unknown(path, key);
		}
		if (err)
			return err;
	}
	if (r->min > 0 && r->max <= 0)
		r->max = r->min;
	if (r->max > 0 && (r->min <= 0 || r->max < r->min)) {
		complain("%s: programs.%s: max is for a min that is not greater", path, name);
		return -EINVAL;
	}
	return 0;
}

static int read_rules(struct settings *s, const char *path, struct json_object *of)
{
	struct rule *more;
	int err;

	if (!json_object_is_type(of, json_type_object)) {
		complain("%s: programs is an object: one for each name", path);
		return -EINVAL;
	}
	json_object_object_foreach(of, name, value) {
		more = realloc(s->rule, (s->rules + 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		s->rule = more;
		err = read_rule(&more[s->rules], path, name, value);
		if (err)
			return err;
		s->rules++;
	}
	return 0;
}

static int read_actuator(struct settings *s, const char *path, struct json_object *value)
{
	const char *text = json_object_get_string(value);
	unsigned int i;

	for (i = 0; text && i < 3; i++) {
		if (!strcmp(text, actuators[i])) {
			s->actuator = (enum actuator)i;
			return 0;
		}
	}
	complain("%s: actuator is bandwidth, cpuset or both", path);
	return -EINVAL;
}

static int read_group(struct settings *s, const char *path, struct json_object *value)
{
	const char *text = json_object_get_string(value);

	if (!text || !*text || *text == '/' || strstr(text, "..") || strpbrk(text, " \t\n") || strlen(text) >= sizeof(s->group)) {
		complain("%s: group is the path of a control group, without / before it", path);
		return -EINVAL;
	}
	strcpy(s->group, text);
	return 0;
}

static int read_one(struct settings *s, const char *path, const char *key, struct json_object *value)
{
	double weight = 0;
	int err;

	if (!strcmp(key, "look_s"))
		return number(path, key, value, 0.01, 1, &s->tick_s);
	if (!strcmp(key, "step_s"))
		return number(path, key, value, 0.1, 10, &s->step_s);
	if (!strcmp(key, "pole"))
		return number(path, key, value, 0, 0.99, &s->pole);
	if (!strcmp(key, "most_weight")) {
		err = number(path, key, value, 1, 1000, &weight);
		s->most_weight = (unsigned int)weight;
		return err;
	}
	if (!strcmp(key, "most_programs")) {
		err = number(path, key, value, 1, 10000, &weight);
		s->most_programs = (unsigned int)weight;
		return err;
	}
	if (!strcmp(key, "most_cpus"))
		return number(path, key, value, 0, CPU_SETSIZE, &s->most_cpus);
	if (!strcmp(key, "actuator"))
		return read_actuator(s, path, value);
	if (!strcmp(key, "speedup_factor"))
		return boolean(path, key, value, &s->speedup_factor);
	if (!strcmp(key, "group"))
		return read_group(s, path, value);
	if (!strcmp(key, "programs"))
		return read_rules(s, path, value);
	return unknown(path, key);
}

int settings_read(struct settings *s, const char *path)
{
	struct json_object *all = json_object_from_file(path);
	int err = 0;

	if (!all || !json_object_is_type(all, json_type_object)) {
		complain("%s: %s", path, access(path, R_OK) ? strerror(errno) : "it is not an object of JSON");
		json_object_put(all);
		return -EINVAL;
	}
	json_object_object_foreach(all, key, value) {
		err = read_one(s, path, key, value);
		if (err)
			break;
	}
	json_object_put(all);
	if (!err && s->tick_s > s->step_s) {
		complain("%s: look_s is longer than step_s", path);
		err = -EINVAL;
	}
	return err;
}

unsigned long settings_rarely(const struct settings *s)
{
	return s->step_s < 1 ? (unsigned long)(1 / s->step_s + 0.5) : 1;
}

const struct rule *settings_rule(const struct settings *s, const char *name, uid_t uid)
{
	size_t i;

	for (i = 0; i < s->rules; i++)
		if (!strcmp(s->rule[i].name, name) && s->rule[i].uid == uid)
			return &s->rule[i];
	return NULL;
}
