# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Policies of sched_ext that ask for metrics (tests/sched-ext/build made what is in /share).
. "$(dirname "${BASH_SOURCE[0]}")/sim.sh"
. "$(dirname "${BASH_SOURCE[0]}")/models.sh"

# Each test begins with this, which removes what a failed test has left.
scx() {
	[ -e /sys/kernel/sched_ext/state ] || only "kernels with sched_ext"
	[ -e /share/lib ] || only "guests that have policies"
	rm -f /sys/fs/bpf/*
	pkill -KILL -f share/lib/pmctrack-sched || true
	eventually state_is disabled
	without_modules
	rmmod pmctrack_bpf 2>/dev/null || true
}
bpftool() { /share/lib/ld-linux-x86-64.so.2 --library-path /share/lib /share/lib/bpftool "$@"; }
state_is() { [ "$(cat /sys/kernel/sched_ext/state)" = "$1" ]; }
# The guide's policy uses names that kernel functions have since 6.13.
guide_runs() { grep -q ' scx_bpf_dsq_insert' /proc/kallsyms; }
scx_guide() {
	scx
	guide_runs || only "kernels from 6.13 on"
}
# policy FILE: register it; its file in /sys/fs/bpf is named after it
policy() {
	mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf
	bpftool struct_ops register "$1" /sys/fs/bpf >/tmp/policy 2>&1 || fail "$(cat /tmp/policy)"
	eventually state_is enabled
}
no_policy() { rm -f /sys/fs/bpf/"$1"; eventually state_is disabled; }
clients() { sed -n 's/^scheduler_clients: //p' /proc/pmc/info; }
sessions() { sed -n 's/^sessions: //p' /proc/pmc/info; }
sessions_are() { [ "$(sessions)" = "$1" ]; }
# big_share FILE: the part of its CPU time that a program had on fast cores, if it had been alone,
# from what "simapp -j" wrote
big_share() {
	awk -v cpu="$(truth "$1" cpu_s)" -v big="$(truth "$1" big)" -v small="$(truth "$1" small)" \
		'BEGIN { printf "%.3f", (small - cpu) / (small - big) * big / cpu }'
}
# four_programs ROUNDS ROUNDS: two programs that gain much from fast cores and two that gain less,
# on two fast cores and two slow ones. Their results are in /tmp/gamess[12] and /tmp/mcf[12].
four_programs() {
	local i
	for i in 1 2; do
		simapp -x "$1" -j gamess >/tmp/gamess$i &
		simapp -x "$2" -j mcf >/tmp/mcf$i &
	done
	wait
	echo "# gamess $(big_share /tmp/gamess1) $(big_share /tmp/gamess2), mcf $(big_share /tmp/mcf1) $(big_share /tmp/mcf2)"
}
metrics() {
	insmod $MODULES/pmctrack_bpf.ko
	insmod $MODULES/pmctrack_mmon_speedup_factor.ko
	# The models' step is between the IPCs of the two programs, on both core types.
	model 1 end | sed 's/^stump 0 1000/stump 0 500/' | give
	model 2 end | sed 's/^stump 0 1000/stump 0 500/' | give
	echo speedup_factor >$MANAGER
}
# The kernel frees programs of BPF some time after their end.
no_functions() { eventually rmmod pmctrack_bpf 2>/dev/null; }
no_metrics() { without_modules; no_functions; }

# Without the module, there are no clients, and the policy does without metrics.
test_scx_without_module() {
	scx_guide
	equal "$(clients)" none
	policy /share/gain.bpf.o
	equal "$(cat /sys/kernel/sched_ext/root/ops)" gain
	simapp -x 1 mcf
	equal "$(sessions)" 0
	no_policy gain
}

# The guide's policy: programs that gain from fast cores have them.
test_scx_guide() {
	scx_guide
	hybrid
	local i
	metrics
	equal "$(clients)" bpf
	[ -e /sys/kernel/btf/pmctrack_bpf ]
	policy /share/gain.bpf.o
	four_programs 300 25
	for i in 1 2; do
		more "$(big_share /tmp/gamess$i)" 0.65 "gamess on fast cores"
		more 0.35 "$(big_share /tmp/mcf$i)" "mcf on fast cores"
	done
	no_policy gain
	# The clients' last session ends with the last client.
	no_metrics
	eventually sessions_are 0
	equal "$(clients)" none
}

# All functions, and the programs that may call them: a syscall program needs CAP_PERFMON, too.
test_scx_functions() {
	scx
	hybrid
	metrics
	ask() { /share/lib/ld-linux-x86-64.so.2 --library-path /share/lib /share/lib/ask /share/ask.bpf.o "$@"; }
	equal "$(ask)" 0 "line of ask.bpf.c"
	! ask unprivileged >/tmp/asked 2>&1 || fail "loaded without CAP_PERFMON"
	grep -q "Permission denied" /tmp/asked && grep -q pmcs_ /tmp/asked ||
		fail "refused for another reason: $(tail -n 5 /tmp/asked)"
	# Tracing programs may call them, too. Two programs take turns.
	/share/lib/ld-linux-x86-64.so.2 --library-path /share/lib /share/lib/ask /share/trace.bpf.o trace \
		taskset -c 0 bash -c "simapp -x 100 gamess & simapp -x 100 gamess; wait" >/tmp/traced
	more "$(tail -n 1 /tmp/traced)" 5 "values that a tracing program saw"
	no_metrics
}

# Modules that a policy uses cannot be unloaded, and the log says nothing else.
test_scx_held() {
	scx_guide
	hybrid
	metrics
	policy /share/gain.bpf.o
	! rmmod pmctrack_bpf 2>/tmp/rmmod || fail "unloaded under a policy"
	grep -q "in use" /tmp/rmmod
	! rmmod pmctrack 2>/dev/null || fail "unloaded under its client"
	# The policy's metrics can go and come.
	eventually sessions_are 1
	echo none >$MANAGER
	eventually sessions_are 0
	simapp -x 2 gamess
	equal "$(sessions)" 0
	echo speedup_factor >$MANAGER
	eventually sessions_are 1
	no_policy gain
	no_metrics
}

# A user's session has priority. The scheduler's request is not forgotten.
test_scx_beside_user() {
	scx_guide
	hybrid
	metrics
	policy /share/gain.bpf.o
	pmctrack --csv -T 0.05 -c instr -o /tmp/mine simapp -x 20 -j gamess >/tmp/truth
	equal "$(csv_sum /tmp/mine instr)" "$(truth /tmp/truth instr)"
	no_policy gain
	no_metrics
}

# Thousands of threads start and end. Their places in the table are freed with them.
long_test_scx_many() {
	scx_guide
	hybrid
	local i
	metrics
	policy /share/gain.bpf.o
	start_waiting 00001000 2000
	for ((i = 0; i < 300; i++)); do /bin/true; done
	state_is enabled
	kill -9 "$waiting"
	wait "$waiting" 2>/dev/null || true
	no_policy gain
	no_metrics
	eventually sessions_are 0
}

# sched_ext ends a policy that does not handle CPU hotplug; nothing is left behind.
test_scx_hotplug() {
	scx_guide
	hybrid
	metrics
	policy /share/gain.bpf.o
	simapp -x 100 gamess & job=$!
	echo 0 >/sys/devices/system/cpu/cpu3/online
	eventually state_is disabled
	echo 1 >/sys/devices/system/cpu/cpu3/online
	rm /sys/fs/bpf/gain
	policy /share/gain.bpf.o
	wait $job
	no_policy gain
	no_metrics
	eventually sessions_are 0
}

# pmctrack-sched and its policies.
SCHED=(/share/lib/ld-linux-x86-64.so.2 --library-path /share/lib /share/lib/pmctrack-sched)
# With a time limit, in case it runs where it should refuse to.
sched() { timeout --foreground 300 "${SCHED[@]}" "$@"; }
# sched_begin ARGUMENTS…: pmctrack-sched in the background, as $scheduler; its output in /tmp/sched
sched_begin() {
	"${SCHED[@]}" "$@" >/tmp/sched 2>/tmp/sched.err & scheduler=$!
	eventually state_is enabled
}
sched_end() {
	kill -TERM $scheduler || fail "pmctrack-sched ended by itself: $(cat /tmp/sched.err); $(dmesg | grep sched_ext | tail -n 4)"
	rc=0; wait $scheduler || rc=$?
	equal $rc 0 "status of pmctrack-sched"
	eventually state_is disabled
}
# two_and_two ROUNDS ROUNDS: like four_programs, while a scheduler runs in the background
two_and_two() {
	local i jobs=()
	for i in 1 2; do
		simapp -x "$1" -j gamess >/tmp/gamess$i & jobs+=($!)
		simapp -x "$2" -j mcf >/tmp/mcf$i & jobs+=($!)
	done
	wait "${jobs[@]}"
	echo "# gamess $(big_share /tmp/gamess1) $(big_share /tmp/gamess2), mcf $(big_share /tmp/mcf1) $(big_share /tmp/mcf2)"
}

# of_programs KEY LINE: KEY of each simulated program in a report, which is a line of /tmp/sched
of_programs() {
	sed -n "$2p" /tmp/sched | python3 -c 'import json, sys
for t in json.load(sys.stdin)["threads"]:
    if t["command"] == "simapp": print(t[sys.argv[1]])' "$1"
}

# All programs have the fast cores for half of the time, by the policy's own report.
test_scx_rr() {
	scx
	hybrid
	local programs
	sched_begin -j rr
	two_and_two 120 10000 & programs=$!
	sleep 3
	sched_end
	pkill -KILL -x simapp
	wait $programs || true
	# {'simulated_2B-2S_big': 1.2, 'simulated_2B-2S_small': 1.3}
	of_programs time_s 2 | tr -d '}' |
		awk -F'[,:]' '{ n++; share = $2 / ($2 + $4); print "# " share; if (share < 0.4 || share > 0.6) bad++ } END { exit !(n == 4 && !bad) }' ||
		fail "shares"
}

# A file for monitoring systems: it is always complete, and written a last time at the end.
test_scx_openmetrics() {
	scx
	hybrid
	sched_begin -q -i 0.1 -o /tmp/metrics rr
	eventually grep -q '^pmctrack_sched_looks_total [1-9]' /tmp/metrics
	grep -qx 'pmctrack_sched_active 1' /tmp/metrics
	simapp -x 1 gamess >/dev/null
	sched_end
	equal "$(tail -n 1 /tmp/metrics)" "# EOF"
	grep -qx 'pmctrack_sched_active 0' /tmp/metrics
	grep -qxF 'pmctrack_sched_info{policy="rr",simulated="true"} 1' /tmp/metrics
	# Each name is described before its value, and has one.
	awk '$2 == "TYPE" { name = $3; suffix = $4 == "counter" ? "_total" : $4 == "info" ? "_info" : "" }
		!/^#/ { split($1, at, "{"); if (at[1] != name suffix || seen[name]++ || NF != 2) exit 1; n++ }
		END { exit n < 11 }' /tmp/metrics || fail "$(cat /tmp/metrics)"
}

# progressed: the number of the first report in which four programs have a second of progress each.
progressed() {
	local i line
	for ((i = 0; i < 60; i++)); do
		sleep 1
		line=$(wc -l </tmp/sched)
		[ "$line" = 0 ] || [ "$(of_programs progress_s "$line" | awk '$1 > 1' | wc -l)" != 4 ] || break
	done
	echo "$line"
}

# The progress that these policies make even is even, within a few of their bands (20 ms).
test_scx_even() {
	scx
	hybrid
	local name programs line
	metrics
	for name in a-dwrr acfs; do
		sched_begin -j --band 20000000 $name
		two_and_two 10000 10000 & programs=$!
		line=$(progressed)
		sched_end
		pkill -KILL -x simapp
		wait $programs || true
		of_programs progress_s "$line" | sort -n | awk -v name=$name '{ v[NR] = $1 }
			END { print "# " name ": " v[1] " to " v[NR]; exit !(NR == 4 && v[1] > 1 && v[4] - v[1] < 0.08) }' ||
			fail "progress under $name"
	done
	no_metrics
}

# Slowdowns of threads are equal, as a module without a model measures them. It takes a while until
# each thread has been on both core types.
test_scx_eqp() {
	scx
	hybrid
	local i
	insmod $MODULES/pmctrack_bpf.ko
	insmod $MODULES/pmctrack_mmon_ipc_sampling.ko
	sched_begin -j eqp
	two_and_two 300 100
	for i in gamess1 gamess2 mcf1 mcf2; do
		awk -v e="$(truth /tmp/$i elapsed_s)" -v b="$(truth /tmp/$i big)" 'BEGIN { print e / b }'
	done | sort -n >/tmp/slowdowns
	sched_end
	equal "$(of_programs confidence 2 | grep -cE 'estimated|measured|stale')" 4 "programs with a factor"
	equal "$(wc -l </tmp/slowdowns)" 4 "slowdowns"
	awk '{ v[NR] = $1 } END { print "# slowdowns " v[1] " to " v[NR]; exit !(v[4] < 1.25 * v[1]) }' /tmp/slowdowns ||
		on_time fail "slowdowns: $(cat /tmp/slowdowns)"
	without_modules
	no_functions
}

# Fast cores are for the programs that gain most. The module is active only meanwhile.
test_scx_hsp() {
	scx
	hybrid
	metrics
	echo none >$MANAGER
	sched_begin -q hsp
	grep -q '\[\*\] speedup_factor' $MANAGER
	two_and_two 300 25
	for i in 1 2; do
		more "$(big_share /tmp/gamess$i)" 0.65 "gamess on fast cores"
		more 0.35 "$(big_share /tmp/mcf$i)" "mcf on fast cores"
	done
	sched_end
	! grep -q '\[\*\]' $MANAGER || fail "the module was not restored"
	no_metrics
}

# Fast cores are for the programs whose energy-delay product gains most. By this model, these are
# the programs that the speedup factor would not choose.
test_scx_energy() {
	scx
	hybrid
	local name programs type
	insmod $MODULES/pmctrack_bpf.ko
	insmod $MODULES/pmctrack_mmon_ef.ko
	for type in 1 2; do
		model $type "output ef $(pmu 2) 3000000 70" "stump 0 500 0 -1500000" end |
			sed 's/^pmctrack-model 2 .*/pmctrack-model 2 ef/' | give
	done
	for name in ef-driven prim; do
		sched_begin -j $name
		two_and_two 10000 10000 & programs=$!
		sleep 4.2
		sched_end
		pkill -KILL -x simapp
		wait $programs || true
		sed -n 4p /tmp/sched | python3 -c 'import json, sys
for t in json.load(sys.stdin)["threads"]:
    if t["command"] == "simapp": print(t["factor"], *t["time_s"].values())' >/tmp/factors
		awk -v name=$name '{ share = $2 / ($2 + $3); print "# " name ": factor " $1 ", share " share }
			$1 == 3 && share > 0.65 { many++ } $1 == 1.5 && share < 0.35 { few++ }
			END { exit !(NR == 4 && many == 2 && few == 2) }' /tmp/factors || fail "$(cat /tmp/sched.err /tmp/factors)"
	done
	no_metrics
}

