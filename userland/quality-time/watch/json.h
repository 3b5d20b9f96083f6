/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of JSON. Unknown values are null. */
#ifndef WATCH_JSON_H
#define WATCH_JSON_H

#include <json-c/json.h>
#include <stdio.h>

#include "watch/sum.h"

/* An object with the member "type". */
struct json_object *json_new_line(const char *type);
/* Print @line on a line of its own, and free it. */
void json_print(FILE *out, struct json_object *line);
/* A number that is printed with three decimal places, not as its nearest binary number. */
struct json_object *json_rounded(double value);
void json_add(struct json_object *to, const char *key, struct json_object *value);
void json_add_u64(struct json_object *to, const char *key, uint64_t value);
void json_add_text(struct json_object *to, const char *key, const char *text);
/* Add cpu_ns, explained_ns, quality_time_ns, quality and waited_ns. */
void json_add_sum(struct json_object *to, const struct sum *s);
/* Add the member "units", which explains the other members. */
void json_add_units(struct json_object *to);

#endif /* WATCH_JSON_H */
