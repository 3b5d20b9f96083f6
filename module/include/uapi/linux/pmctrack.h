/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * PMCTrack user-space interface.
 *
 * Control goes through the generic-netlink family "pmctrack" (described in
 * Documentation/netlink/specs/pmctrack.yaml): a request creates a session and returns a file
 * descriptor. This descriptor has these operations:
 *
 *  - mmap() maps the session's rings (shared). Offset 0 has struct pmctrack_ring_ctl (as many pages
 *    as it takes, readable and writable). Offset PMCTRACK_MMAP_DATA has data_size bytes of records,
 *    read-only. A session has nr_rings rings: 1 if it follows a single thread, else one for each
 *    CPU that the kernel may ever have, by its number. Each ring begins PMCTRACK_MMAP_RING bytes
 *    after the one before;
 *  - read() returns whole records of all rings, ordered by time, and consumes them. poll() waits
 *    for records;
 *  - ioctl() starts and stops counting the calling thread, or begins and ends the monitoring of
 *    running processes.
 *
 * A reader uses either the mapping or read(), not both. With several rings, an older record of a
 * thread can become visible in one ring after a younger record in another ring. To get the right
 * order, load all heads, then load all heads again. Merge by time_ns the records up to the second
 * heads, and consume those up to the first heads. A forked child does not have the mappings.
 *
 * All times are nanoseconds. All counts are event counts, never scaled.
 */
#ifndef _UAPI_LINUX_PMCTRACK_H
#define _UAPI_LINUX_PMCTRACK_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Changes with each incompatible change of this file or of the netlink spec. */
#define PMCTRACK_ABI_VERSION	3

#define PMCTRACK_MAX_COUNTERS	32	/* hardware counters of a CPU */
#define PMCTRACK_MAX_SETS	8	/* event sets of a session and core type */
#define PMCTRACK_MAX_CORE_TYPES	4
#define PMCTRACK_MAX_VIRT	16	/* virtual counters of a monitoring module */
#define PMCTRACK_MAX_RAW	512	/* bytes of a raw configuration string, with NUL */
#define PMCTRACK_MAX_MESSAGE	160	/* bytes of the message of a refusal, with NUL */

/* Offsets for mmap(): distance of two rings, and offset of the records in a ring. */
#define PMCTRACK_MMAP_RING	0x4000000
#define PMCTRACK_MMAP_DATA	0x10000

/**
 * enum pmctrack_record_kind - why an interval was closed
 * @PMCTRACK_RECORD_TICK: the sampling period expired
 * @PMCTRACK_RECORD_EBS: an event count was reached
 * @PMCTRACK_RECORD_EXIT: the thread ended, or the CPU goes offline
 * @PMCTRACK_RECORD_MIGRATION: the thread moved to another core type
 * @PMCTRACK_RECORD_SELF: the thread stopped counting itself
 * @PMCTRACK_RECORD_DETACH: PMCTRACK_IOC_DETACH; the counts are up to the last
 *	time at which the thread's counters were read
 * @PMCTRACK_RECORD_REVOKED: an administrator ended the session, which was opened without
 *	CAP_PERFMON (unprivileged= in /proc/pmc/config), or moved the thread to a session with
 *	CAP_PERFMON; the counts are as in PMCTRACK_RECORD_DETACH
 * @PMCTRACK_RECORD_PAD: not a record: skip its size
 */
enum pmctrack_record_kind {
	PMCTRACK_RECORD_TICK,
	PMCTRACK_RECORD_EBS,
	PMCTRACK_RECORD_EXIT,
	PMCTRACK_RECORD_MIGRATION,
	PMCTRACK_RECORD_SELF,
	PMCTRACK_RECORD_DETACH,
	PMCTRACK_RECORD_REVOKED,
	PMCTRACK_RECORD_PAD = 0xffff,
};

/**
 * enum pmctrack_record_flags - how to read the counts of a record
 * @PMCTRACK_RECORD_F_MERGED: an earlier record of this thread did not fit into the ring; this
 *	record covers its interval too, so nothing is missing
 * @PMCTRACK_RECORD_F_SETUID: monitoring of the thread ended here, because it
 *	executed a program with other privileges
 * @PMCTRACK_RECORD_F_WIDENED: of kind PMCTRACK_RECORD_EBS: the window was longer than requested,
 *	because samples took more of the CPU's time than ebs_cpu_percent in /proc/pmc/config allows.
 *	The counts are exact.
 * @PMCTRACK_RECORD_F_DISTURBED: other software (a hypervisor, firmware) wrote the counters in this
 *	interval. What was counted until the detection is not in the counts, and its time is not in
 *	@hw_ns.
 */
