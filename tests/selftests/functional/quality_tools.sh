# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# qtime, qtop, qplacer, qualityd: their results on a simulated machine, which knows the truth, and
# what they refuse.
. "$(dirname "${BASH_SOURCE[0]}")/quality.sh"

# total FILE KEY: a number of the last line of "qtime --json"
total() { tail -n 1 "$1" | grep -oE "\"$2\":([0-9.]+|null)" | head -n 1 | cut -d: -f2; }
# json FILE: each line of it is JSON without NaN, the first a header, the last a total
json() {
	python3 - "$1" <<-'P' || fail "not JSON: $(cat "$1")"
		import json, os, sys
		def refuse(text): raise ValueError(text)
		lines = [json.loads(line, parse_constant=refuse) for line in open(sys.argv[1])]
		types = [line["type"] for line in lines]
		assert types[0] == "header" and types[-1] == "total" and set(types[1:-1]) <= {"interval"}, types
		total, intervals = lines[-1], lines[1:-1]
		for key in ("cpu_ns", "explained_ns", "quality_time_ns", "waited_ns"):
		    all = [line[key] for line in intervals] + [program[key] for program in total["programs"]]
		    if key == "waited_ns" and not os.path.exists("/proc/self/schedstat"):
		        assert total[key] is None and set(all) <= {None}
		        continue
		    assert sum(line[key] for line in intervals) == total[key], key
		    assert sum(program[key] for program in total["programs"]) == total[key], key
		assert total["quality_time_ns"] <= total["explained_ns"] <= total["cpu_ns"]
	P
}

# A program beside another one: its true time alone is found. The same numbers for people.
test_qtime() {
	only sim
	local beside=() cpu alone hold_us=5000 program=mcf others=soplex cpus=1 work=150
	# The large cache of these machines is not filled in the longest sample. So the program is
	# one that suffers from the traffic of others, not from lines that they took, and runs long.
	case $(simapp --machine | sed -n 's/^simulated machine: //p') in
	4P-8E*) hold_us=10000 program=soplex others=lbm cpus="1 2" work=500 ;;
	esac
	with_quality hold_us=$hold_us budget=50
	for cpu in $cpus; do taskset -c "$cpu" simapp -x 10000 $others >/dev/null & beside+=($!); done
	taskset -c 0 qtime --json -i 0.1 -o /tmp/qtime.json simapp -j -x $work $program >/tmp/truth
	json /tmp/qtime.json
	alone=$(alone /tmp/truth 1)
	awk -v q="$(total /tmp/qtime.json quality_time_ns)" -v c="$(total /tmp/qtime.json cpu_ns)" -v a="$alone" 'BEGIN {
		q = q / 1e9 / a - 1; c = c / 1e9 / a - 1; print "# Quality Time is off by " int(1000 * q) / 10 " %, CPU time by " int(1000 * c) / 10 " %"
		exit !(c > 0.08 && q < c / 2 && q > -c / 2) }' || fail "$(tail -n 1 /tmp/qtime.json), alone $alone"
	tail -n 1 /tmp/qtime.json | grep -q '"of":"simapp","whole":true,'
	taskset -c 0 qtime -o /tmp/qtime.txt simapp -x 50 $program >/dev/null
	cat /tmp/qtime.txt
	grep -qE '^  Quality Time +[0-9.]+ s  what [0-9.]+ s of CPU time would have taken alone: [0-9.]+ %$' /tmp/qtime.txt
	taskset -c 0 qtime --csv -i 0.1 -o /tmp/qtime.csv simapp -x 50 $program >/dev/null
	more "$(csv_sum /tmp/qtime.csv quality_time_ns)" 0
	more "$(csv_sum /tmp/qtime.csv cpu_ns)" "$(csv_sum /tmp/qtime.csv quality_time_ns)"
	kill "${beside[@]}"
	without_quality
}

