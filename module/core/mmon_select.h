/* SPDX-License-Identifier: GPL-2.0-only */
/* Which monitoring modules exist, and which one is active. */
#ifndef _PMCT_MMON_SELECT_H
#define _PMCT_MMON_SELECT_H

#include <linux/types.h>

struct seq_file;

bool pmct_mmon_name_ok(const char *name);
int pmct_mmon_select(const char *name);
void pmct_mmon_show(struct seq_file *m);
int pmct_mmon_load_model(char *text);
void pmct_mmon_show_models(struct seq_file *m);
void pmct_mmon_show_state(struct seq_file *m);

#endif /* _PMCT_MMON_SELECT_H */
