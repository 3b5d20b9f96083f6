/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of sched_ext that kernels have under different names. All are weak, and the one that
 * the kernel has is called. The suffix after the last "___" is not part of the kernel's name. It
 * distinguishes our declarations from those in vmlinux.h. A part of layer.bpf.h.
 */
#ifndef SCHEDULERS_COMPAT_BPF_H
#define SCHEDULERS_COMPAT_BPF_H

/* Linux 6.12 */
void scx_bpf_dispatch___ours(struct task_struct *p, u64 dsq_id, u64 slice, u64 enq_flags) __ksym __weak;
void scx_bpf_dispatch_vtime___ours(struct task_struct *p, u64 dsq_id, u64 slice, u64 vtime,
				   u64 enq_flags) __ksym __weak;
bool scx_bpf_consume___ours(u64 dsq_id) __ksym __weak;
/* Names of older kernels: the first until Linux 6.18, the second in 6.12 */
u32 scx_bpf_reenqueue_local___ours(void) __ksym __weak;
bool scx_bpf_dispatch_from_dsq___ours(struct bpf_iter_scx_dsq *it, struct task_struct *p, u64 dsq_id,
				      u64 enq_flags) __ksym __weak;
/* From Linux 6.13 on */
void scx_bpf_dsq_insert___ours(struct task_struct *p, u64 dsq_id, u64 slice, u64 enq_flags) __ksym __weak;
void scx_bpf_dsq_insert_vtime___ours(struct task_struct *p, u64 dsq_id, u64 slice, u64 vtime,
				     u64 enq_flags) __ksym __weak;
bool scx_bpf_dsq_move_to_local___ours(u64 dsq_id) __ksym __weak;
bool scx_bpf_dsq_move___ours(struct bpf_iter_scx_dsq *it, struct task_struct *p, u64 dsq_id,
			     u64 enq_flags) __ksym __weak;
/* From Linux 6.19 on, and the last one from 7.1 on */
bool scx_bpf_dsq_insert___v2___ours(struct task_struct *p, u64 dsq_id, u64 slice, u64 enq_flags) __ksym __weak;
struct scx_bpf_dsq_insert_vtime_args___ours {
	u64 dsq_id;
	u64 slice;
	u64 vtime;
	u64 enq_flags;
};

bool __scx_bpf_dsq_insert_vtime___ours(struct task_struct *p,
				       struct scx_bpf_dsq_insert_vtime_args___ours *args) __ksym __weak;
bool scx_bpf_task_set_slice___ours(struct task_struct *p, u64 slice) __ksym __weak;
bool scx_bpf_dsq_move_to_local___v2___ours(u64 dsq_id, u64 enq_flags) __ksym __weak;

static inline void insert(struct task_struct *p, u64 queue, u64 slice_ns, u64 flags)
{
	if (bpf_ksym_exists(scx_bpf_dsq_insert___v2___ours))
		scx_bpf_dsq_insert___v2___ours(p, queue, slice_ns, flags);
	else if (bpf_ksym_exists(scx_bpf_dsq_insert___ours))
		scx_bpf_dsq_insert___ours(p, queue, slice_ns, flags);
	else
		scx_bpf_dispatch___ours(p, queue, slice_ns, flags);
}

static inline void insert_vtime(struct task_struct *p, u64 queue, u64 slice_ns, u64 vtime, u64 flags)
{
	if (bpf_ksym_exists(__scx_bpf_dsq_insert_vtime___ours)) {
		struct scx_bpf_dsq_insert_vtime_args___ours args = {
			.dsq_id = queue, .slice = slice_ns, .vtime = vtime, .enq_flags = flags,
		};

		__scx_bpf_dsq_insert_vtime___ours(p, &args);
	} else if (bpf_ksym_exists(scx_bpf_dsq_insert_vtime___ours)) {
		scx_bpf_dsq_insert_vtime___ours(p, queue, slice_ns, vtime, flags);
	} else {
		scx_bpf_dispatch_vtime___ours(p, queue, slice_ns, vtime, flags);
	}
}

static inline bool move_to_local(u64 queue)
{
	if (bpf_ksym_exists(scx_bpf_dsq_move_to_local___v2___ours))
		return scx_bpf_dsq_move_to_local___v2___ours(queue, 0);
	if (bpf_ksym_exists(scx_bpf_dsq_move_to_local___ours))
		return scx_bpf_dsq_move_to_local___ours(queue);
	return scx_bpf_consume___ours(queue);
}

/* Move @p, where @it is, to the end of @queue. Returns false if @p has left its old queue. */
static inline bool move(struct bpf_iter_scx_dsq *it, struct task_struct *p, u64 queue)
{
	if (bpf_ksym_exists(scx_bpf_dsq_move___ours))
		return scx_bpf_dsq_move___ours(it, p, queue, 0);
	return scx_bpf_dispatch_from_dsq___ours(it, p, queue, 0);
}

static inline void set_slice(struct task_struct *p, u64 slice_ns)
{
	if (bpf_ksym_exists(scx_bpf_task_set_slice___ours))
		scx_bpf_task_set_slice___ours(p, slice_ns);
	else
		p->scx.slice = slice_ns;
}

#endif /* SCHEDULERS_COMPAT_BPF_H */
