// SPDX-License-Identifier: GPL-2.0-only
/* Messages for people that say why a request is refused (struct pmct_msg). */
#include <linux/export.h>
#include <linux/kernel.h>
#include <pmctrack/msg.h>

int pmct_refuse(struct pmct_msg *msg, int err, const char *fmt, ...)
{
	va_list args;

	if (msg && !msg->text[0]) {
		va_start(args, fmt);
		vscnprintf(msg->text, sizeof(msg->text), fmt, args);
		va_end(args);
	}
	return err;
}
EXPORT_SYMBOL_GPL(pmct_refuse);
