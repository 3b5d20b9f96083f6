// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

#include "complain.h"
#include "strict.h"

#define FILE_MOST	(1 << 20)

/* Read a whole file, and append a byte 0. Returns NULL and sets errno on failure. */
static char *read_text(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(FILE_MOST + 1) : NULL;
	int err;

	if (text)
		*size = fread(text, 1, FILE_MOST, file);
	err = !text ? errno : ferror(file) ? errno : *size == FILE_MOST ? EFBIG : 0;
	if (file)
		fclose(file);
	if (err) {
		free(text);
		errno = err;
		return NULL;
	}
	text[*size] = '\0';
	return text;
}

struct json_object *strict_file(const char *path)
{
	struct json_tokener *tokener;
	struct json_object *object = NULL;
	enum json_tokener_error err;
	size_t size = 0;
	char *text;

	text = read_text(path, &size);
	if (!text) {
		complain("cannot read %s: %s", path, strerror(errno));
		return NULL;
	}
	if (strlen(text) != size) {
		complain("%s is no JSON: it has a byte 0", path);
		free(text);
		return NULL;
	}
	tokener = json_tokener_new();
	if (tokener) {
		json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
		/* Parse the byte 0, too: it ends a number at the end of the text. */
		object = json_tokener_parse_ex(tokener, text, (int)size + 1);
		err = json_tokener_get_error(tokener);
		if (!object)
			complain("%s is no JSON: %s, at byte %zu", path,
				 err == json_tokener_success ? "no object" : json_tokener_error_desc(err),
				 json_tokener_get_parse_end(tokener));
		json_tokener_free(tokener);
	} else {
		complain("cannot read %s: %s", path, strerror(ENOMEM));
	}
	free(text);
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
	if (strlen(json_object_get_string(value)) != (size_t)json_object_get_string_len(value))
		return strict_refuse(at, key, "has a character that is none");
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
