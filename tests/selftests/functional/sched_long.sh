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

# One thread in a group with a limit, below a group with a smaller one: it waits for the one above,
# in which nothing else was ever throttled.
test_group_waits_above() {
	groups
	sched_begin -q rr
	group up "1000 1000000"
	echo +cpu >$GROUPS_AT/up/cgroup.subtree_control
	group up/one "1000 100000"
	busy up/one 1
	sleep 45
	state_is enabled
	more "$(takes up 20)" 0.0001 "CPUs of 0.001"
	no_group up/one
	no_group up
	sched_end
}

# Somebody outside of the group changes the affinity of one of its threads all the time. It goes on
# waiting, and is let go as the others are.
test_group_waits_on() {
	local i program threads=()
	groups
	sched_begin -q rr
	group one max
	busy one 100
	echo "1000 1000000" >$GROUPS_AT/one/cpu.max
	program=$(head -n 1 $GROUPS_AT/one/cgroup.procs)
	mapfile -t threads < <(ls "/proc/$program/task")
	for i in {1..45}; do
		taskset -p "$((i % 2 ? 7 : 15))" "${threads[-1]}" >/dev/null
		sleep 1
	done
	state_is enabled
	echo max >$GROUPS_AT/one/cpu.max
	no_group one
	sched_end
}

# Four hundred processes that may run on one CPU only, with long slices: none waits for half a
# minute.
test_pinned_outlast_watchdog() {
	scx
	hybrid
	local program
	sched_begin -q rr --slice 100
	python3 - "$(slow_cpu)" <<-'P' & program=$!
		import os, sys
		begin, end = os.pipe()
		for _ in range(400):
		    if os.fork() == 0:
		        os.close(end)
		        os.read(begin, 1)
		        os.sched_setaffinity(0, [int(sys.argv[1])])
		        while True:
		            pass
		os.close(end)
		os.wait()
	P
	sleep 45
	state_is enabled
	equal "$(pgrep -P $program | wc -l)" 400 "processes"
	pkill -KILL -P $program
	kill -KILL $program
	wait $program || true
	sched_end
}
