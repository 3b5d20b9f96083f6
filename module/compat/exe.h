/* SPDX-License-Identifier: GPL-2.0-only */
/* The file that a process executes. */
#ifndef _PMCT_COMPAT_EXE_H
#define _PMCT_COMPAT_EXE_H

#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/mm_types.h>
#include <linux/rcupdate.h>

/* With Linux 6.6, i_ctime became a pair of numbers that is read with a function. */
#ifdef PMCT_HAVE_INODE_GET_CTIME
#define pmct_inode_ctime(inode)	inode_get_ctime(inode)
#else
#define pmct_inode_ctime(inode)	((inode)->i_ctime)
#endif

static inline u64 pmct_mix(u64 seed, u64 value)
{
	return (seed ^ value) * GOLDEN_RATIO_64 ^ (seed >> 29);
}

/*
 * A number for the content of the file that current executes, whose memory is @mm. Interrupts are
 * disabled, so the file is not replaced meanwhile. Returns false if there is no file.
 */
static inline bool pmct_exe_content(struct mm_struct *mm, u64 *content)
{
	const struct file *exe = rcu_dereference_sched(mm->exe_file);
	const struct inode *inode = exe ? file_inode(exe) : NULL;
	struct timespec64 changed;
	u64 place;

	if (!inode)
		return false;
	changed = pmct_inode_ctime(inode);
	place = pmct_mix(pmct_mix(inode->i_sb->s_dev, inode->i_ino), i_size_read(inode));
	*content = pmct_mix(pmct_mix(place, changed.tv_sec), changed.tv_nsec);
	return true;
}

#endif /* _PMCT_COMPAT_EXE_H */
