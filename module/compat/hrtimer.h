/* SPDX-License-Identifier: GPL-2.0-only */
/* <linux/hrtimer.h> of Linux 6.13 and later; hrtimer_init() was removed in 6.15. */
#ifndef _PMCT_COMPAT_HRTIMER_H
#define _PMCT_COMPAT_HRTIMER_H

#include <linux/hrtimer.h>

static inline void pmct_hrtimer_setup(struct hrtimer *timer,
				      enum hrtimer_restart (*function)(struct hrtimer *),
				      clockid_t clock, enum hrtimer_mode mode)
{
#ifdef PMCT_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, function, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#endif
}

#endif /* _PMCT_COMPAT_HRTIMER_H */
