/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of JSON that are read strictly: a key that nobody knows, or that is missing, is an error,
 * because a misspelt one would silently mean something else. What values may be, the kernel checks.
 * Each function that fails has told the user why.
 */
#ifndef SIMAPP_STRICT_H
#define SIMAPP_STRICT_H

#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

/**
 * struct strict_place - where in a file a value is, for messages
 * @path: the file
 * @section: of simapp(1) that describes such files
 * @within: "phase 2: ", or ""
 */
struct strict_place {
	const char *path;
	const char *section;
	char within[32];
};

/**
 * struct strict_field - a whole number of an object that is stored in a structure
 * @key: its name
 * @offset: of a __u32 in the structure
 */
struct strict_field {
	const char *key;
	size_t offset;
};

/* The object of a whole file, or NULL. json_object_put() when it is not needed any more. */
struct json_object *strict_file(const char *path);

/* -EINVAL, after a message: "PATH: WITHIN'KEY' WHY; see …". */
int strict_refuse(const struct strict_place *at, const char *key, const char *why);

/* The member of @object, or NULL. */
struct json_object *strict_member(const struct strict_place *at, struct json_object *object,
				  const char *key, enum json_type type);

/* Those that return an int: 0 or -EINVAL. */

/* A number from 0 to @most. */
int strict_number(const struct strict_place *at, struct json_object *object, const char *key,
		  uint64_t most, uint64_t *result);

/* A text that fits into @size bytes with its end. */
int strict_text(const struct strict_place *at, struct json_object *object, const char *key,
		char *result, size_t size);

/* A list of objects, at least one and at most @most. Sets @nr. NULL: it is not one. */
struct json_object *strict_list(const struct strict_place *at, struct json_object *object,
				const char *key, size_t most, size_t *nr);

/* Object @i of such a list, from 0; @at is within it from now on. Messages count from @first. */
struct json_object *strict_entry(struct strict_place *at, struct json_object *list,
				 const char *what, size_t i, size_t first);

/* All @fields into @structure, a key of @others each, and no other key. */
int strict_fields(const struct strict_place *at, struct json_object *object,
		  const struct strict_field *fields, size_t nr, const char *const *others,
		  void *structure);

#endif /* SIMAPP_STRICT_H */
