/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages made at run time in extended acknowledgments. NL_SET_ERR_MSG_FMT()
 * came with Linux 6.2, and cuts them at 80 bytes, just where the remedy is.
 */
#ifndef _PMCT_COMPAT_NETLINK_H
#define _PMCT_COMPAT_NETLINK_H

#include <linux/atomic.h>
#include <linux/netlink.h>
#include <linux/string.h>

/*
 * The acknowledgment keeps a bare pointer, which is read after the handler has
 * returned: hand out buffers in turn. Under a flood of refusals a message can
 * be replaced by another one, which is terminated, too.
 */
static inline void pmct_extack_set(struct netlink_ext_ack *extack, const char *text)
{
	static char bufs[64][160];
	static atomic_t next;
	char *buf = bufs[(unsigned int)atomic_inc_return(&next) % ARRAY_SIZE(bufs)];

	if (!extack)
		return;
	strscpy(buf, text, sizeof(bufs[0]));
	extack->_msg = buf;
}

#endif /* _PMCT_COMPAT_NETLINK_H */
