/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libpmctrack: performance counters per thread through the PMCTrack module.
 *
 * Names are pmctrack_<object>__<verb>. Functions that return int return a
 * negative errno on failure; those that return a pointer return NULL and set
 * errno. After either, pmctrack_error() explains in one line. The library
 * never prints and never exits. Objects are not locked: use each from one
 * thread at a time; different objects are independent.
 *
 *	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
 *	struct pmctrack_evset *set = pmctrack_evset__parse(ctl, 0, "instr,cycles");
 *	struct pmctrack_session *s = pmctrack_session__open(ctl, &set, 1, NULL);
 *	const struct pmctrack_record *rec;
 *	uint64_t instr, cycles;
 *
 *	pmctrack_session__start(s);
 *	work();
 *	pmctrack_session__stop(s);
 *	while (pmctrack_session__next(s, &rec) > 0) {
 *		pmctrack_record__count(rec, set, "instr", &instr);
 *		pmctrack_record__count(rec, set, "cycles", &cycles);
 *		use(instr, cycles);
 *	}
 */
#ifndef PMCTRACK_LIBPMCTRACK_H
#define PMCTRACK_LIBPMCTRACK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/pmctrack.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Connection to the kernel module, with the event tables of this machine. */
struct pmctrack_ctl;
/** A set of events, each on a hardware counter. */
struct pmctrack_evset;
/** Threads being monitored, and their records. */
struct pmctrack_session;

/**
 * pmctrack_error() - why the last failed call in this thread failed
 *
 * Return: one line without newline that names the thing and the remedy.
 * Valid until the thread's next call of the library.
 */
const char *pmctrack_error(void);

/* --- control ----------------------------------------------------------- */

/**
 * pmctrack_ctl__open() - connect to the module
 *
 * Errors: ENOENT: the module is not loaded; EPROTO: it speaks another
 * version; ENOMEM.
 */
struct pmctrack_ctl *pmctrack_ctl__open(void);
/** pmctrack_ctl__close() - free it; NULL is fine. Sessions live on. */
void pmctrack_ctl__close(struct pmctrack_ctl *ctl);
/** pmctrack_ctl__version() - version of the kernel module */
const char *pmctrack_ctl__version(const struct pmctrack_ctl *ctl);
/** pmctrack_ctl__backend() - name of the module's PMU backend */
const char *pmctrack_ctl__backend(const struct pmctrack_ctl *ctl);
/** pmctrack_ctl__tick_ns() - resolution of sampling periods in nanoseconds */
uint64_t pmctrack_ctl__tick_ns(const struct pmctrack_ctl *ctl);
/** pmctrack_ctl__nr_pmus() - number of PMUs; there is one for each core type */
unsigned int pmctrack_ctl__nr_pmus(const struct pmctrack_ctl *ctl);

/**
 * struct pmctrack_pmu_info - what a PMU can do
 * @sz: set to sizeof() by the caller; fields beyond are left alone
 * @name: of the PMU
 * @model: identification of the CPU, for example "midr=0x410fd0c0"
 * @cpus: list of its CPUs, for example "0-3,6"
 * @table: where event names come from: a libpfm4 table
 * @counters: mask of usable counters
 * @fixed: mask of those that count one event only
 * @width: bits of a general counter
 */
struct pmctrack_pmu_info {
	size_t sz;
	const char *name;
	const char *model;
	const char *cpus;
	const char *table;
	uint32_t counters;
	uint32_t fixed;
	uint32_t width;
};

/**
 * pmctrack_ctl__pmu_info() - describe a PMU
 * @ctl: connection, which owns the strings
 * @pmu: index below pmctrack_ctl__nr_pmus()
 * @info: result
 *
 * Errors: EINVAL: no such PMU.
 */
int pmctrack_ctl__pmu_info(const struct pmctrack_ctl *ctl, unsigned int pmu,
			   struct pmctrack_pmu_info *info);

/**
 * struct pmctrack_event_info - an event of a PMU
 * @name: mnemonic
 * @alias_of: for portable names, the event of the PMU; else NULL
 * @desc: description; empty if there is none
 * @code: event code
 */
struct pmctrack_event_info {
	const char *name;
	const char *alias_of;
	const char *desc;
	uint64_t code;
};

/**
 * pmctrack_ctl__each_event() - list the events that a PMU implements
 * @ctl: connection
 * @pmu: index below pmctrack_ctl__nr_pmus()
 * @fn: called for each event; a value other than 0 ends the listing. The
 *	strings are valid during the call.
 * @arg: passed on
 *
 * Return: 0, the value of @fn that ended it, or -EINVAL.
 */
