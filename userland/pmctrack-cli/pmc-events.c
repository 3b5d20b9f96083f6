// SPDX-License-Identifier: GPL-2.0-or-later
/* pmc-events: list PMUs and their events, and translate mnemonics into raw strings. */
#include <ctype.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <pmctrack/libpmctrack.h>

#include "complain.h"
#include "exit_status.h"
#include "option_table.h"
#include "standard_files.h"

static void print_mask(const char *what, uint32_t mask)
{
	const char *separator = " ";

	printf("%s %d (", what, __builtin_popcount(mask));
	for (unsigned int i = 0; i < PMCTRACK_MAX_COUNTERS; i++) {
		if (mask >> i & 1) {
			printf("%spmc%u", *separator == ' ' ? "" : separator, i);
			separator = ",";
		}
	}
	puts(")");
}

static int list_pmus(const struct pmctrack_ctl *ctl)
{
	printf("module    %s, ABI %d\n", pmctrack_ctl__version(ctl), PMCTRACK_ABI_VERSION);
	printf("backend   %s\n", pmctrack_ctl__backend(ctl));
	printf("sampling  multiples of %.3f ms\n", (double)pmctrack_ctl__tick_ns(ctl) / 1e6);
	for (unsigned int i = 0; i < pmctrack_ctl__nr_pmus(ctl); i++) {
		struct pmctrack_pmu_info info = { .sz = sizeof(info) };

		if (pmctrack_ctl__pmu_info(ctl, i, &info))
			return -1;
		printf("\n[PMU %u]\n", i);
		printf("name      %s\n", info.name);
		printf("model     %s\n", info.model);
		printf("cpus      %s\n", info.cpus);
		printf("events    libpfm4 table %s\n", info.table ? info.table : "none");
		print_mask("fixed    ", info.fixed);
		print_mask("general  ", info.counters & ~info.fixed);
		printf("bits      %u\n", info.width);
	}
	return 0;
}

static int list_virts(const struct pmctrack_ctl *ctl)
{
	if (!pmctrack_ctl__mmon(ctl)) {
		puts("no monitoring module is active; see /proc/pmc/mmon_manager");
		return 0;
	}
	printf("[Monitoring module %s]\n", pmctrack_ctl__mmon(ctl));
	for (unsigned int i = 0; i < pmctrack_ctl__nr_virts(ctl); i++) {
		struct pmctrack_virt_info info = { .sz = sizeof(info) };

		if (pmctrack_ctl__virt_info(ctl, i, &info))
			return -1;
		printf("virt%-3u %-20s %-8s %s%s\n", i, info.name, *info.unit ? info.unit : "-",
		       info.desc, info.gauge ? " (a state)" : "");
	}
	return 0;
}

static int print_event(const struct pmctrack_event_info *info, void *arg)
{
	(void)arg;
	printf("%-26s 0x%04llx  %s%s\n", info->name, (unsigned long long)info->code,
	       info->alias_of ? "= " : "", info->alias_of ? info->alias_of : info->desc);
	return 0;
}

static int print_raw(const struct pmctrack_ctl *ctl, unsigned int pmu, const char *events)
{
	struct pmctrack_evset *set = pmctrack_evset__parse(ctl, pmu, events);

	if (!set)
		return -1;
	puts(pmctrack_evset__raw(set));
	pmctrack_evset__free(set);
	return 0;
}

/* The parsed command line. */
struct request {
	char action;		/* the letter of its option; 0: none was given */
	const char *events;	/* -e */
	unsigned int pmu;	/* -p */
};

static const struct option_table table;

static int usage_error(const char *text)
{
	complain("%s", text);
	return option_table_refuse(&table);
}

static int set_action(void *options, const struct option_entry *e, const char *arg)
{
	struct request *r = options;

	if (r->action && r->action != e->letter)
		return usage_error("give one of -I, -V, -L and -e");
	r->action = e->letter;
	if (arg)
		r->events = arg;
	return 0;
}

static int set_pmu(void *options, const struct option_entry *e, const char *arg)
{
	struct request *r = options;
	unsigned long pmu;
	char *end;

	(void)e;
	pmu = strtoul(arg, &end, 10);
	if (*end || !isdigit((unsigned char)*arg) || pmu > UINT_MAX)
		return usage_error("-p needs the number of a PMU");
	r->pmu = (unsigned int)pmu;
	return 0;
}

static const struct option_entry entries[] = {
	{ .letter = 'I', .set = set_action, .help = "list PMUs: one for each type of core" },
	{ .letter = 'V', .set = set_action,
	  .help = "list the virtual counters of the active monitoring module" },
	{ .letter = 'L', .set = set_action, .help = "list the events that a PMU implements" },
	{ 'e', NULL, "EVENTS", ARGUMENT_EVENTS, "print the raw string for a list of event names",
	  .set = set_action },
	{ 'p', NULL, "PMU", ARGUMENT_OTHER, "which PMU, by its number in -I (default 0)",
	  .set = set_pmu },
};

static const struct option_table table = {
	.program = "pmc-events",
	.before =
"Usage: pmc-events -I | -V | -L [-p PMU] | -e EVENTS [-p PMU]\n"
"Describe the hardware counters of this machine.\n"
"\n",
	.after =
"\n"
"Exit status: 0; 1 on failure, 2 for usage errors.\n",
	.of = entries,
	.nr = sizeof(entries) / sizeof(entries[0]),
};

static int fulfil(const struct pmctrack_ctl *ctl, const struct request *r)
{
	switch (r->action) {
	case 'I':
		return list_pmus(ctl);
	case 'V':
		return list_virts(ctl);
	case 'L':
		return pmctrack_ctl__each_event(ctl, r->pmu, print_event, NULL);
	}
	return print_raw(ctl, r->pmu, r->events);
}

int main(int argc, char **argv)
{
	struct request request = { .action = 0 };
	struct pmctrack_ctl *ctl;
	int err;

	complain_as(table.program);
	if (standard_files_open(O_CLOEXEC))
		return STATUS_FAILED;
	err = option_table_parse(&table, &request, argc, argv);
	if (err)
		return err < 0 ? standard_output_end(0, STATUS_FAILED) : err;
	if (!request.action || optind != argc)
		return usage_error("give one of -I, -V, -L and -e");

	ctl = pmctrack_ctl__open();
	err = ctl ? fulfil(ctl, &request) : -1;
	if (err)
		complain("%s", pmctrack_error());
	pmctrack_ctl__close(ctl);
	return standard_output_end(err ? STATUS_FAILED : 0, STATUS_FAILED);
}
