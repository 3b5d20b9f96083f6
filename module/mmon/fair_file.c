// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/pmc/programs: what was learnt of programs, for tools that keep it over a reboot, see
 * <linux/pmctrack_programs.h>. Only root may open it, because it shows what others run.
 *
 * A record is copied under its program's lock. No window waits for this lock: if it is taken at the
 * end of a window, the program does not learn from the window.
 */
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/proc_fs.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>

#include "fair.h"

#define FILE_NAME	"pmc/programs"
#define RECORD		sizeof(struct pmctrack_program_record)

static struct proc_dir_entry *entry;
static unsigned int an_address_each;
static u64 this_table;

/* If the process ends and another one begins meanwhile, @to names one of the two. */
static void describe(struct pmctrack_program *to, struct fair_program *program)
{
	const struct fair_run *run = &program->run;

	*to = (struct pmctrack_program){
		.version = PMCTRACK_PROGRAMS_VERSION,
		.bytes = RECORD,
		.table = this_table,
		.content = program->content,
		.uid = from_kuid(&init_user_ns, program->uid),
		.address_instr = an_address_each,
		.core_types = pmct_mmon_nr_core_types(),
		.windows = program->program.phases.windows,
		.forgotten = program->program.phases.forgotten,
		.run_windows = run->windows,
		.run_valid = run->valid,
		.run_changes = run->changes,
		.run_foreseen = run->foreseen,
		.run_ns = run->ns,
		.run_alone = run->alone,
		.run_phase = run->phase == PMCT_NO_PHASE ? 0 : run->phase + 1,
		.run_known = run->known,
		.run_wanted = run->wanted,
	};
	to->process = pmct_fair_program_process(program, &to->threads);
}

static ssize_t programs_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	struct pmctrack_program_record *record;
	struct fair_program *program;
	unsigned long flags;
	u64 place;
	u32 rest;

	place = div_u64_rem(*pos, RECORD, &rest);
	if (rest || count < sizeof(record->program))
		return -EINVAL;
	program = place <= UINT_MAX ? pmct_fair_program_at(place) : NULL;
	if (!program)
		return 0;
	count = min(count, RECORD);
	record = kvzalloc(RECORD, GFP_KERNEL);
	if (!record)
		return -ENOMEM;
	raw_spin_lock_irqsave(&program->lock, flags);
	describe(&record->program, program);
	if (count > sizeof(record->program))
		pmct_program_pack(record, &program->program);
	raw_spin_unlock_irqrestore(&program->lock, flags);
	if (copy_to_user(to, record, count))
		count = -EFAULT;
	else
		*pos += RECORD;
	kvfree(record);
	return count;
}

/* Returns -ESRCH if no such process has a place, -EEXIST if it has learnt more itself. */
static int give(const struct pmctrack_program *to, struct pmct_program *learnt)
{
	struct fair_program *program;
	unsigned long flags;
	int err = 0;

	/* An interrupt on this CPU may need the place, too. */
	local_irq_save(flags);
	program = pmct_fair_program_join(to->content, to->process);
	if (!program) {
		local_irq_restore(flags);
		return -ESRCH;
	}
	raw_spin_lock(&program->lock);
	if (from_kuid(&init_user_ns, program->uid) != to->uid)
		err = -ESRCH;
	else if (program->program.phases.windows >= learnt->phases.windows)
		err = -EEXIST;
	if (!err) {
		pmct_program_replace(&program->program, learnt);
		program->given++;
	}
	raw_spin_unlock(&program->lock);
	pmct_fair_program_put(program);
	local_irq_restore(flags);
	return err;
}

/* Was the record made by a machine like this one? */
static bool is_ours(const struct pmctrack_program *p)
{
	return p->version == PMCTRACK_PROGRAMS_VERSION && p->bytes == RECORD && p->content &&
	       p->process > 0 && p->address_instr == an_address_each &&
	       p->core_types == pmct_mmon_nr_core_types();
}

static ssize_t programs_write(struct file *file, const char __user *from, size_t count, loff_t *pos)
{
	struct pmctrack_program_record *record;
	struct pmct_program *learnt;
	int err = -EINVAL;

	if (count != RECORD)
		return -EINVAL;
	record = kvmalloc(RECORD, GFP_KERNEL);
	learnt = kvzalloc(sizeof(*learnt), GFP_KERNEL);
	if (!record || !learnt) {
		err = -ENOMEM;
	} else if (copy_from_user(record, from, RECORD)) {
		err = -EFAULT;
	} else if (is_ours(&record->program) && pmct_program_is_sane(record)) {
		pmct_program_unpack(learnt, record);
		err = give(&record->program, learnt);
	}
	kvfree(learnt);
	kvfree(record);
	return err ?: count;
}

static loff_t programs_seek(struct file *file, loff_t offset, int whence)
{
	return fixed_size_llseek(file, offset, whence, LLONG_MAX);
}

static const struct proc_ops programs_ops = {
	.proc_read	= programs_read,
	.proc_write	= programs_write,
	.proc_lseek	= programs_seek,
};

/* Context: monitoring_module::enable, after the programs. Returns 0 or -ENOMEM. */
int pmct_fair_file_start(unsigned int address_instr)
{
	an_address_each = address_instr;
	this_table = get_random_u64();
	entry = proc_create(FILE_NAME, 0600, NULL, &programs_ops);
	return entry ? 0 : -ENOMEM;
}

/* Afterwards, no program uses the file any more. */
void pmct_fair_file_stop(void)
{
	proc_remove(entry);
	entry = NULL;
}
