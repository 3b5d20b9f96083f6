/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * handflush NNNNNNNN: flushes a cache line so many times (eight decimal digits),
 * each of which the emulated PMU counts as a reference and a miss of the last
 * level.
 */
#define __NR_exit	60

	.globl _start
_start:
	mov	16(%rsp), %rbx		#	argv[1]
	xor	%eax, %eax
	mov	$8, %ecx
digit:
	movzbl	(%rbx), %edx
	inc	%rbx
	imul	$10, %rax, %rax
	lea	-'0'(%rax, %rdx), %rax
	loop	digit
	mov	%rax, %r13		#	N
work:
	clflush	line(%rip)
	dec	%r13
	jne	work
	xor	%edi, %edi
	mov	$__NR_exit, %eax
	syscall

	.bss
	.balign	64
line:	.skip	64
