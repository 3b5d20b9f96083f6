/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libpmctrack: performance counters per thread through the PMCTrack module.
 *
 * Names are pmctrack_<object>__<verb>. If a function that returns int fails, it
 * returns a negative errno. If a function that returns a pointer fails, it returns
 * NULL and sets errno. In both cases, pmctrack_error() gives the reason in one line.
 * The library never prints and never exits. Objects have no locks: use each object
 * from one thread at a time. Different objects are independent.
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
/** The threads or CPUs that are monitored together, and their records. */
struct pmctrack_session;

/**
 * pmctrack_error() - the reason of the last failed call in this thread
 *
 * Return: one line without newline that says what failed, and what to do about it.
 * The string is valid until this thread's next call of the library.
 */
const char *pmctrack_error(void);

/* --- control ----------------------------------------------------------- */

/**
 * pmctrack_ctl__open() - connect to the kernel module
 *
 * Errors: ENOENT: the module is not loaded, or a file with names of events is missing; EINVAL: such
 * a file is broken; EPROTO: the module has another version of the interface; EPROTONOSUPPORT,
 * ENOTSUP, EIO: its answers make no sense; ENOMEM.
 */
struct pmctrack_ctl *pmctrack_ctl__open(void);
/** pmctrack_ctl__close() - free a connection; NULL is allowed. Its sessions stay open. */
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
 * @sz: set to sizeof() by the caller; members beyond @sz bytes are not written
 * @name: name of the PMU
 * @model: identification of the CPU, for example "midr=0x410fd0c0"
 * @cpus: list of the CPUs with this PMU, for example "0-3,6"
 * @table: the libpfm4 table that event names come from; NULL: none
 * @counters: mask of usable counters
 * @fixed: mask of the counters that can count only one event
 * @width: width of a general counter in bits
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
 * @alias_of: if @name is a portable name, the PMU's own name of the event; else NULL
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
 * @fn: called for each event; a return value other than 0 ends the listing. The
 *	strings in @info are valid only during the call.
 * @arg: passed to @fn
 *
 * Return: 0, the value other than 0 that @fn returned, or -EINVAL: no such PMU.
 */
int pmctrack_ctl__each_event(const struct pmctrack_ctl *ctl, unsigned int pmu,
			     int (*fn)(const struct pmctrack_event_info *info, void *arg),
			     void *arg);

/* --- the monitoring module ---------------------------------------------- */

/** pmctrack_ctl__mmon() - the monitoring module that was active when @ctl was opened; or NULL */
const char *pmctrack_ctl__mmon(const struct pmctrack_ctl *ctl);
/** pmctrack_ctl__nr_virts() - number of that module's virtual counters */
unsigned int pmctrack_ctl__nr_virts(const struct pmctrack_ctl *ctl);

/**
 * struct pmctrack_virt_info - a virtual counter
 * @sz: set to sizeof() by the caller
 * @name: name of the counter
 * @unit: unit of its values; may be empty
 * @desc: description
 * @gauge: not 0: a value is the state at the end of its interval. 0: a value is the
 *	increase during its interval, so values of intervals can be added up.
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
 * pmctrack_ctl__parse_virts() - find virtual counters by name
 * @ctl: connection
 * @names: comma-separated list of names; "virtN" is virtual counter N, from 0
 * @mask: result, for the member virts of struct pmctrack_session_opts
 *
 * Errors: ENOENT: no monitoring module is active, or the module has no virtual
 * counter of that name; ENOMEM.
 */
int pmctrack_ctl__parse_virts(const struct pmctrack_ctl *ctl, const char *names, uint32_t *mask);

/* --- event sets -------------------------------------------------------- */

/** Number of events between two samples if the flag "ebs" has no number. */
#define PMCTRACK_EBS_DEFAULT	500000000

