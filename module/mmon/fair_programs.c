// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs of processes: a table of fixed size. A process takes a place at the first tick that hits
 * one of its threads. When the process has ended, the place is free, but what was learnt stays
 * there until a process takes it. The next process of the same program and user begins with it.
 *
 * The table has no lock: a place is taken by writing fair_program::owner atomically. If threads of
 * a process take a place at the same moment, they may take two. Then each place learns for itself.
 */
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#include "fair.h"

/* Places that are tried. */
#define PROBES		16
/* Number of hash values of uids. Users of one value may have half of the places at a time. */
#define USERS		64
/* Number of threads while the owner prepares the place. */
#define BUSY		U32_MAX

static unsigned int programs = 512;
module_param(programs, uint, 0444);
MODULE_PARM_DESC(programs, "processes whose phases are followed, 30 KiB each: 16 to 65536 (512)");

static unsigned int threads = 2048;
module_param(threads, uint, 0444);
MODULE_PARM_DESC(threads, "threads whose phases are followed, 2 KiB each: 16 to 1048576 (2048)");

static struct fair_program *table;
static struct fair_vector *vectors;

/**
 * struct used - places in use, by user
 * @most: the most places that a user may have
 * @by: places in use, by hash of the user's number
 * @refused: how often a user got no place
 */
struct used {
	unsigned int most;
	atomic_t by[USERS];
	atomic64_t refused;
};

static struct used used_programs, used_vectors;

static u64 owner_of(pid_t tgid, u32 threads)
{
	return (u64)tgid << 32 | threads;
}

static pid_t tgid_of(u64 owner)
{
	return owner >> 32;
}

static atomic_t *used_by(struct used *used, kuid_t uid)
{
	return &used->by[hash_32(__kuid_val(uid), ilog2(USERS))];
}

/* Count one more place of a user. Returns false if the user has too many. */
static bool use_one(struct used *used, kuid_t uid)
{
	if (atomic_inc_return(used_by(used, uid)) <= used->most)
		return true;
	atomic_dec(used_by(used, uid));
	return false;
}

static void begin_use(struct used *used, unsigned int places)
{
	memset(used, 0, sizeof(*used));
	used->most = places / 2;
}

/* Returns the @i-th place to try: first those of the program, then those of the process. */
static struct fair_program *place(u64 content, pid_t tgid, unsigned int i)
{
	u64 key = i < PROBES ? content : content ^ (u64)tgid << 20;

	return &table[(hash_64(key, 32) + i % PROBES) % programs];
}

/**
 * pmct_fair_program_join() - add a thread to a process that has a place
 * @content: what the process executes
 * @tgid: number of the process
 *
 * Context: interrupts disabled; any lock may be held.
 * Return: its place, for pmct_fair_program_put(); NULL if it has none.
 */
struct fair_program *pmct_fair_program_join(u64 content, pid_t tgid)
{
	unsigned int i;

	for (i = 0; i < 2 * PROBES; i++) {
		struct fair_program *program = place(content, tgid, i);
		s64 owner = atomic64_read(&program->owner);

		while (tgid_of(owner) == tgid && (u32)owner < BUSY - 1) {
			if (!atomic64_try_cmpxchg_acquire(&program->owner, &owner, owner + 1))
				continue;
			if (program->content == content)
				return program;
			/* The place is of a program that the process executed before. */
			pmct_fair_program_put(program);
			break;
		}
	}
	return NULL;
}

/* Returns how well a free place fits; more is better. */
static unsigned long merit(const struct fair_program *program, u64 content, kuid_t uid)
{
	if (READ_ONCE(program->content) == content && uid_eq(program->uid, uid))
		return ULONG_MAX;
	if (!READ_ONCE(program->content))
		return ULONG_MAX - 1;
	return jiffies - READ_ONCE(program->released);
}

static struct fair_program *find_free(u64 content, pid_t tgid, kuid_t uid)
{
	struct fair_program *best = NULL;
	unsigned long most = 0;
	unsigned int i;

	for (i = 0; i < 2 * PROBES; i++) {
		struct fair_program *program = place(content, tgid, i);

		if (atomic64_read(&program->owner))
			continue;
		if (!best || merit(program, content, uid) > most) {
			best = program;
			most = merit(program, content, uid);
		}
	}
	return best;
}

static void forget_program(struct pmct_program *program)
{
	unsigned int i;

	/* The rest of a phase is cleared when it is begun. */
	for (i = 0; i < PMCT_PHASES; i++)
		program->phases.phase[i].seen = 0;
	program->phases.windows = 0;
	program->phases.forgotten = 0;
	memset(&program->predictor, 0, sizeof(program->predictor));
}

static struct fair_program *take(u64 content, pid_t tgid, kuid_t uid)
{
	struct fair_program *program = find_free(content, tgid, uid);
	s64 nobody = 0;

	if (!program ||
	    !atomic64_try_cmpxchg_acquire(&program->owner, &nobody, owner_of(tgid, BUSY)))
		return NULL;
	/* A tool is reading what was there. */
	if (!raw_spin_trylock(&program->lock)) {
		atomic64_set_release(&program->owner, 0);
		return NULL;
	}
	if (program->content != content || !uid_eq(program->uid, uid)) {
		forget_program(&program->program);
		WRITE_ONCE(program->content, content);
		program->uid = uid;
	}
	program->run = (struct fair_run){ .phase = PMCT_NO_PHASE };
	raw_spin_unlock(&program->lock);
	program->rate = 0;
	program->intensive = 0;
	/* Pairs with pmct_fair_program_join(). */
	atomic64_set_release(&program->owner, owner_of(tgid, 1));
	return program;
}

