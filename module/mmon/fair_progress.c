// SPDX-License-Identifier: GPL-2.0-only
/*
 * Monitoring module "fair_progress": how far a thread got, in the time that it would have needed
 * alone (Documentation/fair-progress.md). The counter of instructions also samples addresses. A
 * fixed number of addresses is a window. progress.c finds the phase and the speed of a window.
 *
 * The counter's interrupt only adds up. Windows are evaluated at the thread's next tick, or when
 * the thread leaves its CPU.
 */
#include <linux/sched/clock.h>
#include <linux/seq_file.h>

#include "fair.h"
#include "mmon-common.h"

/* The caches of a thread that was off its CPU for longer may be cold. */
#define AWAY_NS		(5 * NSEC_PER_MSEC)
/* In a shorter window there may have been no address yet. */
#define TRAFFIC_NS	(2 * NSEC_PER_MSEC)
/* Time without counts is charged after this time. */
#define CHARGE_NS	(100 * NSEC_PER_MSEC)
/* Ticks between two tries to find a place. */
#define TRY_AGAIN	64
/* Code outside the program's text may be mapped anywhere, but keeps its place in its page. */
#define PAGE_BYTES	4096
#define ELSEWHERE	0x80000000U
#define BLOCK_SHIFT	6

static unsigned int address_instr = 500000;
module_param(address_instr, uint, 0444);
MODULE_PARM_DESC(address_instr, "an address each so many instructions: 10000 to 100000000 (500000)");

static char *lines_event;
module_param_named(lines, lines_event, charp, 0444);
MODULE_PARM_DESC(lines, "event for lines from and to memory (mem_lines, or else llc_misses:uk)");

static const char *events[FAIR_NR_EVENTS] = {
	[FAIR_INSTR] = "instr", [FAIR_CYCLES] = "cycles",
};

enum { VIRT_PROGRESS, VIRT_SLOWDOWN, VIRT_PHASE, VIRT_WINDOWS, VIRT_VALID };

static const struct pmct_vcounter virt[] = {
	[VIRT_PROGRESS] = {
		.name = "progress", .unit = "ns", .sees_others = true, .needs_sets = true,
		.description = "CPU time that the windows that ended would have taken alone",
	},
	[VIRT_SLOWDOWN] = {
		.name = "slowdown", .unit = "milli", .gauge = true, .sees_others = true,
		.needs_sets = true, .description = "CPU time over that alone, since the beginning",
	},
	[VIRT_PHASE] = {
		.name = "phase", .unit = "", .gauge = true, .sees_others = true, .needs_sets = true,
		.description = "number of the phase of the last window, from 1; 0: none",
	},
	[VIRT_WINDOWS] = {
		.name = "windows", .unit = "", .sees_others = true, .needs_sets = true,
		.description = "windows that ended",
	},
	[VIRT_VALID] = {
		.name = "valid_windows", .unit = "", .sees_others = true, .needs_sets = true,
		.description = "of these, hardly disturbed ones",
	},
};

/**
 * struct reported - what was reported in virtual counters, in struct thread
 * @alone: progress
 * @windows: windows
 * @valid: valid windows
 */
struct reported {
	u64 alone;
	u32 windows;
	u32 valid;
};

struct thread {
	struct fair_thread f;
	struct reported reported;
};

/* Windows that were lost because another thread of the process used its program. */
static atomic64_t lost;

static int use_lines(struct monitoring_module *self, const char *event)
{
	char set[96];
	const char *const sets[] = { set };

	events[FAIR_LINES] = event;
	scnprintf(set, sizeof(set), "instr:ip=%u,cycles,%s", address_instr, event);
	return configure_performance_counters_set(self, sets, 1);
}

static int use_events(struct monitoring_module *self)
{
	int err;

	if (lines_event)
		return use_lines(self, lines_event);
	err = use_lines(self, "mem_lines");
	if (err)
		err = use_lines(self, "llc_misses:uk");
	return err;
}

static int fair_enable(struct monitoring_module *self)
{
	int err;

	if (address_instr < 10000 || address_instr > 100000000) {
		pr_err("pmctrack: monitoring module %s: address_instr is 10000 to 100000000\n",
		       self->name);
		return -EINVAL;
	}
	err = use_events(self);
	if (err)
		return err;
	err = pmct_fair_programs_start();
	if (err == -EINVAL)
		pr_err("pmctrack: monitoring module %s: programs is 16 to 65536, threads 16 to 1048576\n",
		       self->name);
	if (err)
		return err;
	err = pmct_fair_traffic_start();
	if (err == -EINVAL)
		pr_err("pmctrack: monitoring module %s: own_low and system_low are 1 to 1000\n",
		       self->name);
	if (!err) {
		err = pmct_fair_file_start(address_instr);
		if (err)
			pmct_fair_traffic_stop();
	}
	if (err)
		pmct_fair_programs_stop();
	atomic64_set(&lost, 0);
	return err;
}