/**
 * pmctrack_evset__parse() - make an event set from mnemonics
 * @ctl: connection. If it is NULL, because the call that should have returned it
 *	failed, this call fails with the same error.
 * @pmu: index of the PMU that the set is for
 * @events: comma-separated list of NAME[:FLAGS] or 0xCODE[:FLAGS]. Names are
 *	those of pmctrack_ctl__each_event(); upper and lower case are the same.
 *	Flags are "u" (user mode, the default), "k" (kernel mode), "uk" (both),
 *	"ebs=N" (take a sample every N events; at most one event of a set can have
 *	this flag), "ebs" (the same with N = PMCTRACK_EBS_DEFAULT).
 *
 * Errors: EINVAL: @events does not follow this syntax, or there is no such event;
 * EOPNOTSUPP: the PMU does not have the event; ENOSPC: more events than counters;
 * E2BIG: the set's description is too long for the kernel; ENOMEM.
 */
struct pmctrack_evset *pmctrack_evset__parse(const struct pmctrack_ctl *ctl,
					     unsigned int pmu, const char *events);
/**
 * pmctrack_evset__parse_raw() - make an event set from a raw string
 * @ctl: connection
 * @raw: for example "pmc0,pmc1=0x8,os1". The kernel checks the string when a session
 *	is opened. "ebsN" without "=" and a number means "ebsN=" PMCTRACK_EBS_DEFAULT.
 *
 * Errors: EINVAL: @raw uses no counter; E2BIG: longer than PMCTRACK_MAX_RAW - 1 bytes;
 * ENOMEM.
 */
struct pmctrack_evset *pmctrack_evset__parse_raw(const struct pmctrack_ctl *ctl, const char *raw);
/** enum pmctrack_evset_flags - @PMCTRACK_EVSET_STRICT: one set for each core type, or fail */
enum pmctrack_evset_flags {
	PMCTRACK_EVSET_STRICT = 1 << 0,
};

/**
 * pmctrack_evset__parse_list() - make as many event sets from mnemonics as are needed
 * @ctl: connection; NULL: as for pmctrack_evset__parse()
 * @events: as for pmctrack_evset__parse(). An item "coretype=N" restricts the events
 *	to PMU N; otherwise sets are made for each PMU.
 * @flags: enum pmctrack_evset_flags
 * @sets: result; the caller frees each set
 * @max: number of elements of @sets
 *
 * If a set has no counter left for an event, the event goes into a further set, in order.
 * Return: the number of sets, or a negative errno: the errors of
 * pmctrack_evset__parse(); E2BIG: more than @max sets.
 */
int pmctrack_evset__parse_list(const struct pmctrack_ctl *ctl, const char *events, uint32_t flags,
			       struct pmctrack_evset **sets, unsigned int max);
/**
 * pmctrack_evset__parse_mmon() - get the event sets of the monitoring module
 * @ctl: connection
 * @sets: result; the caller frees each set
 * @max: number of elements of @sets
 *
 * A session that is opened with virtual counters but without sets counts these sets.
 * Return: the number of sets, or -ENOENT: there are none.
 */
int pmctrack_evset__parse_mmon(const struct pmctrack_ctl *ctl, struct pmctrack_evset **sets,
			       unsigned int max);
/** pmctrack_evset__core_type() - index of the PMU that the set is for; -1: any PMU */
int pmctrack_evset__core_type(const struct pmctrack_evset *set);
/**
 * pmctrack_evset__of_record() - find the set that a record's counts belong to
 * @sets: the sets that the session was opened with, in the same order
 * @nr: number of @sets
 * @rec: the record
 *
 * Return: the index of the set in @sets. -ENOENT: the record is of a CPU whose core
 * type has no set, so it has no counts.
 */
int pmctrack_evset__of_record(struct pmctrack_evset *const *sets, unsigned int nr,
			      const struct pmctrack_record *rec);
/** pmctrack_evset__free() - free a set; NULL is allowed */
void pmctrack_evset__free(struct pmctrack_evset *set);
/** pmctrack_evset__raw() - the set as a raw string; the set owns the string */
const char *pmctrack_evset__raw(const struct pmctrack_evset *set);
/** pmctrack_evset__nr() - number of events of the set, and of counts in its records */
unsigned int pmctrack_evset__nr(const struct pmctrack_evset *set);
/** pmctrack_evset__counter() - the counter that count @i of a record comes from */
unsigned int pmctrack_evset__counter(const struct pmctrack_evset *set, unsigned int i);
/**
 * pmctrack_evset__name() - name of the event of count @i of a record
 *
 * No two events of a set have the same name. The name is the event as the user wrote
 * it, followed by its mode if the mode is not "u": "instr", "instr:k", "0x8:uk". If
 * the set was made from a raw string, the name is the event's code ("pmcN" if it has
 * none), the fields of the event select register, and the mode: "0xc4:umask=0x41:k".
 * If events of the set still have the same name, "@pmcN" with the counter is added:
 * "instr@pmc1".
 */
const char *pmctrack_evset__name(const struct pmctrack_evset *set, unsigned int i);
/**
 * pmctrack_evset__find() - find the index of an event's count
 * @set: event set
 * @event: name of the event; upper and lower case are the same. The mode ":u" and
 *	"@pmcN" can be left out: then the first event of that name is found.
 *
 * Return: the index i for which rec->counts[i] is the event's count in a record of
 * the set, or -ENOENT: the set does not have the event.
 */
int pmctrack_evset__find(const struct pmctrack_evset *set, const char *event);

/* --- sessions ---------------------------------------------------------- */

/**
 * struct pmctrack_session_opts - how to monitor; all members may be 0
 * @sz: set to sizeof() by the caller
 * @flags: enum pmctrack_session_flags
 * @pid: with PMCTRACK_SESSION_ON_EXEC, the thread that is going to execute a
 *	program; otherwise 0
 * @period_ns: sampling period in nanoseconds, rounded up to a multiple of the tick;
 *	0: none
 * @ring_size: size of the kernel's buffer in bytes, a power of two; 0: the system's
 *	default, or less if memory is short. Each CPU has a buffer of this size, unless
 *	the session follows only one thread.
 * @processes: running processes that are monitored with all their threads from now on.
 *	Without @processes and @pid, the session monitors the calling thread, which
 *	starts and stops counting itself.
 * @nr_processes: number of @processes
 * @cgroup: with PMCTRACK_SESSION_SYSTEM, directory of a control group (version 2):
 *	only the threads of this group are counted
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
 * @ctl: connection; may be closed while the session is open. If @ctl or one of @sets
 *	is NULL, because the call that should have returned it failed, this call fails
 *	with the same error.
 * @sets: event sets. Several sets of one core type take turns: each is counted for one
 *	sampling period. If the sets sample by events (either all sets do, or none),
 *	each is counted for one sample.
 * @nr_sets: number of @sets. 0 with virtual counters: the monitoring module's sets.
 * @opts: NULL: monitor the calling thread without sampling
 *
 * Errors: EBUSY: perf or another session uses the counters, the thread or the CPUs;
 * EACCES: the target is not the caller's, or the administrator does not allow the
 * session; ESRCH: no such thread; EINVAL, EOPNOTSUPP: the PMU cannot count this;
 * ENOENT: another monitoring module is active by now; EINTR: a signal came while
 * processes with many threads were being attached; ENOMEM: no memory, or the limit of
 * locked memory is reached.
 */
struct pmctrack_session *pmctrack_session__open(const struct pmctrack_ctl *ctl,
						struct pmctrack_evset *const *sets,
						unsigned int nr_sets,
						const struct pmctrack_session_opts *opts);
/** pmctrack_session__close() - end monitoring, and free the session; NULL is allowed */
void pmctrack_session__close(struct pmctrack_session *s);
/** pmctrack_session__fd() - descriptor to poll for records; the session owns it */
int pmctrack_session__fd(const struct pmctrack_session *s);
/** pmctrack_session__period_ns() - the sampling period in use, in nanoseconds; 0: none */
uint64_t pmctrack_session__period_ns(const struct pmctrack_session *s);

