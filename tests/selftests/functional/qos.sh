# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Programs report their throughput, and qosd gives them CPUs, on a simulated machine of four CPUs.
. "$(dirname "${BASH_SOURCE[0]}")/models.sh"

QOS=$CG/qosd
# frames N: a profile of a program with four threads, some 10 N rounds a second with one CPU
frames() {
	python3 - "$1" <<-'P'
		import json, sys
		p = json.load(open("/opt/pmctrack/share/pmctrack/profiles/gamess.json"))
		p.update(name="frames", threads=4, rounds=100000, serial=0, parallel=60_000_000 // int(sys.argv[1]))
		json.dump(p, open("/tmp/frames%s.json" % sys.argv[1], "w"))
	P
}

# qos_machine: four equal CPUs, and no control groups of an earlier qosd
qos_machine() {
	local group
	on_machine 4-private
	mountpoint -q $CG || mount -t cgroup2 none $CG
	frames 1
	frames 2
	# Remove what a failed test has left.
	[ ! -e $QOS ] || for group in "$QOS"/app-*/ $QOS/; do
		[ ! -e "$group" ] || { echo 1 >"$group/cgroup.kill"; eventually rmdir "$group"; }
	done
}

# deliver NAME FILE [OPTION…]: start a program that reports its throughput, as $program
deliver() {
	throughput run -n "$1" -u frames/s -e '^round' "${@:3}" simapp -r "$2" >/dev/null & program=$!
}

begin_qosd() {
	# A qosd that was killed has left its socket.
	rm -f /run/qosd/socket
	qosd "$@" >/tmp/qosd.out 2>/tmp/qosd.err & daemon=$!
	eventually [ -S /run/qosd/socket ]
}
end_qosd() {
	kill $daemon
	wait $daemon || fail "status $? of qosd after SIGTERM: $(cat /tmp/qosd.err)"
	equal "$(cat /tmp/qosd.err)" ""
	[ ! -e $QOS ] || fail "groups are left: $(find $QOS)"
}

# qos KEY PID: a number, or a word, of "qosctl list"
qos() {
	qosctl list --json | python3 -c 'import json, sys
p = [p for p in json.load(sys.stdin)["programs"] if p["pid"] == int(sys.argv[2])]
print(p[0][sys.argv[1]] if p else "")' "$1" "$2"
}
# alone_rate FILE: $rate, the rounds a second that a program delivers on one CPU without qosd.
alone_rate() {
	local count began
	taskset -c 0 simapp -r "$1" >/tmp/rounds & program=$!
	# Measure from when the program works.
	eventually grep -q "round 2" /tmp/rounds
	count=$(wc -l </tmp/rounds) began=$(date +%s%N)
	sleep 3
	rate=$(awk -v n=$(($(wc -l </tmp/rounds) - count)) -v ns=$(($(date +%s%N) - began)) 'BEGIN { print n / ns * 1e9 }')
	kill $program
	wait $program || true
}

is_held() { [ "$(qos state $program)" = held ]; }
# held PID GOAL SECONDS: it is within 10 % of the goal in all windows of a second but one in twenty
held() {
	python3 - "$1" "$2" "$3" <<-'P'
		import sys, time
		sys.path.insert(0, "/opt/pmctrack/share/pmctrack/python")
		import throughput
		goal, seconds = float(sys.argv[2]), int(sys.argv[3])
		count = throughput.Reader(int(sys.argv[1])).count
		rates, was, at = [], count(), time.monotonic()
		for _ in range(seconds):
		    time.sleep(max(0, 1 - (time.monotonic() - at)))
		    time.sleep(0.05)
		    now, then = count(), time.monotonic()
		    rates.append((now - was) / (then - at))
		    was, at = now, then
		print("#", " ".join(f"{r:.1f}" for r in rates), "goal", goal)
		good = sum(abs(r / goal - 1) <= 0.1 for r in rates)
		sys.exit(good < 0.95 * len(rates) - 1)
	P
}

# A goal is held with as many CPUs as it needs, also after the goal has changed.
test_qos_goal() {
	only sim
	local one
	qos_machine
	alone_rate /tmp/frames1.json
	echo "# with one CPU: $rate rounds/s"
	one=$rate
	begin_qosd -v
	deliver frames /tmp/frames1.json -g "$(awk -v r="$one" 'BEGIN { print 2.4 * r }')"
	sleep 4
	qosctl list
	tail -n 30 /tmp/qosd.out
	held $program "$(awk -v r="$one" 'BEGIN { print 2.4 * r }')" 10 || fail "not held: $(tail -n 40 /tmp/qosd.out)"
	near "$(qos cpus $program)" 2.4 15 "CPUs"
	eventually is_held
	# Another goal while the program runs, and a goal that is out of reach.
	qosctl goal $program "$(awk -v r="$one" 'BEGIN { print 1.3 * r }')"
	sleep 4
	held $program "$(awk -v r="$one" 'BEGIN { print 1.3 * r }')" 10 || fail "not held: $(tail -n 40 /tmp/qosd.out)"
	qosctl goal $program "$(awk -v r="$one" 'BEGIN { print 30 * r }')"
	out_of_reach() { qosctl why $program | grep -E "out of reach: more CPUs do not help; lately, [0-9.]+ frames/s was the most"; }
	eventually out_of_reach || fail "$(qosctl why $program)"
	qosctl metrics | grep -qE "^qosd_cpus\{pid=\"$program\",program=\"frames\",unit=\"frames/s\"\} [0-9.]+$"
	kill $program
	wait $program || true
	eventually [ ! -e $QOS/app-$program ]
	end_qosd
	on_machine ""
}

# Too few CPUs: parts are in proportion to demands and weights, and each program has one CPU.
test_qos_shares() {
	only sim
	local a b c one
	qos_machine
	alone_rate /tmp/frames1.json
	one=$rate
	echo '{"most_weight": 1000}' >/tmp/qosd.json
	begin_qosd -f /tmp/qosd.json
	deliver first /tmp/frames1.json -g "$(awk -v r="$one" 'BEGIN { print 3 * r }')"; a=$program
	deliver second /tmp/frames1.json -g "$(awk -v r="$one" 'BEGIN { print 3 * r }')" -w 200; b=$program
	deliver third /tmp/frames1.json -g "$(awk -v r="$one" 'BEGIN { print 0.9 * r }')"; c=$program
	sleep 8
	qosctl list
	qosctl why $a | grep -q "too few CPUs: it asks for"
	more "$(qos cpus $c)" 0.8 "CPUs of the third"
	near "$(qos cpus $b)" "$(awk -v x="$(qos cpus $a)" 'BEGIN { print 2 * x }')" 40 "CPUs of twice the weight"
	awk -v a="$(qos cpus $a)" -v b="$(qos cpus $b)" -v c="$(qos cpus $c)" 'BEGIN { exit !(a + b + c < 4.2 && a >= 0.95) }' || fail "$(qosctl list)"
	kill $a $b $c
	wait $a $b $c || true
	end_qosd
	on_machine ""
}

# A program that reports too little throughput, but uses next to no CPU time, takes no CPUs from
# others. The log has qosd's decisions.
long_test_qos_idle() {
	only sim
	local idle goal
	qos_machine
	alone_rate /tmp/frames1.json
	goal=$(awk -v r="$rate" 'BEGIN { print 2.4 * r }')
	rm -f /tmp/qosd.csv
	begin_qosd -l /tmp/qosd.csv
	python3 - <<-'P' & idle=$!
		import sys, threading, time
		sys.path.insert(0, "/opt/pmctrack/share/pmctrack/python")
		import throughput
		throughput.begin("idle, and \"none\"", "x/s")
		throughput.goal(1000)
		def work():
		    while True:
		        time.sleep(0.1)
		        throughput.tick()
		for _ in range(8):
		    threading.Thread(target=work).start()
	P
	deliver frames /tmp/frames1.json -g "$goal"
	is_idle() { [ "$(qos state $idle)" = idle ]; }
	eventually is_idle
	eventually is_held
	qosctl list
	held $program "$goal" 8 || fail "not held: $(qosctl list)"
	more 1.6 "$(qos cpus $idle)" "CPUs of the idle one"
	# A stopped program uses nothing at all.
	kill -STOP $idle
	sleep 4
	is_idle || fail "a stopped one: $(qosctl list)"
	held $program "$goal" 5 || fail "not held beside a stopped one: $(qosctl list)"
	kill -CONT $idle
	eventually is_idle
	qosctl why $idle | grep -qE ": idle: it used 0\.[0-9]+ of the [0-9.]+ CPUs that it had" || fail "$(qosctl why $idle)"
	kill -KILL $idle
	kill $program
	wait $idle $program || true
	end_qosd
	python3 - $idle $program <<-'P' || fail "$(head -n 5 /tmp/qosd.csv)"
		import collections, csv, sys
		rows = [row for row in csv.DictReader(open("/tmp/qosd.csv")) if row["pid"] != "pid"]
		assert {int(row["pid"]) for row in rows} == {int(pid) for pid in sys.argv[1:]}
		assert {row["program"] for row in rows} == {'idle, and "none"', "frames"}
		given = collections.defaultdict(float)
		for row in rows:
		    if not row["granted"]:
		        continue  # it is being killed, and left alone
		    given[row["monotonic_s"]] += float(row["granted"])
		    assert float(row["granted"]) > 0 and float(row["part"]) <= 4.001
		    assert 0 < float(row["pole"]) < 1 and row["state"] and row["trusted"] in "01", row
		assert len(given) > 40 and max(given.values()) < 4.001, max(given.values())
	P
	expect_refusal 1 "^qosd: /nowhere/log: No such file" qosd -l /nowhere/log
	on_machine ""
}

# No output of the program matches: all CPUs do not help, and qosctl says so. As soon as output
# matches, the program has the CPUs that it needs.
long_test_qos_silent() {
	only sim
	local goal follower
	qos_machine
	alone_rate /tmp/frames1.json
	goal=$(awk -v r="$rate" 'BEGIN { print 1.5 * r }')
	begin_qosd
	rm -f /tmp/log
	throughput run -n silent -u frames/s -e '^round' -l /tmp/log -g "$goal" simapp -r /tmp/frames1.json >/tmp/all & program=$!
	is_silent() { [ "$(qos state $program)" = silent ]; }
	eventually is_silent || fail "$(qosctl list)"
	few() { [ "$(qos cpus $program)" = 1.0 ]; }
	eventually few || fail "$(qosctl list)"
	qosctl why $program | grep -q ": silent: it uses its CPUs, and delivers nothing that is seen" || fail "$(qosctl why $program)"
	tail -n 0 -F /tmp/all >/tmp/log 2>/dev/null & follower=$!
	eventually is_held || fail "$(qosctl list)"
	kill $program $follower; wait $program $follower || true
	end_qosd
	on_machine ""
}

# qosd's CPU time for 32 programs, on a CPU that executes one instruction per ns (real CPUs execute
# several). Then 64 programs, whose goals change meanwhile.
long_test_qos_cost() {
	only sim
	local i began ran wrote programs=()
	qos_machine
	cat >/tmp/few.py <<-'P'
		import sys, time
		sys.path.insert(0, "/opt/pmctrack/share/pmctrack/python")
		import throughput
		throughput.begin("few", "x/s")
		throughput.goal(20)
		while True:
		    time.sleep(0.05)
		    throughput.tick()
	P
	begin_qosd
	for ((i = 0; i < 32; i++)); do python3 /tmp/few.py & programs+=($!); done
	are_all() { [ "$(qosctl list --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["programs"]))')" = $i ]; }
	eventually are_all
	writes() { awk '/^syscw/ { print $2 }' /proc/$daemon/io; }
	# Wait until qosd has watched the programs for long enough.
	sleep 2
	began=$(date +%s%N) ran=$(ran_ns $daemon) wrote=$(writes)
	sleep 10
	awk -v ran="$(($(ran_ns $daemon) - ran))" -v ns="$(($(date +%s%N) - began))" 'BEGIN {
		print "# qosd takes " 100 * ran / ns " % of a CPU for 32 programs"; exit !(ran > 0 && ran < 0.005 * ns) }' || fail "too much"
	# The programs hold their goals, so their CPUs do not change.
	[ "$wrote" ] && [ $(($(writes) - wrote)) -le 64 ] || fail "$(($(writes) - wrote)) changes"
	for (( ; i < 64; i++)); do python3 /tmp/few.py & programs+=($!); done
	eventually are_all
	for ((i = 0; i < 64; i += 7)); do qosctl goal "${programs[i]}" $((i + 1)); done
	i=64; sleep 2
	equal "$(qos goal_min "${programs[63]}")" 64.0
	qosctl list --json | python3 -c 'import json, sys
programs = json.load(sys.stdin)["programs"]
left = [p for p in programs if p["state"] == "left alone"]
given = sum(p["cpus"] for p in programs)
assert not left and len(programs) == 64 and 0 < given < 4.001, (left, given)' || fail "$(qosctl list)"
	kill "${programs[@]}"; wait "${programs[@]}" || true
	end_qosd
	on_machine ""
}

