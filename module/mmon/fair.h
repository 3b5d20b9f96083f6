/* SPDX-License-Identifier: GPL-2.0-only */
/* Interfaces between the parts of the monitoring module "fair_progress". */
#ifndef _PMCT_FAIR_H
#define _PMCT_FAIR_H

#include <linux/atomic.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <pmctrack/mmon.h>

#include "program_record.h"

struct seq_file;

enum fair_event { FAIR_INSTR, FAIR_CYCLES, FAIR_LINES, FAIR_NR_EVENTS };

/**
 * struct fair_run - what a process did, in windows that ended
 * @windows: number of windows
 * @valid: hardly disturbed windows
 * @changes: changes of the phase
 * @foreseen: changes that were foreseen
 * @ns: time of the windows, and time without windows
 * @alone: time that @ns would have taken alone
 * @phase: the last phase, or PMCT_NO_PHASE
 * @known: the speed alone of @phase is known
 * @wanted: see struct pmct_progress
 */
struct fair_run {
	u32 windows;
	u32 valid;
	u32 changes;
	u32 foreseen;
	u64 ns;
	u64 alone;
	u8 phase;
	bool known;
	bool wanted;
};

/**
 * struct fair_program - a process whose phases are followed, or what is left of one
 * @owner: the process's tgid in the upper half, the number of its threads that use this in the
 *	lower half; 0: no owner, and what was learnt of the program waits for its next process
 * @content: the program, see struct pmct_program_id; 0: never used
 * @uid: the user of the process. What is learnt of one user's programs is not given to other users
 * @released: jiffies of the last release
 * @lock: protects @program, @given and @run
 * @program: what was learnt
 * @given: how often @program was replaced; phases have other numbers afterwards
 * @run: the run of the present process
 * @rate: lines per ms of the process; this and the following are the traffic timer's
 * @intensive: number of CPUs on which the process moves many lines
 * @cache: a CPU that stands for the cache that the process uses
 * @caches: the process uses more than one cache
 */
struct fair_program {
	atomic64_t owner;
	u64 content;
	kuid_t uid;
	unsigned long released;
	raw_spinlock_t lock;
	struct pmct_program program;
	u32 given;
	struct fair_run run;
	u64 rate;
	unsigned int intensive;
	int cache;
	bool caches;
};

/**
 * struct fair_vector - a place for the addresses of a thread's open window
 * @uid: user of the thread
 * @taken: the place is in use
 * @v: addresses
 * @unsure: see struct pmct_window
 */
struct fair_vector {
	kuid_t uid;
	atomic_t taken;
	struct pmct_phase_vector v;
	struct pmct_unsure unsure[PMCTRACK_MAX_CORE_TYPES][PMCT_PHASES];
};

/**
 * struct fair_thread - what the module keeps of a thread
 * @w: the open window
 * @p: all closed windows
 * @taken: counts of the open interval that are in @w already
 * @taken_ns: time of the open interval that is in @w already
 * @looked_ns: pmct_window::ns at the last look at others
 * @left_ns: when the thread left its CPU
 * @told: the part of @p that fair_program::run contains
 * @shown: progress that schedulers have seen. It never decreases: if it was too large, it stands
 *	still until progress reaches it
 * @text: address of the program's code
 * @text_size: size of the program's code
 * @program: program of the thread's process; NULL: none yet
 * @vector: the place for addresses, if the thread has a program
 * @given: fair_program::given, as of the last window
 * @tries: ticks until the thread tries to get a program
 * @traffic: lines that the thread moves, in thousandths of the peak
 * @noisy: others moved many lines at the last look
 * @cpu: where the thread ran last
 */
struct fair_thread {
	struct pmct_window w;
	struct pmct_progress p;
	u64 taken[FAIR_NR_EVENTS];
	u64 taken_ns;
	u64 looked_ns;
	u64 left_ns;
	struct {
		u64 ns;
		u64 alone;
	} told;
	u64 shown;
	u64 text;
	u64 text_size;
	struct fair_program *program;
	struct fair_vector *vector;
	u32 given;
	unsigned int tries;
	u32 traffic;
	bool noisy;
	int cpu;
};

/* Processes and threads: fair_programs.c */
int pmct_fair_programs_start(void);
void pmct_fair_programs_stop(void);
struct fair_program *pmct_fair_program_at(unsigned int place);
struct fair_program *pmct_fair_program_join(u64 content, pid_t tgid);
pid_t pmct_fair_program_process(const struct fair_program *program, u32 *threads);
struct fair_program *pmct_fair_program_get(const struct pmct_program_id *id);
void pmct_fair_program_put(struct fair_program *program);
struct fair_vector *pmct_fair_vector_get(void);
void pmct_fair_vector_put(struct fair_vector *vector);
void pmct_fair_programs_show(struct seq_file *m);

/* What tools may read and write: fair_file.c */
int pmct_fair_file_start(unsigned int address_instr);
void pmct_fair_file_stop(void);

/* Traffic of all processes from and to memory: fair_traffic.c */
extern struct pmct_traffic pmct_fair_traffic;
int pmct_fair_traffic_start(void);
void pmct_fair_traffic_stop(void);
void pmct_fair_traffic_enter(const struct pmct_ctx *ctx, struct fair_program *program);
void pmct_fair_traffic_leave(void);
bool pmct_fair_traffic_is_here(const struct pmct_ctx *ctx);
void pmct_fair_traffic_forget(const struct pmct_ctx *ctx, int cpu);
void pmct_fair_traffic_moved(u64 lines);
bool pmct_fair_traffic_look(struct pmct_window *w, u64 ns);
void pmct_fair_traffic_show(struct seq_file *m);

/* Idle CPUs: fair_idle.c */
void pmct_fair_idle_start(void);
void pmct_fair_idle_stop(void);
u64 pmct_fair_idle_ns(unsigned int cpu, u64 ns);
void pmct_fair_idle_doubt(unsigned int cpu);

#endif /* _PMCT_FAIR_H */
