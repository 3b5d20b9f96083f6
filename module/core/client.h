/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PMCT_CLIENT_H
#define _PMCT_CLIENT_H

struct seq_file;

void pmct_client_show(struct seq_file *m);

#endif /* _PMCT_CLIENT_H */
