// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts about what is missing in a run: below totals, and, with remedies, in messages. */
#include <inttypes.h>
#include <string.h>

#include "complain.h"
#include "losses.h"
#include "totals.h"

/* A message is the number of what is missing, then @what, then @help. */
static const struct {
	const char *what;
	const char *help;
} texts[NR_MISSED] = {
	[MISSED_LOST] = {
		"last samples of threads were lost",
		", because the kernel's buffer was full (see -k); they had, in all:",
	},
	[MISSED_SKIPPED] = { "threads were not monitored: the kernel had no memory for them, or their creators may not be traced", "" },
	[MISSED_SETUID] = {
		"threads executed a program with other privileges and were not monitored further",
		"; that needs CAP_PERFMON (run pmctrack as root)",
	},
	[MISSED_LEFT_OUT] = {
		"threads of the process were not monitored",
		": it has more than one request may attach (attach_max_threads= in /proc/pmc/config), or created them faster than they could be attached",
	},
	[MISSED_TAKEN] = {
		"threads were taken over by somebody with CAP_PERFMON; their counts end there", "",
	},
	[MISSED_REVOKED] = {
		"an administrator ended the session; the counts end there",
		": sessions without CAP_PERFMON are not allowed here any more (unprivileged= in /proc/pmc/config)",
	},
	[MISSED_RUNNING] = {
		"threads of background processes still run; their events since their last sample are not shown",
		"",
	},
	[MISSED_SURPLUS] = { "samples after the number that was asked for (-n) were left out", "" },
	[MISSED_UNCOUNTED] = { "seconds were on CPUs whose counters cannot be used", "" },
};

/* The number that begins a text: "3 ", "0.250000 "; empty if there can be only one. */
static const char *number(const struct totals *t, enum missed i, char *text, size_t size)
{
	text[0] = '\0';
	if (i == MISSED_UNCOUNTED)
		snprintf(text, size, "%" PRIu64 ".%09" PRIu64 " ", t->missed[i] / 1000000000,
			 t->missed[i] % 1000000000);
	else if (i != MISSED_REVOKED)
		snprintf(text, size, "%" PRIu64 " ", t->missed[i]);
	return text;
}

/* Prints "; the totals have their events (12 instr, 34 cycles), not their time". */
static void print_lost(FILE *out, const struct totals *t)
{
	const char *separator = " (";

	fputs("; the totals have their events", out);
	for (unsigned int i = 0; i < t->sets->nr; i++) {
		const struct pmctrack_evset *set = t->sets->set[i];

		for (unsigned int j = 0; j < pmctrack_evset__nr(set); j++) {
			uint64_t lost = totals_of(t, i, j).lost;

			if (!lost)
				continue;
			fprintf(out, "%s%" PRIu64 " %s", separator, lost, pmctrack_evset__name(set, j));
			separator = ", ";
		}
	}
	fprintf(out, "%s, not their time", *separator == ',' ? ")" : "");
}

/* The number of samples without a value of a virtual counter of -V. */
static unsigned long without_value(const struct totals *t, unsigned int virt)
{
	return t->sets->virts >> virt & 1 ? t->nr - (unsigned long)t->virt[virt].nr : 0;
}

#define WITHOUT_VALUE	"virtual counter %s: %lu of %lu samples have no value"

void losses_print(FILE *out, const struct totals *t)
{
	const char *heading = "\nNot everything was counted:\n";
	char text[32];

	for (unsigned int i = 0; i < NR_MISSED; i++) {
		if (!t->missed[i])
			continue;
		fprintf(out, "%s  %s%s", heading, number(t, i, text, sizeof(text)), texts[i].what);
		if (i == MISSED_LOST)
			print_lost(out, t);
		fputc('\n', out);
		heading = "";
	}
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (!without_value(t, i))
			continue;
		fprintf(out, "%s  " WITHOUT_VALUE "\n", heading, t->sets->virt[i].name,
			without_value(t, i), t->nr);
		heading = "";
	}
}

/* Print the events of lost samples, for users who add up samples themselves. */
static void list_lost_counts(const struct totals *t)
{
	for (unsigned int type = 0; type < PMCTRACK_MAX_CORE_TYPES; type++) {
		for (unsigned int set = 0; set < PMCTRACK_MAX_SETS; set++) {
			for (unsigned int c = 0; c < PMCTRACK_MAX_COUNTERS; c++) {
				if (t->lost[type][set][c])
					fprintf(stderr, "  core type %u, set %u: pmc%u %" PRIu64 "\n",
						type, set, c, t->lost[type][set][c]);
			}
		}
	}
}

void losses_complain(const struct totals *t)
{
	char text[32];

	if (t->merged)
		complain("%" PRIu64 " samples cover more than one period, because the kernel's buffer was full; no event is missing. A larger buffer (-k) or period (-T) helps",
			 t->merged);
	if (t->widened)
		complain("%" PRIu64 " windows were made longer than asked for, because samples took too much of a CPU's time (ebs_cpu_percent= in /proc/pmc/config); their counts are exact. A larger number of events avoids it",
			 t->widened);
	if (t->disturbed)
		complain("%" PRIu64 " samples lack events: somebody else wrote the counters (a hypervisor, firmware). Their time without counters is left out of hw_ns, and totals are marked as estimates",
			 t->disturbed);
	for (unsigned int i = 0; i < NR_MISSED; i++) {
		/* No message about -n, because the user asked for it. Totals tell it. */
		if (t->missed[i] && i != MISSED_SURPLUS)
			complain("%s%s%s", number(t, i, text, sizeof(text)), texts[i].what, texts[i].help);
		if (i == MISSED_LOST && t->missed[i])
			list_lost_counts(t);
	}
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (without_value(t, i))
			complain(WITHOUT_VALUE, t->sets->virt[i].name, without_value(t, i), t->nr);
	}
}
