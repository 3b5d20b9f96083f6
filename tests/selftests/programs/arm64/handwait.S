/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * handwait NNNNNNNN T: threads that wait, and whose rest is of known length.
 *
 * The main thread creates T more threads, which sleep until it has read a byte
 * from standard input. Then all threads run a loop of NNNNNNNN rounds (eight
 * decimal digits) and exit. User instructions from the sleep on:
 *
 *	main thread	11 + 2 N
 *	other threads	3 + 2 N
 */
#define __NR_read	63
#define __NR_exit	93
#define __NR_futex	98
#define FUTEX_WAIT	0
#define FUTEX_WAKE	1
#define __NR_clone	220
/* CLONE_VM | FS | FILES | SIGHAND | THREAD | SYSVSEM */
#define CLONE_FLAGS	0x50f00

	.globl _start
_start:
	ldr	x1, [sp, #16]		//	argv[1]
	mov	x0, #0
	mov	w2, #8
	mov	x4, #10
digit:
	ldrb	w3, [x1], #1
	sub	w3, w3, #'0'
	madd	x0, x0, x4, x3
	subs	w2, w2, #1
	b.ne	digit
	mov	x19, x0			//	N
	ldr	x1, [sp, #24]		//	argv[2]
	mov	x20, #0
threads_digit:
	ldrb	w3, [x1], #1
	cbz	w3, threads_known
	sub	w3, w3, #'0'
	madd	x20, x20, x4, x3	//	T
	b	threads_digit
threads_known:
	adrp	x22, flag
	add	x22, x22, :lo12:flag
	adrp	x21, stack		//	nobody uses it
	add	x21, x21, :lo12:stack
	cbz	w20, main
next_thread:
	mov	x0, #(CLONE_FLAGS & 0xffff)
	movk	x0, #(CLONE_FLAGS >> 16), lsl #16
	mov	x1, x21
	mov	x8, #__NR_clone
	svc	#0
	cbz	x0, thread
	subs	w20, w20, #1
	b.ne	next_thread
main:
	mov	x0, #0
	mov	x1, x21
	mov	x2, #1
	mov	x8, #__NR_read
	svc	#0			//	sleeps
	mov	w0, #1			// 1
	str	w0, [x22]		// 2
	mov	x0, x22			// 3
	mov	x1, #FUTEX_WAKE		// 4
	mov	w2, #0x7fffffff		// 5
	mov	x8, #__NR_futex		// 6
	svc	#0			// 7
	b	work			// 8
thread:
	mov	x0, x22
	mov	x1, #FUTEX_WAIT
	mov	x2, #0
	mov	x3, #0
	mov	x8, #__NR_futex
	svc	#0			//	sleeps
work:					//	2 N
	subs	x19, x19, #1
	b.ne	work
	mov	x0, #0			//	3 more
	mov	x8, #__NR_exit
	svc	#0

	.data
	.balign	8
flag:	.word	0

	.bss
	.balign	4096
	.skip	4096
stack:
