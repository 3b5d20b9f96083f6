// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmctrack doctor: print what this machine lacks and what prevents counting, each with
 * its reason and a remedy. The command changes nothing on the machine.
 */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <pmctrack/libpmctrack.h>

#include "complain.h"
#include "doctor.h"
#include "exit_status.h"

static const char *const verdicts[] = { "ok", "warning", "FAIL" };

static void print_text(const struct finding *f)
{
	printf("%-8s %-12s %s\n", verdicts[f->verdict], f->check, f->text);
	if (f->remedy[0])
		printf("%21s => %s\n", "", f->remedy);
}

static void print_json(const struct finding *f)
{
	struct json_object *line = json_object_new_object();

	json_object_object_add(line, "check", json_object_new_string(f->check));
	json_object_object_add(line, "verdict", json_object_new_string(f->verdict == BAD ? "fail" :
								       verdicts[f->verdict]));
	json_object_object_add(line, "finding", json_object_new_string(f->text));
	json_object_object_add(line, "remedy",
			       f->remedy[0] ? json_object_new_string(f->remedy) : NULL);
	printf("%s\n", json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN |
						      JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(line);
}

/* Try to count an event of this process. */
static void check_counting(struct findings *found)
{
	static const char *const events[] = { "instr", "cycles", "task_clock" };
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	struct pmctrack_evset *set = NULL;
	struct pmctrack_session *s;
	unsigned int i;

	if (!ctl) {
		finding_add(found, BAD, "library", "install library and module of the same version",
			    "%s", pmctrack_error());
		return;
	}
	for (i = 0; !set && i < sizeof(events) / sizeof(events[0]); i++)
		set = pmctrack_evset__parse(ctl, 0, events[i]);
	if (!set) {
		finding_add(found, WARNING, "counting", "'pmc-events -L' lists the events of this machine",
			    "none of the usual events is there: %s", pmctrack_error());
		goto out;
	}
	s = pmctrack_session__open(ctl, &set, 1, NULL);
	if (!s || pmctrack_session__start(s) || pmctrack_session__stop(s))
		finding_add(found, BAD, "counting", NULL, "%s", pmctrack_error());
	else
		finding_add(found, GOOD, "counting", NULL, "%s of this process can be counted", events[i - 1]);
	pmctrack_session__close(s);
	pmctrack_evset__free(set);
out:
	pmctrack_ctl__close(ctl);
}

int doctor(int argc, char **argv)
{
	bool json = argc == 3 && strcmp(argv[2], "--json") == 0;
	struct findings found = { .nr = 0 };
	struct facts facts;
	int err;

	if (argc != 2 && !json) {
		fprintf(stderr, "pmctrack: usage: pmctrack doctor [--json]\n");
		return STATUS_USAGE;
	}
	err = facts_read(&facts);
	if (err) {
		complain("doctor: %s", strerror(-err));
		return STATUS_FAILED;
	}
	judge(&facts, &found);
	if (!found.bad)
		check_counting(&found);
	for (unsigned int i = 0; i < found.nr; i++)
		(json ? print_json : print_text)(&found.of[i]);
	return found.bad ? STATUS_FAILED : 0;
}