int pmctrack_ctl__each_event(const struct pmctrack_ctl *ctl, unsigned int pmu,
			     int (*fn)(const struct pmctrack_event_info *info, void *arg),
			     void *arg);

/* --- the monitoring module ---------------------------------------------- */

/** pmctrack_ctl__mmon() - the monitoring module that was active; NULL: none */
const char *pmctrack_ctl__mmon(const struct pmctrack_ctl *ctl);
/** pmctrack_ctl__nr_virts() - number of its virtual counters */
unsigned int pmctrack_ctl__nr_virts(const struct pmctrack_ctl *ctl);

/**
 * struct pmctrack_virt_info - a virtual counter
 * @sz: set to sizeof() by the caller
 * @name: of the counter
 * @unit: of its values; may be empty
 * @desc: description
 * @gauge: not 0: a value is a state at the end of its interval; otherwise what
 *	was added in it, so that values can be summed up
 */
struct pmctrack_virt_info {
	size_t sz;
	const char *name;
	const char *unit;
	const char *desc;
	int gauge;
};

/**
 * pmctrack_ctl__virt_info() - describe a virtual counter
 * @ctl: connection, which owns the strings
 * @virt: index below pmctrack_ctl__nr_virts()
 * @info: result
 *
 * Errors: EINVAL: no such virtual counter.
 */
int pmctrack_ctl__virt_info(const struct pmctrack_ctl *ctl, unsigned int virt,
			    struct pmctrack_virt_info *info);
/**
 * pmctrack_ctl__parse_virts() - virtual counters by name
 * @ctl: connection
 * @names: comma-separated list of names, or "virtN" for the N-th
 * @mask: result, for struct pmctrack_session_opts
 *
 * Errors: ENOENT: no monitoring module is active, or it has no such one.
 */
int pmctrack_ctl__parse_virts(const struct pmctrack_ctl *ctl, const char *names, uint32_t *mask);

/* --- event sets -------------------------------------------------------- */

/** Events between two samples, for an event that has the flag "ebs" without a number. */
#define PMCTRACK_EBS_DEFAULT	500000000

/**
 * pmctrack_evset__parse() - event set from mnemonics
 * @ctl: connection; NULL: a failed one, whose error stays
 * @pmu: for which PMU
 * @events: comma-separated list of NAME[:FLAGS] or 0xCODE[:FLAGS]. Names are
 *	those of pmctrack_ctl__each_event(), in any case; flags are "u" (user
 *	mode, the default), "k" (kernel mode), "uk" (both), "ebs=N" (a sample
 *	each N events; one event of a set can have it), "ebs" (the same with
 *	PMCTRACK_EBS_DEFAULT).
 *
 * Errors: EINVAL: not of the grammar, or no such event; EOPNOTSUPP: the PMU
 * lacks it; ENOSPC: more events than counters.
 */
struct pmctrack_evset *pmctrack_evset__parse(const struct pmctrack_ctl *ctl,
					     unsigned int pmu, const char *events);
/**
 * pmctrack_evset__parse_raw() - event set from a raw string
 * @ctl: connection
 * @raw: for example "pmc0,pmc1=0x8,os1"; the kernel checks it when a session
 *	is opened. "ebsN" without a number means PMCTRACK_EBS_DEFAULT.
 *
 * Errors: EINVAL: uses no counter; E2BIG: longer than PMCTRACK_MAX_RAW - 1 bytes;
 * ENOMEM.
 */
struct pmctrack_evset *pmctrack_evset__parse_raw(const struct pmctrack_ctl *ctl, const char *raw);
/** enum pmctrack_evset_flags - @PMCTRACK_EVSET_STRICT: one set a core type, or fail */
enum pmctrack_evset_flags {
	PMCTRACK_EVSET_STRICT = 1 << 0,
};

/**
 * pmctrack_evset__parse_list() - event sets from mnemonics, as many as it takes
 * @ctl: connection; NULL: a failed one, whose error stays
 * @events: as for pmctrack_evset__parse(). An item "coretype=N" restricts them
 *	to PMU N; otherwise there are sets for each PMU.
 * @flags: enum pmctrack_evset_flags
 * @sets: result; the caller frees each
 * @max: room in @sets
 *
 * Events for which a set has no counter left go into further sets, in order.
 * Return: the number of sets, or a negative errno: those of
 * pmctrack_evset__parse(), E2BIG: more than @max sets.
 */