# Two programs on one CPU wait for each other, and no other program uses their caches.
test_qtime_waiting() {
	only sim
	with_quality hold_us=5000 budget=50
	taskset -c 0 qtime --json -i 0.2 -o /tmp/qtime.json sh -c 'simapp -x 40 gamess >/dev/null & simapp -x 40 gamess >/dev/null; wait'
	json /tmp/qtime.json
	cat /tmp/qtime.json
	if [ -e /proc/self/schedstat ]; then
		more "$(total /tmp/qtime.json waited_ns)" "$(total /tmp/qtime.json cpu_ns | awk '{ print $1 * 0.6 }')" "waiting"
	else
		equal "$(total /tmp/qtime.json waited_ns)" null "waiting on a kernel that does not count it"
	fi
	tail -n 1 /tmp/qtime.json | grep -q '"name":"simapp","processes":2,'
	awk -v q="$(total /tmp/qtime.json quality)" 'BEGIN { exit !(q > 0.97) }' || on_time fail "who is alone in his cache is not lost"
	without_quality
}

# A quota appears as throttled time of the group. Members of the group are found, also new ones.
test_qtime_group() {
	only sim
	local programs=()
	with_quality hold_us=5000 budget=50
	mountpoint -q $CG || mount -t cgroup2 none $CG
	echo +cpu >$CG/cgroup.subtree_control
	mkdir -p $CG/q/inner
	if [ -e $CG/q/cpu.max ]; then echo "20000 100000" >$CG/q/cpu.max; fi
	taskset -c 0 simapp -x 10000 gamess >/dev/null & programs+=($!)
	echo $! >$CG/q/inner/cgroup.procs
	qtime --json -i 0.2 -N 5 --cgroup $CG/q >/tmp/qtime.json & mine=$!
	sleep 1
	taskset -c 0 simapp -x 10000 gamess >/dev/null & programs+=($!)
	echo $! >$CG/q/cgroup.procs
	wait $mine
	json /tmp/qtime.json
	tail -n 1 /tmp/qtime.json | grep -q '"name":"simapp","processes":2,' || fail "the new member: $(cat /tmp/qtime.json)"
	[ ! -e $CG/q/cpu.max ] || more "$(total /tmp/qtime.json throttled_us)" 500000 "throttled"
	kill "${programs[@]}"
	wait "${programs[@]}" || true
	rmdir $CG/q/inner $CG/q
	expect_refusal 1 "^qtime: /tmp: not a directory of control groups" qtime --cgroup /tmp
	without_quality
}

# The exit status is the program's. Signals reach the program; the output until then is valid.
test_qtime_ends() {
	only sim
	local mine
	with_quality
	expect_status 7 qtime -o /dev/null sh -c 'exit 7'
	expect_status 143 qtime -o /dev/null sh -c 'kill -TERM $$'
	expect_refusal 127 "^qtime: cannot run '/nowhere': No such file" qtime /nowhere
	expect_refusal 126 "^qtime: cannot run '/tmp': " qtime /tmp
	qtime --json -i 0.1 -o /tmp/qtime.json simapp -x 10000 mcf >/dev/null & mine=$!
	sleep 0.5
	kill -TERM $mine
	! wait $mine || fail "status 0 after SIGTERM"
	json /tmp/qtime.json
	# A running process; no other session may watch it meanwhile.
	simapp -x 10000 mcf >/dev/null & program=$!
	qtime --json -i 0.1 -p $program >/tmp/qtime.json & mine=$!
	sleep 0.5
	expect_refusal 1 "$program" qtime -p $program
	kill -TERM $mine
	wait $mine || fail "status $? when Ctrl-C ends watching"
	json /tmp/qtime.json
	more "$(total /tmp/qtime.json cpu_ns)" 100000000 "CPU time of a running process"
	# qtime ends when the process ends.
	qtime --csv -i 0.1 -p $program >/tmp/qtime.csv & mine=$!
	sleep 0.3
	kill $program
	wait $mine || fail "status $? when the process ends"
	expect_refusal 1 "^qtime: cannot write the results: No space left on device" qtime -o /dev/full true
	without_quality
}