enum pmctrack_record_flags {
	PMCTRACK_RECORD_F_MERGED	= 1 << 0,
	PMCTRACK_RECORD_F_SETUID	= 1 << 1,
	PMCTRACK_RECORD_F_WIDENED	= 1 << 2,
	PMCTRACK_RECORD_F_DISTURBED	= 1 << 3,
};

/**
 * struct pmctrack_record - what one thread, or one CPU, did in one interval
 * @size: bytes to the next record, a multiple of 8; bytes after the counts may be unused
 * @kind: enum pmctrack_record_kind
 * @flags: enum pmctrack_record_flags
 * @time_ns: when the interval ended, CLOCK_MONOTONIC; always later than in the thread's record
 *	before
 * @run_ns: time that the thread was on a CPU in the interval. For a CPU: the length of the
 *	interval, or the time that threads of the cgroup ran there
 * @hw_ns: the part of @run_ns in which the set was on the hardware. For threads it equals @run_ns,
 *	unless the flags say otherwise. For a CPU it is less if threads of other sessions had the
 *	counters; then events are missing
 * @tid: thread, in the PID namespace of the session's creator; -1: a CPU
 * @tgid: its process, in the same namespace; -1: a CPU
 * @cpu: where the interval ended
 * @core_type: type of the CPUs on which the events were counted (index of a PMU of the netlink
 *	interface); in records of kind migration, the thread has left these CPUs.
 *	PMCTRACK_MAX_CORE_TYPES: the counters of this CPU cannot be used, and @nr_counts and @hw_ns
 *	are 0
 * @set: index of the event set
 * @nr_counts: number of counts
 * @nr_virt: number of virtual counters, which follow the counts
 * @counters: mask of the counters in @counts, ascending
 * @virt: mask of the virtual counters in @counts, ascending; a virtual counter without a value in
 *	this interval is not in it
 * @counts: event counts of the interval, then values of virtual counters
 */
struct pmctrack_record {
	__u32 size;
	__u16 kind;
	__u16 flags;
	__u64 time_ns;
	__u64 run_ns;
	__u64 hw_ns;
	__s32 tid;
	__s32 tgid;
	__u32 cpu;
	__u8 core_type;
	__u8 set;
	__u8 nr_counts;
	__u8 nr_virt;
	__u32 counters;
	__u32 virt;
	__u64 counts[];
};

/**
 * struct pmctrack_user_read - counters that the thread itself may read
 * @seq: changes whenever the rest does
 * @counters: mask of the counters that are counting for the thread now, and that an instruction can
 *	read (PMEVCNTRn_EL0); 0: the thread is stopped
 * @offset: one for each counter of the set. The events since the session was opened are this
 *	offset, plus the value of the register if the counter is in @counters. 64 bits, modulo.
 *
 * For sessions with PMCTRACK_SESSION_USER_READ, and for their thread only. Read @seq, then
 * @counters and @offset and the register, then @seq again. Repeat this until @seq is the same both
 * times. In other threads, or if the counter is not in @counters, the instruction is undefined.
 */
struct pmctrack_user_read {
	__u32 seq;
	__u32 counters;
	__u64 offset[PMCTRACK_MAX_COUNTERS];
};

/**
 * enum pmctrack_ended - why the kernel ended a session that is still open
 * @PMCTRACK_ENDED_NOT: the kernel did not end it
 * @PMCTRACK_ENDED_REVOKED: see PMCTRACK_RECORD_REVOKED
 */
enum pmctrack_ended {
	PMCTRACK_ENDED_NOT,
	PMCTRACK_ENDED_REVOKED,
};

/**
 * struct pmctrack_ring_ctl - first pages of a ring's mapping
 * @abi: PMCTRACK_ABI_VERSION of the module
 * @ended: enum pmctrack_ended; in the first ring
 * @data_size: bytes of the data area, a power of two
 * @head: bytes ever written; load with acquire semantics before reading
 *	records
 * @lost: records that were lost for good because the ring was full. Only a thread's last record, or
 *	its last one before another core type, can be lost; other records are merged into the next
 *	one.
 * @threads: threads that are being monitored now; in the first ring
 * @skipped_threads: threads that should be monitored, but are not because memory was short, or
 *	because their creator may not be traced (PR_SET_DUMPABLE); in the first ring
 * @nr_rings: number of rings of the session
 * @tail: bytes ever consumed; the reader stores it with release semantics. This is the only member
 *	that user space may write.
 * @user_read: counters that the session's own thread reads; in the first ring
 * @lost_counts: for each core type, set and counter, the events of the lost
 *	records
 */