int pmctrack_evset__parse_list(const struct pmctrack_ctl *ctl, const char *events, uint32_t flags,
			       struct pmctrack_evset **sets, unsigned int max);
/**
 * pmctrack_evset__parse_mmon() - the event sets of the monitoring module
 * @ctl: connection
 * @sets: result; the caller frees each
 * @max: room in @sets
 *
 * A session that is opened with virtual counters and no sets counts these.
 * Return: their number, or -ENOENT: there are none.
 */
int pmctrack_evset__parse_mmon(const struct pmctrack_ctl *ctl, struct pmctrack_evset **sets,
			       unsigned int max);
/** pmctrack_evset__core_type() - index of the PMU that it is for; -1: any */
int pmctrack_evset__core_type(const struct pmctrack_evset *set);
/**
 * pmctrack_evset__of_record() - the set that a record's counts belong to
 * @sets: those that the session was opened with, in that order
 * @nr: their number
 * @rec: the record
 *
 * Return: its index in @sets; -ENOENT for a CPU of a core type without a set,
 * whose records have no counts.
 */
int pmctrack_evset__of_record(struct pmctrack_evset *const *sets, unsigned int nr,
			      const struct pmctrack_record *rec);
/** pmctrack_evset__free() - free it; NULL is fine */
void pmctrack_evset__free(struct pmctrack_evset *set);
/** pmctrack_evset__raw() - the set as a raw string; owned by the set */
const char *pmctrack_evset__raw(const struct pmctrack_evset *set);
/** pmctrack_evset__nr() - number of events, which is that of counts in a record */
unsigned int pmctrack_evset__nr(const struct pmctrack_evset *set);
/** pmctrack_evset__counter() - counter of the @i-th count of a record */
unsigned int pmctrack_evset__counter(const struct pmctrack_evset *set, unsigned int i);
/**
 * pmctrack_evset__name() - name of the event of the @i-th count
 *
 * No two events of a set have the same name. It is the event as the user wrote
 * it, and its mode if that is not "u": "instr", "instr:k", "0x8:uk". An event of
 * a raw string is its code, or "pmcN" if it has none, followed by the fields of
 * the event select register and the mode: "0xc4:umask=0x41:k". If events of the
 * set still have the same name, "@pmcN" with the counter follows: "instr@pmc1".
 */
const char *pmctrack_evset__name(const struct pmctrack_evset *set, unsigned int i);
/**
 * pmctrack_evset__find() - the count of an event
 * @set: event set
 * @event: name of the event, in any case. The mode ":u" and "@pmcN" can be left
 *	out: then it is the first event of that name.
 *
 * Return: i, for which rec->counts[i] is the event's count in a record of the
 * set, or -ENOENT: the set does not have the event.
 */
int pmctrack_evset__find(const struct pmctrack_evset *set, const char *event);

/* --- sessions ---------------------------------------------------------- */

/**
 * struct pmctrack_session_opts - how to monitor; all zero is fine
 * @sz: set to sizeof() by the caller
 * @flags: enum pmctrack_session_flags
 * @pid: with PMCTRACK_SESSION_ON_EXEC, the thread that is going to execute a
 *	program; otherwise 0
 * @period_ns: sampling period, rounded up to a multiple of the tick; 0: none
 * @ring_size: bytes, a power of two; 0: the system's default, or less if memory is
 *	short. Each CPU has a buffer of this size, unless the session follows one thread.
 * @processes: running processes to be monitored with all their threads from
 *	now on. Without these and @pid, it is the calling thread, which starts
 *	and stops itself.
 * @nr_processes: their number
 * @cgroup: with PMCTRACK_SESSION_SYSTEM, directory of a control group (version
 *	2) whose threads are counted, instead of all
 * @virts: mask of virtual counters of the monitoring module
 */
struct pmctrack_session_opts {
	size_t sz;
	uint32_t flags;
	pid_t pid;
	uint64_t period_ns;
	uint32_t ring_size;
	const pid_t *processes;
	unsigned int nr_processes;
	const char *cgroup;
	uint32_t virts;
};

/**
 * pmctrack_session__open() - begin to monitor
 * @ctl: connection; may be closed while the session lives. NULL, here or in
 *	@sets: a call that failed, whose error stays
 * @sets: event sets. Several for a core type take turns, one a sampling
 *	period (or sample, if they sample by events: all of them, or none)
 * @nr_sets: their number; 0: those of the monitoring module, with virtual
 *	counters
 * @opts: NULL for the calling thread without sampling
 *
 * Errors: EBUSY: perf or another session has the counters, the thread or the
 * CPUs; EACCES: not yours, or the administrator does not allow it; ESRCH: no
 * such thread; EINVAL, EOPNOTSUPP: the PMU cannot do it; ENOENT: another
 * monitoring module is active by now; EINTR: a signal came while processes with
 * many threads were attached; ENOMEM: also locked memory.
 */
