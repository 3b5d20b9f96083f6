// SPDX-License-Identifier: GPL-2.0-or-later
/* pmc-events: PMUs, their events, and raw strings of mnemonics. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmctrack/libpmctrack.h>

static const char usage_text[] =
"Usage: pmc-events -I | -V | -L [-p PMU] | -e EVENTS [-p PMU]\n"
"Describe the hardware counters of this machine.\n"
"\n"
"  -I            list PMUs: one for each type of core\n"
"  -V            list the virtual counters of the active monitoring module\n"
"  -L            list the events that a PMU implements\n"
"  -e EVENTS     print the raw string for a list of event names\n"
"  -p PMU        which PMU, by its number in -I (default 0)\n"
"  -h, --help    print this text\n"
"      --version print the version\n"
"\n"
"Exit status: 0; 1 on failure, 2 for usage errors.\n";

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

static int usage_error(const char *text)
{
	if (text)
		fprintf(stderr, "pmc-events: %s\n", text);
	fputs("Try 'pmc-events --help'.\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 }
	};
	struct pmctrack_ctl *ctl;
	const char *events = NULL;
	unsigned long pmu = 0;
	int action = 0, c, err;
	char *end;

	while ((c = getopt_long(argc, argv, "ILVe:p:h", longopts, NULL)) != -1) {
		switch (c) {
		case 'e':
			events = optarg;
			/* fall through */
		case 'I':
		case 'L':
		case 'V':
			if (action && action != c)
				return usage_error("give one of -I, -V, -L and -e");
			action = c;
			break;
		case 'p':
			pmu = strtoul(optarg, &end, 10);
			if (*end || !isdigit((unsigned char)*optarg) || pmu > UINT_MAX)
				return usage_error("-p needs the number of a PMU");
			break;
		case 'h':
			fputs(usage_text, stdout);
			return 0;
		case 'v':
			puts("pmc-events " VERSION);
			return 0;
		default:
			return usage_error(NULL);
		}
	}
	if (!action || optind != argc)
		return usage_error("give one of -I, -V, -L and -e");

	ctl = pmctrack_ctl__open();
	if (!ctl)
		err = -1;
	else if (action == 'I')
		err = list_pmus(ctl);
	else if (action == 'V')
		err = list_virts(ctl);
	else if (action == 'L')
		err = pmctrack_ctl__each_event(ctl, (unsigned int)pmu, print_event, NULL);
	else
		err = print_raw(ctl, (unsigned int)pmu, events);
	if (err)
		fprintf(stderr, "pmc-events: %s\n", pmctrack_error());
	pmctrack_ctl__close(ctl);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "pmc-events: cannot write: %s\n", strerror(errno));
		err = -1;
	}
	return err ? 1 : 0;
}