/**
 * pmctrack_session__start() - begin to count the calling thread
 *
 * Makes one system call. Errors: ESRCH: the session is for another thread;
 * EALREADY: the thread is counted already; ESHUTDOWN: an administrator ended the session.
 */
int pmctrack_session__start(struct pmctrack_session *s);
/**
 * pmctrack_session__stop() - end counting the calling thread
 *
 * Makes one system call. It writes a record of kind PMCTRACK_RECORD_SELF with what was
 * counted since the start. Errors: ESRCH, ESHUTDOWN: as for pmctrack_session__start();
 * EALREADY: the thread is stopped already.
 */
int pmctrack_session__stop(struct pmctrack_session *s);

/**
 * pmctrack_session__attach() - monitor one more running process, with all its threads
 * @s: session that was opened with processes, or with PMCTRACK_SESSION_ATTACH, in its options
 * @pid: the process
 *
 * Errors: those of pmctrack_session__open() for a process; ENOTTY: the session does not monitor
 * running processes. After an error, some threads of the process may be monitored.
 */
int pmctrack_session__attach(struct pmctrack_session *s, pid_t pid);

/**
 * pmctrack_session__detach() - end the monitoring of running processes or CPUs
 *
 * A last record of kind PMCTRACK_RECORD_DETACH is written for each thread that is still
 * being counted, or for each CPU. Afterwards, pmctrack_session__next() still returns
 * these records and all others that were not taken. Errors: ENOTTY: the session monitors
 * neither running processes nor CPUs.
 */
int pmctrack_session__detach(struct pmctrack_session *s);

/**
 * pmctrack_session__next() - take the next record
 * @s: session
 * @rec: result: a record in the mapped ring, valid until the next call for this session
 *
 * Makes no system call.
 * Return: 1, or 0 if there is no record at present.
 * Errors: ESRCH: the caller is a child that was forked after the session was opened. The
 * child cannot read records, and pmctrack_session__stats() finds zeros there. The child
 * can only close the session.
 */
int pmctrack_session__next(struct pmctrack_session *s, const struct pmctrack_record **rec);
/**
 * pmctrack_record__count() - get the count of an event
 * @rec: record
 * @set: the event set of the record, see pmctrack_evset__of_record()
 * @event: name of the event, as for pmctrack_evset__find()
 * @value: result
 *
 * The order of rec->counts depends on the machine; the names do not.
 * Return: 0, -ENOENT if the set does not have the event, or -ENODATA if the
 * record has no counts. @value is not changed if the call fails.
 */
int pmctrack_record__count(const struct pmctrack_record *rec, const struct pmctrack_evset *set,
			   const char *event, uint64_t *value);
/**
 * pmctrack_record__virt() - get the value of a virtual counter
 * @rec: record
 * @virt: index of the virtual counter
 * @value: result
 *
 * Return: 0, or -ENODATA if the counter has no value in this interval.
 */
int pmctrack_record__virt(const struct pmctrack_record *rec, unsigned int virt, uint64_t *value);
/**
 * pmctrack_session__wait() - wait for records
 * @s: session
 * @timeout_ms: timeout in milliseconds; negative: no timeout
 *
 * Return: 1: there are records; 0: timeout; -ENODATA: no thread is monitored any more,
 * and all records were taken; -ESHUTDOWN: the same, because an administrator ended
 * the session; -EINTR: a signal came.
 */
int pmctrack_session__wait(struct pmctrack_session *s, int timeout_ms);

/**
 * pmctrack_session__count() - read a counter of the calling thread
 * @s: session with PMCTRACK_SESSION_USER_READ, opened by the calling thread
 * @counter: counter, see pmctrack_evset__counter()
 * @value: result: the events since the session was opened, during the times in which
 *	the thread was started
 *
 * Makes no system call. Errors: EOPNOTSUPP: the session was opened without the flag, or
 * counters cannot be read in user mode on this architecture; ESRCH: another thread
 * opened the session; EINVAL: the session's set does not use this counter.
 */