struct pmctrack_session *pmctrack_session__open(const struct pmctrack_ctl *ctl,
						struct pmctrack_evset *const *sets,
						unsigned int nr_sets,
						const struct pmctrack_session_opts *opts);
/** pmctrack_session__close() - end monitoring, free it; NULL is fine */
void pmctrack_session__close(struct pmctrack_session *s);
/** pmctrack_session__fd() - descriptor to poll for records; owned by the session */
int pmctrack_session__fd(const struct pmctrack_session *s);
/** pmctrack_session__period_ns() - the sampling period in force */
uint64_t pmctrack_session__period_ns(const struct pmctrack_session *s);

/**
 * pmctrack_session__start() - count the calling thread from here
 *
 * One system call. Errors: ESRCH: the session is another thread's;
 * EALREADY: started; ESHUTDOWN: an administrator ended the session.
 */
int pmctrack_session__start(struct pmctrack_session *s);
/**
 * pmctrack_session__stop() - count the calling thread up to here
 *
 * One system call; leaves a record of kind PMCTRACK_RECORD_SELF with what was
 * counted since the start. Errors: ESRCH; EALREADY: stopped; ESHUTDOWN.
 */
int pmctrack_session__stop(struct pmctrack_session *s);

/**
 * pmctrack_session__attach() - monitor one more running process, with all its threads
 * @s: session that was opened with @processes, or with PMCTRACK_SESSION_ATTACH in its flags
 * @pid: the process
 *
 * Errors: those of pmctrack_session__open() for a process; ENOTTY: the session is none of running
 * processes. After an error, part of its threads may be monitored.
 */
int pmctrack_session__attach(struct pmctrack_session *s, pid_t pid);

/**
 * pmctrack_session__detach() - end the monitoring of running processes or CPUs
 *
 * Each thread that is still being counted, or CPU, leaves a last record of kind
 * PMCTRACK_RECORD_DETACH; pmctrack_session__next() returns those, and all that
 * were not taken yet. Errors: ENOTTY: neither a session of running processes
 * nor of CPUs.
 */
int pmctrack_session__detach(struct pmctrack_session *s);

/**
 * pmctrack_session__next() - take the next record
 * @s: session
 * @rec: result, in the ring: valid until the next call for this session
 *
 * Makes no system call.
 * Return: 1, or 0 if there is none at present.
 * Errors: ESRCH: the session was opened before a fork(), by the parent. The child can
 * close it, and nothing else of its records is there: pmctrack_session__stats() finds
 * zeros.
 */
int pmctrack_session__next(struct pmctrack_session *s, const struct pmctrack_record **rec);
/**
 * pmctrack_record__count() - count of an event
 * @rec: record
 * @set: the event set that the record is of, see pmctrack_evset__of_record()
 * @event: name of the event, as for pmctrack_evset__find()
 * @value: result
 *
 * The order of rec->counts depends on the machine; the names do not.
 * Return: 0, -ENOENT if the set does not have the event, or -ENODATA if the
 * record has no counts; then @value is left alone.
 */
int pmctrack_record__count(const struct pmctrack_record *rec, const struct pmctrack_evset *set,
			   const char *event, uint64_t *value);
/**
 * pmctrack_record__virt() - value of a virtual counter
 * @rec: record
 * @virt: index of the virtual counter
 * @value: result
 *
 * Return: 0, or -ENODATA if it has no value in this interval.
 */
int pmctrack_record__virt(const struct pmctrack_record *rec, unsigned int virt, uint64_t *value);
/**
 * pmctrack_session__wait() - wait for records
 * @s: session
 * @timeout_ms: negative: for ever
 *
 * Return: 1 there are records, 0 timeout, -ENODATA no thread is monitored
 * any more and all records were taken, -ESHUTDOWN likewise, and it was an
 * administrator who ended the session, -EINTR.
 */
int pmctrack_session__wait(struct pmctrack_session *s, int timeout_ms);

/**
 * pmctrack_session__count() - read a counter of the calling thread
 * @s: session with PMCTRACK_SESSION_USER_READ, opened by the calling thread
 * @counter: counter, see pmctrack_evset__counter()
 * @value: result: events since the session was opened, while it was started
 *
 * Makes no system call. Errors: EOPNOTSUPP: not such a session, or this
 * architecture has no such reads; ESRCH: another thread's session; EINVAL: not
 * a counter of the session's set.
 */
