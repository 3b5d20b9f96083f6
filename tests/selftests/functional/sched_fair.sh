# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Fairness of pmctrack-sched's policies, by the true values of the simulated machine.
. "$(dirname "${BASH_SOURCE[0]}")/sched_ext.sh"

# beside_others POLICY…: four programs, three of which wait for memory.
# $apart: the greatest of their slowdowns over the smallest
beside_others() {
	local i jobs=()
	sched_begin -j "$@"
	for i in "180 povray" "140 art" "100 soplex" "42 omnetpp"; do
		# shellcheck disable=SC2086
		simapp -j -x $i >"/tmp/${i#* }" & jobs+=($!)
	done
	wait "${jobs[@]}"
	sched_end
	for i in povray art soplex omnetpp; do
		awk -v e="$(truth /tmp/$i elapsed_s)" -v b="$(truth /tmp/$i big)" 'BEGIN { print e / b }'
	done | sort -n | sed -n '1h; ${ H; x; s/\n/ /p; }' >/tmp/slowdowns
	echo "# $*: slowdowns $(cat /tmp/slowdowns)"
	apart=$(awk '{ printf "%.3f", $2 / $1 }' /tmp/slowdowns)
}

# lost_quality: two programs at least have lost some of their speed to others, after 2 s
lost_quality() { [ "$(of_programs quality 2 | grep -c '^0[.]')" -ge 2 ] || fail "quality: $(of_programs quality 2)"; }

# CAFS makes up for what programs lose to each other in caches and memory; ACFS does not know it.
test_scx_cafs() {
	scx
	hybrid
	insmod $MODULES/pmctrack_bpf.ko
	insmod $MODULES/pmctrack_mmon_oracle.ko
	beside_others -m oracle acfs
	awk -v a="$apart" 'BEGIN { exit !(a > 1.22) }' || fail "they do not disturb each other: $apart"
	beside_others -m oracle cafs --tolerance 0 --band 30000000
	lost_quality
	awk -v a="$apart" 'BEGIN { exit !(a < 1.08) }' || fail "slowdowns are not equal: $apart"
	without_modules
	no_functions
}

# By its own report, CAMPS makes progress even, within a few of its bands (30 ms). It counts what
# programs lose to others: one has made less progress than it would make by its time on fast cores
# alone. (Progress is read at each tick. The difference is 0.3 s and more.)
test_scx_camps() {
	scx
	hybrid
	insmod $MODULES/pmctrack_bpf.ko
	insmod $MODULES/pmctrack_mmon_speed_history.ko
	beside_others camps --band 30000000
	lost_quality
	# 1.2,{'simulated_2B-2S_big': 1.3, 'simulated_2B-2S_small': 0.4}
	paste -d, <(of_programs progress_s 5) <(of_programs time_s 5) | sort -n | awk -F'[,:]' '
		{ v[NR] = $1; lost += $1 < $3 - 0.1; print "# progress " $1 " s, of which on fast cores " $3 " s" }
		END { exit !(NR == 4 && v[1] > 1 && v[4] - v[1] < 0.12 && lost) }' || fail "progress"
	without_modules
	no_functions
}

# The truth about that. Whether a thread was ever seen at its best is luck, and a run has 1.04 to
# 1.28. So the mean of six runs counts.
long_test_scx_camps_is_fair() {
	scx
	hybrid
	local i all=()
	insmod $MODULES/pmctrack_bpf.ko
	insmod $MODULES/pmctrack_mmon_speed_history.ko
	for i in {1..6}; do
		beside_others camps
		all+=("$apart")
	done
	printf '%s\n' "${all[@]}" | awk '{ n += $1 } END { print "# camps: " n / NR; exit !(n / NR < 1.22) }' ||
		fail "slowdowns are too far apart"
	without_modules
	no_functions
}

# Progress of a program with nice 19 is a hundred times that of others. The others are not compared
# with it: programs that sleep now and then have as much of the fast cores as those that never do.
long_test_scx_nice() {
	scx
	hybrid
	local i name programs sleeper
	insmod $MODULES/pmctrack_bpf.ko
	insmod $MODULES/pmctrack_mmon_oracle.ko
	for name in acfs cafs; do
		sched_begin -j -m oracle $name
		simapp -x 10000 gamess >/dev/null & sleeper=$!
		programs=("$sleeper")
		for i in 1 2; do simapp -x 10000 gamess >/dev/null & programs+=($!); done
		nice -n 19 simapp -x 10000 gamess >/dev/null & programs+=($!)
		for i in {1..40}; do
			sleep 0.1
			kill -STOP $sleeper
			sleep 0.002
			kill -CONT $sleeper
		done
		sched_end
		kill -KILL "${programs[@]}"
		wait "${programs[@]}" || true
		python3 - "${programs[@]}" <<-'E' || fail "under $name: $(tail -n 1 /tmp/sched)"
			import json, sys
			found = {}
			for t in json.loads(list(open("/tmp/sched"))[-1])["threads"]:
			    fast, slow = t["time_s"].values()
			    found[str(t["pid"])] = fast / (fast + slow or 1)
			sleeper, *others = (found[pid] for pid in sys.argv[1:4])
			print(f"# fast cores: who sleeps {sleeper:.3f}, others {others}, nice 19 {found[sys.argv[4]]:.3f}")
			sys.exit(not (min(others) > 0.55 and sleeper > 0.8 * sum(others) / 2))
		E
	done
	without_modules
	no_functions
}

