/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * handwait NNNNNNNN T: the same as ../arm64/handwait.S. User instructions from
 * the sleep on:
 *
 *	main thread	11 + 2 N
 *	other threads	3 + 2 N
 */
#define __NR_read	0
#define __NR_clone	56
#define __NR_exit	60
#define __NR_futex	202
#define FUTEX_WAIT	0
#define FUTEX_WAKE	1
/* CLONE_VM | FS | FILES | SIGHAND | THREAD | SYSVSEM */
#define CLONE_FLAGS	0x50f00

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
	mov	24(%rsp), %rbx		#	argv[2]
	xor	%r14d, %r14d
threads_digit:
	movzbl	(%rbx), %edx
	test	%edx, %edx
	jz	threads_known
	inc	%rbx
	imul	$10, %r14, %r14
	lea	-'0'(%r14, %rdx), %r14	#	T
	jmp	threads_digit
threads_known:
	lea	stack(%rip), %rbp	#	nobody uses it
	test	%r14, %r14
	jz	main
next_thread:
	mov	$CLONE_FLAGS, %edi
	mov	%rbp, %rsi
	mov	$__NR_clone, %eax
	syscall
	test	%eax, %eax
	jz	thread
	dec	%r14
	jne	next_thread
main:
	xor	%edi, %edi
	mov	%rbp, %rsi
	mov	$1, %edx
	mov	$__NR_read, %eax
	syscall				#	sleeps
	movl	$1, flag(%rip)		# 1
	lea	flag(%rip), %rdi	# 2
	mov	$FUTEX_WAKE, %esi	# 3
	mov	$0x7fffffff, %edx	# 4
	mov	$__NR_futex, %eax	# 5
	syscall				# 6
	nop				# 7
	jmp	work			# 8
thread:
	lea	flag(%rip), %rdi
	mov	$FUTEX_WAIT, %esi
	xor	%edx, %edx
	xor	%r10d, %r10d
	mov	$__NR_futex, %eax
	syscall				#	sleeps
work:					#	2 N
	dec	%r13
	jne	work
	xor	%edi, %edi		#	3 more
	mov	$__NR_exit, %eax
	syscall

	.data
	.balign	8
flag:	.long	0

	.bss
	.balign	4096
	.skip	4096
stack:
