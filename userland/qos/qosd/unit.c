// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>

#include "complain.h"

/* All programs wait for an answer. Without one, nobody is asked again for a while. */
#define PATIENCE_US 1000000
#define PAUSE_S 10

static sd_bus *bus;
static time_t failed_at;

bool unit_is_wanted(void)
{
	return sd_booted() > 0;
}

static time_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void disconnect(void)
{
	bus = sd_bus_flush_close_unref(bus);
	failed_at = now_s();
}

static int connect_to_bus(void)
{
	int err;

	if (bus)
		return 0;
	if (failed_at && now_s() - failed_at < PAUSE_S)
		return -EAGAIN;
	err = sd_bus_open_system(&bus);
	if (err >= 0) {
		sd_bus_set_method_call_timeout(bus, PATIENCE_US);
		return 0;
	}
	bus = NULL;
	failed_at = now_s();
	complain("systemd has the control groups of this machine, and cannot be asked: %s. Start D-Bus, or name a "
		 "group that is yours to use (\"group\" in the settings)", strerror(-err));
	return -EAGAIN;
}

int unit_can_be_asked(void)
{
	return connect_to_bus();
}

int unit_of(const char *group, char *unit, size_t size)
{
	const char *part = group, *end;
	size_t length;

	while (*part == '/') {
		part++;
		length = strcspn(part, "/");
		end = part + length;
		/* Its own names are not below a service or scope: that is the unit. */
		if ((length > 8 && !strncmp(end - 8, ".service", 8)) || (length > 6 && !strncmp(end - 6, ".scope", 6))) {
			if (length >= size)
				return -ENAMETOOLONG;
			memcpy(unit, part, length);
			unit[*end ? 0 : length] = '\0';
			return 0;
		}
		if (length <= 6 || strncmp(end - 6, ".slice", 6))
			break;
		part = end;
	}
	return -ENOENT;
}

/* org.freedesktop.systemd1(5), SetUnitProperties(): until the unit ends, or the machine does. */
static int new_call(sd_bus_message **m, const char *unit)
{
	int err = connect_to_bus();

	if (!err)
		err = sd_bus_message_new_method_call(bus, m, "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
						     "org.freedesktop.systemd1.Manager", "SetUnitProperties");
	if (err >= 0)
		err = sd_bus_message_append(*m, "sb", unit, 1);
	if (err >= 0)
		err = sd_bus_message_open_container(*m, 'a', "(sv)");
	return err;
}

/* Does it say that there is no such unit any more? */
static bool is_gone(const sd_bus_error *error)
{
	return sd_bus_error_has_name(error, "org.freedesktop.systemd1.NoSuchUnit");
}

/* Also if @err says that the message could not be made. */
static int do_call(sd_bus_message *m, const char *unit, int err)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;

	if (err >= 0)
		err = sd_bus_message_close_container(m);
	if (err >= 0)
		err = sd_bus_call(bus, m, 0, &error, NULL);
	if (err < 0 && is_gone(&error))
		err = -ENOENT;
	else if (err < 0 && err != -EAGAIN) {
		complain("systemd: %s: %s", unit, error.message ? error.message : strerror(-err));
		disconnect();
		err = -EAGAIN;
	}
	sd_bus_error_free(&error);
	sd_bus_message_unref(m);
	return err < 0 ? err : 0;
}

static int set_bandwidth(const char *unit, uint64_t us_per_s, uint64_t period_us)
{
	sd_bus_message *m = NULL;
	int err = new_call(&m, unit);

	if (err >= 0)
		err = sd_bus_message_append(m, "(sv)(sv)", "CPUQuotaPerSecUSec", "t", us_per_s,
					    "CPUQuotaPeriodUSec", "t", period_us);
	return do_call(m, unit, err);
}

/* A bit for each CPU, the first ones in the first byte. */
static int set_cpus(const char *unit, const cpu_set_t *cpus)
{
	uint8_t bits[CPU_SETSIZE / 8] = {0};
	size_t length = 0, cpu;
	sd_bus_message *m = NULL;
	int err = new_call(&m, unit);

	for (cpu = 0; cpus && cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		bits[cpu / 8] |= (uint8_t)(1 << cpu % 8);
		length = cpu / 8 + 1;
	}
	if (err >= 0)
		err = sd_bus_message_open_container(m, 'r', "sv");
	if (err >= 0)
		err = sd_bus_message_append(m, "s", "AllowedCPUs");
	if (err >= 0)
		err = sd_bus_message_open_container(m, 'v', "ay");
	if (err >= 0)
		err = sd_bus_message_append_array(m, 'y', bits, length);
	if (err >= 0)
		err = sd_bus_message_close_container(m);
	if (err >= 0)
		err = sd_bus_message_close_container(m);
	return do_call(m, unit, err);
}

int unit_limit_bandwidth(const char *unit, unsigned int cpus, unsigned int period_us)
{
	return set_bandwidth(unit, cpus * 1000000ULL, period_us);
}

int unit_limit_cpus(const char *unit, const cpu_set_t *cpus)
{
	return set_cpus(unit, cpus);
}

int unit_free_bandwidth(const char *unit)
{
	int err = set_bandwidth(unit, UINT64_MAX, UINT64_MAX);

	return err == -ENOENT ? 0 : err;
}

int unit_free_cpus(const char *unit)
{
	int err = set_cpus(unit, NULL);

	return err == -ENOENT ? 0 : err;
}
