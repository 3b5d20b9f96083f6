/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mark in a program for whoever watches it (USDT), as <sys/sdt.h> has them, without arguments. */
#ifndef MARK_H
#define MARK_H

/* All three are strings. @semaphore is a counter in the section .probes, or "0". */
#define MARK(provider, name, semaphore)                                                            \
	__asm__ volatile("990: nop\n"                                                              \
			 ".pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n"                  \
			 ".4byte 992f-991f, 994f-993f, 3\n"                                        \
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n"                               \
			 "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte " semaphore "\n"         \
			 ".asciz \"" provider "\"\n.asciz \"" name "\"\n.asciz \"\"\n"             \
			 "994: .balign 4\n.popsection\n"                                           \
			 ".ifndef _.stapsdt.base\n.pushsection .stapsdt.base,\"aG\",\"progbits\"," \
			 ".stapsdt.base,comdat\n.weak _.stapsdt.base\n.hidden _.stapsdt.base\n"    \
			 "_.stapsdt.base: .space 1\n.size _.stapsdt.base,1\n.popsection\n.endif\n")

#endif /* MARK_H */
