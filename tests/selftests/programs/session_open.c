// SPDX-License-Identifier: GPL-2.0-or-later
/* session_open PID: open a session for a thread (0: the caller), or print why that fails. */
#include <stdio.h>
#include <stdlib.h>
#include <pmctrack/libpmctrack.h>

int main(int argc, char **argv)
{
	struct pmctrack_session_opts opts = { .sz = sizeof(opts) };
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	struct pmctrack_evset *set;
	struct pmctrack_session *s;

	opts.pid = argc > 1 ? atoi(argv[1]) : 0;
	opts.flags = opts.pid ? PMCTRACK_SESSION_ON_EXEC : 0;
	set = ctl ? pmctrack_evset__parse(ctl, 0, "cycles") : NULL;
	s = set ? pmctrack_session__open(ctl, &set, 1, &opts) : NULL;
	if (!s)
		fprintf(stderr, "session_open: %s\n", pmctrack_error());
	pmctrack_session__close(s);
	pmctrack_evset__free(set);
	pmctrack_ctl__close(ctl);
	return !s;
}
