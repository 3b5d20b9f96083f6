/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contract between a scheduler in the kernel and the monitoring modules: the
 * metrics that pmcs_get_current_metric_value() (<linux/pmctrack.h>) knows.
 *
 * A scheduling class turns monitoring on for its threads by a flag in the
 * thread's descriptor:
 *
 *	pmcs_set_prof(task, PMCS_PROF_SCHED, true);
 *
 * From its next tick on, the thread is counted with the event sets of the
 * active monitoring module, unless a user monitors it with others. The metrics
 * are -ENODATA until the module has had a sample.
 */
#ifndef _PMCTRACK_SCHED_H
#define _PMCTRACK_SCHED_H

/**
 * enum pmct_metric - keys of pmcs_get_current_metric_value()
 * @PMCT_METRIC_IPC: instructions per 1000 cycles, in the last sample
 * @PMCT_METRIC_PRIVATE: from here on, agreed upon by one scheduler and one
 *	monitoring module
 * @PMCT_NR_METRICS: end of the range
 */
enum pmct_metric {
	PMCT_METRIC_IPC,
	PMCT_METRIC_PRIVATE = 8,
	PMCT_NR_METRICS = 16,
};

#endif /* _PMCTRACK_SCHED_H */