static void fair_disable(struct monitoring_module *self)
{
	pmct_fair_file_stop();
	pmct_fair_traffic_stop();
	pmct_fair_programs_stop();
}

/*
 * Windows
 */

static void begin_window(struct fair_thread *t, bool resumed)
{
	if (t->vector)
		memset(&t->vector->v, 0, sizeof(t->vector->v));
	t->w = (struct pmct_window){ .resumed = resumed };
	t->looked_ns = 0;
}

/* Add what was counted since the last call to the open window. */
static void collect(const struct pmct_ctx *ctx, struct fair_thread *t)
{
	u64 now[FAIR_NR_EVENTS], ns = pmct_mmon_counted_ns(ctx);
	unsigned int i;

	for (i = 0; i < FAIR_NR_EVENTS; i++)
		now[i] = pmct_mmon_counted(ctx, i);
	/* If the ring was full, the interval was lost. It belongs to no window. */
	if (ns < t->taken_ns) {
		memset(t->taken, 0, sizeof(t->taken));
		t->taken_ns = 0;
	}
	t->w.instr += now[FAIR_INSTR] - t->taken[FAIR_INSTR];
	t->w.cycles += now[FAIR_CYCLES] - t->taken[FAIR_CYCLES];
	t->w.lines += now[FAIR_LINES] - t->taken[FAIR_LINES];
	t->w.ns += ns - t->taken_ns;
	pmct_fair_traffic_moved(now[FAIR_LINES] - t->taken[FAIR_LINES]);
	memcpy(t->taken, now, sizeof(now));
	t->taken_ns = ns;
}

/* Charge time that belongs to no full window like the last window. */
static void charge(struct fair_thread *t)
{
	pmct_progress_charge(&t->p, t->w.ns);
	begin_window(t, true);
}

/* Add what the thread did to its process's run. Context: fair_program::lock is held. */
static void tell(struct fair_thread *t, enum pmct_contention kind, u32 changes, u32 foreseen)
{
	struct fair_run *run = &t->program->run;

	run->windows++;
	run->valid += pmct_contention_is_valid(kind);
	run->changes += t->p.changes - changes;
	run->foreseen += t->p.foreseen - foreseen;
	run->ns += t->p.ns - t->told.ns;
	/* Corrections can make progress smaller. */
	run->alone += t->p.alone - t->told.alone;
	run->phase = t->p.phase;
	run->known = t->p.known;
	run->wanted = t->p.wanted;
	t->told.ns = t->p.ns;
	t->told.alone = t->p.alone;
}

static void end_window(struct fair_thread *t)
{
	struct fair_program *program = t->program;
	u32 changes = t->p.changes, foreseen = t->p.foreseen;
	enum pmct_contention kind;

	if (!raw_spin_trylock(&program->lock)) {
		atomic64_inc(&lost);
		charge(t);
		return;
	}
	/* The program was replaced, and the phases that the thread remembers with it. */
	if (t->given != program->given) {
		t->given = program->given;
		t->p.phase = PMCT_NO_PHASE;
		t->p.before = PMCT_NO_PHASE;
	}
	t->w.v = &t->vector->v;
	t->w.unsure = t->vector->unsure;
	kind = pmct_progress_window(&t->p, &program->program, &t->w, &pmct_fair_traffic);
	tell(t, kind, changes, foreseen);
	raw_spin_unlock(&program->lock);
	pmct_progress_note_typical(&pmct_fair_traffic, &t->p, kind);
	begin_window(t, false);
}

static bool is_full(const struct fair_thread *t)
{
	return t->vector && t->vector->v.nr >= PMCT_PHASE_ADDRESSES;
}

static void look(const struct pmct_ctx *ctx, struct fair_thread *t)
{
	u64 ns = t->w.ns - min(t->w.ns, t->looked_ns);
	bool noisy;

	t->w.core_type = pmct_mmon_core_type_now(ctx);
	noisy = pmct_fair_traffic_look(&t->w, ns);
	t->looked_ns = t->w.ns;
	if (t->w.ns > TRAFFIC_NS)
		t->traffic = pmct_progress_traffic(&t->w, &pmct_fair_traffic);
	if (is_full(t))
		end_window(t);
	else if ((!t->vector || !t->w.instr) && t->w.ns > CHARGE_NS)
		charge(t);
	else if (t->noisy && !noisy && t->p.wanted)
		charge(t);	/* A window that is quiet only at its end would be lost. */
	t->noisy = noisy;
}

/*
 * Callbacks
 */

static void fair_on_enter(struct pmct_ctx *ctx, const struct pmct_ctx *parent)
{
	struct thread *t = pmct_mmon_data(ctx);

	pmct_progress_begin(&t->f.p);
	t->f.w.resumed = true;
}