test_qtime_refused() {
	only sim
	echo none >$MANAGER
	expect_refusal 1 "^qtime: Quality Time needs the monitoring module 'quality_time', and none is active; as root: 'modprobe" qtime true
	[ ! -e /tmp/never ] || rm /tmp/never
	! qtime touch /tmp/never 2>/dev/null || fail "run without being measured"
	[ ! -e /tmp/never ] || fail "the program ran although it cannot be measured"
	with_quality
	expect_refusal 1 "needs CAP_PERFMON" user qtime true
	expect_refusal 2 "^qtime: no program to run" qtime
	expect_refusal 2 "^qtime: -p and --cgroup: give one" qtime -p 1 --cgroup /
	expect_refusal 2 "^qtime: -i 0: not a number of seconds" qtime -i 0 true
	expect_refusal 2 "^qtime: -N is for running processes" qtime -N 1 true
	expect_refusal 2 "^qtime: --csv, --json: give one" qtime --csv --json true
	expect_refusal 1 "^qtime: no process 4000000" qtime -p 4000000
	expect_refusal 1 "^qtime: -o /nowhere/file: No such file" qtime -o /nowhere/file true
	without_quality
}

# A program that never runs has no quality. On a machine with one CPU it has all.
test_qtime_alone() {
	only sim
	local cpu
	with_quality hold_us=5000 budget=50
	qtime --json -i 0.2 -o /tmp/qtime.json sleep 1
	json /tmp/qtime.json
	tail -n 1 /tmp/qtime.json | grep -q '"quality":null' || fail "$(tail -n 1 /tmp/qtime.json)"
	for cpu in $(seq $(($(nproc --all) - 1))); do echo 0 >"/sys/devices/system/cpu/cpu$cpu/online"; done
	qtime --json -i 0.2 -o /tmp/qtime.json simapp -x 30 gamess >/dev/null
	for cpu in $(seq $(($(nproc --all) - 1))); do echo 1 >"/sys/devices/system/cpu/cpu$cpu/online"; done
	json /tmp/qtime.json
	awk -v q="$(total /tmp/qtime.json quality)" 'BEGIN { exit !(q > 0.97) }' || on_time fail "alone on one CPU: $(tail -n 1 /tmp/qtime.json)"
	without_quality
}

# A terminal: screen COMMAND… starts a command in it, shown prints it, typed KEYS types keys.
screen() { tmux -u -L t -f /dev/null new-session -d -x 80 -y 30 "$* 2>/tmp/screen.err; echo status \$?; sleep 100"; }
shown() { tmux -L t capture-pane -p; }
typed() { tmux -L t send-keys "$@"; sleep 0.3; }
# shows REGEX: wait until the screen matches
on_screen() { shown >/tmp/shown; grep -qE -- "$1" /tmp/shown; }
shows() { looks=2000 eventually on_screen "$1" || fail "the screen: $(cat /tmp/shown)"; }

# $one and $other change CPUs, stopped so that neither runs on the other's CPU.
swap_is_shown() {
	kill -STOP "$one" "$other"
	taskset -p "$mask_of_other" "$one" >/dev/null
	taskset -p "$mask_of_one" "$other" >/dev/null
	kill -CONT "$one" "$other"
	read -r mask_of_one mask_of_other <<<"$mask_of_other $mask_of_one"
	sleep 1.5
	on_screen "^moves .*s"
}

