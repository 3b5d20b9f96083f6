// SPDX-License-Identifier: GPL-2.0-only
/* What is known of a program, as tools have it: see <linux/pmctrack_programs.h>. */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "program_record.h"

/* As phases.c has them at most. */
#define MOST_WINDOWS	32
#define MOST_VARIANCE	(10000 * 10000)

/**
 * pmct_program_pack() - tell what is known
 * @record: its phases and followers are set, and of its program what is known there
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
		/* The rest of a phase that was never seen is old. */
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
	/* A mean stays where it is while windows are nearer to it than a half in their weight. */
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
 * pmct_program_is_sane() - may pmct_program_unpack() have it?
 * @record: it can come from a file that somebody has made; of its program, @windows is read
 */
bool pmct_program_is_sane(const struct pmctrack_program_record *record)
{
	unsigned int i;

	/* The process's own come on top of them. */
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
 * @record: pmct_program_is_sane()
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
 * pmct_program_replace() - a process goes on with what others have learnt
 * @program: all that was known of it is forgotten
 * @other: what takes its place; it is changed
 *
 * Windows are counted on, so that no phase has the number of birth of one that was there before:
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