static void fair_on_switch_in(struct pmct_ctx *ctx, int cpu)
{
	struct fair_thread *t = &((struct thread *)pmct_mmon_data(ctx))->f;

	if (!pmct_mmon_task(ctx))
		return;
	if (local_clock() - t->left_ns > AWAY_NS ||
	    pmct_mmon_cache_domain(cpu) != pmct_mmon_cache_domain(t->cpu))
		t->w.resumed = true;
	t->cpu = cpu;
	/* A user's own events are not known here: to others, the thread's traffic is unknown. */
	if (pmct_mmon_is_counted(ctx))
		pmct_fair_traffic_enter(ctx, t->program);
}

static void fair_on_switch_out(struct pmct_ctx *ctx, int cpu)
{
	struct fair_thread *t = &((struct thread *)pmct_mmon_data(ctx))->f;

	if (!pmct_mmon_task(ctx))
		return;
	collect(ctx, t);
	if (is_full(t))
		look(ctx, t);
	pmct_fair_traffic_leave();
	t->left_ns = local_clock();
}

static void fair_on_address(struct pmct_ctx *ctx, u64 ip)
{
	struct fair_thread *t = &((struct thread *)pmct_mmon_data(ctx))->f;
	u64 in_text = ip - t->text;

	collect(ctx, t);
	if (!ip || !t->vector)
		return;
	if (in_text < t->text_size)
		pmct_phase_add(&t->vector->v, in_text >> BLOCK_SHIFT);
	else
		pmct_phase_add(&t->vector->v, ELSEWHERE | (ip & (PAGE_BYTES - 1)) >> BLOCK_SHIFT);
}

static void leave_program(struct fair_thread *t)
{
	if (t->vector)
		pmct_fair_vector_put(t->vector);
	if (t->program)
		pmct_fair_program_put(t->program);
	t->vector = NULL;
	t->program = NULL;
	t->text_size = 0;
	t->tries = 0;
}

static void find_program(struct pmct_ctx *ctx, struct fair_thread *t)
{
	struct pmct_program_id id;

	if (t->tries) {
		t->tries--;
		return;
	}
	t->tries = TRY_AGAIN;
	if (!pmct_mmon_is_asked(ctx) || !pmct_mmon_program(ctx, &id))
		return;
	t->program = pmct_fair_program_get(&id);
	if (!t->program)
		return;
	t->vector = pmct_fair_vector_get();
	if (!t->vector) {
		leave_program(t);
		t->tries = TRY_AGAIN;
		return;
	}
	t->text = id.text;
	t->text_size = id.text_size;
	/* Time before this has no addresses, and is not the process's. */
	charge(t);
	t->told.ns = t->p.ns;
	t->told.alone = t->p.alone;
}

static void publish(struct pmct_ctx *ctx, struct fair_thread *t)
{
	u64 alone = t->p.alone + pmct_progress_open(&t->p, t->w.ns);
	enum pmct_confidence confidence = t->p.known ? PMCT_ESTIMATED : PMCT_EXTRAPOLATED;
	u64 slowdown;

	t->shown = max(t->shown, alone);
	pmct_mmon_publish(ctx, PMCT_METRIC_PROGRESS, t->shown, confidence);
	if (pmct_ratio(t->p.ns + t->w.ns, alone, 1000, &slowdown))
		pmct_mmon_publish(ctx, PMCT_METRIC_SLOWDOWN, slowdown, confidence);
	pmct_mmon_publish(ctx, PMCT_METRIC_PHASE,
			  t->p.phase == PMCT_NO_PHASE ? 0 : t->p.phase + 1, PMCT_ESTIMATED);
	if (pmct_mmon_is_counted(ctx))
		pmct_mmon_publish(ctx, PMCT_METRIC_TRAFFIC, t->traffic, PMCT_MEASURED);
	pmct_mmon_publish(ctx, PMCT_METRIC_TRAINING, t->p.wanted, PMCT_ESTIMATED);
}

static void fair_on_tick(struct pmct_ctx *ctx, int cpu)
{
	struct fair_thread *t = &((struct thread *)pmct_mmon_data(ctx))->f;

	if (!pmct_mmon_task(ctx))
		return;
	/* No on_switch_in() came for a thread that ran when its monitoring or the module began. */
	if (!pmct_fair_traffic_is_here(ctx))
		fair_on_switch_in(ctx, cpu);
	if (!t->program) {
		find_program(ctx, t);
		if (pmct_fair_traffic_is_here(ctx))
			pmct_fair_traffic_enter(ctx, t->program);
	}
	look(ctx, t);
	publish(ctx, t);
}

static u32 valid_windows(const struct pmct_progress *p)
{
	return p->kinds[PMCT_OWN_LOW] + p->kinds[PMCT_SYSTEM_LOW] + p->kinds[PMCT_ONLY_ONE];
}

