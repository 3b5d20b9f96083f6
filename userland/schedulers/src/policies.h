/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of policies: what they are called, what they need, and their BPF programs. */
#ifndef SCHEDULERS_POLICIES_H
#define SCHEDULERS_POLICIES_H

#include <stdbool.h>

/**
 * struct policy_kind - a policy
 * @name: its name for users
 * @about: a line of description
 * @module: the monitoring module that it asks, or NULL; another one can be chosen
 * @metrics: metrics that it asks for, of the fastest core type against the first, second and third
 *	of the others in /proc/pmc/info; NULL: none
 * @unknown: the factor of threads of which the module says nothing, in thousandths; 0: the ratio of
 *	speeds that the user gave
 * @symmetric: it has something to choose on machines with one core type, too
 * @slice: time slice of a thread while others wait, in ns; 0: as most policies have it
 * @band: by how much a thread must deserve a better core more, in @band_unit
 * @band_unit: name of the unit, for users
 * @elf: its BPF object, up to @elf_end
 */
struct policy_kind {
	const char *name;
	const char *about;
	const char *module;
	const unsigned int *metrics;
	unsigned int unknown;
	bool symmetric;
	unsigned long long slice;
	unsigned long long band;
	const char *band_unit;
	const char *elf;
	const char *elf_end;
};

/* All policies, in order; the last entry has no name. */
extern const struct policy_kind policy_kinds[];

/* Find a policy by its name. Returns NULL if there is none of that name. */
const struct policy_kind *policy_kind_of(const char *name);

#endif /* SCHEDULERS_POLICIES_H */