# shares_are S A B PID PID PID PID: progress is in proportion to weights. The first and the third
# program have the weight A, the others B; all are S times faster on fast cores. Then the former
# have fast cores for the share x of their time, and the latter for 1 - x, where
# A (1 - x + x / S) = B (x + (1 - x) / S). The time is that from the first report that has all of
# them to the last one.
shares_are() {
	python3 -c 'import json, sys
factor, a, b, *pids = (float(word) for word in sys.argv[1:])
want = (a - b / factor) / ((a + b) * (1 - 1 / factor))
reports = []
for line in open("/tmp/sched"):
    times = {t["pid"]: list(t["time_s"].values()) for t in json.loads(line)["threads"]}
    if all(pid in times for pid in pids):
        reports.append(times)
spent = [[b - a for a, b in zip(reports[0][pid], reports[-1][pid])] for pid in pids]
shares = [fast / (fast + slow) for fast, slow in spent]
print("#", *shares, "of", want)
sys.exit(any(abs(share - (1 - want if number % 2 else want)) > 0.03 for number, share in enumerate(shares)))' "$@"
}

# Nice 1 weighs 820 where nice 0 weighs 1024.
long_test_scx_priorities() {
	scx
	hybrid
	local name factor i nice_ones
	insmod $MODULES/pmctrack_bpf.ko
	insmod $MODULES/pmctrack_mmon_oracle.ko
	simapp -x 1 -j gamess >/tmp/truth
	for name in a-dwrr "-m oracle acfs"; do
		# shellcheck disable=SC2086 # several words
		sched_begin -j -i 1 -B 20000000 $name
		nice_ones=()
		for i in 0 1 0 1; do
			nice -n $i simapp -x 10000 gamess >/dev/null & nice_ones+=($!)
		done
		sleep 7
		sched_end
		factor=2
		[ "$name" = a-dwrr ] ||
			factor=$(awk -v b="$(truth /tmp/truth big)" -v s="$(truth /tmp/truth small)" 'BEGIN { print s / b }')
		kill -KILL "${nice_ones[@]}"
		wait "${nice_ones[@]}" || true
		shares_are "$factor" 1024 820 "${nice_ones[@]}" ||
			fail "shares of fast cores under $name"
	done
	no_metrics
}

