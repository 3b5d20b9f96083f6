# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Monitoring of CPUs: pmctrack -S and --cgroup.

# Threads that migrate are counted exactly by their group, whatever else runs.
test_cgroup_exact() {
	need_instr
	start_waiting 02000000 4
	cgroup_of a/b $waiting
	start_attached /tmp/mine -T 0.02 --cgroup $CG/a -c instr
	chase_until_end $waiting &
	go
	wait $waiting
	kill -INT $mine
	wait $mine
	equal "$(sum /tmp/mine 4)" "$(rest 02000000 4)"
	[ "$(rows_of /tmp/mine detach)" -ge 2 ] || fail "no last row for each CPU"
}

test_cgroup_sets_take_turns() {
	need_instr
	start_waiting 02000000 2
	cgroup_of a $waiting
	start_attached /tmp/mine -T 0.008 --cgroup $CG/a -c instr -c cycles,instr
	go
	wait $waiting
	kill -INT $mine
	wait $mine
	equal "$(sum /tmp/mine instr)" "$(rest 02000000 2)"
	[ "$(of_set /tmp/mine 1 instr)" -gt 0 ] || fail "the second set had no turn"
}

test_cgroup_ebs() {
	need_ebs
	need_instr
	start_waiting 01000000 2
	cgroup_of a $waiting
	start_attached /tmp/mine --cgroup $CG/a -c instr:ebs=100000
	go
	wait $waiting
	kill -INT $mine
	wait $mine
	equal "$(sum /tmp/mine 4)" "$(rest 01000000 2)"
	[ "$(rows_of /tmp/mine ebs)" -ge 38 ] || fail "$(rows_of /tmp/mine ebs) samples"
}

# A thread with a session of its own has the counters while it runs: both sessions are exact, and
# the group's rows say that they do not cover all the time.
test_cgroup_gives_way() {
	need_instr
	start_waiting 01000000 2
	first=$waiting
	exec 8>&7
	start_waiting 03000000 2
	cgroup_of a $first $waiting
	start_attached /tmp/group --csv -T 0.02 --cgroup $CG/a -c instr
	group=$mine
	start_attached /tmp/mine -T 0.01 -c cycles,instr -p $waiting
	echo >&8; exec 8>&-
	go
	wait $first $waiting
	wait $mine
	kill -INT $group
	wait $group
	equal "$(sum /tmp/mine instr)" "$(rest 03000000 2)" "of the thread's session"
	equal "$(csv_sum /tmp/group instr)" "$(rest 01000000 2)" "of the group's session"
	[ "$(csv_sum /tmp/group hw_ns)" -lt "$(csv_sum /tmp/group run_ns)" ] || fail "nothing is missing?"
}

# Without other sessions, a system-wide session has the counters all the time.
test_system_coverage() {
	pmctrack -S --csv -o /tmp/mine -T 0.05 -c cycles,cycles:k $S/burn 20000000
	equal "$(csv_sum /tmp/mine hw_ns)" "$(csv_sum /tmp/mine run_ns)" "time"
	equal "$(csv /tmp/mine kind | grep -c detach)" "$(nproc)" "last rows"
	[ "$(csv_sum /tmp/mine cycles)" -gt 1000000 ] || fail "$(csv_sum /tmp/mine cycles) cycles"
}

# A CPU goes offline and comes back: it has a last row, then new rows, and no count is lost.
test_system_hotplug() {
	need_instr
	start_waiting 10000000 3
	cgroup_of a $waiting
	start_attached /tmp/mine -T 0.01 --cgroup $CG/a -c instr
	go
	for _ in 1 2 3; do
		echo 0 >/sys/devices/system/cpu/cpu1/online
		sleep 0.02
		echo 1 >/sys/devices/system/cpu/cpu1/online
		sleep 0.02
	done
	wait $waiting
	kill -INT $mine
	wait $mine
	equal "$(rows_of /tmp/mine exit)" 3 "last rows of the CPU"
	equal "$(sum /tmp/mine 4)" "$(rest 10000000 3)"
}

test_system_refusals() {
	cgroup_of a
	expect_refusal 1 "system-wide monitoring needs CAP_PERFMON" user pmctrack -S -c cycles true
	expect_refusal 1 "cgroup /nowhere: No such file" pmctrack --cgroup /nowhere -c cycles true
	expect_refusal 1 "not a directory of the cgroup2 file system" pmctrack --cgroup /tmp -c cycles true
	expect_refusal 2 "give one of them" pmctrack -S -p 1
	start_attached /tmp/mine -S -T 0.1 -c cycles
	expect_refusal 1 "there is a system-wide session already" pmctrack -S -c cycles true
	kill -INT $mine
	wait $mine
	# A group is removed, and its reader is killed by SIGKILL.
	cgroup_of gone
	start_attached /tmp/mine --cgroup $CG/gone -T 0.1 -c cycles
	rmdir $CG/gone
	sleep 0.2
	kill -9 $mine
	wait $mine || true
	idle
	# The exit status is the program's.
	expect_status 3 pmctrack -S -T 0 -c cycles sh -c 'exit 3'
}
