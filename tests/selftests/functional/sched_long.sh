# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What takes minutes to find out about policies of pmctrack-sched: in the matrix.
. "$(dirname "${BASH_SOURCE[0]}")/sched_groups.sh"

# Fifty threads of a group that may run for a thousandth of the time: each would have to wait for
# minutes, but the kernel ends a policy if a thread waits for half a minute.
test_group_outlasts_watchdog() {
	groups
	sched_begin -q rr
	group one max
	busy one 50
	echo "1000 1000000" >$GROUPS_AT/one/cpu.max
	sleep 80
	state_is enabled
	# A tick of 4 ms for each thread in ten seconds.
	more 0.03 "$(takes one 20)" "CPUs of 0.001"
	echo max >$GROUPS_AT/one/cpu.max
	no_group one
	sched_end
}
