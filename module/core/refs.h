/* SPDX-License-Identifier: GPL-2.0-only */
/* References to sessions. */
#ifndef _PMCT_REFS_H
#define _PMCT_REFS_H

struct pmct_session;

void pmct_session_put(struct pmct_session *s);

#endif /* _PMCT_REFS_H */
