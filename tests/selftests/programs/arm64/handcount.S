/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * handcount NNNNNNNN T [K]: a program of known length, without libc.
 *
 * The main thread creates T more threads (one digit); each of them, and the
 * main thread, runs a loop of NNNNNNNN rounds (eight decimal digits) and exits
 * with status K (one digit, 0 if absent). If K is S, it stops its parent
 * (SIGSTOP) first, and exits with status 0. User instructions:
 *
 *	main thread	58 + 9 T + 2 N (+ 5 if K is given, + 11 if it is S)
 *	other threads	4 + 2 N
 */
#define __NR_exit	93
#define __NR_kill	129
#define __NR_getppid	173
#define SIGSTOP		19
#define __NR_clone	220
/* CLONE_VM | FS | FILES | SIGHAND | THREAD | SYSVSEM */
#define CLONE_FLAGS	0x50f00

	.globl _start
_start:
	ldr	x1, [sp, #16]		// 1	argv[1]
	ldr	x22, [sp]		// 2	argc
	mov	x0, #0			// 3
	mov	w2, #8			// 4
	mov	x4, #10			// 5
digit:					//	8 rounds of 5: 40
	ldrb	w3, [x1], #1
	sub	w3, w3, #'0'
	madd	x0, x0, x4, x3
	subs	w2, w2, #1
	b.ne	digit
	mov	x19, x0			// 46	N
	ldr	x1, [sp, #24]		// 47	argv[2]
	ldrb	w20, [x1]		// 48
	sub	w20, w20, #'0'		// 49	T
	mov	w23, #0			// 50	K
	cmp	x22, #4			// 51
	b.lt	no_status		// 52	five more if not taken
	ldr	x1, [sp, #32]
	ldrb	w23, [x1]
	sub	w23, w23, #'0'
	cmp	w23, #('S' - '0')
	b.ne	no_status		//	six more if not taken
	mov	x8, #__NR_getppid
	svc	#0
	mov	x1, #SIGSTOP
	mov	x8, #__NR_kill
	svc	#0
	mov	w23, #0
no_status:
	adrp	x21, stacks		// 53
	add	x21, x21, :lo12:stacks	// 54
	cbz	w20, work		// 55
next_thread:				//	9 a thread
	add	x21, x21, #4096
	mov	x0, #(CLONE_FLAGS & 0xffff)
	movk	x0, #(CLONE_FLAGS >> 16), lsl #16
	mov	x1, x21
	mov	x8, #__NR_clone
	svc	#0
	cbz	x0, work		//	the first of a new thread
	subs	w20, w20, #1
	b.ne	next_thread
work:					//	2 N
	subs	x19, x19, #1
	b.ne	work
	mov	w0, w23			// 56
	mov	x8, #__NR_exit		// 57
	svc	#0			// 58

	.bss
	.balign	4096
stacks:	.skip	4096 * 10
