// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef PMCT_SHIM_EXPORT_H
#define PMCT_SHIM_EXPORT_H

#define EXPORT_SYMBOL_GPL(name)	extern int shim_exported

#endif /* PMCT_SHIM_EXPORT_H */