# lights: eight processes that wake up, run for 1 ms and sleep for 15 ms, again and again
lights() {
	cat >/tmp/lights.py <<-'E'
		import os, time
		for _ in range(7):
		    if os.fork() == 0:
		        break
		while True:
		    time.sleep(0.015)
		    end = time.monotonic() + 0.001
		    while time.monotonic() < end:
		        pass
	E
	python3 /tmp/lights.py &
}

# A program that computes beside many that sleep most of the time has a fast core for itself.
test_scx_heavy() {
	scx
	hybrid
	local name heavy added
	if_long rr a-dwrr eqp "-m oracle acfs" "-m oracle hsp" "-m oracle camps" "-m oracle ef-driven" "-m oracle prim"
	insmod $MODULES/pmctrack_bpf.ko
	insmod $MODULES/pmctrack_mmon_oracle.ko
	insmod $MODULES/pmctrack_mmon_ipc_sampling.ko
	lights
	for name in "-m oracle cafs" "${added[@]}"; do
		# shellcheck disable=SC2086 # several words
		sched_begin -j -i 1 $name
		simapp -x 10000 gamess >/dev/null & heavy=$!
		sleep 3.2
		sched_end
		kill -KILL $heavy
		wait $heavy || true
		python3 - "$name" <<-'E' || on_time fail "under $name: $(tail -n 1 /tmp/sched)"
			import json, sys
			times = [list(t["time_s"].values()) for line in open("/tmp/sched")
			         for t in json.loads(line)["threads"] if t["command"] == "simapp"]
			fast, both = (sum(times[-1][:n]) - sum(times[0][:n]) for n in (1, 2))
			print(f"# {sys.argv[1]}: {100 * fast / both:.1f} % of {both:.2f} s")
			sys.exit(not (both > 1.5 and fast > 0.95 * both))
		E
	done
	pkill -KILL -f /tmp/lights.py
	wait
	no_metrics
}

