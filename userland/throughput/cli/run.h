/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef THROUGHPUT_RUN_H
#define THROUGHPUT_RUN_H

/* "throughput run". @argv: "run", then its arguments. Returns the exit status: the program's. */
int run_main(int argc, char **argv);

#endif /* THROUGHPUT_RUN_H */
