/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading counters in user mode: the registers, and the ID of the calling thread. */
#ifndef PMCTRACK_USER_READ_H
#define PMCTRACK_USER_READ_H

#include <errno.h>
#include <stdint.h>
#include <sys/types.h>

extern __thread pid_t thread_self __attribute__((tls_model("initial-exec"), visibility("hidden")));
pid_t this_thread_slowly(void);

/* Returns the same as gettid(). Makes a system call only the first time in a thread. */
static inline pid_t this_thread(void)
{
	return __builtin_expect(thread_self, 1) ? thread_self : this_thread_slowly();
}

#if defined(__aarch64__)
#define READ(n)								\
	case (n) + 1:							\
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r" (*value));	\
		return 0

/* Counter 0 is the cycle counter; counter N + 1 is event counter N (ARM DDI 0487, D13). */
static inline int user_read_counter(unsigned int counter, uint64_t *value)
{
	switch (counter) {
	case 0:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r" (*value));
		return 0;
	READ(0); READ(1); READ(2); READ(3); READ(4); READ(5); READ(6); READ(7);
	READ(8); READ(9); READ(10); READ(11); READ(12); READ(13); READ(14); READ(15);
	READ(16); READ(17); READ(18); READ(19); READ(20); READ(21); READ(22); READ(23);
	READ(24); READ(25); READ(26); READ(27); READ(28); READ(29); READ(30);
	}
	return -EINVAL;
}
#else
static inline int user_read_counter(unsigned int counter, uint64_t *value)
{
	(void)counter;
	(void)value;
	return -EOPNOTSUPP;
}
#endif

#endif /* PMCTRACK_USER_READ_H */
