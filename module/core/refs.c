// SPDX-License-Identifier: GPL-2.0-only
/* References to sessions, see objects.h. */
#include <linux/slab.h>

#include "objects.h"
#include "refs.h"

/* Drop a reference; the last one frees the session, which has ended. Process context, may sleep. */
void pmct_session_put(struct pmct_session *s)
{
	if (!refcount_dec_and_test(&s->refs))
		return;
	/* The last hook has run, so this work is not queued any more. */
	irq_work_sync(&s->wake);
	pmct_rings_destroy(&s->rings);
	put_pid_ns(s->pid_ns);
	pmct_sets_free(&s->sets);
	kfree(s);
}
