// SPDX-License-Identifier: GPL-2.0-only
/* The settings of /proc/pmc/config: names, values and their limits. */
#include <linux/log2.h>
#include <linux/seq_file.h>

#include "config.h"
#include "ring.h"

struct pmct_config pmct_config = {
	.ring_default	= 256 << 10,
	.ring_max	= 4 << 20,
	.user_read	= 1,
	.unprivileged	= PMCT_UNPRIVILEGED_HOST,
	.ebs_cpu_percent = 25,
	.attach_max_threads = 65536,
};

static bool pmct_is_ring_size(u32 value)
{
	return is_power_of_2(value) && value >= PMCT_RING_MIN && value <= PMCT_RING_MAX;
}

static bool pmct_is_bool(u32 value)
{
	return value <= 1;
}

static bool pmct_is_unprivileged(u32 value)
{
	return value <= PMCT_UNPRIVILEGED_ALL;
}

static bool pmct_is_percent(u32 value)
{
	return value <= 100;
}

static bool pmct_is_positive(u32 value)
{
	return value && value <= INT_MAX;
}

/* The names are part of the interface of the file. */
static const struct {
	const char *name;
	u32 *value;
	bool (*valid)(u32 value);
} pmct_config_items[] = {
	{ "ring_default_bytes", &pmct_config.ring_default, pmct_is_ring_size },
	{ "ring_max_bytes", &pmct_config.ring_max, pmct_is_ring_size },
	{ "user_read", &pmct_config.user_read, pmct_is_bool },
	{ "unprivileged", &pmct_config.unprivileged, pmct_is_unprivileged },
	{ "ebs_cpu_percent", &pmct_config.ebs_cpu_percent, pmct_is_percent },
	{ "attach_max_threads", &pmct_config.attach_max_threads, pmct_is_positive },
};

/* Print one "name=value" per line. */
void pmct_config_show(struct seq_file *m)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pmct_config_items); i++)
		seq_printf(m, "%s=%u\n", pmct_config_items[i].name,
			   READ_ONCE(*pmct_config_items[i].value));
}

/**
 * pmct_config_set() - change a setting
 * @name: name of the setting
 * @value: the new value
 *
 * Context: any.
 * Return: 0, -ENOENT if there is no such setting, -ERANGE if @value is not allowed for it.
 */
int pmct_config_set(const char *name, u32 value)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pmct_config_items); i++) {
		if (strcmp(name, pmct_config_items[i].name))
			continue;
		if (!pmct_config_items[i].valid(value))
			return -ERANGE;
		WRITE_ONCE(*pmct_config_items[i].value, value);
		return 0;
	}
	return -ENOENT;
}
