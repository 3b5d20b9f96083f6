// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>

#include "complain.h"
#include "cpu_list.h"
#include "monotonic.h"
#include "text_file.h"

/*
 * systemd has so long to answer, because all programs wait for the answer. Without one, systemd is
 * not asked again for a while.
 */
#define PATIENCE_US 1000000
#define PAUSE_S 10
#define DEFAULT_WEIGHT 100
#define MOST_NODES 1024

static double failed_at;

bool unit_is_wanted(void)
{
	return sd_booted() > 0;
}

static int pause_after(int err)
{
	failed_at = monotonic_s();
	complain("systemd has the control groups of this machine, and cannot be asked: %s. Start D-Bus, or name a "
		 "group that is yours to use (\"group\" in the settings)", strerror(-err));
	return -EAGAIN;
}

/* Connect for one call: messages that others send meanwhile are not read. */
static int connect_to(sd_bus **bus)
{
	int err;

	if (failed_at && monotonic_s() - failed_at < PAUSE_S)
		return -EAGAIN;
	err = sd_bus_open_system(bus);
	if (err < 0)
		return pause_after(err);
	sd_bus_set_method_call_timeout(*bus, PATIENCE_US);
	return 0;
}

int unit_can_be_asked(void)
{
	sd_bus *bus = NULL;
	int err = connect_to(&bus);

	sd_bus_close_unref(bus);
	return err;
}

int unit_of(const char *group, char *unit, size_t size)
{
	const char *part = group, *end;
	size_t length;

	while (*part == '/') {
		part++;
		length = strcspn(part, "/");
		end = part + length;
		/*
		 * The first service or scope is the unit, because systemd has no names of its own
		 * below it.
		 */
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

/*
 * Begin a call of SetUnitProperties(), see org.freedesktop.systemd1(5). A property that is set at
 * run time is gone after the next boot.
 */
static int new_call(sd_bus *bus, sd_bus_message **m, const char *unit)
{
	int err = sd_bus_message_new_method_call(bus, m, "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
						 "org.freedesktop.systemd1.Manager", "SetUnitProperties");

	if (err >= 0)
		err = sd_bus_message_append(*m, "sb", unit, 1);
	if (err >= 0)
		err = sd_bus_message_open_container(*m, 'a', "(sv)");
	return err;
}

/* True if systemd itself says no. All other errors may be gone in a moment. */
static bool is_refusal(const sd_bus_error *error)
{
	static const char *const refusals[] = {
		SD_BUS_ERROR_ACCESS_DENIED,	    SD_BUS_ERROR_INVALID_ARGS,	    SD_BUS_ERROR_NOT_SUPPORTED,
		SD_BUS_ERROR_PROPERTY_READ_ONLY,    SD_BUS_ERROR_UNKNOWN_PROPERTY, SD_BUS_ERROR_UNKNOWN_METHOD,
		SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED,
	};
	size_t i;

	for (i = 0; i < sizeof(refusals) / sizeof(*refusals); i++)
		if (sd_bus_error_has_name(error, refusals[i]))
			return true;
	/* org.freedesktop.systemd1.NoSuchUnit, UnitMasked… */
	return error->name && !strncmp(error->name, "org.freedesktop.systemd1.", strlen("org.freedesktop.systemd1."));
}

/* Make the call. @err: negative if the message could not be made. */
static int do_call(sd_bus *bus, sd_bus_message *m, const char *unit, int err)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;

	if (err >= 0)
		err = sd_bus_message_close_container(m);
	if (err >= 0)
		err = sd_bus_call(bus, m, 0, &error, NULL);
	if (err < 0 && is_refusal(&error))
		complain("systemd: %s: %s", unit, error.message ? error.message : strerror(-err));
	else if (err < 0)
		err = pause_after(err);
	sd_bus_error_free(&error);
	sd_bus_message_unref(m);
	sd_bus_close_unref(bus);
	return err < 0 ? err : 0;
}

/*
 * Set the weight that the unit has anyhow. If somebody had set another weight, the unit would have
 * the controller.
 */
int unit_enable_cpu(const char *unit)
{
	sd_bus_message *m = NULL;
	sd_bus *bus = NULL;
	int err = connect_to(&bus);

	if (err)
		return err;
	err = new_call(bus, &m, unit);
	if (err >= 0)
		err = sd_bus_message_append(m, "(sv)", "CPUWeight", "t", (uint64_t)DEFAULT_WEIGHT);
	return do_call(bus, m, unit, err);
}

/*
 * Set a bit for each memory node that there is, the first ones in the first byte. Returns the bytes
 * in use.
 */
static size_t all_nodes(uint8_t *bits)
{
	char text[4096];
	cpu_set_t nodes;
	size_t i, length = 0;

	memset(bits, 0, MOST_NODES / 8);
	if (!text_file_line("/sys/devices/system/node/online", text, sizeof(text)) || cpu_list_parse(text, &nodes))
		return 0;
	for (i = 0; i < MOST_NODES && i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &nodes))
			continue;
		bits[i / 8] |= (uint8_t)(1 << i % 8);
		length = i / 8 + 1;
	}
	return length;
}

/* Set all memory nodes. All CPUs would be a limit if there are more of them later. */
int unit_enable_cpuset(const char *unit)
{
	uint8_t bits[MOST_NODES / 8];
	size_t length = all_nodes(bits);
	sd_bus_message *m = NULL;
	sd_bus *bus = NULL;
	int err = length ? connect_to(&bus) : -ENODEV;

	if (err)
		return err;
	err = new_call(bus, &m, unit);
	if (err >= 0)
		err = sd_bus_message_open_container(m, 'r', "sv");
	if (err >= 0)
		err = sd_bus_message_append(m, "s", "AllowedMemoryNodes");
	if (err >= 0)
		err = sd_bus_message_open_container(m, 'v', "ay");
	if (err >= 0)
		err = sd_bus_message_append_array(m, 'y', bits, length);
	if (err >= 0)
		err = sd_bus_message_close_container(m);
	if (err >= 0)
		err = sd_bus_message_close_container(m);
	return do_call(bus, m, unit, err);
}
