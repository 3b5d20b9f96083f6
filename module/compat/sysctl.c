// SPDX-License-Identifier: GPL-2.0-only
/* See sysctl.h. */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/pid_namespace.h>
#include <linux/sched/task.h>

#include "sysctl.h"

/**
 * pmct_sysctl() - read a sysctl, or module parameter, whose variable is not exported to modules
 * @path: path of its file, from the root on
 * @value: result; 0 or 1 if it is Y or N
 *
 * The path is resolved as the first process sees it, because the caller can control its own view of
 * /proc and /sys.
 *
 * Context: process context, sleeps.
 * Return: 0, -ENOENT if this kernel has no such file, or the error of reading it.
 */
int pmct_sysctl(const char *path, int *value)
{
	struct task_struct *init = init_pid_ns.child_reaper;
	struct file *file;
	struct path root;
	bool on = false;
	char text[16];
	ssize_t len;
	loff_t pos = 0;
	int err;

	task_lock(init);
	get_fs_root(init->fs, &root);
	task_unlock(init);
	file = file_open_root(&root, path, O_RDONLY, 0);
	path_put(&root);
	if (IS_ERR(file))
		return PTR_ERR(file);
	len = kernel_read(file, text, sizeof(text) - 1, &pos);
	fput(file);
	if (len <= 0)
		return len ?: -ENODATA;
	text[len] = '\0';
	if (!kstrtoint(strim(text), 10, value))
		return 0;
	err = kstrtobool(text, &on);
	*value = on;
	return err;
}