# qtop's screen in a terminal: rows, keys, another size, moves; and q ends it.
test_qtop_screen() {
	only sim
	local one other mask_of_one=1 mask_of_other=2
	with_quality hold_us=5000 budget=50
	taskset -c 0 simapp -x 10000 soplex >/dev/null & one=$!
	taskset -c 1 simapp -x 10000 povray >/dev/null & other=$!
	TERM=xterm LC_ALL=C.UTF-8 screen qtop -i 0.5
	shows "^ +$one root +[89][0-9]\.[0-9] +[0-9]+ +[0-9]+ +[0-9]+ .* 0 [?.]+[0-9]+ +simapp"
	shows "CPU% +QUAL 0.5s 2.5s WAIT% +AGE +ON"
	shows "^100% \|"
	shows "^  CPU [^0-9]*0+"
	typed Q
	shows "sorted by quality"
	typed u
	shows "^ +[0-9]+ root .*root$"
	typed p / "sima" Enter
	shows "sorted by quality, with sima"
	typed h
	shows "Quality Time is the time that"
	typed x Down
	shows "^$(printf '%d|%d' "$one" "$other") simapp: quality in the last 31.5 s"
	# Both moves are a swap if they are in one interval; an interval may end between them.
	looks=20 eventually swap_is_shown || fail "the screen: $(cat /tmp/shown)"
	tmux -L t resize-window -x 60 -y 12
	without_graph() { on_screen "^ +[0-9]+ root" && ! grep -q "100% |" /tmp/shown; }
	looks=2000 eventually without_graph || fail "a graph where there is no room: $(cat /tmp/shown)"
	cat /tmp/shown
	typed q
	shows "status 0"
	equal "$(cat /tmp/screen.err)" ""
	tmux -L t kill-server
	kill $one $other
	without_quality
}

test_qtop_batch() {
	only sim
	local one
	with_quality hold_us=5000 budget=50
	# Of one phase, so that each sample is true for all of the program; with warm caches.
	taskset -c 0 simapp -x 10000 lbm >/dev/null & one=$!
	sleep 1
	qtop --json -i 0.5 -n 6 >/tmp/qtop.json
	python3 - $one <<-'P' || fail "$(tail -n 1 /tmp/qtop.json)"
		import json, sys
		lines = [json.loads(line) for line in open("/tmp/qtop.json")]
		assert [line["type"] for line in lines] == ["header"] + 6 * ["interval"]
		mine = [row for row in lines[-1]["rows"] if row["pid"] == int(sys.argv[1])]
		assert len(mine) == 1 and mine[0]["process"] == "simapp" and mine[0]["cpu"] == 0, mine
		assert 0.95 < mine[0]["quality"] <= 1 and mine[0]["last"]["cpu_ns"] > 0.4e9, mine
		assert not any(row["process"] == "qtop" for row in lines[-1]["rows"])
	P
	qtop --batch -p $one -n 2 -i 0.5 >/tmp/qtop.txt
	equal "$(grep -c "^ *$one root" /tmp/qtop.txt)" 2 "rows of the process"
	kill $one
	expect_refusal 1 "^qtop: there is no terminal that shows a screen: use --batch" qtop
	expect_refusal 2 "^qtop: -w 100: not up to three" qtop -w 100
	expect_refusal 2 "^qtop: -s age: rows are sorted by" qtop -s age
	expect_refusal 2 "^qtop: 'ls': it runs no programs; see qtime" qtop ls
	expect_refusal 1 "^qtop: .*: not a directory of control groups" qtop --batch --cgroup /tmp
	expect_refusal 1 "needs CAP_PERFMON" user qtop --batch
	expect_refusal 1 "^qtop: cannot write: No space" sh -c 'qtop --batch -n 1 -i 0.1 >/dev/full'
	without_quality
}

# qtop's CPU time for 200 threads of 20 programs, on a CPU that executes one instruction per ns
# (real CPUs execute several).
long_test_qtop_cost() {
	only sim
	local crowd i mine began ended ran ran2
	with_quality
	cat >/tmp/crowd.py <<-'P'
		import threading, time
		def work():
		    while True:
		        time.sleep(0.1)
		threads = [threading.Thread(target=work, daemon=True) for _ in range(9)]
		for thread in threads:
		    thread.start()
		work()
	P
	for i in $(seq 20); do python3 /tmp/crowd.py & crowd+=" $!"; done
	sleep 2
	qtop --batch -i 1 -n 100 >/tmp/qtop.txt & mine=$!
	sleep 3
	ran=$(ran_ns $mine); began=$(date +%s%N)
	sleep 10
	ran2=$(ran_ns $mine); ended=$(date +%s%N)
	# shellcheck disable=SC2086 # words
	kill $mine $crowd
	more "$(grep -c python3 /tmp/qtop.txt)" 100 "rows of them"
	awk -v cpu=$((ran2 - ran)) -v ns=$((ended - began)) 'BEGIN { print "# " 100 * cpu / ns " % of a CPU"
		exit !(cpu < 0.01 * ns) }' || on_time fail "what it costs"
	without_quality
}

