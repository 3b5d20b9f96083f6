# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What ordinary users can take from others, and for how long (Documentation/security.md).

# Instead of the function "user" where $! must be the program's PID.
as_user=(setpriv --reuid=1000 --regid=1000 --clear-groups --)

# sessions N: wait until N sessions are open
sessions() {
	until info_is sessions "$1"; do
		kill -0 $mine
		nap 0.01
	done
}

# start_user FILE PMCTRACK-OPTION…: an ordinary user's pmctrack in the background, as $mine
start_user() {
	local out=$1; shift
	"${as_user[@]}" pmctrack "$@" >"$out" 2>/tmp/mine-err & mine=$!
	sessions 1
}

# The administrator ends sessions without CAP_PERFMON; their readers get a message.
test_revoke() {
	start_user /tmp/mine -T 0.01 -c cycles sleep infinity
	pmctrack -T 0 -c cycles sleep infinity >/tmp/root & root=$!
	sessions 2
	echo unprivileged=0 >/proc/pmc/config
	info_is sessions 1 || fail "$value sessions after the end of all but root's"
	expect_refusal 1 "CAP_PERFMON.*unprivileged=0" user pmctrack -c cycles true
	pkill -x sleep
	wait $root $mine || true
	equal "$(rows_of /tmp/mine revoked)" 1 "last rows"
	grep -q "an administrator ended the session" /tmp/mine-err || fail "says: $(cat /tmp/mine-err)"
	equal "$(rows_of /tmp/root revoked)" 0 "last rows of root"
	idle
	echo unprivileged=1 >/proc/pmc/config
	expect_status 0 user pmctrack -c cycles true
}

# While sessions exist, perf has no counters. After the sessions are revoked, perf has them again,
# whatever their owners do.
test_revoke_gives_the_counters_back() {
	need_ownership
	start_user /tmp/mine -T 0.01 -c cycles sleep infinity
	! perf stat -x, -e cycles:u true 2>&1 | grep -qE '^[0-9]+,,cycles' || fail "perf counted"
	echo unprivileged=0 >/proc/pmc/config
	perf stat -x, -e cycles:u true 2>/tmp/err
	grep -qE '^[1-9][0-9]*,,cycles' /tmp/err || fail "perf does not count again: $(cat /tmp/err)"
	pkill -x sleep
	wait $mine || true
	echo unprivileged=1 >/proc/pmc/config
}

# The sessions are revoked while their threads start and stop counting all the time.
test_revoke_regions() {
	for _ in $(seq 4); do
		pids=()
		for i in 1 2 3 4; do
			"${as_user[@]}" $S/hostile regions >/tmp/regions$i & pids+=($!)
		done
		mine=${pids[0]}
		sessions 4
		echo unprivileged=0 >/proc/pmc/config
		for i in 1 2 3 4; do
			wait "${pids[i - 1]}" || fail "$(cat /tmp/regions$i)"
			grep -q "an administrator ended this session" /tmp/regions$i || fail "$(cat /tmp/regions$i)"
		done
		idle
		echo unprivileged=1 >/proc/pmc/config
	done
}

# A session with CAP_PERFMON takes threads over from one without.
test_privileged_takes_over() {
	"${as_user[@]}" sleep infinity & other=$!
	until [ "$(ps -o comm= -p $other)" = sleep ]; do nap 0.01; done
	start_user /tmp/mine -T 0.01 -c cycles -p $other
	first=$mine
	# A session is open before it has its threads.
	eventually grep -qs nsample /tmp/mine
	start_attached /tmp/root -T 0.01 -c cycles -p $other
	root=$mine
	wait $first
	equal "$(rows_of /tmp/mine revoked)" 1 "last rows"
	kill -INT $root
	wait $root
	equal "$(rows_of /tmp/root detach)" 1 "last rows of root"
	# Another session with CAP_PERFMON keeps its threads.
	start_attached /tmp/root -T 0.01 -c cycles -p $other
	expect_refusal 1 "being monitored by another session" pmctrack -c cycles -p $other
	kill -INT $mine
	wait $mine
	kill $other
}

# Containers: users of another user or network namespace.
test_containers() {
	local inside=("${as_user[@]}" unshare --user --map-root-user)
	expect_refusal 1 "container.*unprivileged=2" "${inside[@]}" pmctrack -c cycles true
	expect_refusal 1 "container.*unprivileged=2" "${inside[@]}" --net pmctrack -c cycles true
	echo unprivileged=2 >/proc/pmc/config
	expect_status 0 "${inside[@]}" pmctrack -c cycles true
	expect_status 0 "${inside[@]}" --net pmctrack -c cycles true
	expect_refusal 1 "kernel mode needs CAP_PERFMON" "${inside[@]}" pmctrack -c cycles:k true
	# If containers are not allowed any more, their open sessions end, and the host's does not.
	start_user /tmp/mine -T 0.01 -c cycles sleep infinity
	"${inside[@]}" pmctrack -T 0.01 -c cycles sleep infinity >/tmp/inside 2>$ERR & other=$!
	sessions 2
	echo unprivileged=1 >/proc/pmc/config
	info_is sessions 1 || fail "$value sessions"
	pkill -x sleep
	wait $mine $other || true
	equal "$(rows_of /tmp/inside revoked)" 1 "last rows inside"
	equal "$(rows_of /tmp/mine revoked)" 0 "last rows of the host"
	# Root of the host has a container's rights, and more.
	expect_status 0 unshare --net pmctrack -c cycles,cycles:k true
}

