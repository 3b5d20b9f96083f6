/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PMCT_SENSORS_SIM_H
#define _PMCT_SENSORS_SIM_H

#include <pmctrack/cache_monitor.h>
#include <pmctrack/sensor.h>

extern struct pmct_sensor pmct_sim_sensor;
extern const struct pmct_cache_monitor pmct_sim_cache_monitor;

#endif /* _PMCT_SENSORS_SIM_H */