placed() { ! all_cpus "$1"; }
all_cpus() { [ "$(taskset -p "$1" | grep -oE '[0-9a-f]+$')" = f ]; }

# Threads of a program are measured together, because they would slow each other down without
# others, too. The truth is the time that both needed when no other program ran.
test_quality_gang() {
	only sim
	local others=()
	on_machine 2x2
	with_quality hold_us=5000 budget=50
	taskset -c 0,2 pmctrack --csv -T 0.1 -V quality_time,explained -o /tmp/gang simapp -n 2 -x 50 soplex >/dev/null
	taskset -c 1 simapp -x 10000 lbm >/dev/null & others+=($!)
	taskset -c 3 simapp -x 10000 mcf >/dev/null & others+=($!)
	taskset -c 0,2 pmctrack --csv -T 0.1 -V quality_time,explained -o /tmp/beside simapp -n 2 -x 50 soplex >/dev/null
	kill "${others[@]}"
	awk -v a="$(csv_sum /tmp/gang explained)" -v qa="$(csv_sum /tmp/gang quality_time)" \
		-v c="$(csv_sum /tmp/beside explained)" -v q="$(csv_sum /tmp/beside quality_time)" 'BEGIN {
		print "# alone " a / 1e9 " s, Quality Time " qa / 1e9 " s; beside others " c / 1e9 " s, Quality Time " q / 1e9 " s"
		alone = qa / a - 1; off = q / a - 1; cpu = c / a - 1
		exit !(alone * alone < 0.05 * 0.05 && cpu > 0.1 && off * off < cpu * cpu / 4) }' || fail "a program of two threads"
	on_machine ""
}

