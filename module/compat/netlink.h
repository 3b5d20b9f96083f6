/* SPDX-License-Identifier: GPL-2.0-only */
/* <linux/netlink.h> of Linux 6.2 and later. */
#ifndef _PMCT_COMPAT_NETLINK_H
#define _PMCT_COMPAT_NETLINK_H

#include <linux/netlink.h>

/*
 * Formatted messages came with 51c352bdbcd2 ("netlink: add support for
 * formatted extack messages"), 6.2. Before, the acknowledgment keeps a bare
 * pointer, which is read after the handler has returned: hand out buffers in
 * turn. A message can only be replaced by another one, never be freed.
 */
#ifndef NL_SET_ERR_MSG_FMT
#include <linux/atomic.h>
#include <linux/kernel.h>

static inline char *pmct_extack_buf(size_t *size)
{
	static char bufs[64][160];
	static atomic_t next;

	*size = sizeof(bufs[0]);
	return bufs[(unsigned int)atomic_inc_return(&next) % ARRAY_SIZE(bufs)];
}

#define NL_SET_ERR_MSG_FMT(extack, fmt, args...) do {		\
	struct netlink_ext_ack *__extack = (extack);		\
								\
	if (__extack) {						\
		size_t __size;					\
		char *__buf = pmct_extack_buf(&__size);		\
								\
		scnprintf(__buf, __size, fmt, ##args);		\
		__extack->_msg = __buf;				\
	}							\
} while (0)
#endif

#endif /* _PMCT_COMPAT_NETLINK_H */
