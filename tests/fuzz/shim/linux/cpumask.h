// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef PMCT_SHIM_CPUMASK_H
#define PMCT_SHIM_CPUMASK_H

struct cpumask {
	unsigned long bits[1];
};

#endif /* PMCT_SHIM_CPUMASK_H */