static void report(struct thread *t, struct pmct_sample *sample)
{
	const struct pmct_progress *p = &t->f.p;
	struct reported *r = &t->reported;
	u32 valid = valid_windows(p);
	u64 slowdown;

	/* A correction can make progress smaller. Then nothing is reported until it catches up. */
	if (p->alone > r->alone) {
		pmct_sample_virt(sample, VIRT_PROGRESS, p->alone - r->alone);
		r->alone = p->alone;
	}
	/* Before the first window, it would be CPU time over CPU time. */
	if (p->windows && pmct_ratio(p->ns, p->alone, 1000, &slowdown))
		pmct_sample_virt(sample, VIRT_SLOWDOWN, slowdown);
	pmct_sample_virt(sample, VIRT_PHASE, p->phase == PMCT_NO_PHASE ? 0 : p->phase + 1);
	pmct_sample_virt(sample, VIRT_WINDOWS, p->windows - r->windows);
	pmct_sample_virt(sample, VIRT_VALID, valid - r->valid);
	r->windows = p->windows;
	r->valid = valid;
}

static void fair_on_new_sample(struct pmct_ctx *ctx, struct pmct_sample *sample)
{
	struct thread *t = pmct_mmon_data(ctx);
	u64 counts[FAIR_NR_EVENTS] = { };
	unsigned int i;

	for (i = 0; i < FAIR_NR_EVENTS; i++) {
		pmct_sample_count(sample, i, &counts[i]);
		counts[i] -= min(counts[i], t->f.taken[i]);
		t->f.taken[i] = 0;
	}
	t->f.w.instr += counts[FAIR_INSTR];
	t->f.w.cycles += counts[FAIR_CYCLES];
	t->f.w.lines += counts[FAIR_LINES];
	t->f.w.ns += sample->rec->hw_ns - min(sample->rec->hw_ns, t->f.taken_ns);
	t->f.taken_ns = 0;
	if (pmct_fair_traffic_is_here(ctx))
		pmct_fair_traffic_moved(counts[FAIR_LINES]);
	/* A window must be of one core type, and of a time in which everything was counted. */
	if (sample->rec->kind == PMCTRACK_RECORD_MIGRATION ||
	    sample->rec->kind == PMCTRACK_RECORD_EXIT ||
	    sample->rec->flags & PMCTRACK_RECORD_F_DISTURBED)
		charge(&t->f);
	report(t, sample);
}

/* The thread executes another program, which has other phases. */
static void fair_on_exec(struct pmct_ctx *ctx)
{
	struct fair_thread *t = &((struct thread *)pmct_mmon_data(ctx))->f;

	if (pmct_fair_traffic_is_here(ctx))
		pmct_fair_traffic_enter(ctx, NULL);
	leave_program(t);
	charge(t);
	pmct_progress_forget(&t->p);
}

static void fair_on_exit(struct pmct_ctx *ctx)
{
	struct fair_thread *t = &((struct thread *)pmct_mmon_data(ctx))->f;

	pmct_fair_traffic_forget(ctx, t->cpu);
	leave_program(t);
}

static void fair_show_state(const struct monitoring_module *self, struct seq_file *m)
{
	seq_printf(m, "address_instr=%u lines=%s lost=%lld\n", address_instr, events[FAIR_LINES],
		   atomic64_read(&lost));
	pmct_fair_traffic_show(m);
	pmct_fair_programs_show(m);
}

static struct monitoring_module fair_progress = {
	.name		= "fair_progress",
	.description	= "how far threads got, in time that they would need alone, by phases",
	.owner		= THIS_MODULE,
	.events		= events,
	.nr_events	= ARRAY_SIZE(events),
	.virt		= virt,
	.nr_virt	= ARRAY_SIZE(virt),
	.enable		= fair_enable,
	.disable	= fair_disable,
	.on_enter	= fair_on_enter,
	.on_exec	= fair_on_exec,
	.on_switch_in	= fair_on_switch_in,
	.on_switch_out	= fair_on_switch_out,
	.on_tick	= fair_on_tick,
	.on_address	= fair_on_address,
	.on_new_sample	= fair_on_new_sample,
	.on_exit	= fair_on_exit,
	.show_state	= fair_show_state,
};

static int __init fair_init(void)
{
	BUILD_BUG_ON(sizeof(struct thread) > PMCT_MMON_DATA);
	return register_monitoring_module(&fair_progress);
}

static void __exit fair_exit(void)
{
	unregister_monitoring_module(&fair_progress);
}

module_init(fair_init);
module_exit(fair_exit);

MODULE_ALIAS("pmctrack-mmon-fair_progress");
MODULE_DESCRIPTION("PMCTrack monitoring module: fair progress");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