int pmctrack_session__count(const struct pmctrack_session *s, unsigned int counter,
			    uint64_t *value);

/**
 * struct pmctrack_session_stats - health of a session
 * @sz: set to sizeof() by the caller
 * @threads: threads that are monitored now
 * @skipped_threads: threads that are not monitored because memory was short
 * @lost: last records of threads that did not fit into the ring
 * @left_out_threads: threads of running processes that are not monitored, because the
 *	process created them faster than they could be attached, or has more than
 *	attach_max_threads
 * @revoked: 1 if an administrator ended the session, else 0
 * @ring_size: size of the kernel's buffer in bytes; of each CPU's if there are several
 * @ring_wanted: the size in bytes if memory were not short (ulimit -l)
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

/** pmctrack_session__stats() - read the statistics of a session; makes no system call */
void pmctrack_session__stats(const struct pmctrack_session *s, struct pmctrack_session_stats *stats);
/** pmctrack_session__lost_count_of() - events in lost records, of one core type, set, counter */
uint64_t pmctrack_session__lost_count_of(const struct pmctrack_session *s, unsigned int core_type,
					 unsigned int set, unsigned int counter);
/** pmctrack_session__lost_count() - the same, summed over all core types */
uint64_t pmctrack_session__lost_count(const struct pmctrack_session *s, unsigned int set,
				      unsigned int counter);

/* --- named regions ------------------------------------------------------ */

/**
 * Counts of named regions of code, for each thread that enters a region. Regions are
 * nested in the order in which a thread enters them. Any thread may use a profile. While
 * a thread uses one, no other session may monitor the thread.
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
 * @ctl: connection; must stay open as long as the profile
 * @set: events to count in the threads that enter regions, in user mode; copied
 *
 * Counters are read without system calls if that is possible. Otherwise, each region
 * makes a few system calls, during which nothing is counted.
 */
struct pmctrack_profile *pmctrack_profile__open(const struct pmctrack_ctl *ctl,
						const struct pmctrack_evset *set);
/** pmctrack_profile__close() - free a profile. No thread may be in a region; NULL is allowed */
void pmctrack_profile__close(struct pmctrack_profile *p);
/**
 * pmctrack_profile__begin() - the calling thread enters a region
 * @p: profile
 * @name: name of the region; copied when the region is entered for the first time
 *
 * Errors: for a thread's first region, those of pmctrack_session__open().
 */
int pmctrack_profile__begin(struct pmctrack_profile *p, const char *name);
/**
 * pmctrack_profile__end() - the calling thread leaves a region
 * @p: profile
 * @name: name of the region that the thread entered last
 *
 * Errors: EINVAL: the thread is not in this region. The profile is not changed.
 */
int pmctrack_profile__end(struct pmctrack_profile *p, const char *name);

/**
 * struct pmctrack_region_info - what one thread has counted in a region
 * @path: names of the nested regions, the outermost first, separated by '/'
 * @tid: thread
 * @calls: how often the thread entered and left the region
 * @counts: events in the region, by ascending counter of the set
 * @own_counts: the same, without the events in its inner regions
 * @nr_counts: number of elements of @counts, and of @own_counts
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
 * pmctrack_profile__each() - list what was counted
 * @p: profile. If a thread is in a region, its present call is not in the counts. No thread may
 *	begin or end regions meanwhile.
 * @fn: called for each region of each thread, for outer regions before inner ones.
 *	A return value other than 0 ends the listing. What @info points to is valid
 *	only during the call.
 * @arg: passed to @fn
 *
 * Return: 0, the value other than 0 that @fn returned, or -ENOMEM.
 */
int pmctrack_profile__each(struct pmctrack_profile *p,
			   int (*fn)(const struct pmctrack_region_info *info, void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif /* PMCTRACK_LIBPMCTRACK_H */
