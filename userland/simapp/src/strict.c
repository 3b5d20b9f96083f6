// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/types.h>

#include "complain.h"
#include "strict.h"

struct json_object *strict_file(const char *path)
{
	struct json_object *object = json_object_from_file(path);

	if (!object)
		/* Its text ends with a line feed. */
		complain("cannot read %s: %.*s", path, (int)strcspn(json_util_get_last_err(), "\n"),
			 json_util_get_last_err());
	return object;
}

int strict_refuse(const struct strict_place *at, const char *key, const char *why)
{
	complain("%s: %s'%s' %s; see simapp(1), \"%s\"", at->path, at->within, key, why, at->section);
	return -EINVAL;
}

struct json_object *strict_member(const struct strict_place *at, struct json_object *object,
				  const char *key, enum json_type type)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value)) {
		strict_refuse(at, key, "is missing");
		return NULL;
	}
	if (json_object_is_type(value, type))
		return value;
	strict_refuse(at, key, type == json_type_int ? "must be a whole number" :
			       type == json_type_array ? "must be a list" :
			       type == json_type_boolean ? "must be true or false" : "must be a text");
	return NULL;
}

int strict_number(const struct strict_place *at, struct json_object *object, const char *key,
		  uint64_t most, uint64_t *result)
{
	struct json_object *value = strict_member(at, object, key, json_type_int);
	int64_t n;

	if (!value)
		return -EINVAL;
	n = json_object_get_int64(value);
	if (n < 0 || (uint64_t)n > most)
		return strict_refuse(at, key, "is out of range");
	*result = (uint64_t)n;
	return 0;
}

int strict_text(const struct strict_place *at, struct json_object *object, const char *key,
		char *result, size_t size)
{
	struct json_object *value = strict_member(at, object, key, json_type_string);

	if (!value)
		return -EINVAL;
	if ((size_t)json_object_get_string_len(value) >= size)
		return strict_refuse(at, key, "is too long");
	strcpy(result, json_object_get_string(value));
	return 0;
}

struct json_object *strict_list(const struct strict_place *at, struct json_object *object,
				const char *key, size_t most, size_t *nr)
{
	struct json_object *list = strict_member(at, object, key, json_type_array);
	char why[64];
	size_t i;

	if (!list)
		return NULL;
	*nr = json_object_array_length(list);
	if (!*nr || *nr > most) {
		snprintf(why, sizeof(why), "must have 1 to %zu entries", most);
		strict_refuse(at, key, why);
		return NULL;
	}
	for (i = 0; i < *nr; i++) {
		if (!json_object_is_type(json_object_array_get_idx(list, i), json_type_object)) {
			strict_refuse(at, key, "must be a list of objects");
			return NULL;
		}
	}
	return list;
}

struct json_object *strict_entry(struct strict_place *at, struct json_object *list,
				 const char *what, size_t i, size_t first)
{
	snprintf(at->within, sizeof(at->within), "%s %zu: ", what, first + i);
	return json_object_array_get_idx(list, i);
}

static int is_field(const struct strict_field *fields, size_t nr, const char *key)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!strcmp(fields[i].key, key))
			return 1;
	}
	return 0;
}

static int is_one_of(const char *const *keys, const char *key)
{
	for (; *keys; keys++) {
		if (!strcmp(*keys, key))
			return 1;
	}
	return 0;
}

int strict_fields(const struct strict_place *at, struct json_object *object,
		  const struct strict_field *fields, size_t nr, const char *const *others,
		  void *structure)
{
	uint64_t value;
	size_t i;
	int err;

	if (!json_object_is_type(object, json_type_object)) {
		complain("%s: %snot a JSON object; see simapp(1), \"%s\"", at->path, at->within, at->section);
		return -EINVAL;
	}
	json_object_object_foreach(object, key, unused) {
		(void)unused;
		if (!is_field(fields, nr, key) && !is_one_of(others, key))
			return strict_refuse(at, key, "is unknown");
	}
	for (i = 0; i < nr; i++) {
		err = strict_number(at, object, fields[i].key, UINT32_MAX, &value);
		if (err)
			return err;
		*(__u32 *)((char *)structure + fields[i].offset) = (__u32)value;
	}
	return 0;
}