# keeper NICE LEAST MOST: a program that is pinned to a fast CPU, and was alone there at first, gets
# nice NICE beside three others. Of these, the one that gains most has at least LEAST of the fast
# cores. The keeper has at most MOST of its CPU.
keeper() {
	local i programs=() began ended kept
	metrics
	sched_begin -q hsp
	taskset -c "$(fast_cpu)" simapp -x 10000 mcf & programs+=($!)
	sleep 0.3
	python3 -c "import os; os.setpriority(os.PRIO_PROCESS, ${programs[0]}, $1)"
	for i in 1 2; do simapp -x 10000 mcf & programs+=($!); done
	read -r began _ <"/proc/${programs[0]}/schedstat"
	simapp -x 200 -j gamess >/tmp/gamess1
	read -r ended _ <"/proc/${programs[0]}/schedstat"
	kill -9 "${programs[@]}"
	wait "${programs[@]}" || true
	sched_end
	echo "# gamess $(big_share /tmp/gamess1)"
	more "$(big_share /tmp/gamess1)" "$2" "gamess on a fast core"
	kept=$(awk -v ns=$((ended - began)) -v s="$(truth /tmp/gamess1 elapsed_s)" 'BEGIN { print ns / 1e9 / s }')
	echo "# the keeper has $kept of its CPU"
	more "$3" "$kept" "the keeper's part of its CPU"
	no_metrics
}

# The keeper takes a place, and the other place is for the program that gains most, after a moment.
# With two places for one CPU, an idle slow core took the wrong one of those that waited for that.
test_scx_place() {
	scx
	hybrid
	keeper 0 0.75 1.1
}

# With more threads than CPUs, the keeper has a right to a part of its CPU only; with nice 19, to
# hardly any of it.
test_scx_no_place() {
	scx
	hybrid
	simapp -x 10000 mcf & other=$!
	keeper 19 0.75 0.5
	kill -9 $other
	wait $other || true
}

# A program that computes. To emulate a simulated one costs nothing.
busy=(simapp -x 10000 gamess)

# shares_of_cpu: two programs on one CPU have their fair shares, with nice 0 and 10: 1024 to 110
shares_of_cpu() {
	local i programs=() before=() ticks=()
	for i in 0 10; do
		taskset -c "$(slow_cpu)" nice -n $i "${busy[@]}" >/dev/null & programs+=($!)
	done
	# One program may begin later than the other, which has the CPU alone meanwhile.
	sleep 1
	for i in 0 1; do before+=("$(awk '{ print $14 + $15 }' "/proc/${programs[i]}/stat")"); done
	sleep 6
	for i in 0 1; do ticks+=("$(awk -v b="${before[i]}" '{ print $14 + $15 - b }' "/proc/${programs[i]}/stat")"); done
	kill -9 "${programs[@]}"
	wait "${programs[@]}" || true
	awk -v a="${ticks[0]}" -v b="${ticks[1]}" 'BEGIN { print "# " a " and " b " ticks"; exit !(b > 0 && a / (a + b) > 0.85 && a / (a + b) < 0.95) }' ||
		fail "nice 0 and nice 10"
}

# Programs share a CPU by nice values, because a program that ends a slice is compared with those
# that wait. A program that is alone on another CPU of the type is not compared: its CPU time, a
# hundred times weightier than theirs, says nothing about their turns.
test_scx_shares_of_cpu() {
	scx
	hybrid
	local alone other
	sched_begin -q rr
	shares_of_cpu
	other=$(($(slow_cpu) - 1))
	taskset -c $other nice -n 19 timeout 60 "${busy[@]}" >/dev/null & alone=$!
	shares_of_cpu
	kill $alone
	wait $alone || true
	sched_end
}

# cpu_ms PID…: the CPU time of each in milliseconds
cpu_ms() { (cd /proc && awk '{ printf "%d ", $1 / 1e6 }' "${@/%//schedstat}"); }

# had_ms SECONDS: $had: the CPU times of $programs after SECONDS, and 8 s later; then they end
had_ms() {
	sleep "$1"
	had=$(cpu_ms "${programs[@]}")
	sleep 8
	had+=$(cpu_ms "${programs[@]}")
	kill -9 "${programs[@]}"
	wait "${programs[@]}" || true
}

