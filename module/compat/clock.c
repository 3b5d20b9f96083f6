// SPDX-License-Identifier: GPL-2.0-only
#include "clock.h"

#ifdef CONFIG_X86
DEFINE_STATIC_KEY_TRUE(pmct_clock_tsc);
#endif
