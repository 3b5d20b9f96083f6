// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef PMCT_SHIM_STRING_H
#define PMCT_SHIM_STRING_H

#include <string.h>
#include <linux/errno.h>
#include <linux/types.h>

static inline ssize_t strscpy(char *dst, const char *src, size_t size)
{
	size_t len = strnlen(src, size);

	if (!size)
		return -E2BIG;
	if (len == size) {
		memcpy(dst, src, size - 1);
		dst[size - 1] = '\0';
		return -E2BIG;
	}
	memcpy(dst, src, len + 1);
	return (ssize_t)len;
}

#endif /* PMCT_SHIM_STRING_H */
