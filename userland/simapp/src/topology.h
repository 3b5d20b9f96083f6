/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulated machines: built-in ones by name, and others from a file (simapp(1), "Machines"). */
#ifndef SIMAPP_TOPOLOGY_H
#define SIMAPP_TOPOLOGY_H

struct pmct_sim_machine;

/*
 * The machine of that name, or of that file if the name has a slash or ends with ".json". Returns
 * NULL after a message. The result is valid until the next call.
 */
const struct pmct_sim_machine *topology_find(const char *name);

/* Print a machine as a file of JSON, for users who want a similar one. */
void topology_print(const struct pmct_sim_machine *m);

/* Write what the kernel module loads to standard output. Returns 0, or -EINVAL after a message. */
int topology_compile(const struct pmct_sim_machine *m);

#endif /* SIMAPP_TOPOLOGY_H */
