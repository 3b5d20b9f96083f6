/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of CPUs as the kernel prints them: "0-3,8". */
#ifndef COMMON_CPU_LIST_H
#define COMMON_CPU_LIST_H

#include <sched.h>
#include <stddef.h>

/* Returns 0 or -EINVAL. Refuses an empty list, blanks and signs. */
int cpu_list_parse(const char *text, cpu_set_t *set);

/* Print as much as there is room for. An empty set is "". */
void cpu_list_print(char *text, size_t size, const cpu_set_t *set);

#endif /* COMMON_CPU_LIST_H */
