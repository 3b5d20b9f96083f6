/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the monitoring module "fair_progress" know of each other. */
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
 * @windows: so many
 * @valid: hardly disturbed ones
 * @changes: of the phase
 * @foreseen: of these, foreseen ones
 * @ns: their time, and that without windows
 * @alone: what that would have taken alone
 * @phase: the last one, or PMCT_NO_PHASE
 * @known: its speed alone is known
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
 *	lower one; 0: nobody's, and what was learnt of the program waits for its next process
 * @content: of the program, see struct pmct_program_id; 0: never used
 * @uid: whose process it was. What one user's programs are like is not for another one's
 * @released: jiffies of the last release
 * @lock: protects @program, @given and @run
 * @program: what was learnt
 * @given: how often that was replaced: phases have other numbers then
 * @run: of the present process
 * @rate: lines per ms of the process; of the traffic timer
 * @intensive: on so many CPUs it moves many; likewise
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
};

/**
 * struct fair_vector - a place for the addresses of a thread's open window
 * @uid: whose thread it is
 * @taken: it is somebody's
 * @v: addresses
 * @unsure: see struct pmct_window
 */
struct fair_vector {
	kuid_t uid;
	atomic_t taken;
	struct pmct_phase_vector v;
	struct pmct_unsure unsure[PMCT_PHASES];
};

/**
 * struct fair_thread - what the module keeps of a thread
 * @w: the open window
 * @p: all closed ones
 * @taken: counts of the open interval that are in @w already
 * @taken_ns: its time
 * @looked_ns: pmct_window::ns when others were last looked at
 * @left_ns: when it left its CPU
 * @told: of @p, what fair_program::run has
 * @shown: progress that schedulers have seen. It does not go back: what was too much is waited for
 * @text: where its program's code is
 * @text_size: likewise
 * @program: its process's; NULL: none yet
 * @vector: the place for its addresses, if it has a program
 * @traffic: lines that it moves, in thousandths of the peak
 * @noisy: others moved many when they were last looked at
 * @given: fair_program::given, as of the last window
 * @tries: ticks until it tries to get one
 * @cpu: where it ran last
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

/* What tools may read, and give back: fair_file.c */
int pmct_fair_file_start(unsigned int address_instr);
void pmct_fair_file_stop(void);

/* What all move from and to memory: fair_traffic.c */
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

#endif /* _PMCT_FAIR_H */
