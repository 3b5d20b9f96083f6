/* SPDX-License-Identifier: GPL-2.0-only */
/* The backend in use, and the owner of the counters. */
#ifndef _PMCT_OWNER_H
#define _PMCT_OWNER_H

#include <linux/static_call.h>
#include <pmctrack/backend.h>

extern const struct pmct_backend *pmct_backend;

/* pmct_backend's read(), for the hot path. */
u64 pmct_owner_read_nothing(const struct pmct_hwset *set, u64 *values);
DECLARE_STATIC_CALL(pmct_owner_read, pmct_owner_read_nothing);

void pmct_owner_use(const struct pmct_backend *backend);
void pmct_owner_init(const struct pmct_backend *backend, bool (*overflow)(void));
void pmct_owner_exit(void);
int pmct_owner_get(struct pmct_msg *msg);
void pmct_owner_put(void);

/* Written only by pmct_owner_get() and pmct_owner_put(). */
extern unsigned int pmct_owner_refs;

/* The number of open sessions. */
static inline unsigned int pmct_owner_users(void)
{
	return READ_ONCE(pmct_owner_refs);
}

#endif /* _PMCT_OWNER_H */
