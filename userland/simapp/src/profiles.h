/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles by name: files NAME.json of a folder. */
#ifndef SIMAPP_PROFILES_H
#define SIMAPP_PROFILES_H

#include <stddef.h>

/*
 * The path of a profile. If @name has a slash or ends with ".json" it is one already. Returns 0,
 * or -ENAMETOOLONG.
 */
int profiles_path(const char *folder, const char *name, char *path, size_t size);

/* Print all of them. 0, or a negative errno after a message. */
int profiles_list(const char *folder);

#endif /* SIMAPP_PROFILES_H */
