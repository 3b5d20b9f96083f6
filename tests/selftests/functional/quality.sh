# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Quality Time on a simulated machine, whose programs know the time that their work takes alone.
. "$(dirname "${BASH_SOURCE[0]}")/models.sh"

# with_quality PARAMETER…: make the module active
with_quality() {
	echo none >$MANAGER
	rmmod pmctrack_mmon_quality_time pmctrack_hold 2>/dev/null || true
	insmod $MODULES/pmctrack_hold.ko
	insmod $MODULES/pmctrack_mmon_quality_time.ko "$@"
	echo quality_time >$MANAGER
}

without_quality() {
	echo none >$MANAGER
	rmmod pmctrack_mmon_quality_time
	rmmod pmctrack_hold
}

# type_of CPU: the number of its core type, from 1
type_of() {
	sed -n 's/^cpus: //p' /proc/pmc/info | awk -v cpu="$1" -F, '{
		for (i = 1; i <= NF; i++) { split($i, ends, "-"); if (cpu >= ends[1] && cpu <= (ends[2] == "" ? ends[1] : ends[2])) print NR } }'
}

# together PROGRAM…: run and measure each on a CPU of its own, until all have ended once. Prints for
# each: program, Quality Time, CPU time, time alone, all in ms
together() {
	local jobs=() i=0 program
	for program; do
		taskset -c $i pmctrack --csv -T 0.1 -V quality_time,explained -o /tmp/quality$i simapp -j -x 150 "$program" >/tmp/truth$i & jobs+=($!)
		i=$((i + 1))
	done
	wait "${jobs[@]}"
	i=0
	for program; do
		echo "$program $(csv_sum /tmp/quality$i quality_time) $(csv_sum /tmp/quality$i explained) $(alone /tmp/truth$i "$(type_of $i)")" |
			awk '{ printf "%s %d %d %d\n", $1, $2 / 1e6, $3 / 1e6, $4 * 1e3 }'
		i=$((i + 1))
	done
}

# A program that is alone has all of its time. Beside others, its Quality Time is the time that it
# would have needed alone, and not its CPU time. It does not have what caches need longer than a
# sample to be as they are alone.
test_quality_time() {
	only sim
	local i others=()
	with_quality hold_us=5000 budget=50
	together gamess >/tmp/one
	cat /tmp/one
	awk '{ e = $2 / $4 - 1; exit !(e > -0.02 && e < 0.02) }' /tmp/one || on_time fail "alone"
	# In a large cache, two programs lose little, and samples are too short for these losses.
	case $(simapp --machine | sed -n 's/^simulated machine: //p') in
	4P-8E*) for i in 2 3 4 5; do taskset -c $i simapp -x 10000 lbm >/dev/null & others+=($!); done ;;
	esac
	together mcf soplex >/tmp/two
	[ ${#others[@]} = 0 ] || kill "${others[@]}"
	wait "${others[@]}" || true
	cat /tmp/two
	awk '{ q = $2 / $4 - 1; c = $3 / $4 - 1; print "# " $1 ": Quality Time " int(q * 1000) / 10 " %, CPU time " int(c * 1000) / 10 " % off"
		if (q < 0) q = -q
		# How much they lose depends on the machine: 9 % where twelve cores share a cache.
		if (c < 0.08 || q > c / 2) bad = 1 } END { exit bad }' /tmp/two || on_time fail "beside another one"
	without_quality
}

# Other programs lose no more than the budget, and the module's numbers agree.
test_quality_budget() {
	only sim
	local began ended holds ran ran2 mine other
	with_quality hold_us=5000 budget=10
	taskset -c 0 pmctrack --csv -T 0.1 -V quality_time -o /tmp/mine simapp -x 10000 gamess >/dev/null & mine=$!
	taskset -c 1 simapp -x 10000 gamess >/dev/null & other=$!
	sleep 1
	holds=$(state begun) began=$(date +%s%N)
	ran=$(ran_ns $other)
	sleep 5
	ended=$(date +%s%N)
	ran2=$(ran_ns $other)
	holds=$(($(state begun) - holds))
	kill $mine $other
	wait $mine $other || true
	echo "# $holds holds in $(((ended - began) / 1000000)) ms"
	awk -v n="$holds" -v ns=$((ended - began)) -v ran=$((ran2 - ran)) 'BEGIN {
		share = n * 5e6 / ns; lost = 1 - ran / ns; print "# held for " share ", lost " lost
		exit !(n >= 5 && share < 0.012 && lost < 0.02) }' || on_time fail "the budget"
	without_quality
}