# A program with more rights may not use a socket that a program with fewer rights has opened.
test_prepared_socket() {
	expect_status 0 $S/hostile socket
	grep -q "opened with fewer privileges" $OUT || fail "$(cat $OUT)"
}

# A child that was forked has neither the mappings nor the counters.
test_forked_child() {
	child=$(user $S/hostile fork)
	! grep -F '[pmctrack]' /proc/$child/maps || fail "the child has mappings of the session"
	idle
	kill $child
}

# Many programs are refused at the same time: each reads the reason of its own refusal.
test_refusals_are_private() {
	pids=()
	for key in own_a own_b own_c own_d own_e own_f; do
		"${as_user[@]}" $S/hostile refused $key >/tmp/refused_$key 2>&1 & pids+=($!)
	done
	for key in own_a own_b own_c own_d own_e own_f; do
		wait "${pids[0]}" || fail "$(cat /tmp/refused_$key)"
		pids=("${pids[@]:1}")
	done
}

# Attaching to a process that creates threads as fast as it can ends, and can be interrupted.
test_attach_to_a_bomb() {
	"${as_user[@]}" $S/hostile threads & bomb=$!
	until [ "$(ls /proc/$bomb/task 2>/dev/null | tail -n 1)" -gt $((bomb + 50)) ]; do nap 0.01; done
	for _ in 1 2 3; do
		expect_status 0 pmctrack -N 0.01 -T 0.01 -c cycles -o /dev/null -p $bomb
	done
	"${as_user[@]}" $S/hostile interrupted $bomb
	kill $bomb
	wait $bomb || true
}

# One request attaches to no more threads than allowed, and says how many it left out.
test_attach_has_a_limit() {
	echo attach_max_threads=5 >/proc/pmc/config
	start_waiting 00500000 7
	start_attached /tmp/mine -T 0 -c cycles -p "$waiting" 2>/tmp/mine-err
	go
	wait "$waiting" $mine
	equal "$(rows_of /tmp/mine exit)" 5 "threads"
	grep -q "^pmctrack: 3 threads of the process were not monitored.*attach_max_threads=" /tmp/mine-err || fail "$(cat /tmp/mine-err)"
	expect_status 1 bash -c 'echo attach_max_threads=0 >/proc/pmc/config'
}

# Buffers are charged to the memory control group of the process that asked for them.
test_memory_is_charged() {
	cgroup_of charged
	echo +memory >$CG/cgroup.subtree_control
	bash -c 'echo $$ >'$CG'/charged/cgroup.procs; exec pmctrack -T 0 -k 2M -c cycles -p $PPID' >/dev/null & mine=$!
	sessions 1
	local charged
	charged=$(cat $CG/charged/memory.current)
	kill -TERM $mine
	wait $mine || true
	echo "# charged $charged bytes, then $(cat $CG/charged/memory.current)"
	[ $((charged - $(cat $CG/charged/memory.current))) -ge $((2 << 20)) ] || fail "2 MiB are not among $charged bytes"
}

# interrupts_of CPU: function calls that other CPUs had this CPU execute, since boot
interrupts_of() { awk -v i=$(($1 + 2)) '/Function call interrupts/ { print $i }' /proc/interrupts; }

# interrupts_by COMMAND…: interrupts of CPU 1 while a user executes COMMAND four times on CPU 0: the
# least of eight attempts, because the kernel has work of its own; of one where it is not judged
interrupts_by() {
	local before now least='' attempts=8
	[ $CHECKER != kasan ] || attempts=1
	while ((attempts--)); do
		before=$(interrupts_of 1)
		"${as_user[@]}" taskset -c 0 bash -c 'for _ in 1 2 3 4; do "$@"; done' . "$@" >/dev/null 2>&1 || true
		now=$(($(interrupts_of 1) - before))
		[ "$least" ] && [ "$least" -le $now ] || least=$now
	done
	echo "$least"
}