struct pmctrack_ring_ctl {
	__u32 abi;
	__u32 ended;
	__u64 data_size;
	__u64 head;
	__u64 lost;
	__u32 threads;
	__u32 skipped_threads;
	__u32 nr_rings;
	__u32 __pad0[5];
	__u64 tail;
	__u64 __pad1[7];
	struct pmctrack_user_read user_read;
	__u64 lost_counts[PMCTRACK_MAX_CORE_TYPES][PMCTRACK_MAX_SETS][PMCTRACK_MAX_COUNTERS];
};

/**
 * enum pmctrack_session_flags - how a session follows its threads
 * @PMCTRACK_SESSION_THREADS: follow threads that a monitored thread creates, too
 * @PMCTRACK_SESSION_CHILDREN: follow processes that a monitored thread creates, too
 * @PMCTRACK_SESSION_ON_EXEC: the target is a thread, and counting begins when
 *	it calls execve()
 * @PMCTRACK_SESSION_SYSTEM: the targets are all CPUs, whatever runs there, or the threads of a
 *	cgroup there; needs CAP_PERFMON. Only one such session can exist. While a thread of another
 *	session runs on a CPU, that thread has the counters.
 * @PMCTRACK_SESSION_USER_READ: the calling thread reads its counters itself, see struct
 *	pmctrack_user_read. The session has one event set, of 64-bit counters, and follows no other
 *	thread.
 * @PMCTRACK_SESSION_ATTACH: the targets are running processes, see
 *	PMCTRACK_IOC_ATTACH
 *
 * Without PMCTRACK_SESSION_ON_EXEC, PMCTRACK_SESSION_SYSTEM and PMCTRACK_SESSION_ATTACH, the target
 * is the calling thread. Its counting begins with PMCTRACK_IOC_START.
 */
enum pmctrack_session_flags {
	PMCTRACK_SESSION_THREADS	= 1 << 0,
	PMCTRACK_SESSION_CHILDREN	= 1 << 1,
	PMCTRACK_SESSION_ON_EXEC	= 1 << 2,
	PMCTRACK_SESSION_SYSTEM		= 1 << 3,
	PMCTRACK_SESSION_USER_READ	= 1 << 4,
	PMCTRACK_SESSION_ATTACH		= 1 << 5,
};

/*
 * Start and stop counting the calling thread, in a session that was created
 * for it. Stopping writes a record of kind PMCTRACK_RECORD_SELF.
 *
 * Errors: ESRCH: the session does not monitor the calling thread; EALREADY: the thread is started
 * (stopped) already; ESHUTDOWN: the kernel has ended the session.
 */
#define PMCTRACK_IOC_START	_IO('%', 0x70)
#define PMCTRACK_IOC_STOP	_IO('%', 0x71)

/*
 * End the monitoring of all threads or CPUs of a session that was attached to running processes or
 * is system-wide. Each thread or CPU that was being counted gets a last record, of kind
 * PMCTRACK_RECORD_DETACH.
 */
#define PMCTRACK_IOC_DETACH	_IO('%', 0x72)

/**
 * struct pmctrack_attach - a running process to monitor, and the result
 * @pid: the process, in the caller's PID namespace
 * @__reserved: 0
 * @threads: reply: number of its threads that this call attached
 * @left_out: reply: number of its threads that this call did not attach, because the process
 *	created them too fast, or has more than attach_max_threads in /proc/pmc/config
 * @message: reply: if the call fails, the reason, in one line for a person
 */
struct pmctrack_attach {
	__s32 pid;
	__u32 __reserved;
	__u32 threads;
	__u32 left_out;
	char message[PMCTRACK_MAX_MESSAGE];
};

/*
 * Monitor a running process with all its threads from now on, in a session with
 * PMCTRACK_SESSION_ATTACH. Threads that it creates are followed if the session's
 * flags say so.
 *
 * Errors: ESRCH: no such process; EACCES: the process belongs to somebody else; EBUSY: another
 * session monitors it; EINTR: a signal came; ESHUTDOWN: the session has ended; ENOMEM; EINVAL.
 * After an error, some of its threads may be attached: close the session.
 */
#define PMCTRACK_IOC_ATTACH	_IOWR('%', 0x73, struct pmctrack_attach)