# Users without privileges hold no programs. Wrong parameters are refused, and nothing is left.
test_quality_refused() {
	only sim
	with_quality
	echo none >$MANAGER
	rmmod pmctrack_mmon_quality_time
	for wrong in hold_us=499 hold_us=10001 budget=0 budget=201 event=cycles; do
		insmod $MODULES/pmctrack_mmon_quality_time.ko $wrong
		dmesg -C
		! echo quality_time 2>/dev/null >$MANAGER || fail "active with $wrong"
		case $wrong in
		event*) log_says "event=cycles: only instr and l1d_accesses do not depend on others" ;;
		*) log_says "hold_us is 500 to 10000, budget 1 to 200" ;;
		esac
		rmmod pmctrack_mmon_quality_time
	done
	with_quality
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	expect_refusal 1 "virtual counter quality_time shows what others do, too: that needs CAP_PERFMON" \
		user pmctrack -V quality_time true
	# Any counter of the module would let other programs stand still for this user.
	expect_refusal 1 "virtual counter waited shows what others do, too: that needs CAP_PERFMON" \
		user pmctrack -V waited timeout 0.5 sh -c 'while :; do :; done'
	expect_refusal 1 "virtual counter waited is made of the counts of module quality_time's own events" \
		pmctrack -c instr -V waited true
	user pmctrack -c instr -o /dev/null timeout 0.5 sh -c 'while :; do :; done' || [ $? = 124 ]
	equal "$(state begun)" 0 "holds for a user who did not ask"
	without_quality
}

# CPUs go offline and come back, and the module is replaced, while samples are taken.
test_quality_changes() {
	only sim
	local i programs=()
	with_quality hold_us=500 budget=200
	for i in 0 1; do pmctrack -T 0.05 -V quality_time -o /dev/null simapp -x 10000 mcf >/dev/null & programs+=($!); done
	for i in 1 2 3 4 5; do
		sleep 0.1
		echo 0 >/sys/devices/system/cpu/cpu1/online
		sleep 0.1
		echo 1 >/sys/devices/system/cpu/cpu1/online
	done
	more "$(state begun)" 20 "holds"
	on_time more "$(state good)" 10 "good samples"
	for i in 1 2 3; do
		echo none >$MANAGER
		echo quality_time >$MANAGER
		sleep 0.05
	done
	kill "${programs[@]}"
	wait "${programs[@]}" || true
	without_quality
}

# A real-time thread runs in time while others are held, for a fifth of the time.
test_quality_real_time() {
	only sim
	with_quality hold_us=10000 budget=200
	taskset -c 0 pmctrack -T 0.05 -V quality_time -o /dev/null simapp -x 10000 mcf >/dev/null & mine=$!
	sleep 0.2
	chrt -f 2 taskset -c 1 python3 - <<-'P' >/tmp/late
		import ctypes, time
		# As any real-time program, so that it does not wait for a page from the disk.
		assert ctypes.CDLL(None).mlockall(3) == 0
		late = []
		for i in range(220):
		    began = time.monotonic_ns()
		    time.sleep(0.005)
		    us = (time.monotonic_ns() - began) // 1000 - 5000
		    # A program that has just begun waits up to 1 ms once in 20 runs; not for holds.
		    if i >= 20 and us > 1000:
		        late.append(us)
		print(len(late), *late)
	P
	more "$(state begun)" 10 "holds"
	kill $mine
	wait $mine || true
	on_time equal "$(cat /tmp/late)" 0 "times of 200 that a real-time thread is late, and how late, in us"
	without_quality
}

# A real-time thread gets out of the kernel if it unmaps memory when a hold ends. (If it does not,
# its CPU hangs, and this test never ends.)
test_quality_real_time_unmaps() {
	only sim
	local mine
	with_quality hold_us=10000 budget=200
	taskset -c 0 pmctrack -T 0.05 -V quality_time -o /dev/null simapp -x 10000 mcf >/dev/null & mine=$!
	sleep 0.2
	chrt -f 2 taskset -c 1 python3 - <<-'P'
		import mmap, time
		populated = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE
		for _ in range(150):
		    time.sleep(0.006)
		    end = time.monotonic() + 0.008
		    while time.monotonic() < end:
		        mmap.mmap(-1, 1 << 20, flags=populated, prot=mmap.PROT_READ).close()
	P
	more "$(state begun)" 20 "holds"
	kill $mine
	wait $mine || true
	without_quality
}

# A thread that wakes up waits at most until the end of a hold; half of the wakeups do not wait.
test_quality_wakeups() {
	only sim
	local mine kind
	with_quality hold_us=5000 budget=10
	cat >/tmp/wakeups.py <<-'P'
		import ctypes, time
		assert ctypes.CDLL(None).mlockall(3) == 0
		late = []
		for i in range(1000):
		    began = time.monotonic_ns()
		    time.sleep(0.005)
		    late.append(time.monotonic_ns() - began - 5000000)
		late.sort()
		print(late[500] // 1000, late[990] // 1000, late[-1] // 1000)
	P
	for kind in without with; do
		[ $kind = without ] || { taskset -c 0 pmctrack -T 0.05 -V quality_time -o /dev/null simapp -x 10000 mcf >/dev/null & mine=$!; sleep 0.2; }
		taskset -c 1 python3 /tmp/wakeups.py >/tmp/late.$kind
		echo "# $kind samples: half is late by $(awk '{ print $1 " us, 1 % by " $2 " us, the latest by " $3 }' /tmp/late.$kind) us"
	done
	more "$(state begun)" 5 "holds"
	kill $mine
	wait $mine || true
	paste -d' ' /tmp/late.without /tmp/late.with | awk '{ exit !($4 < 2 * $1 + 100 && $6 < $3 + 7000) }' || fail "late"
	without_quality
}
