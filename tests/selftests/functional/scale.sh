# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A ring for each CPU: order, misuse, many CPUs and many threads.

test_rings_misuse() {
	$S/rings misuse || fail "see above"
}

test_forked_session() {
	$S/rings forked || fail "see above"
}

# The process that opened the session has closed it; another process has the descriptor and reads.
test_passed_session() {
	need_instr
	start_waiting 00500000 4
	$S/rings passed $waiting >/tmp/mine & mine=$!
	until grep -q attached /tmp/mine; do kill -0 $mine; nap 0.01; done
	go
	wait $waiting
	wait $mine
	equal "$(awk '/^sum/ { print $2 }' /tmp/mine)" "$(rest 00500000 4)"
}

# Each session takes two mappings for each CPU, of which a process has a limited number.
test_thousand_sessions() {
	local sessions=1000 most
	most=$(($(cat /proc/sys/vm/max_map_count) / 2 / $(getconf _NPROCESSORS_CONF)))
	# With KASAN or KCSAN, each session takes long to end.
	[ $CHECKER = none ] || sessions=100
	ulimit -n 2000
	if [ $most -lt $sessions ]; then
		expect_refusal 1 "has at most vm.max_map_count" $S/rings many $sessions
		idle
		sessions=$((most - 2))
	fi
	$S/rings many $sessions
	idle
}

# More samples than the reader takes: what is not in a row is in the next one, or reported.
test_flood() {
	need_instr
	need_ebs
	echo ebs_cpu_percent=0 >/proc/pmc/config
	trap 'echo ebs_cpu_percent=25 >/proc/pmc/config' EXIT
	pmctrack -k 4K -c instr:ebs=1000 --csv -o /tmp/mine.csv $S/handcount 00200000 9 2>/tmp/err
	lost=$(awk '/^  core type/ { s += $NF } END { print s + 0 }' /tmp/err)
	equal "$(($(csv_sum /tmp/mine.csv instr) + lost))" "$(hand_all 00200000 9)" "events in rows and in losses"
}

# Threads are moved between CPUs: the rows of each thread are in order, and none is missing.
test_order_of_rows() {
	need_instr
	pmctrack -T 0.004 -o /tmp/mine.csv --csv -c instr $S/handcount 20000000 5 & mine=$!
	chase_until_end $mine
	wait $mine
	equal "$(csv_sum /tmp/mine.csv instr)" "$(hand_all 20000000 5)"
	paste -d' ' <(csv /tmp/mine.csv pid) <(csv /tmp/mine.csv time_ns) | awk '
		$2 <= last[$1] && $1 in last { bad++ }
		{ last[$1] = $2; if (!($1 in seen)) { seen[$1]; n++ } }
		END { exit !(bad == 0 && n >= 6) }' || fail "rows of a thread are not in their order"
}

# A CPU that is offline when the session opens writes like any other when it is online.
test_cpu_comes_later() {
	need_instr
	echo 0 >/sys/devices/system/cpu/cpu1/online
	trap 'echo 1 >/sys/devices/system/cpu/cpu1/online' EXIT
	start_waiting 00500000 4
	start_attached /tmp/mine -T 0.004 -c instr -p $waiting
	echo 1 >/sys/devices/system/cpu/cpu1/online
	taskset -ap 2 $waiting >/dev/null
	go
	wait $waiting
	wait $mine
	equal "$(sum /tmp/mine 4)" "$(rest 00500000 4)"
}

# Small rings that are full most of the time, and a CPU that goes offline and comes back.
test_full_rings_and_hotplug() {
	need_instr
	pmctrack -S -k 4K -T 0.004 -N 3 -o /tmp/system -c instr 2>/dev/null & system=$!
	pmctrack -k 4K -T 0.004 -c instr -o /tmp/mine $S/handcount 20000000 5 2>/tmp/err & mine=$!
	for i in 1 2 3 4 5; do
		# In later rounds, either may have ended.
		kill -STOP $mine $system 2>/dev/null || [ $i -gt 1 ] || fail "one has ended already"
		echo 0 >/sys/devices/system/cpu/cpu1/online
		sleep 0.05
		kill -CONT $mine $system 2>/dev/null || true
		echo 1 >/sys/devices/system/cpu/cpu1/online
		sleep 0.05
	done
	wait $mine
	wait $system
	# Losses are reported with their events.
	lost=$(awk '/^  core type/ { s += $NF } END { print s + 0 }' /tmp/err)
	equal "$(($(sum /tmp/mine 4) + lost))" "$(hand_all 20000000 5)" "events in rows and in losses"
}

# Memory runs out while rings are allocated: no process is killed, and nothing is left.
test_memory_runs_out() {
	cgroup_of poor
	echo +memory >$CG/cgroup.subtree_control
	echo 12M >$CG/poor/memory.max
	in_poor() { bash -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' $CG/poor "$@"; }
	expect_refusal 1 "no memory for a ring buffer of 16777216 bytes for each of" \
		in_poor pmctrack -S -k 16M -N 0.1 -c cycles
	grep -q '^oom_kill 0$' $CG/poor/memory.events || fail "$(cat $CG/poor/memory.events)"
	grep -q '^max [1-9]' $CG/poor/memory.events || fail "memory was not short: $(cat $CG/poor/memory.events)"
	idle
	# The rings that were allocated have been freed: there is room for smaller ones.
	expect_status 0 in_poor pmctrack -S -k "$((4096 / $(nproc)))K" -N 0.1 -c cycles
}