# The first session that is opened programs the counters of all CPUs, and so does the end of the
# last one. A user who opens sessions all the time interrupts each other CPU a few times for each of
# them (perf, twice more for each event).
test_sessions_interrupt_all() {
	[ "$(uname -m)" = x86_64 ] || only "CPUs that exec does not interrupt"
	local others opened most=20 session=(pmctrack -T 0 -c cycles,instr true)
	[ "$BACKEND" != perf ] || most=24
	others=$(interrupts_by pmctrack --help)
	opened=$(interrupts_by "${session[@]}")
	echo "# interrupts of CPU 1: $others by four other programs, $opened by four sessions"
	on_time more $((opened - others)) 3 "interrupts by four sessions"
	on_time more $((4 * most + 1)) $((opened - others)) "most interrupts by four sessions"
}

# in_group NAME COMMAND…: run COMMAND on CPU 0, in control group NAME
in_group() {
	bash -c 'echo $$ >"$0/cgroup.procs"; exec taskset -c 0 "$@"' "$CG/$1" "${@:2}"
}

# beside COMMAND…: nanoseconds that a loop takes on a CPU of which COMMAND gets half
beside() {
	in_group hog "$@" >/dev/null 2>&1 & busy=$!
	until pgrep -x burn >/dev/null; do nap 0.01; done
	sleep 0.1
	in_group neighbour $S/burn 60000000 | cut -d' ' -f2
	pkill -x burn
	wait $busy || true
}

# Samples by events take no more than a quarter of a CPU, whatever a user asks for.
test_samples_are_limited() {
	need_ebs
	need_instr
	cgroup_of neighbour
	cgroup_of hog
	echo +cpu >$CG/cgroup.subtree_control
	local hog=("${as_user[@]}" pmctrack -k 2M -o /dev/null -c instr:ebs=1000 "$S/burn" 100000000000)
	local shared limited free
	shared=$(beside $S/burn 100000000000)
	free=$(beside "${hog[@]}")
	echo ebs_cpu_percent=25 >/proc/pmc/config
	limited=$(beside "${hog[@]}")
	echo "# beside a loop $shared ns, with samples $limited, without their limit $free"
	[ $((limited * 3)) -le $((shared * 4)) ] || fail "the neighbour lost more than a quarter"
	# With CONFIG_IRQ_TIME_ACCOUNTING interrupts count for no program: without the limit, the
	# neighbour loses more.
	! zgrep -qx CONFIG_IRQ_TIME_ACCOUNTING=y /proc/config.gz 2>/dev/null ||
		[ $((free * 3)) -gt $((shared * 4)) ] || fail "there is nothing to limit"
}

# Windows that were made longer say so, and their counts are exact.
test_limited_samples_are_exact() {
	need_ebs
	need_instr
	echo ebs_cpu_percent=1 >/proc/pmc/config
	# The program runs for several clock ticks, because the time used is checked at ticks.
	expect_status 0 user pmctrack -k 2M --json -c instr:ebs=1000 $S/handcount 05000000 0
	equal "$(grep -o '"instr":[0-9]*' $OUT | cut -d: -f2 | awk '{ s += $1 } END { print s }')" "$(hand_main 05000000 0)"
	grep '"type":"sample"' $OUT | grep -q '"widened":true' || fail "no window was made longer"
	[ "$(grep -c '"kind":"ebs"' $OUT)" -lt 9000 ] || fail "$(grep -c '"kind":"ebs"' $OUT) samples"
	grep -q "made longer" $ERR || fail "no word about it: $(cat $ERR)"
	[ ! -s $ERR ] || ! grep -q "lost" $ERR || fail "$(cat $ERR)"
	# The default is perf's limit.
	reload
	rmmod pmctrack
	echo 17 >/proc/sys/kernel/perf_cpu_time_max_percent
	insmod $KO ${HOOKS:+hooks=$HOOKS backend=$BACKEND}
	echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent
	grep -qx "ebs_cpu_percent=17" /proc/pmc/config || fail "$(cat /proc/pmc/config)"
}

# PMCTrack's interrupts must not count as perf's: perf would lower its sample rate.
test_samples_leave_perf_its_rate() {
	need_ebs
	need_instr
	local rate=/proc/sys/kernel/perf_event_max_sample_rate
	echo 1 >/proc/sys/kernel/perf_cpu_time_max_percent
	before=$(cat $rate)
	expect_status 0 pmctrack -k 4M -c instr:ebs=2000 $S/handcount 01000000 0
	[ "$(rows_of $OUT ebs)" -ge 900 ] || fail "$(rows_of $OUT ebs) samples"
	equal "$(cat $rate)" "$before" "perf's highest rate of samples"
	# perf's own samples do lower the rate.
	perf record -o /dev/null -q -e instructions:u -c 2000 $S/handcount 01000000 0 2>/dev/null >&2
	[ "$(cat $rate)" -lt "$before" ] || fail "perf's own samples do not lower it"
	echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent
	echo "$before" >$rate
}
