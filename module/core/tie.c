// SPDX-License-Identifier: GPL-2.0-only
/* The provider of scheduling events in use. */
#include "tie.h"

const struct pmct_hooks *pmct_hooks __read_mostly;
DEFINE_STATIC_KEY_TRUE(pmct_hooks_patched);
