/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of qtop without a screen (--batch, --json). */
#ifndef QTOP_BATCH_H
#define QTOP_BATCH_H

#include "qtop/table.h"

void batch_text(const struct moment *m, const struct rows *r);
void batch_json(const struct moment *m, const struct rows *r, double elapsed_s);

#endif /* QTOP_BATCH_H */
