/* SPDX-License-Identifier: GPL-2.0-only */
/* <linux/mm.h> of Linux 6.3 and later. */
#ifndef _PMCT_COMPAT_MM_H
#define _PMCT_COMPAT_MM_H

#include <linux/mm.h>

/*
 * vm_flags became read-only with bc292ab00f6c ("mm: introduce vma->vm_flags
 * wrapper functions"), 6.3.
 */
#ifdef PMCT_HAVE_VM_FLAGS_CLEAR
#define pmct_vm_flags_clear(vma, flags)	vm_flags_clear(vma, flags)
#define pmct_vm_flags_set(vma, flags)	vm_flags_set(vma, flags)
#else
#define pmct_vm_flags_clear(vma, flags)	((vma)->vm_flags &= ~(flags))
#define pmct_vm_flags_set(vma, flags)	((vma)->vm_flags |= (flags))
#endif

#endif /* _PMCT_COMPAT_MM_H */