# After SIGKILL nothing stays. What somebody else chose meanwhile stays.
test_scx_killed() {
	scx
	hybrid
	metrics
	echo none >$MANAGER
	sched_begin -q acfs
	kill -KILL $scheduler
	wait $scheduler || true
	eventually state_is disabled
	module_is() { [ "$(sed -n 's/^\[\*\] \([^ ]*\) .*/\1/p' $MANAGER)" = "$1" ]; }
	eventually module_is ""
	insmod $MODULES/pmctrack_mmon_ipc.ko
	sched_begin -q hsp
	module_is speedup_factor
	echo ipc >$MANAGER
	sched_end
	module_is ipc
	no_metrics
}

# CPUs go offline and come back, as for suspend: the policy begins again with those that are online.
test_scx_sched_hotplug() {
	scx
	hybrid
	sched_begin -j -i 0.2 rr
	echo 0 >/sys/devices/system/cpu/cpu3/online
	eventually grep -q "CPUs came or went" /tmp/sched.err
	eventually state_is enabled
	simapp -x 2 mcf
	echo 1 >/sys/devices/system/cpu/cpu3/online
	twice() { [ "$(grep -c "CPUs came or went" /tmp/sched.err)" = 2 ]; }
	eventually twice
	eventually state_is enabled
	sched_end
}