# Two programs that fill a cache and two that do not: in the end, each cache has one of the first.
test_qplacer() {
	only sim
	local pids=() program
	on_machine 2x2
	with_quality hold_us=5000 budget=50
	equal "$(sed -n 's/^caches: //p' /proc/pmc/info)" "0,1 2,3"
	for program in mcf lbm gamess povray; do
		(exec -a $program simapp -x 10000 $program >/dev/null) & pids+=($!)
	done
	qplacer --json --seed 1 -i 0.4 -N 16 -p "$(IFS=,; echo "${pids[*]}")" >/tmp/qplacer.json
	python3 - "${pids[@]}" <<-'P' || fail "$(tail -n 3 /tmp/qplacer.json)"
		import json, sys
		lines = [json.loads(line) for line in open("/tmp/qplacer.json")]
		mcf, lbm = int(sys.argv[1]), int(sys.argv[2])
		made = [line for line in lines if line["type"] == "decision"]
		assert len(made) > 15 and lines[0]["caches"] == ["0-1", "2-3"], lines[0]
		assert any(len(line["candidates"]) == 3 for line in made)
		def apart(line):
		    return not any({mcf, lbm} <= set(cache) for cache in line["candidates"][line["chosen"]]["state"])
		half = made[len(made) // 2:]
		print("#", sum(map(apart, half)), "of", len(half), "decisions keep them apart")
		assert sum(map(apart, half)) >= 0.8 * len(half)
		for line in made:
		    assert abs(sum(c["probability"] for c in line["candidates"]) - 1) < 0.01
	P
	for program in "${pids[@]}"; do all_cpus "$program" || fail "what it left: $(taskset -p "$program")"; done
	kill "${pids[@]}"
	on_machine ""
}

# A user without any rights places his own programs, with the numbers that root publishes.
test_qplacer_published() {
	only sim
	local pids=() program daemon
	on_machine 2x2
	with_quality hold_us=5000 budget=50
	chmod 666 /dev/pmctrack_sim
	for program in mcf lbm; do
		(exec setpriv --reuid=1000 --regid=1000 --clear-groups -- simapp -x 10000 $program >/dev/null) & pids+=($!)
	done
	qualityd --mode 0644 & daemon=$!
	eventually [ -e /run/pmctrack/quality ]
	user qplacer --published /run/pmctrack/quality --json -i 1 -N 8 >/tmp/qplacer.json 2>/tmp/qplacer.err & mine=$!
	eventually placed "${pids[0]}" || fail "$(cat /tmp/qplacer.json /tmp/qplacer.err)"
	eventually placed "${pids[1]}"
	wait $mine || fail "status $?: $(cat /tmp/qplacer.err)"
	for program in "${pids[@]}"; do all_cpus "$program" || fail "what it left: $(taskset -p "$program")"; done
	kill $daemon "${pids[@]}"
	wait $daemon || fail "status $? of qualityd"
	on_machine ""
}

# If qplacer is killed, all is restored. Changes by others, wrong arguments, and a dry run that
# changes nothing.
test_qplacer_ends() {
	only sim
	local one other mine
	on_machine 2x2
	with_quality hold_us=5000 budget=50
	simapp -x 10000 mcf >/dev/null & one=$!
	simapp -x 10000 gamess >/dev/null & other=$!
	qplacer -i 0.2 -p $one,$other >/tmp/qplacer.txt 2>/tmp/qplacer.err & mine=$!
	eventually placed $one || fail "not placed: $(cat /tmp/qplacer.txt /tmp/qplacer.err)"
	kill -KILL $mine
	wait $mine || true
	eventually all_cpus $one && eventually all_cpus $other || fail "not restored"
	grep -qE "^# CPUs that share a cache: 0-1 2-3; seed [0-9]+" /tmp/qplacer.txt
	grep -qE "^ +[0-9.]+ s  placed \{ " /tmp/qplacer.txt
	# Somebody else changes the affinity of a program.
	qplacer -i 0.2 -p $one,$other >/tmp/qplacer.txt 2>/tmp/qplacer.err & mine=$!
	eventually placed $one
	taskset -p 8 $one >/dev/null
	eventually grep -q "is left alone" /tmp/qplacer.err
	grep -qE "^qplacer: simapp\[$one\] is left alone: somebody else has changed" /tmp/qplacer.err || fail "$(cat /tmp/qplacer.err)"
	kill $mine
	wait $mine || fail "status $? after SIGTERM"
	taskset -p $one | grep -q ": 8$" || fail "somebody else's choice: $(taskset -p $one)"
	all_cpus $other || fail "the other one: $(taskset -p $other)"
	taskset -p f $one >/dev/null
	qplacer --dry-run -i 0.2 -N 2 -p $one,$other >/tmp/qplacer.txt & mine=$!
	for _ in $(seq 15); do all_cpus $one && all_cpus $other || fail "a dry run does something"; sleep 0.1; done
	wait $mine
	kill $one $other
	expect_refusal 2 "^qplacer: -w mcf: not a program's name" qplacer -w mcf
	expect_refusal 2 "^qplacer: --damping 1: not a number" qplacer --damping 1
	expect_refusal 2 "^qplacer: -u nobody-else: there is no such user" qplacer -u nobody-else
	expect_refusal 1 "^qplacer: all CPUs that this process may use share one" taskset -c 0,1 qplacer
	expect_refusal 1 "needs CAP_PERFMON" user qplacer
	on_machine 4-shared
	with_quality
	expect_refusal 1 "^qplacer: all CPUs that this process may use share one" qplacer
	on_machine ""
}

# CPUs with programs go offline and come back. If the kernel has given a process other CPUs
# meanwhile, qplacer leaves it alone. In any case, no program stays confined.
test_qplacer_cpus() {
	only sim
	local one other mine mask
	on_machine 2x2
	with_quality
	simapp -x 10000 mcf >/dev/null & one=$!
	simapp -x 10000 gamess >/dev/null & other=$!
	qplacer --json -i 0.2 -p $one,$other >/tmp/qplacer.json 2>/tmp/qplacer.err & mine=$!
	eventually placed $one
	echo 0 >/sys/devices/system/cpu/cpu1/online
	sleep 1
	echo 0 >/sys/devices/system/cpu/cpu3/online
	sleep 1
	echo 1 >/sys/devices/system/cpu/cpu1/online
	echo 1 >/sys/devices/system/cpu/cpu3/online
	sleep 1
	kill $mine
	wait $mine || fail "status $?: $(cat /tmp/qplacer.err)"
	cat /tmp/qplacer.err
	more "$(grep -c decision /tmp/qplacer.json)" 2 "decisions"
	[ "$(grep -vc "is left alone: somebody else" /tmp/qplacer.err)" = 0 ] || fail "$(cat /tmp/qplacer.err)"
	all_cpus $one && all_cpus $other || fail "not restored: $(taskset -p $one) $(taskset -p $other)"
	# A control group has fewer CPUs for a while, without those where the program is. It had all
	# before, and has all afterwards.
	cgroup_of narrow $one
	echo +cpuset >$CG/cgroup.subtree_control
	qplacer --json -i 0.2 -p $one,$other >/tmp/qplacer.json 2>/tmp/qplacer.err & mine=$!
	eventually placed $one
	mask=$(taskset -p $one | grep -oE '[0-9a-f]+$')
	[ "$mask" = 3 ] && mask=c || mask=3
	[ $mask = 3 ] && echo 0-1 >$CG/narrow/cpuset.cpus || echo 2-3 >$CG/narrow/cpuset.cpus
	sleep 1
	kill $mine
	wait $mine || fail "status $?: $(cat /tmp/qplacer.err)"
	cat /tmp/qplacer.err
	equal "$(taskset -p $one | grep -oE '[0-9a-f]+$')" $mask "CPUs of its group"
	echo 0-3 >$CG/narrow/cpuset.cpus
	all_cpus $one && all_cpus $other || fail "confined: $(taskset -p $one) $(taskset -p $other)"
	kill $one $other
	eventually rmdir $CG/narrow 2>/dev/null
	on_machine ""
}

# qualityd watches, and others read: users with permission, several at once, however qualityd ends.
test_qualityd() {
	only sim
	local one daemon file=/run/pmctrack/quality
	with_quality hold_us=5000 budget=50
	taskset -c 0 simapp -x 10000 gamess >/dev/null & one=$!
	qualityd --mode 0644 & daemon=$!
	eventually [ -e $file ]
	expect_refusal 1 "^qualityd: $file: another qualityd writes it" qualityd
	user qtop --published $file --json -i 1 -n 6 >/tmp/qtop.json & mine=$!
	qtop --published $file --batch -i 0.5 -n 5 -p $one >/tmp/qtop.txt 2>/tmp/qtop.err
	wait $mine || fail "status $? of the user's"
	python3 - $one <<-'P' || fail "$(tail -n 1 /tmp/qtop.json)"
		import json, sys
		lines = [json.loads(line) for line in open("/tmp/qtop.json")]
		mine = [row for row in lines[-1]["rows"] if row["pid"] == int(sys.argv[1])]
		assert len(mine) == 1 and mine[0]["quality"] > 0.95 and mine[0]["user"] == "root", mine
		total = sum(row["last"]["cpu_ns"] for line in lines[2:] for row in line["rows"] if row["pid"] == int(sys.argv[1]))
		each = [row["last"]["cpu_ns"] / 1e9 for line in lines[3:] for row in line["rows"] if row["pid"] == int(sys.argv[1])]
		print("# CPU time in intervals of 1 s:", each)
		assert len(each) == 4 and all(0.4 < s < 1.6 for s in each) and 3e9 < total < 6e9
		assert not any(line["stale"] for line in lines[1:])
	P
	equal "$(grep -cE "^ *[0-9]+ " /tmp/qtop.txt)" "$(grep -cE "^ *$one root" /tmp/qtop.txt)" "rows, all of the process"
	grep -q "^qtop: $file is written each 0.25 s: intervals are 1 s long" /tmp/qtop.err
	# After SIGKILL the file stays. Readers notice it, and the next qualityd replaces the file.
	kill -KILL $daemon
	wait $daemon || true
	expect_status 0 qtop --published $file --batch -n 4
	grep -q "qualityd DOES NOT WRITE ANY MORE" $OUT || fail "$(cat $OUT)"
	grep -q "^qtop: $file: qualityd does not write it any more; what processes did since is missing" $ERR || fail "$(cat $ERR)"
	qualityd & daemon=$!
	own() { [ "$(stat -c %a $file)" = 600 ]; }
	eventually own || fail "mode without options: $(stat -c %a $file)"
	expect_refusal 1 "^qtop: $file: Permission denied; is qualityd" user qtop --batch --published $file
	kill $daemon
	wait $daemon || fail "status $? after SIGTERM"
	[ ! -e $file ] || fail "the file is still there"
	kill $one
	expect_refusal 1 "^qtop: $file: No such file" qtop --batch --published $file
	expect_refusal 2 "^qualityd: --mode 0666: not 0600, 0640 or 0644" qualityd --mode 0666
	expect_refusal 2 "^qualityd: --group nobody-else: there is no such group" qualityd --group nobody-else
	expect_refusal 1 "needs CAP_PERFMON" user qualityd -f /tmp/published
	[ ! -e /tmp/published ] || fail "a file of a refused one"
	without_quality
}

# The module is changed meanwhile: the tools say so, and do not take old values for new ones.
test_quality_changed() {
	only sim
	local one daemon mine file=/run/pmctrack/quality
	with_quality hold_us=5000 budget=50
	qtime -i 0.1 -o /tmp/qtime.txt simapp -x 10000 gamess >/dev/null 2>/tmp/qtime.err & mine=$!
	sleep 2
	echo none >$MANAGER
	sleep 1.5
	echo quality_time >$MANAGER
	sleep 1
	kill -TERM $mine
	wait $mine || true
	grep -q "^Quality Time of simapp (incomplete)$" /tmp/qtime.txt || fail "$(cat /tmp/qtime.txt)"
	grep -q "^  unknown .* no sample alone was taken in time$" /tmp/qtime.txt || fail "$(cat /tmp/qtime.txt)"
	grep -q "^each sample holds all other programs for 5 ms; they lose at most 5 % of their time by that$" /tmp/qtime.txt
	grep -q "^qtime: the monitoring module was changed: from then on, Quality Time is missing" /tmp/qtime.err || fail "$(cat /tmp/qtime.err)"
	simapp -x 10000 gamess >/dev/null & one=$!
	qualityd 2>/tmp/qualityd.err & daemon=$!
	eventually [ -e $file ]
	echo none >$MANAGER
	rc=0; wait $daemon || rc=$?
	equal $rc 1 "status of qualityd"
	[ ! -e $file ] || fail "what was published is still there"
	grep -q "^qualityd: the monitoring module was changed" /tmp/qualityd.err || fail "$(cat /tmp/qualityd.err)"
	echo quality_time >$MANAGER
	rm -f /tmp/qtop.txt
	qtop --batch -i 0.5 -n 1000 >/tmp/qtop.txt 2>/tmp/qtop.err & mine=$!
	eventually [ -s /tmp/qtop.txt ]
	echo none >$MANAGER
	eventually grep -q "THE MONITORING MODULE WAS CHANGED" /tmp/qtop.txt
	kill $mine
	wait $mine || true
	# With --wait, qualityd goes on when the module is active again.
	qualityd --wait 2>/tmp/qualityd.err & daemon=$!
	sleep 1
	[ ! -e $file ] || fail "published without the module"
	echo quality_time >$MANAGER
	eventually [ -e $file ]
	echo none >$MANAGER
	eventually [ ! -e $file ]
	echo quality_time >$MANAGER
	eventually [ -e $file ]
	kill $daemon $one
	rc=0; wait $daemon || rc=$?
	equal $rc 0 "status of qualityd"
	without_quality
}