# A program that changes its affinity all the time has no more CPU time than others with its nice
# value. A program with nice 19 that sleeps half of the time has hardly any.
long_test_scx_tricks() {
	scx
	hybrid
	local programs=() had
	sched_begin -q rr
	cat >/tmp/tricks.py <<-'P'
		import os, sys, time
		cpu, kind = int(sys.argv[1]), sys.argv[2]
		os.sched_setaffinity(0, [cpu])
		while True:
		    if kind == "affinity":
		        os.sched_setaffinity(0, [cpu, cpu - 1])
		        os.sched_setaffinity(0, [cpu])
		    elif kind == "sleep":
		        end = time.monotonic() + 0.005
		        while time.monotonic() < end:
		            pass
		        time.sleep(0.005)
	P
	taskset -c "$(slow_cpu)" "${busy[@]}" >/dev/null & programs+=($!)
	python3 /tmp/tricks.py "$(slow_cpu)" compute & programs+=($!)
	python3 /tmp/tricks.py "$(slow_cpu)" affinity & programs+=($!)
	nice -n 19 python3 /tmp/tricks.py "$(slow_cpu)" sleep & programs+=($!)
	# Two programs that are pinned to the other CPU of that type, one of them with nice 19.
	taskset -c $(($(slow_cpu) - 1)) "${busy[@]}" >/dev/null & programs+=($!)
	taskset -c $(($(slow_cpu) - 1)) nice -n 19 "${busy[@]}" >/dev/null & programs+=($!)
	had_ms 3
	sched_end
	echo "$had" | awk '{ for (i = 1; i <= 6; i++) { ms[i] = $(i + 6) - $i; if (i <= 4) all += ms[i] }
		printf "#"; for (i = 1; i <= 6; i++) printf " %d", ms[i]; print " ms"
		exit !(ms[1] > all / 4 && ms[2] > all / 4 && ms[3] < 0.4 * all && ms[4] < 0.1 * all && ms[6] < 0.1 * ms[5]) }' ||
		fail "more, or less, than nice values say"
}

# A program computes beside many that run for a millisecond and sleep for five. They would fill the
# CPU without it, but it has its part, a ninth.
long_test_scx_beside_sleepers() {
	scx
	hybrid
	local programs=() had i
	sched_begin -q rr
	taskset -c "$(slow_cpu)" "${busy[@]}" >/dev/null & programs+=($!)
	cat >/tmp/sleeper.py <<-'P'
		import time
		while True:
		    end = time.monotonic() + 0.001
		    while time.monotonic() < end:
		        pass
		    time.sleep(0.005)
	P
	for i in 1 2 3 4 5 6 7 8; do taskset -c "$(slow_cpu)" python3 /tmp/sleeper.py & programs+=($!); done
	had_ms 5
	sched_end
	echo "$had" | awk '{ for (i = 1; i <= 9; i++) { ms[i] = $(i + 9) - $i; all += ms[i] }
		print "# " ms[1] " of " all " ms"; exit !(ms[1] > 0.07 * all && ms[1] < 0.3 * all) }' || fail "one who computes"
}

# ran PID…: the CPU time of all of them, in milliseconds
ran() { (cd /proc && cat "${@/%//schedstat}") | awk '{ n += $1 } END { print int(n / 1e6) }'; }

# Two kernel threads of a CPU never sleep, and a program may run there only: it has a third of the
# CPU.
test_scx_kernel_threads() {
	scx
	local mine before ns began
	sched_begin -q rr
	insmod $MODULES/pmctrack_test_busy.ko cpu=1 threads=2
	taskset -c 1 "$S/burn" 100000000000 >/dev/null & mine=$!
	sleep 0.5
	before=$(ran_ns $mine) began=$(date +%s%N)
	sleep 2
	ns=$(($(ran_ns $mine) - before)) began=$(($(date +%s%N) - began))
	kill $mine
	wait $mine || true
	rmmod pmctrack_test_busy
	sched_end
	near $ns $((began / 3)) 15 "CPU time beside two kernel threads"
}

# A thread with nice 19 is not starved by two with nice -20, of which one always waits before it. By
# weights it would wait for up to 170 s of theirs. The kernel would end the policy after 30 s.
long_test_scx_nobody_forgotten() {
	scx
	hybrid
	local programs=() nice before began
	sched_begin -q rr
	for nice in -20 -20 19; do
		taskset -c "$(slow_cpu)" nice -n "$nice" "${busy[@]}" >/dev/null & programs+=($!)
	done
	# After a slice of its own, the thread with nice 19 is as far behind as it can be.
	until [ "$(ran "${programs[2]}")" -gt 20 ]; do nap 0.3; done
	before=$(ran "${programs[2]}") began=$(ran "${programs[@]:0:2}")
	until [ "$(ran "${programs[2]}")" -gt "$before" ]; do
		[ "$(ran "${programs[@]:0:2}")" -lt $((began + 10000)) ] || fail "it waited for 10 s of theirs"
		nap 0.3
	done
	kill -9 "${programs[@]}"
	wait "${programs[@]}" || true
	sched_end
}

