/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strict reading of JSON files: an unknown or missing key is an error, because a misspelt key would
 * silently mean something else. The kernel checks which values are allowed. Each function that
 * fails has told the user why.
 */
#ifndef SIMAPP_STRICT_H
#define SIMAPP_STRICT_H

#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

/**
 * struct strict_place - the place of a value in a file, for messages
 * @path: the file
 * @section: section of simapp(1) that describes such files
 * @within: part of the file, such as "phase 2: ", or ""
 */
struct strict_place {
	const char *path;
	const char *section;
	char within[32];
};

/**
 * struct strict_field - a whole number of an object that is stored in a structure
 * @key: its name
 * @offset: offset of a __u32 in the structure
 */
struct strict_field {
	const char *key;
	size_t offset;
};

/* The object of a whole file, or NULL. The caller releases it with json_object_put(). */
struct json_object *strict_file(const char *path);

/* Returns -EINVAL after a message: "PATH: WITHIN'KEY' WHY; see …". */
int strict_refuse(const struct strict_place *at, const char *key, const char *why);

/* The member of @object, or NULL. */
struct json_object *strict_member(const struct strict_place *at, struct json_object *object,
				  const char *key, enum json_type type);

/* The following functions that return an int return 0 or -EINVAL. */

/* A number from 0 to @most. */
int strict_number(const struct strict_place *at, struct json_object *object, const char *key,
		  uint64_t most, uint64_t *result);

/* A text that fits into @size bytes, including its end. */
int strict_text(const struct strict_place *at, struct json_object *object, const char *key,
		char *result, size_t size);

/* A list of at least one and at most @most objects. Sets @nr. NULL: it is not such a list. */
struct json_object *strict_list(const struct strict_place *at, struct json_object *object,
				const char *key, size_t most, size_t *nr);

/* Object @i of such a list, from 0. Sets @at to it, for messages, which count from @first. */
struct json_object *strict_entry(struct strict_place *at, struct json_object *list,
				 const char *what, size_t i, size_t first);

/* All @fields into @structure, a key of @others each, and no other key. */
int strict_fields(const struct strict_place *at, struct json_object *object,
		  const struct strict_field *fields, size_t nr, const char *const *others,
		  void *structure);

#endif /* SIMAPP_STRICT_H */
