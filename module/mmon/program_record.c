// SPDX-License-Identifier: GPL-2.0-only
/* Knowledge of a program, in the format of tools: see <linux/pmctrack_programs.h>. */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "program_record.h"

/* The largest values that phases.c produces. */
#define MOST_WINDOWS	32
#define MOST_VARIANCE	(10000 * 10000)

/**
 * pmct_program_pack() - fill a record with what is known of a program
 * @record: its phases, its followers, and @windows and @forgotten of its program are set
 * @program: the program
 */
void pmct_program_pack(struct pmctrack_program_record *record, const struct pmct_program *program)
{
	unsigned int i;

	record->program.windows = program->phases.windows;
	record->program.forgotten = program->phases.forgotten;
	for (i = 0; i < PMCT_PHASES; i++) {
		const struct pmct_phase *from = &program->phases.phase[i];
		struct pmctrack_phase *to = &record->phase[i];

		memset(to, 0, sizeof(*to));
		/* The rest of a phase that was never seen is old data. */
		if (!from->seen)
			continue;
		to->seen = from->seen;
		to->age = program->phases.windows - from->last;
		memcpy(to->speed, from->speed, sizeof(to->speed));
		memcpy(to->mean, from->mean, sizeof(to->mean));
	}
	memcpy(record->followers, program->predictor.of, sizeof(record->followers));
}
EXPORT_SYMBOL_GPL(pmct_program_pack);

static bool speed_is_sane(const struct pmctrack_phase_speed *s)
{
	return s->valid <= MOST_WINDOWS && s->other <= MOST_WINDOWS && !s->valid == !s->alone &&
	       !s->other == !s->beside && s->alone <= S32_MAX && s->beside <= S32_MAX &&
	       s->variance <= MOST_VARIANCE;
}

static bool phase_is_sane(const struct pmctrack_phase *phase, u32 windows)
{
	u32 sum = 0;
	unsigned int i;

	if (!phase->seen)
		return true;
	if (phase->seen > windows || phase->age > windows - phase->seen)
		return false;
	for (i = 0; i < PMCT_PHASE_BUCKETS; i++)
		sum += phase->mean[i];
	/* In move_mean(), a mean stays if a window differs from it by less than weight / 2. */
	if (sum > PMCT_PHASE_ONE + PMCT_PHASE_BUCKETS * MOST_WINDOWS / 2)
		return false;
	for (i = 0; i < PMCTRACK_MAX_CORE_TYPES; i++) {
		if (!speed_is_sane(&phase->speed[i]))
			return false;
	}
	return true;
}

static bool is_phase(const struct pmctrack_program_record *record, u8 i)
{
	return i < PMCT_PHASES && record->phase[i].seen;
}

static bool followers_are_sane(const struct pmctrack_program_record *record,
			       const struct pmctrack_followers *f)
{
	unsigned int i;

	if (!f->times[0])
		return true;
	if (f->before != PMCT_NO_PHASE && !is_phase(record, f->before))
		return false;
	for (i = 0; i < PMCT_PREDICTOR_NEXT; i++) {
		if (f->times[i] && !is_phase(record, f->next[i]))
			return false;
	}
	return is_phase(record, f->phase);
}

/**
 * pmct_program_is_sane() - may the record be given to pmct_program_unpack()?
 * @record: may be from a file that somebody has made; of its program, only @windows is read
 */
bool pmct_program_is_sane(const struct pmctrack_program_record *record)
{
	unsigned int i;

	/* The process's own windows are added to these. */
	if (record->program.windows > S32_MAX)
		return false;
	for (i = 0; i < PMCT_PHASES; i++) {
		if (!phase_is_sane(&record->phase[i], record->program.windows))
			return false;
	}
	for (i = 0; i < PMCT_PREDICTOR_PLACES; i++) {
		if (!followers_are_sane(record, &record->followers[i]))
			return false;
	}
	return true;
}
EXPORT_SYMBOL_GPL(pmct_program_is_sane);

/**
 * pmct_program_unpack() - the opposite of pmct_program_pack()
 * @program: zero bytes
 * @record: one that pmct_program_is_sane() accepts
 */
void pmct_program_unpack(struct pmct_program *program,
			 const struct pmctrack_program_record *record)
{
	struct pmct_phases *phases = &program->phases;
	unsigned int i;

	phases->windows = record->program.windows;
	phases->forgotten = record->program.forgotten;
	for (i = 0; i < PMCT_PHASES; i++) {
		const struct pmctrack_phase *from = &record->phase[i];
		struct pmct_phase *to = &phases->phase[i];

		if (!from->seen)
			continue;
		to->seen = from->seen;
		to->last = phases->windows - from->age;
		memcpy(to->speed, from->speed, sizeof(to->speed));
		memcpy(to->mean, from->mean, sizeof(to->mean));
		pmct_phase_find_spread(to);
	}
	for (i = 0; i < PMCT_PREDICTOR_PLACES; i++) {
		if (record->followers[i].times[0])
			pmct_predictor_put(&program->predictor, &record->followers[i]);
	}
}
EXPORT_SYMBOL_GPL(pmct_program_unpack);

/**
 * pmct_program_replace() - replace what a process has learnt by what others have learnt
 * @program: the process's program; its old content is forgotten
 * @other: the new content; it is changed
 *
 * The count of windows goes on, so that no phase has the same number of birth as an earlier one:
 * see struct pmct_unsure.
 */
void pmct_program_replace(struct pmct_program *program, struct pmct_program *other)
{
	u32 before = program->phases.windows + 1;
	unsigned int i;

	other->phases.windows += before;
	for (i = 0; i < PMCT_PHASES; i++) {
		other->phases.phase[i].last += before;
		other->phases.phase[i].born = before;
	}
	*program = *other;
}
EXPORT_SYMBOL_GPL(pmct_program_replace);
