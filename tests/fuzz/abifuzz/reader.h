/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations that read records: readers that behave, and readers that do not. */
#ifndef PMCT_ABIFUZZ_READER_H
#define PMCT_ABIFUZZ_READER_H

#include "args.h"

/* read SESSION LENGTH MODE: mode 1 waits for a record or a timer, 2 reads to a bad address */
enum outcome op_read(struct args *a);

/* poll SESSION MILLISECONDS */
enum outcome op_poll(struct args *a);

/* tail SESSION MODE NUMBER: move the reader's position to where it should not be */
enum outcome op_tail(struct args *a);

/* scribble SESSION OFFSET VALUE: write to the control page */
enum outcome op_scribble(struct args *a);

/* consume SESSION: read as a reader of the mapping should */
enum outcome op_consume(struct args *a);

#endif /* PMCT_ABIFUZZ_READER_H */
