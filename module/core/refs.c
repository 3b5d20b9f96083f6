// SPDX-License-Identifier: GPL-2.0-only
/* References to sessions, see objects.h. */
#include <linux/slab.h>

#include "objects.h"
#include "refs.h"

/* A reference less to a session that has ended, if it is the last. Process context, may sleep. */
void pmct_session_put(struct pmct_session *s)
{
	if (!refcount_dec_and_test(&s->refs))
		return;
	/* After the last hook: nobody queues it any more. */
	irq_work_sync(&s->wake);
	pmct_rings_destroy(&s->rings);
	put_pid_ns(s->pid_ns);
	pmct_sets_free(&s->sets);
	kfree(s);
}
