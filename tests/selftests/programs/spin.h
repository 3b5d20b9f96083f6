/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPIN_H
#define SPIN_H

/* Two instructions a round. */
static inline void spin_inline(unsigned long rounds)
{
#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r" (rounds) : : "cc");
#elif defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjne 1b" : "+r" (rounds) : : "cc");
#else
#error "no loop of known length for this architecture"
#endif
}

/* The same number of instructions around it wherever it is called. */
static void __attribute__((noinline, unused)) spin(unsigned long rounds)
{
	spin_inline(rounds);
}

#endif /* SPIN_H */