/**
 * pmct_fair_program_get() - get a place for the program of current's process
 * @id: the program
 *
 * Context: interrupts disabled; any lock may be held.
 * Return: a place, for pmct_fair_program_put(); NULL if there is none at present.
 */
struct fair_program *pmct_fair_program_get(const struct pmct_program_id *id)
{
	/* Content 0 marks places that were never used. */
	u64 content = id->content ?: 1;
	kuid_t uid = current_uid();
	struct fair_program *program = pmct_fair_program_join(content, current->tgid);

	if (program)
		return program;
	if (use_one(&used_programs, uid)) {
		program = take(content, current->tgid, uid);
		if (program)
			return program;
		atomic_dec(used_by(&used_programs, uid));
	}
	atomic64_inc(&used_programs.refused);
	return NULL;
}

/* A thread does not use @program any more. Context: as pmct_fair_program_get(). */
void pmct_fair_program_put(struct fair_program *program)
{
	s64 owner = atomic64_read(&program->owner), next;
	kuid_t uid = program->uid;

	WRITE_ONCE(program->released, jiffies);
	do {
		next = (u32)owner == 1 ? 0 : owner - 1;
	} while (!atomic64_try_cmpxchg_release(&program->owner, &owner, next));
	if (!next)
		atomic_dec(used_by(&used_programs, uid));
}

static struct fair_vector *take_vector(void)
{
	u32 first = hash_ptr(current, 32);
	unsigned int i;

	for (i = 0; i < PROBES; i++) {
		struct fair_vector *vector = &vectors[(first + i) % threads];

		if (!atomic_cmpxchg_acquire(&vector->taken, 0, 1))
			return vector;
	}
	return NULL;
}

/**
 * pmct_fair_vector_get() - get a place for the addresses of current
 *
 * Context: as pmct_fair_program_get().
 * Return: a place, for pmct_fair_vector_put(); NULL if there is none at present.
 */
struct fair_vector *pmct_fair_vector_get(void)
{
	kuid_t uid = current_uid();
	struct fair_vector *vector;

	if (use_one(&used_vectors, uid)) {
		vector = take_vector();
		if (vector) {
			vector->uid = uid;
			memset(vector->unsure, 0, sizeof(vector->unsure));
			return vector;
		}
		atomic_dec(used_by(&used_vectors, uid));
	}
	atomic64_inc(&used_vectors.refused);
	return NULL;
}

void pmct_fair_vector_put(struct fair_vector *vector)
{
	atomic_dec(used_by(&used_vectors, vector->uid));
	atomic_set_release(&vector->taken, 0);
}

/* Returns NULL if there are not so many places. */
struct fair_program *pmct_fair_program_at(unsigned int place)
{
	return place < programs ? &table[place] : NULL;
}

/* Returns the process that has the place (0: none). @threads: how many of its threads have it. */
pid_t pmct_fair_program_process(const struct fair_program *program, u32 *threads)
{
	u64 owner = atomic64_read(&program->owner);

	*threads = (u32)owner == BUSY ? 0 : (u32)owner;
	return tgid_of(owner);
}

/* Context: monitoring_module::enable. Returns 0, -EINVAL or -ENOMEM. */
int pmct_fair_programs_start(void)
{
	unsigned int i;

	if (programs < 16 || programs > 65536 || threads < 16 || threads > 1048576)
		return -EINVAL;
	table = vzalloc(array_size(programs, sizeof(*table)));
	vectors = vzalloc(array_size(threads, sizeof(*vectors)));
	if (!table || !vectors) {
		pmct_fair_programs_stop();
		return -ENOMEM;
	}
	for (i = 0; i < programs; i++)
		raw_spin_lock_init(&table[i].lock);
	begin_use(&used_programs, programs);
	begin_use(&used_vectors, threads);
	return 0;
}

void pmct_fair_programs_stop(void)
{
	vfree(table);
	vfree(vectors);
	table = NULL;
	vectors = NULL;
}

static void show_phases(struct seq_file *m, unsigned int place, const struct fair_program *program)
{
	unsigned int i, type;

	for (i = 0; i < PMCT_PHASES; i++) {
		const struct pmct_phase *phase = &program->program.phases.phase[i];

		if (!phase->seen)
			continue;
		seq_printf(m, "program=%u phase=%u windows=%u", place, i + 1, phase->seen);
		for (type = 0; type < pmct_mmon_nr_core_types(); type++) {
			const struct pmctrack_phase_speed *s = &phase->speed[type];

			seq_printf(m, " type=%u valid=%u cpi=%u off=%lu pressure=%u other=%u cpi_beside=%u",
				   type, s->valid, s->alone, int_sqrt(s->variance), s->pressure,
				   s->other, s->beside);
		}
		seq_putc(m, '\n');
	}
}

/* Print what is known of programs. Numbers that change meanwhile may not belong together. */
void pmct_fair_programs_show(struct seq_file *m)
{
	unsigned int i;
	u32 its_threads;
	pid_t process;

	seq_printf(m, "programs=%u programs_refused=%lld threads=%u threads_refused=%lld\n",
		   programs, atomic64_read(&used_programs.refused), threads,
		   atomic64_read(&used_vectors.refused));
	for (i = 0; i < programs; i++) {
		const struct fair_program *program = &table[i];

		if (!READ_ONCE(program->content))
			continue;
		process = pmct_fair_program_process(program, &its_threads);
		seq_printf(m, "program=%u content=%016llx uid=%u process=%d threads=%u windows=%u forgotten=%u\n",
			   i, program->content, __kuid_val(program->uid), process, its_threads,
			   program->program.phases.windows, program->program.phases.forgotten);
		show_phases(m, i, program);
	}
}
