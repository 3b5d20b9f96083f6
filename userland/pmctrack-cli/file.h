/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output file of -o, or the standard output. */
#ifndef PMCTRACK_CLI_FILE_H
#define PMCTRACK_CLI_FILE_H

struct output;

/*
 * Open the output file, before anything else is done. Returns 0; or, if it cannot be written,
 * prints the reason and returns an exit status.
 */
int file_open(struct output *w);
/* Empty the file, because the run has begun. */
void file_begin(struct output *w);
/* Close the file. May be called whether or not the run has begun. */
void file_close(struct output *w);

#endif /* PMCTRACK_CLI_FILE_H */
