// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers as lib/kstrtox.c reads them: a sign "+", a prefix and one newline are accepted. */
#ifndef PMCT_SHIM_KERNEL_H
#define PMCT_SHIM_KERNEL_H

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/types.h>

static inline int vscnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
	int len = vsnprintf(buf, size, fmt, args);

	return len < (int)size ? len : (int)size - 1;
}

static inline int shim_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : INT_MAX;
}

static inline int kstrtou64(const char *s, unsigned int base, u64 *result)
{
	u64 value = 0;
	bool any = false;

	if (*s == '+')
		s++;
	if (!base)
		base = s[0] != '0' ? 10 : (s[1] | 0x20) != 'x' ? 8 : shim_digit(s[2]) < 16 ? 16 : 8;
	if (base == 16 && s[0] == '0' && (s[1] | 0x20) == 'x')
		s += 2;
	for (; shim_digit(*s) < (int)base; s++, any = true) {
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (unsigned int)shim_digit(*s), &value))
			return -ERANGE;
	}
	if (*s == '\n')
		s++;
	if (!any || *s)
		return -EINVAL;
	*result = value;
	return 0;
}

static inline int kstrtos64(const char *s, unsigned int base, s64 *result)
{
	bool minus = *s == '-';
	u64 value;
	int err = kstrtou64(minus ? s + 1 : s, base, &value);

	if (err)
		return err;
	if (minus ? s[1] == '+' || value > (u64)S64_MAX + 1 : value > (u64)S64_MAX)
		return minus && s[1] == '+' ? -EINVAL : -ERANGE;
	*result = minus ? (s64)-value : (s64)value;
	return 0;
}

static inline int kstrtouint(const char *s, unsigned int base, unsigned int *result)
{
	u64 value;
	int err = kstrtou64(s, base, &value);

	if (err)
		return err;
	if (value > UINT_MAX)
		return -ERANGE;
	*result = (unsigned int)value;
	return 0;
}

#endif /* PMCT_SHIM_KERNEL_H */
