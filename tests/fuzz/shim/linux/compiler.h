// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef PMCT_SHIM_COMPILER_H
#define PMCT_SHIM_COMPILER_H

#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, value)	((x) = (value))

#endif /* PMCT_SHIM_COMPILER_H */
