// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef PMCT_SHIM_TIME64_H
#define PMCT_SHIM_TIME64_H

#define NSEC_PER_MSEC	1000000L

#endif /* PMCT_SHIM_TIME64_H */
