# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Tests of pmctrack-sched's policies that take minutes: the matrix runs them.
. "$(dirname "${BASH_SOURCE[0]}")/sched_groups.sh"

# Fifty threads of a group may run for a thousandth of the time. By the limit each would wait for
# minutes, but the kernel ends a policy if a thread waits for half a minute.
test_group_outlasts_watchdog() {
	groups
	sched_begin -q rr
	group one max
	busy one 50
	echo "1000 1000000" >$GROUPS_AT/one/cpu.max
	sleep 80
	state_is enabled
	# Each thread has a tick of 4 ms in ten seconds.
	more 0.03 "$(takes one 20)" "CPUs of 0.001"
	echo max >$GROUPS_AT/one/cpu.max
	no_group one
	sched_end
}