# A pinned program stays on its CPU, and all others run beside it.
test_scx_affinity() {
	scx
	hybrid
	local slow i
	slow=$(slow_cpu)
	sched_begin -q rr
	# Two programs share a CPU, and four others may use all CPUs.
	for i in 1 2; do taskset -c "$slow" simapp -x 10 -j gamess >/tmp/pinned$i & done
	programs=$(jobs -p | grep -vx "$scheduler")
	two_and_two 20 5
	# shellcheck disable=SC2086 # several
	wait $programs
	for i in 1 2; do
		near "$(truth /tmp/pinned$i cpu_s)" "$(truth /tmp/pinned$i small)" 5 "CPU time of a pinned program"
	done
	sched_end
}

# Two pinned programs that never sleep are on each CPU, and share it with all others: no program
# waits long. One of each pair has nice 19.
long_test_scx_pinned() {
	scx
	hybrid
	local cpu i programs=()
	sched_begin -q rr
	for cpu in 0 1 2 3; do
		for i in 0 19; do
			taskset -c $cpu nice -n $i simapp -x 10000 gamess >/dev/null & programs+=($!)
		done
	done
	# A program that comes later, and may run everywhere.
	simapp -x 10 -j gamess >/tmp/free
	state_is enabled
	# Beside a pair on each of four CPUs, this program has at least a fourth of a slow one.
	awk -v e="$(truth /tmp/free elapsed_s)" -v s="$(truth /tmp/free small)" \
		'BEGIN { print "# " e / s " of the time alone on a slow core"; exit e > 4 * s }' || fail "starved"
	for i in "${!programs[@]}"; do
		awk -v nice=$((i % 2 * 19)) '{ print "# nice " nice ": " $14 + $15 " ticks"; exit !($14 + $15) }' "/proc/${programs[i]}/stat" ||
			fail "never ran"
	done
	kill -9 "${programs[@]}"
	wait "${programs[@]}" || true
	sched_end
}

