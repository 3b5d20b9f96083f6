/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHOWSTOPPER_RESCUE_H
#define SHOWSTOPPER_RESCUE_H

/* showstopper rescue: continue what runs without a guardian left stopped. Returns exit status. */
int rescue(void);

#endif /* SHOWSTOPPER_RESCUE_H */