# Nobody reads the reports. The policy goes on, and ends when it is told to.
test_scx_slow_reader() {
	scx
	local reader
	rm -f /tmp/slow
	mkfifo /tmp/slow
	bash -c 'exec 3</tmp/slow; exec sleep 100' & reader=$!
	"${SCHED[@]}" -j -i 0.02 rr >/tmp/slow 2>/tmp/sched.err & scheduler=$!
	eventually state_is enabled
	sleep 5
	kill -TERM $scheduler
	rc=0; wait $scheduler || rc=$?
	equal $rc 0 "status of pmctrack-sched"
	eventually state_is disabled
	kill $reader
	wait $reader || true
}

# A chain of short processes, each of which starts the next one, has no more of a CPU than a thread.
long_test_scx_chain() {
	scx
	hybrid
	local programs=() had chain
	sched_begin -q rr
	taskset -c "$(slow_cpu)" "${busy[@]}" >/dev/null & programs+=($!)
	taskset -c "$(slow_cpu)" "${busy[@]}" >/dev/null & programs+=($!)
	cat >/tmp/chain.py <<-'P'
		import os, signal, sys, time
		os.sched_setaffinity(0, [int(sys.argv[1])])
		while True:
		    while time.process_time() < 0.004:
		        pass
		    if os.fork():
		        os._exit(0)
	P
	setsid python3 /tmp/chain.py "$(slow_cpu)" & chain=$!
	had_ms 4
	# The whole group: who only looks for processes may miss the one that is just being forked.
	kill -KILL -- -$chain
	read -r -a had <<<"$had"
	sched_end
	# Two of three threads: two thirds of 8 s.
	more $((had[2] + had[3] - had[0] - had[1])) 4000 "ms of the others"
}

# With 200 processes on a CPU each gets its turn within a second or so, and not after 200 slices.
test_scx_many_on_a_cpu() {
	scx
	hybrid
	local program began least pids=()
	sched_begin -q rr
	taskset -c "$(slow_cpu)" python3 - <<-'P' & program=$!
		import os
		begin, end = os.pipe()
		for _ in range(200):
		    if os.fork() == 0:
		        os.close(end)
		        os.read(begin, 1)
		        while True:
		            pass
		os.close(end)
		os.wait()
	P
	until [ ${#pids[@]} = 200 ]; do
		sleep 0.1
		mapfile -t pids < <(pgrep -P $program)
	done
	(cd /proc && cat "${pids[@]/%//schedstat}") >/tmp/began
	began=$(ran "${pids[@]}")
	until [ "$(ran "${pids[@]}")" -ge $((began + 2400)) ]; do nap 0.1; done
	least=$(cd /proc && cat "${pids[@]/%//schedstat}" | paste -d' ' /tmp/began - |
		awk '{ print int(($4 - $1) / 1e6) }' | sort -n | head -n 1)
	kill -9 "${pids[@]}"
	wait $program
	sched_end
	more "$least" 1 "milliseconds of who ran least"
}

# If a real-time thread takes a CPU, the program that was to run there runs elsewhere.
test_scx_beside_real_time() {
	scx
	hybrid
	local programs=() i cpus before=() ns late=
	cpus=$(nproc)
	sched_begin -q rr
	for ((i = 0; i < cpus; i++)); do sh -c 'while :; do :; done' & programs+=($!); done
	sleep 0.2
	taskset -c "$(slow_cpu)" chrt -f 1 sh -c 'while :; do :; done' & programs+=($!)
	sleep 0.2
	# Older kernels give sched_ext no part of a CPU that a real-time thread has, and
	# end the policy after half a minute. So this does not wait for its turn, and runs
	# few programs, which take seconds on a debug kernel.
	chrt -f -p 2 $BASHPID
	for ((i = 0; i < cpus; i++)); do read -r "before[i]" _ <"/proc/${programs[i]}/schedstat"; done
	sleep 1
	for ((i = 0; i < cpus; i++)); do
		read -r ns _ <"/proc/${programs[i]}/schedstat"
		echo "# $(((ns - before[i]) / 1000000)) ms"
		[ $((ns - before[i])) -ge 100000000 ] || late=1
	done
	[ ! "$late" ] || fail "one did not run"
	kill -9 "${programs[@]}"
	wait "${programs[@]}" || true
	sched_end
}