# Ten thousand sleeping threads: each has a place, and the policy looks at ranks in time.
long_test_scx_sched_many() {
	scx
	hybrid
	local ticks
	sysctl -qw kernel.threads-max=30000 kernel.pid_max=32768 vm.max_map_count=200000
	start_waiting 00001000 10000
	sched_begin -j -i 1 a-dwrr
	sleep 3.5
	sched_end
	kill -9 "$waiting"
	wait "$waiting" 2>/dev/null || true
	ticks=$(sed -n 3p /tmp/sched | grep -o '"ticks":[0-9]*' | cut -d: -f2)
	more "$ticks" 140 "looks in three seconds, of 150"
	sed -n 3p /tmp/sched | grep -q '"unmanaged_threads":0,'
	[ "$(sed -n 3p /tmp/sched | grep -o '"command":"handwait"' | wc -l)" -ge 10000 ]
}

# pmctrack-sched says what it cannot do, and leaves nothing behind.
test_scx_refusals() {
	scx
	hybrid
	expect_refusal 2 "no policy 'nonsense'" sched nonsense
	expect_refusal 2 "give one policy" sched
	expect_refusal 2 "'0' is not a number from" sched --slice 0 rr
	expect_refusal 1 "no core type 'nonsense' here" sched --big nonsense rr
	expect_refusal 1 "/dev/null cannot be replaced" sched --openmetrics /dev/null rr
	expect_refusal 1 "pmctrack_bpf.ko, which policies ask, cannot be loaded" sched hsp
	expect_refusal 1 "this kernel has no sched_ext: it needs Linux 6.12 or newer" without_sched_ext
	metrics
	expect_refusal 1 "says that $(pmu 1) is the fastest core type, and not $(pmu 2)" sched --big "$(pmu 2)" hsp
	expect_refusal 1 "cannot choose the monitoring module 'nonsense'" sched -m nonsense hsp
	if guide_runs; then
		policy /share/gain.bpf.o
		expect_refusal 1 "another scheduler has this machine: gain" sched rr
		no_policy gain
	fi
	no_metrics
}

without_sched_ext() {
	# shellcheck disable=SC2016 # the words are the shell's
	unshare -m sh -c 'mount -t tmpfs none /sys/kernel/sched_ext && exec "$@"' sh timeout --foreground 300 "${SCHED[@]}" rr
}

# A machine whose CPUs are all of one type: a message says so, and threads are scheduled.
long_test_scx_symmetric() {
	scx
	hybrid
	on_machine 2x2
	sched_begin -i 0.5 rr
	grep -q "all CPUs of this machine are of one type: the policy runs, and has nothing to choose" /tmp/sched.err
	simapp -x 10000 gamess >/dev/null & program=$!
	# The table for people: its title, and a row of the program.
	eventually grep -qE "^ +[0-9]+ +simapp +[a-z0-9_A-Z-]+ +[0-9.]+ +100\.0 " /tmp/sched || fail "$(cat /tmp/sched)"
	grep -qE "^\[rr on a simulated machine: [0-9.]+ s, [0-9]+ runnable, 0 moves, 0 swaps" /tmp/sched || fail "$(cat /tmp/sched)"
	kill $program
	wait $program || true
	sched_end
	# Without a choice, a policy needs no metric, and so no module that would give it.
	sched_begin -q acfs
	sched_end
	on_machine ""
}
