/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of -o, or the standard output. */
#ifndef PMCTRACK_CLI_FILE_H
#define PMCTRACK_CLI_FILE_H

struct output;

/* Before anything else: can it be written? 0, or an exit status with the reason printed. */
int file_open(struct output *w);
/* The run has begun: what was in the file before goes. */
void file_begin(struct output *w);
/* Whether or not the run has begun. */
void file_close(struct output *w);

#endif /* PMCTRACK_CLI_FILE_H */