/* Generic netlink: see Documentation/netlink/specs/pmctrack.yaml. */
#define PMCTRACK_FAMILY_NAME	"pmctrack"
#define PMCTRACK_FAMILY_VERSION	1

enum {
	PMCTRACK_A_INFO_ABI = 1,	/* u32: PMCTRACK_ABI_VERSION */
	PMCTRACK_A_INFO_VERSION,	/* string: version of the module */
	PMCTRACK_A_INFO_BACKEND,	/* string: name of the PMU backend */
	PMCTRACK_A_INFO_PMU,		/* nest PMCTRACK_A_PMU_*, one for each core type */
	PMCTRACK_A_INFO_TICK_NS,	/* u64: resolution of the sampling period */
	PMCTRACK_A_INFO_MMON,		/* nest PMCTRACK_A_MMON_*: the active monitoring module */

	__PMCTRACK_A_INFO_MAX,
	PMCTRACK_A_INFO_MAX = __PMCTRACK_A_INFO_MAX - 1,
};

enum {
	PMCTRACK_A_PMU_CORE_TYPE = 1,	/* u32 */
	PMCTRACK_A_PMU_NAME,		/* string: the backend's name of the model */
	PMCTRACK_A_PMU_CPUS,		/* string: list of its CPUs, "0-3,6" */
	PMCTRACK_A_PMU_COUNTERS,	/* u32: mask of usable counters */
	PMCTRACK_A_PMU_FIXED,		/* u32: mask of the counters that count one event only */
	PMCTRACK_A_PMU_WIDTH,		/* u32: bits of a general counter */
	PMCTRACK_A_PMU_EVENTS,		/* binary: bitmap of event codes, empty: not known */
	PMCTRACK_A_PMU_MODEL,		/* string: identifies the CPU to user space */

	__PMCTRACK_A_PMU_MAX,
	PMCTRACK_A_PMU_MAX = __PMCTRACK_A_PMU_MAX - 1,
};

enum {
	PMCTRACK_A_MMON_NAME = 1,	/* string */
	PMCTRACK_A_MMON_SET,		/* string, several: its event sets, raw */
	PMCTRACK_A_MMON_VIRT,		/* nest PMCTRACK_A_VIRT_*: one for each virtual counter */

	__PMCTRACK_A_MMON_MAX,
	PMCTRACK_A_MMON_MAX = __PMCTRACK_A_MMON_MAX - 1,
};

enum {
	PMCTRACK_A_VIRT_NAME = 1,	/* string */
	PMCTRACK_A_VIRT_UNIT,		/* string, may be empty */
	PMCTRACK_A_VIRT_DESCRIPTION,	/* string */
	PMCTRACK_A_VIRT_GAUGE,		/* flag: a state; otherwise values can be summed up */

	__PMCTRACK_A_VIRT_MAX,
	PMCTRACK_A_VIRT_MAX = __PMCTRACK_A_VIRT_MAX - 1,
};

enum {
	PMCTRACK_A_SESSION_SET = 1,	/* string, several: raw configuration of an event set */
	PMCTRACK_A_SESSION_PERIOD_NS,	/* u64: sampling period, 0: none */
	PMCTRACK_A_SESSION_RING_SIZE,	/* u32: bytes of each ring, a power of two; also reply */
	PMCTRACK_A_SESSION_FLAGS,	/* u32: enum pmctrack_session_flags */
	PMCTRACK_A_SESSION_PID,		/* u32: target of PMCTRACK_SESSION_ON_EXEC */
	PMCTRACK_A_SESSION_FD,		/* u32, reply: the session */
	PMCTRACK_A_SESSION_CGROUP,	/* u32: descriptor of a cgroup's directory (version 2) */
	PMCTRACK_A_SESSION_MMON,	/* string: module of VIRT; of the sets, too, if no SET */
	PMCTRACK_A_SESSION_VIRT,	/* u32: mask of its virtual counters */
	PMCTRACK_A_SESSION_RING_DEFAULT, /* u32, reply: RING_SIZE with enough memory */

	__PMCTRACK_A_SESSION_MAX,
	PMCTRACK_A_SESSION_MAX = __PMCTRACK_A_SESSION_MAX - 1,
};

enum {
	PMCTRACK_CMD_INFO_GET = 1,
	PMCTRACK_CMD_SESSION_NEW,

	__PMCTRACK_CMD_MAX,
	PMCTRACK_CMD_MAX = __PMCTRACK_CMD_MAX - 1,
};

#endif /* _UAPI_LINUX_PMCTRACK_H */
