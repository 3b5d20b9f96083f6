/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * handcount NNNNNNNN T [K]: the same as ../arm64/handcount.S, with the same
 * number of user instructions; other threads exit with status 0.
 *
 *	main thread	58 + 9 T + 2 N (+ 5 if K is given, + 11 if it is S)
 *	other threads	4 + 2 N
 */
#define __NR_clone	56
#define __NR_exit	60
#define __NR_kill	62
#define __NR_getppid	110
#define SIGSTOP		19
/* CLONE_VM | FS | FILES | SIGHAND | THREAD | SYSVSEM */
#define CLONE_FLAGS	0x50f00

	.globl _start
_start:
	mov	16(%rsp), %rbx		# 1	argv[1]
	mov	(%rsp), %r12		# 2	argc
	xor	%eax, %eax		# 3
	mov	$8, %ecx		# 4
	mov	$SIGSTOP, %esi		# 5
digit:					#	8 rounds of 5: 40
	movzbl	(%rbx), %edx
	inc	%rbx
	imul	$10, %rax, %rax
	lea	-'0'(%rax, %rdx), %rax
	loop	digit
	mov	%rax, %r13		# 46	N
	mov	24(%rsp), %rbx		# 47	argv[2]
	movzbl	(%rbx), %r14d		# 48
	sub	$'0', %r14d		# 49	T
	xor	%r15d, %r15d		# 50	K
	cmp	$4, %r12		# 51
	jl	no_status		# 52	five more if not taken
	mov	32(%rsp), %rbx
	movzbl	(%rbx), %r15d
	sub	$'0', %r15d
	cmp	$('S' - '0'), %r15d
	jne	no_status		#	six more if not taken
	mov	$__NR_getppid, %eax
	syscall
	mov	%eax, %edi
	mov	$__NR_kill, %eax
	syscall
	xor	%r15d, %r15d
no_status:
	lea	stacks(%rip), %rbp	# 53
	test	%r14d, %r14d		# 54
	jz	main_work		# 55
next_thread:				#	9 a thread
	add	$4096, %rbp
	mov	$CLONE_FLAGS, %edi
	mov	%rbp, %rsi
	mov	$__NR_clone, %eax
	syscall
	test	%eax, %eax		#	the first of a new thread
	jz	work
	dec	%r14d
	jne	next_thread
main_work:
	mov	%r15d, %edi		# 56
work:					#	2 N
	dec	%r13
	jne	work
	mov	$__NR_exit, %eax	# 57
	syscall				# 58

	.bss
	.balign	4096
stacks:	.skip	4096 * 10
