/* SPDX-License-Identifier: GPL-2.0-only */
/* Knowledge of a program, in the format that tools read and write. Pure. */
#ifndef _PMCT_PROGRAM_RECORD_H
#define _PMCT_PROGRAM_RECORD_H

#include "progress.h"

void pmct_program_pack(struct pmctrack_program_record *record, const struct pmct_program *program);
bool pmct_program_is_sane(const struct pmctrack_program_record *record);
void pmct_program_unpack(struct pmct_program *program,
			 const struct pmctrack_program_record *record);
void pmct_program_replace(struct pmct_program *program, struct pmct_program *other);

#endif /* _PMCT_PROGRAM_RECORD_H */
