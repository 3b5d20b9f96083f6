/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles by name: files NAME.json of a folder. */
#ifndef SIMAPP_PROFILES_H
#define SIMAPP_PROFILES_H

#include <stdbool.h>
#include <stddef.h>

/* True if @name is a path: it has a slash, or ends with ".json". */
bool profiles_is_path(const char *name);

/* The path of a profile that is given by name or path. Returns 0 or -ENAMETOOLONG. */
int profiles_path(const char *folder, const char *name, char *path, size_t size);

/* Print all profiles of a folder. Returns 0, or a negative errno after a message. */
int profiles_list(const char *folder);

#endif /* SIMAPP_PROFILES_H */
