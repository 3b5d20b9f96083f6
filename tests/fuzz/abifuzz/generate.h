/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generates lines of the language in grammar.h from a seed and the architecture. */
#ifndef PMCT_ABIFUZZ_GENERATE_H
#define PMCT_ABIFUZZ_GENERATE_H

#include "random.h"
#include "text.h"

/* Put the next line into @l, without a newline. The same @r and @l->quick give the same lines. */
void generate(struct rng *r, struct line *l);

#endif /* PMCT_ABIFUZZ_GENERATE_H */