# fast_of PID: how many fast CPUs it has; "none", if it has no CPUs of its own yet
fast_of() {
	python3 - "$fast" "$(cat $QOS/app-"$1"/cpuset.cpus)" <<-'P'
		import sys
		def cpus(text):
		    return {c for part in text.split(",") if part for c in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)}
		print(len(cpus(sys.argv[1]) & cpus(sys.argv[2])) if sys.argv[2] else "none")
	P
}
has_fast() { [ "$(fast_of "$1")" = "$2" ]; }

# With two core types, fast CPUs are for the program that loses most on slow ones, by the model:
# frames 1 - 1/2.5, or 1 - 1/2 as seen from a slow CPU; memory, which waits for memory, 1 - 1/1.3.
long_test_qos_hybrid() {
	hybrid
	local fast memory frames fewer=()
	on_machine ""
	mountpoint -q $CG || mount -t cgroup2 none $CG
	frames 1
	python3 - <<-'P'
		import json
		p = json.load(open("/opt/pmctrack/share/pmctrack/profiles/mcf.json"))
		p.update(name="memory", threads=2, rounds=100000, serial=0, parallel=20_000_000)
		json.dump(p, open("/tmp/memory.json", "w"))
	P
	insmod $MODULES/pmctrack_mmon_speedup_factor.ko
	# The models use instructions per cycle, of which a slow CPU has fewer.
	model 1 "stump 0 1000 -700000 0" end | give
	model 2 "stump 0 400 -700000 0" end | give
	echo speedup_factor >$MANAGER
	fast=$(sed -n 's/^cpus: //p' /proc/pmc/info | sed -n 1p)
	echo '{"actuator": "cpuset", "speedup_factor": true}' >/tmp/qosd.json
	begin_qosd -f /tmp/qosd.json
	# Alone, memory has the fast CPUs.
	deliver memory /tmp/memory.json -g 1000; memory=$program
	eventually has_fast $memory 2
	deliver frames /tmp/frames1.json -g 1000; frames=$program
	eventually has_fast $frames 2
	eventually has_fast $memory 0
	# This stays so, except for trials with fewer CPUs: one second in each five.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.5
		has_fast $frames 2 || fewer+=("$(fast_of $frames)")
	done
	[ ${#fewer[@]} -le 5 ] || fail "fast CPUs of frames: ${fewer[*]}"
	awk -v f="$(qos slow_cpu_worth $frames)" -v m="$(qos slow_cpu_worth $memory)" 'BEGIN {
		print "# a slow CPU is worth " f " for frames, " m " for memory"
		exit !(f >= 0.39 && f <= 0.51 && m >= 0.72 && m <= 0.78) }' || fail "what slow CPUs are worth"
	# When frames ends, memory takes its fast CPUs.
	kill $frames
	eventually has_fast $memory 2
	kill $memory
	wait $frames $memory || true
	end_qosd
	without_modules
}

# The CPUs that an ordinary user's programs have together are limited.
test_qos_users() {
	only sim
	local theirs one
	qos_machine
	alone_rate /tmp/frames1.json
	one=$rate
	chmod 666 /dev/pmctrack_sim
	echo '{"most_cpus": 1.2}' >/tmp/qosd.json
	begin_qosd -f /tmp/qosd.json
	setpriv --reuid=1000 --regid=1000 --clear-groups -- throughput run -n theirs -e '^round' \
		-g "$(awk -v r="$one" 'BEGIN { print 3 * r }')" simapp -r /tmp/frames1.json >/dev/null & theirs=$!
	deliver mine /tmp/frames1.json -g "$(awk -v r="$one" 'BEGIN { print 2 * r }')"
	# The first window near the goal can be one in passing.
	eventually is_held || fail "$(qosctl list; qosctl why $program; qosctl why $theirs)"; sleep 4
	qosctl list
	held $program "$(awk -v r="$one" 'BEGIN { print 2 * r }')" 8 || fail "not held: $(qosctl list)"
	awk -v c="$(qos cpus $theirs)" 'BEGIN { exit !(c >= 1 && c < 1.21) }' || fail "$(qosctl list)"
	limited() { qosctl why $theirs | grep -qE "its user's programs have no more together \(most_cpus, or as other users ask, too\), and its part is 1\.[12]"; }
	eventually limited || fail "$(qosctl why $theirs)"
	kill $theirs $program
	wait $theirs $program || true
	end_qosd
	on_machine ""
}

# Programs have whole CPUs of their own; the CPUs of a program go to no other one.
long_test_qos_cpus() {
	only sim
	local a b one i more=()
	qos_machine
	alone_rate /tmp/frames1.json
	one=$rate
	echo '{"actuator": "cpuset", "programs": {"ruled": {"min": '"$(awk -v r="$one" 'BEGIN { print 1.5 * r }')"', "max": '"$(awk -v r="$one" 'BEGIN { print 2.5 * r }')"'}}}' >/tmp/qosd.json
	begin_qosd -f /tmp/qosd.json
	deliver ruled /tmp/frames1.json; a=$program
	deliver other /tmp/frames1.json -g "$(awk -v r="$one" 'BEGIN { print r }')"; b=$program
	sleep 6
	qosctl list
	cat $QOS/app-*/cpuset.cpus
	# Two or three CPUs meet the goal; what rounding takes from the second program comes later.
	awk -v a="$(qos cpus $a)" -v b="$(qos cpus $b)" 'BEGIN { exit !((a == 2 || a == 3) && (b == 1 || b == 2) && a + b <= 4) }' ||
		fail "whole CPUs of both"
	equal "$(cat $QOS/app-*/cpuset.cpus | tr ',\n' '  ' | sed 's/\([0-9]\)-\([0-9]\)/\1 \2/g' | tr -s ' ' '\n' | sort | uniq -d)" "" "CPUs of both"
	# A CPU goes offline.
	echo 0 >/sys/devices/system/cpu/cpu3/online
	sleep 2
	more 3.1 "$(awk -v a="$(qos cpus $a)" -v b="$(qos cpus $b)" 'BEGIN { print a + b }')" "CPUs of both"
	echo 1 >/sys/devices/system/cpu/cpu3/online
	# There are more programs than CPUs: no program has all CPUs.
	for i in 1 2 3; do deliver other$i /tmp/frames2.json -g 5; more+=("$program"); done
	for i in "${more[@]}"; do eventually grep -q . $QOS/app-$i/cpuset.cpus; done
	sleep 1
	qosctl list
	! grep -qE "[-,]" $QOS/app-"${more[0]}"/cpuset.cpus $QOS/app-"${more[1]}"/cpuset.cpus $QOS/app-"${more[2]}"/cpuset.cpus || fail "$(cat $QOS/app-*/cpuset.cpus)"
	! qosctl list | grep -E "  0\.00 +[0-9.]+  [a-z]" || fail "somebody has nothing"
	kill $a $b "${more[@]}"
	wait $a $b "${more[@]}" || true
	end_qosd
	on_machine ""
}

# When qosd ends, processes are back in their groups. qosd leaves alone what others change.
test_qos_ends() {
	only sim
	local a b c light outer inner goal
	qos_machine
	mkdir -p $CG/mine
	begin_qosd
	expect_refusal 1 "^qosd: another qosd runs" timeout 20 qosd
	(echo $BASHPID >$CG/mine/cgroup.procs; exec throughput run -n a -e '^round' -g 15 simapp -r /tmp/frames1.json >/dev/null) & a=$!
	eventually grep -q . $QOS/app-$a/cpu.max
	eventually grep -qv max $QOS/app-$a/cpu.max
	# After SIGKILL all is left as it was, and the next qosd clears it up.
	kill -KILL $daemon
	wait $daemon || true
	grep -q "/qosd/app-$a" /proc/$a/cgroup
	qosd >/tmp/qosd.out 2>/tmp/qosd.err & daemon=$!
	eventually grep -q "processes of a qosd that was killed are back in their control groups" /tmp/qosd.err
	eventually grep -q "/qosd/app-$a" /proc/$a/cgroup
	eventually [ -S /run/qosd/socket ]
	eventually qosctl list
	# Somebody else moves the process, or changes its group.
	echo $a >$CG/mine/cgroup.procs
	eventually grep -q "^qosd: a\[$a\] is left alone: the process was moved to another control group" /tmp/qosd.err
	qosctl why $a | grep -q "left alone: the process was moved"
	grep -q ":/mine$" /proc/$a/cgroup
	# A child of the process stays in the group until it ends.
	grep -q ":/qosd/app-$a$" "/proc/$(pgrep -P $a)/cgroup" || fail "$(cat "/proc/$(pgrep -P $a)/cgroup")"
	# Somebody writes to a group while qosd changes it in each step.
	deliver b /tmp/frames1.json -g 40; b=$program
	eventually grep -qv max $QOS/app-$b/cpu.max
	(while sleep 0.1; do qosctl goal $b $((20 + RANDOM % 40)); done >/dev/null 2>&1) & outer=$!
	sleep 1
	echo max >$QOS/app-$b/cpu.max
	eventually grep -q "^qosd: b\[$b\] is left alone: its cpu.max was changed" /tmp/qosd.err
	sleep 1
	kill $outer
	wait $outer || true
	equal "$(cut -d' ' -f1 $QOS/app-$b/cpu.max)" max "what somebody else has written"
	# A process that would escape limits is not moved, and neither is one in a group of qosd.
	mkdir -p $CG/few
	echo +pids >$CG/cgroup.subtree_control
	echo 1000 >$CG/few/pids.max
	(echo $BASHPID >$CG/few/cgroup.procs; exec throughput run -n c -e '^round' -g 15 simapp -r /tmp/frames1.json >/dev/null) & c=$!
	throughput run -n outer -b -g 15 throughput run -n inner -e '^round' -g 15 simapp -r /tmp/frames1.json >/dev/null & outer=$!
	eventually qosctl why $c
	qosctl why $c | grep -q "left alone: its control group, or one above, has limits that it would escape"
	grep -q ":/few$" /proc/$c/cgroup
	mkdir -p $CG/light
	echo 1000 >$CG/light/cpu.weight
	(echo $BASHPID >$CG/light/cgroup.procs; exec throughput run -n light -e '^round' -g 15 simapp -r /tmp/frames1.json >/dev/null) & light=$!
	eventually qosctl why $light
	qosctl why $light | grep -q "left alone: its control group, or one above, has limits that it would escape"
	grep -q ":/light$" /proc/$light/cgroup
	kill $light
	wait $light || true
	rmdir $CG/light
	eventually qosctl why $outer
	inner=$(pgrep -P $outer)
	eventually qosctl why "$inner"
	# Whichever of the two was found first: only qosd has moved it.
	! qosctl why "$inner" | grep -q "was moved" || fail "$(qosctl why "$inner")"
	# A goal that is taken back, and a throughput file without a process.
	python3 - <<-'P' & goal=$!
		import os, sys, time
		sys.path.insert(0, "/opt/pmctrack/share/pmctrack/python")
		import throughput
		throughput.goal(5, "x/s")
		throughput.tick()
		while not os.path.exists("/tmp/go"):
		    time.sleep(0.1)
		throughput.goal(0)
		time.sleep(100)
	P
	rm -f /tmp/go
	eventually [ -e $QOS/app-$goal ]
	cp /dev/shm/throughput-$goal-* /dev/shm/throughput-2000000001-1-0
	touch /tmp/go
	eventually [ ! -e $QOS/app-$goal ]
	! grep -q qosd /proc/$goal/cgroup || fail "$(cat /proc/$goal/cgroup)"
	sleep 1
	[ ! -e $QOS/app-2000000001 ] || fail "a group of nobody"
	rm -f /dev/shm/throughput-2000000001-1-0
	kill $goal $c $outer
	wait $goal $c $outer || true
	rmdir $CG/few
	kill $daemon
	wait $daemon || fail "status $?"
	[ ! -e $QOS ] || fail "groups are left: $(find $QOS)"
	expect_refusal 1 "/run/qosd/socket: .*: is qosd running?" qosctl list
	kill $a $b
	wait $a $b || true
	rmdir $CG/mine
	on_machine ""
}

# "throughput top" on a terminal: programs and their throughput, until q is typed.
test_qos_top() {
	only sim
	qos_machine
	deliver frames /tmp/frames1.json
	tmux -L q -f /dev/null new-session -d -x 80 -y 20 "TERM=screen throughput top 2>&1; echo status \$?; sleep 100"
	shows() { tmux -L q capture-pane -p >/tmp/shown; grep -qE -- "$1" /tmp/shown; }
	looks=2000 eventually shows "^ *$program root +frames +frames/s +[0-9.]+" || fail "$(cat /tmp/shown)"
	tmux -L q send-keys q
	looks=2000 eventually shows "^status 0" || fail "$(cat /tmp/shown)"
	tmux -L q kill-server; kill $program; wait $program || true
	on_machine ""
}

# Rights of users, and what is refused.
test_qos_refused() {
	only sim
	local a b c wrong flood
	qos_machine
	# Machines without support: control groups of version 1, and groups without controllers.
	expect_refusal 1 "is not of control groups version 2: boot with" unshare -m sh -c "mount -t tmpfs none $CG && qosd"
	mkdir -p $CG/bare
	echo '{"group": "bare/qosd"}' >/tmp/qosd.json
	expect_refusal 1 "has the controllers '', and not cpu: enable them in the group above" qosd -f /tmp/qosd.json
	rmdir $CG/bare/qosd $CG/bare
	for wrong in '[]:is not an object' '{"step_s": 0}:step_s is a number from 0.1 to 10' '{"actuator": "x"}:actuator is bandwidth, cpuset or both' \
		'{"group": "../x"}:group is the path' '{"programs": {"x": {"goal": -1}}}:goal is a number' '{"unknown": 1}:.unknown. is not known'; do
		echo "${wrong%:*}" >/tmp/qosd.json
		expect_refusal 1 "^qosd: /tmp/qosd.json: .*${wrong##*:}" qosd -f /tmp/qosd.json
	done
	expect_refusal 1 "^qosd: /nowhere: No such file" qosd -f /nowhere
	expect_refusal 1 "qosd is root's" user qosd
	expect_refusal 2 "^qosctl: 'x' is no command" qosctl x
	expect_refusal 2 "^qosctl: goal: wrong number" qosctl goal 1
	expect_refusal 2 "not a number above 0" qosctl goal 1 -3
	chmod 666 /dev/pmctrack_sim
	begin_qosd
	deliver mine /tmp/frames1.json -g 15; a=$program
	setpriv --reuid=1000 --regid=1000 --clear-groups -- throughput run -n theirs -e '^round' -g 5 -w 1000 simapp -r /tmp/frames1.json >/dev/null & b=$!
	eventually qosctl why $a
	eventually qosctl why $b
	expect_refusal 1 "it is another user's" user qosctl goal $a 5
	expect_refusal 1 "only root can make a weight greater" user qosctl weight $b 900
	expect_refusal 1 "only root can do that" user qosctl pause $b
	# A program that hides its throughput is not shown to other users.
	setpriv --reuid=1000 --regid=1000 --clear-groups -- bash -c 'umask 077; exec throughput run -n hidden -e "^round" -g 5 simapp -r /tmp/frames1.json' >/dev/null & c=$!
	eventually qosctl why $c
	user qosctl why $c
	expect_refusal 1 "has no such program" setpriv --reuid=1001 --regid=1001 --clear-groups -- qosctl why $c
	! setpriv --reuid=1001 --regid=1001 --clear-groups -- qosctl list | grep hidden || fail "a hidden program is told of"
	kill $c
	user qosctl goal $b 6 7
	user qosctl weight $b 50
	equal "$(qos weight $b)" 50
	equal "$(qos goal_max $b)" 7.0
	expect_refusal 1 "has no such program" qosctl why 1
	qosctl pause $b
	equal "$(qos state $b)" paused
	qosctl resume $b
	# Wrong requests on the socket, and clients that say nothing.
	python3 - <<-'P'
		import socket
		def say(data):
		    s = socket.socket(socket.AF_UNIX)
		    s.connect("/run/qosd/socket")
		    s.sendall(data)
		    s.settimeout(5)
		    return s.recv(65536)
		for data in b"\n", b"{}\n", b"[1]\n", b'{"command": 5}\n', b"\0\n", b'{"command":"goal","pid":1e99}\n', b"x" * 5000 + b"\n":
		    assert b'"error"' in say(data), data
		quiet = []
		for _ in range(40):
		    quiet.append(socket.socket(socket.AF_UNIX))
		    quiet[-1].connect("/run/qosd/socket")
		assert b'"programs"' in say(b'{"command":"list"}\n')
	P
	# A user takes all places of the socket and has many files that look like programs: other
	# users are served. Only his own connections make room.
	setpriv --reuid=1001 --regid=1001 --clear-groups -- python3 - <<-'P' &
		import fcntl, os, socket, struct, time
		quiet, kept = [], []
		began = open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19]
		for number in range(900):
		    kept.append(os.open("/dev/shm/throughput-%d-%s-%d" % (os.getpid(), began, number), os.O_RDWR | os.O_CREAT, 0o644))
		    os.ftruncate(kept[-1], 33024)
		    fcntl.fcntl(kept[-1], 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
		open("/tmp/flooded", "w").close()
		while True:
		    quiet = quiet[-60:] + [socket.socket(socket.AF_UNIX)]
		    quiet[-1].connect("/run/qosd/socket")
		    time.sleep(0.01)
	P
	flood=$!
	eventually [ -e /tmp/flooded ]
	python3 - <<-'P'
		import socket, time
		mine = socket.socket(socket.AF_UNIX)
		mine.connect("/run/qosd/socket")
		time.sleep(2)
		mine.sendall(b'{"command":"list"}\n')
		mine.settimeout(5)
		assert b'"programs"' in mine.recv(65536)
	P
	deliver late /tmp/frames1.json -g 5; c=$program
	eventually qosctl why $c
	kill $flood $c; wait $flood $c || true
	rm -f /dev/shm/throughput-$flood-* /tmp/flooded
	# In a dry run nothing changes.
	kill $daemon; wait $daemon || true
	timeout 3 qosd --dry-run >/tmp/dry 2>&1 || true
	grep -qE "^mine\[$a\]: [0-9.]+ frames/s, asks for [0-9.]+, gets [0-9.]+ CPUs: " /tmp/dry || fail "$(cat /tmp/dry)"
	[ ! -e $QOS ] || fail "a dry run made $QOS"
	kill $a $b; wait $a $b || true
	on_machine ""
}
