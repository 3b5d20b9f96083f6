/* SPDX-License-Identifier: GPL-2.0-only */
/* The sensors of this kernel. */
#ifndef _PMCT_SENSORS_LIST_H
#define _PMCT_SENSORS_LIST_H

#include <pmctrack/cache_monitor.h>
#include <pmctrack/sensor.h>

extern const struct pmct_sensor pmct_sensor_rapl;
extern const struct pmct_cache_monitor pmct_cache_monitor_x86;

#endif /* _PMCT_SENSORS_LIST_H */