int pmctrack_session__count(const struct pmctrack_session *s, unsigned int counter,
			    uint64_t *value);

/**
 * struct pmctrack_session_stats - health of a session
 * @sz: set to sizeof() by the caller
 * @threads: monitored now
 * @skipped_threads: not monitored for want of memory
 * @lost: last records of threads that did not fit into the ring
 * @left_out_threads: of running processes, not monitored: created by them faster
 *	than they could be attached, or more than attach_max_threads
 * @revoked: 1 if an administrator ended the session, else 0
 * @ring_size: bytes of the kernel's buffer, of each CPU's if there are several
 * @ring_wanted: bytes that it would have if memory were not short (ulimit -l)
 */
struct pmctrack_session_stats {
	size_t sz;
	uint32_t threads;
	uint32_t skipped_threads;
	uint64_t lost;
	uint32_t left_out_threads;
	uint32_t revoked;
	uint32_t ring_size;
	uint32_t ring_wanted;
};

/** pmctrack_session__stats() - read them; makes no system call */
void pmctrack_session__stats(const struct pmctrack_session *s, struct pmctrack_session_stats *stats);
/** pmctrack_session__lost_count_of() - events of lost records, by core type, set and counter */
uint64_t pmctrack_session__lost_count_of(const struct pmctrack_session *s, unsigned int core_type,
					 unsigned int set, unsigned int counter);
/** pmctrack_session__lost_count() - the same, of all core types together */
uint64_t pmctrack_session__lost_count(const struct pmctrack_session *s, unsigned int set,
				      unsigned int counter);

/* --- named regions ------------------------------------------------------ */

/**
 * Counts of named regions of code, nested as they are executed, for each thread
 * that enters one. Any thread may use a profile; a thread must not be monitored
 * by others meanwhile.
 *
 *	struct pmctrack_profile *p = pmctrack_profile__open(ctl, set);
 *
 *	pmctrack_profile__begin(p, "solve");
 *	solve();
 *	pmctrack_profile__end(p, "solve");
 */
struct pmctrack_profile;

/**
 * pmctrack_profile__open() - begin to collect regions
 * @ctl: connection; stays open as long as the profile
 * @set: events to count, in user mode of the calling threads; copied
 *
 * Counters are read without system calls where that is possible; otherwise a
 * region costs some, in which nothing is counted.
 */
struct pmctrack_profile *pmctrack_profile__open(const struct pmctrack_ctl *ctl,
						const struct pmctrack_evset *set);
/** pmctrack_profile__close() - free it; no thread is in a region any more. NULL is fine */
void pmctrack_profile__close(struct pmctrack_profile *p);
/**
 * pmctrack_profile__begin() - the calling thread enters a region
 * @p: profile
 * @name: of the region; copied when it is entered for the first time
 *
 * Errors: those of pmctrack_session__open(), for the thread's first region.
 */
int pmctrack_profile__begin(struct pmctrack_profile *p, const char *name);
/**
 * pmctrack_profile__end() - the calling thread leaves a region
 * @p: profile
 * @name: of the region that it entered last
 *
 * Errors: EINVAL: it is not in it; the profile is as before.
 */
int pmctrack_profile__end(struct pmctrack_profile *p, const char *name);

/**
 * struct pmctrack_region_info - what was counted in a region, by one thread
 * @path: names of the regions from the outermost on, separated by '/'
 * @tid: thread
 * @calls: times that it was entered and left
 * @counts: events in it, by ascending counter of the set
 * @own_counts: without those of regions in it
 * @nr_counts: their number
 */
struct pmctrack_region_info {
	const char *path;
	pid_t tid;
	uint64_t calls;
	const uint64_t *counts;
	const uint64_t *own_counts;
	unsigned int nr_counts;
};

/**
 * pmctrack_profile__each() - what was counted
 * @p: profile; its threads are in no region, or what they are in is not counted
 * @fn: called for each region of each thread, outer ones before those in them;
 *	a value other than 0 ends the listing. What @info points to is valid
 *	during the call.
 * @arg: passed on
 *
 * Return: 0, the value of @fn that ended it, or -ENOMEM.
 */
int pmctrack_profile__each(struct pmctrack_profile *p,
			   int (*fn)(const struct pmctrack_region_info *info, void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif /* PMCTRACK_LIBPMCTRACK_H */
