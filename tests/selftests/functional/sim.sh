# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The simulated machine (tests/vm/run --sim): its counts are what happened.

MODULES=/opt/pmctrack/modules

cpus_of() { simapp --machine | sed -n "s/^cpu \([0-9]*\): $1$/\1/p"; }
fast_cpu() { simapp --machine | sed -n 's/^cpu \([0-9]*\): .*/\1/p' | head -n 1; }
slow_cpu() { simapp --machine | sed -n 's/^cpu \([0-9]*\): .*/\1/p' | tail -n 1; }
two_types() { [ "$(grep -c ^coretype: /proc/pmc/info)" -ge 2 ] || only "two core types"; }

# For every event of a program, the counters and the model's own account agree.
test_sim_counts_are_true() {
	only sim
	local event
	for event in cycles branches cond_branches branch_misses l1d_accesses l1d_misses l2_misses llc_misses \
		itlb_misses dtlb_misses stall_backend stall_frontend mem_lines; do
		pmctrack --csv -T 0.01 -c "instr,$event" -o /tmp/mine simapp -x 2 -j mcf >/tmp/truth
		equal "$(csv_sum /tmp/mine instr)" "$(truth /tmp/truth instr)" instr
		equal "$(csv_sum /tmp/mine "$event")" "$(truth /tmp/truth "$event")" "$event"
	done
}

# The same for threads that are moved all the time and share CPUs.
test_sim_counts_of_moved() {
	only sim
	local i cpu=0 nr want
	nr=$(nproc)
	for i in 1 2 3 4 5 6; do
		pmctrack --csv -T 0.02 -c instr,cycles -o /tmp/mine$i simapp -s $i -x 3 -j soplex >/tmp/truth$i &
	done
	while pgrep -x simapp >/dev/null; do
		for i in $(pgrep -x simapp); do
			cpu=$(((cpu + 1) % nr))
			taskset -cp $cpu "$i" >/dev/null 2>&1 || true
		done
		sleep 0.003
	done
	wait
	for i in 1 2 3 4 5 6; do
		want=$(truth /tmp/truth$i cycles)
		equal "$(csv_sum /tmp/mine$i instr)" "$(truth /tmp/truth$i instr)" "instr of $i"
		equal "$(csv_sum /tmp/mine$i cycles)" "$want" "cycles of $i"
	done
}

# Alone, a program takes the time that the model gives for a run alone, on each core type.
test_sim_alone() {
	only sim
	two_types
	local cpu type
	for cpu in $(fast_cpu) $(slow_cpu); do
		type=$(simapp --machine | sed -n "s/^cpu $cpu: //p")
		taskset -c "$cpu" simapp -x 5 -j mcf >/tmp/truth
		near "$(truth /tmp/truth elapsed_s)" "$(truth /tmp/truth "$type")" 1 "time alone on $type"
		near "$(truth /tmp/truth cpu_s)" "$(truth /tmp/truth "$type")" 1 "CPU time alone on $type"
	done
	simapp -x 5 -p "$(simapp --machine | sed -n 's/^simulated machine: //p')" mcf >/tmp/predicted
	near "$(truth /tmp/truth "$type")" "$(grep -oE "\"$type\":\{\"seconds\":[0-9.]+" /tmp/predicted | grep -oE '[0-9.]+$')" 1 "prediction"
}

# Programs that share a cache slow each other down; those that only compute do not.
test_sim_contention() {
	only sim
	local a b
	a=$(fast_cpu) b=$((a + 1))
	taskset -c "$b" simapp -x 1000 lbm & other=$!
	taskset -c "$a" simapp -x 5 -j sphinx3 >/tmp/truth
	kill -0 $other || fail "the other one ended too early"
	more "$(truth /tmp/truth cpu_s)" "$(alone /tmp/truth 1 | awk '{ print 1.15 * $1 }')" "beside lbm"
	taskset -c "$a" simapp -x 3 -j hmmer >/tmp/truth
	kill -0 $other || fail "the other one ended too early"
	near "$(truth /tmp/truth cpu_s)" "$(alone /tmp/truth 1)" 3 "hmmer beside lbm"
	kill $other
	wait $other || true
}

# Windows end at their event, except for the time that an interrupt takes.
test_sim_windows() {
	only sim
	local late=40000
	taskset -c "$(fast_cpu)" pmctrack --csv -c instr:ebs=5000000,cycles -o /tmp/mine simapp -x 5 -j calculix >/tmp/truth
	equal "$(csv_sum /tmp/mine instr)" "$(truth /tmp/truth instr)"
	# 10 us are at most 40,000 instructions here. What comes late, after a tick, belongs to the
	# next window, so two windows are wrong. A debug kernel takes longer to get to the handler.
	[ ! -e /proc/lockdep ] || late=400000
	paste -d' ' <(csv /tmp/mine kind) <(csv /tmp/mine instr) |
		awk -v late=$late '$1 == "ebs" { n++; d = $2 - 5000000; if (d < 0) d = -d; if (d > late) behind++; if (d > 10 * late) bad++ }
			END { print "# " n " windows, " behind + 0 " behind, " bad + 0 " bad"; exit !(n >= 55 && behind <= 6 && !bad) }' || fail "windows"
	pmctrack --csv -c llc_misses:ebs=20000,instr -o /tmp/mine simapp -x 5 -j lbm >/tmp/truth
	equal "$(csv_sum /tmp/mine llc_misses)" "$(truth /tmp/truth llc_misses)"
	[ "$(csv /tmp/mine kind | grep -c ebs)" -ge $(($(truth /tmp/truth llc_misses) / 20000 - 2)) ] || fail "too few windows"
}

# A quota of a control group holds, though the program never returns to user mode by itself: in
# each period of 100 ms it gets 20 ms.
test_sim_quota() {
	only sim
	local percent=2 want
	# Threads are throttled at ticks, and handlers of a debug kernel take long.
	[ ! -e /proc/lockdep ] || percent=10
	cgroup_of quota
	echo +cpu >$CG/cgroup.subtree_control
	echo "20000 100000" >$CG/quota/cpu.max
	# The program runs so long that one period is less than this percentage.
	bash -c 'echo $$ >/sys/fs/cgroup/quota/cgroup.procs; exec simapp -x 150 -j gamess' >/tmp/truth
	want=$(truth /tmp/truth cpu_s | awk '{ n = int($1 / 0.02); print n * 0.1 + $1 - n * 0.02 }')
	near "$(truth /tmp/truth elapsed_s)" "$want" $percent "elapsed"
	rmdir $CG/quota
}

# Threads that sleep at barriers, and threads that spin there: each does its part.
test_sim_threads() {
	only sim
	simapp -x 10 -n 3 -j fma3d >/tmp/truth
	equal "$(grep -o '"alone_s"' /tmp/truth | wc -l)" 3 "threads"
	pmctrack --csv -T 0 -c instr -o /tmp/mine simapp -x 5 -n 3 -t fma3d >/tmp/truth
	equal "$(csv_sum /tmp/mine instr)" "$(awk '$1 ~ /^[0-9]+$/ { s += $2 } END { printf "%.0f", s }' /tmp/truth)"
	pmctrack --csv -T 0 -c instr -o /tmp/mine simapp -x 5 -n 2 -t streamcluster >/tmp/truth
	more "$(csv_sum /tmp/mine instr)" "$(awk '$1 ~ /^[0-9]+$/ { s += $2 } END { printf "%.0f", s }' /tmp/truth)" "with what is spun"
}

# An interrupted program reports what it has done until then, and ends by the signal: with one
# thread, with threads that sleep at barriers, and with threads that spin there.
test_sim_interrupted() {
	# The program catches SIGTERM, and has had the CPU for some ticks.
	under_way() {
		local pid
		pid=$(pgrep -x simapp) && grep -qE '^SigCgt:.*[4-7c-f]...$' "/proc/$pid/status" &&
			[ "$(awk '{ print $14 + $15 }' "/proc/$pid/stat")" -ge 5 ]
	}
	only sim
	local one rc program nr signal want
	for program in "hmmer -n 1 TERM 143" "fma3d -n 3 INT 130" "streamcluster -n 2 TERM 143"; do
		read -r program one nr signal want <<<"$program"
		# With -m, background jobs of bash do not ignore SIGINT.
		set -m
		pmctrack --csv -T 0 -c instr -o /tmp/mine simapp -x 10000 -j "$one" "$nr" "$program" >/tmp/truth &
		set +m
		one=$!
		eventually under_way
		pkill -"$signal" -x simapp
		rc=0
		wait $one || rc=$?
		equal $rc "$want" "status of $program"
		python3 -c 'import json, sys
run = json.load(open("/tmp/truth"))
print(run["completed"], sum(thread["events"]["instr"] for thread in run["threads"]))' >/tmp/seen
		grep -qE '^False [1-9]' /tmp/seen || fail "$program: $(cat /tmp/seen /tmp/truth)"
		# Spinning is not work of the program.
		[ "$program" = streamcluster ] ||
			equal "$(csv_sum /tmp/mine instr)" "$(cut -d' ' -f2 /tmp/seen)" "instructions of $program"
	done
}

# Output says that the machine is simulated, and has no events of the real CPU.
test_sim_says_so() {
	only sim
	local how
	grep -q "^pmu: simulated_" /proc/pmc/info
	pmctrack -c instr -o /tmp/mine simapp -x 1 hmmer
	grep -qx '\[Simulated machine\]' /tmp/mine
	pmctrack --json -c instr -o /tmp/mine simapp -x 1 hmmer
	head -n 1 /tmp/mine | grep -q '"simulated":true'
	for how in "" -A; do
		# shellcheck disable=SC2086 # none or one
		pmctrack --csv $how -c instr -o /tmp/mine simapp -x 1 hmmer
		tr -d '\r' </tmp/mine | awk -F, 'NR == 1 { if ($NF != "simulated") exit 1; n = NF; next }
			NF != n || $NF != 1 { exit 1 } END { if (NR < 2) exit 1 }' || fail "$(cat /tmp/mine)"
	done
	! pmc-events -L | grep -q UNHALTED || fail "events of the real CPU"
	expect_refusal 1 "have no kernel mode" pmctrack -c instr:k true
	expect_refusal 1 "event codes of the simulated machine are at most" pmctrack -r -c pmc2=0x99 true
	expect_refusal 1 "pmc0 counts instructions" pmctrack -r -c pmc0=0x5 true
	# Programs that are not simulated have no events.
	pmctrack --csv -c instr,cycles -o /tmp/mine $S/handcount 01000000 1
	equal "$(csv_sum /tmp/mine instr)" 0 "instructions of a real program"
}

# Signals end a program at once, in the middle of its work.
test_sim_signals() {
	only sim
	local signal
	for signal in TERM KILL; do
		simapp mcf & mine=$!
		sleep 0.1
		kill -$signal $mine
		rc=0; wait $mine || rc=$?
		equal $rc $((128 + $(kill -l $signal))) "status after SIG$signal"
	done
}

# Room for 128 threads, and for others after these have ended. Only root may have any.
test_sim_full() {
	only sim
	expect_refusal 1 "/dev/pmctrack_sim: Permission denied" user simapp -x 1 fma3d
	simapp -x 10 -n 64 fma3d & one=$!
	simapp -x 10 -n 63 fma3d & two=$!
	sleep 0.2
	expect_status 1 simapp -n 64 fma3d
	grep -q "has no room for another thread" $ERR || fail "$(cat $ERR)"
	kill $one $two
	wait $one $two || true
	expect_status 0 simapp -x 1 -n 64 fma3d
}

# Machines that do not fit, or do not exist, are refused; the others work one after the other.
test_sim_topologies() {
	only sim
	local was name percent=1 other cpus
	# The handlers of a debug kernel take some of the time.
	[ ! -e /proc/lockdep ] || percent=3
	was=$(simapp --machine | sed -n 's/^simulated machine: //p')
	! rmmod pmctrack_sim 2>/dev/null || fail "unloaded under pmctrack"
	rmmod pmctrack
	! insmod $MODULES/pmctrack.ko backend=nothing 2>/dev/null || fail "loaded"
	rmmod pmctrack_sim
	! insmod $MODULES/pmctrack.ko backend=sim 2>/dev/null || fail "loaded without the machine"
	dmesg | tail -n 1 | grep -q "and sim with the module pmctrack_sim" || fail "$(dmesg | tail -n 1)"
	! insmod $MODULES/pmctrack_sim.ko topology=nonsense 2>/dev/null || fail "loaded"
	dmesg | tail -n 1 | grep -q "no topology 'nonsense'" || fail "$(dmesg | tail -n 1)"
	read -r other cpus <<<"$([ "$(nproc)" = 14 ] && echo 4P-8E 12 || echo 4P-8E-2LP 14)"
	! insmod $MODULES/pmctrack_sim.ko topology="$other" 2>/dev/null || fail "loaded"
	dmesg | tail -n 1 | grep -q "has $cpus CPUs, and this machine" || fail "$(dmesg | tail -n 1)"
	if [ "$(nproc)" = 4 ]; then
		for name in 4-shared 4-private 2x2; do
			insmod $MODULES/pmctrack_sim.ko topology=$name
			insmod $MODULES/pmctrack.ko backend=sim
			taskset -c 3 pmctrack --csv -c instr,cycles -o /tmp/mine simapp -x 2 -j omnetpp >/tmp/truth
			equal "$(csv_sum /tmp/mine cycles)" "$(truth /tmp/truth cycles)" "cycles on $name"
			near "$(truth /tmp/truth elapsed_s)" "$(truth /tmp/truth core)" $percent "time alone on $name"
			rmmod pmctrack pmctrack_sim
		done
	fi
	insmod $MODULES/pmctrack_sim.ko topology="$was"
	load
}

# refused_machine TEXT: the compiled machine "mine" is not loaded, and the kernel says why
refused_machine() {
	! insmod $MODULES/pmctrack_sim.ko topology=mine 2>/dev/null || fail "loaded, though $1"
	dmesg | tail -n 1 | grep -q "$1" || fail "not '$1': $(dmesg | tail -n 1)"
}

# A user's own machine from a file, and files that are not machines.
test_sim_own_machine() {
	only sim
	local was slow kept percent=1 mine=/tmp/fw/pmctrack/mine.machine
	local folder=/sys/module/firmware_class/parameters/path
	[ ! -e /proc/lockdep ] || percent=3
	[ -e $folder ] || only "kernels that load firmware"
	was=$(simapp --machine | sed -n 's/^simulated machine: //p')
	slow=$(slow_cpu)
	mkdir -p /tmp/fw/pmctrack
	kept=$(cat $folder)
	echo -n /tmp/fw >$folder
	simapp --describe "$was" | sed -e "s/\"name\": \"$was\"/\"name\": \"mine\"/" -e 's/"mhz": .*,/"mhz": 3100,/' >/tmp/mine.json
	rmmod pmctrack pmctrack_sim
	simapp --compile /tmp/mine.json >$mine
	insmod $MODULES/pmctrack_sim.ko topology=mine
	insmod $MODULES/pmctrack.ko backend=sim
	grep -q simulated_mine /proc/pmc/info || fail "$(cat /proc/pmc/info)"
	taskset -c "$slow" simapp -x 5 -j mcf >/tmp/truth
	simapp -x 5 -p /tmp/mine.json mcf >/tmp/predicted
	near "$(truth /tmp/truth elapsed_s)" "$(grep -oE '"seconds":[0-9.]+' /tmp/predicted | tail -n 1 | cut -d: -f2)" $percent "time"
	rmmod pmctrack pmctrack_sim

	cp $mine /tmp/whole
	head -c 500 /tmp/whole >$mine
	refused_machine "is no machine of this version"
	{ echo -n PMCTSIM0; tail -c +9 /tmp/whole; } >$mine
	refused_machine "is no machine of this version"
	sed 's/"name": "mine"/"name": "other"/' /tmp/mine.json >/tmp/other.json
	simapp --compile /tmp/other.json >$mine
	refused_machine "is the machine other: the file must have its name"
	# Change the frequency of the first core type.
	{ head -c $((8 + 28 + 24)) /tmp/whole; printf '\001\0\0\0'; tail -c +$((8 + 28 + 24 + 4 + 1)) /tmp/whole; } >$mine
	refused_machine "cannot be simulated: mhz must be 100 to 10000"
	rm $mine
	refused_machine "no topology 'mine'"
	# The path leads to the file, but it is not a name.
	cp /tmp/whole /tmp/fw/mine.machine
	! insmod $MODULES/pmctrack_sim.ko topology=../mine 2>/dev/null || fail "loaded"
	dmesg | tail -n 1 | grep -q "no topology '../mine'" || fail "$(dmesg | tail -n 1)"
	echo -n "${kept:- }" >$folder
	insmod $MODULES/pmctrack_sim.ko topology="$was"
	load
}

# The oracle's factors, which experiments take for the truth, agree with those of the whole run.
test_sim_oracle() {
	only sim
	two_types
	local cpu slow virt=sf
	slow=$(simapp --machine | sed -n '$s/.*: //p')
	[ "$(grep -c ^coretype: /proc/pmc/info)" = 2 ] || virt=sf_2
	insmod $MODULES/pmctrack_mmon_oracle.ko
	echo oracle >/proc/pmc/mmon_manager
	for cpu in "$(fast_cpu)" "$(slow_cpu)"; do
		taskset -c "$cpu" pmctrack --csv -T 0.1 -V $virt -o /tmp/mine simapp -x 50 -j gobmk >/tmp/truth
		near "$(csv /tmp/mine $virt | awk '$1 != "" { sum += $1; n++ } END { print sum / n / 1000 }')" \
			"$(awk -v s="$(truth /tmp/truth "$slow")" -v b="$(truth /tmp/truth "$(simapp --machine | sed -n 's/^cpu 0: //p')")" 'BEGIN { print s / b }')" \
			2 "speedup factor, seen on CPU $cpu"
	done
	echo none >/proc/pmc/mmon_manager
	rmmod pmctrack_mmon_oracle
}

# Monitoring modules see the code of the phase in which a program is, also when it leaves its CPU.
test_sim_code() {
	only sim
	insmod $MODULES/pmctrack_mmon_test.ko
	echo test >/proc/pmc/mmon_manager
	pmctrack --csv -c instr:ebs=2000000 -V ip -o /tmp/mine simapp -x 20 bzip2
	echo none >/proc/pmc/mmon_manager
	rmmod pmctrack_mmon_test
	paste -d' ' <(csv /tmp/mine kind) <(csv /tmp/mine instr) <(csv /tmp/mine ip) >/tmp/seen
	sed -n 's/.*"instr": \([0-9]*\),.*"code": \([0-9]*\),.*"blocks": \([0-9]*\).*/\1 \2 \3/p' \
		"$(dirname "$(command -v simapp)")"/../share/pmctrack/profiles/bzip2.json >/tmp/phases
	awk 'NR == FNR { length_of[n + 0] = $1; code[n + 0] = $2; blocks[n + 0] = $3; n++; next }
		{ at += $2; if ($1 != "ebs") next
		  # Which phase was that, and is it at the border?
		  pos = at
		  for (p = 0; pos >= length_of[p]; p = (p + 1) % n) pos -= length_of[p]
		  if (pos < 3e6 || pos > length_of[p] - 3e6) next
		  all++
		  # 0 is "not known", and nothing is below the code.
		  if ($3 < 4194304) { wrong++; what = what " " $3 " at " pos " of " p; next }
		  block = int(($3 - 4194304) / 64)
		  if (block < 64) { library++; next }
		  if (block < 64 + code[p] || block >= 64 + code[p] + blocks[p]) { wrong++; what = what " block " block " at " pos " of " p }
		  phases[p]++ }
		END { for (p in phases) seen++; print all, library, wrong + 0, seen what
		      exit !(all > 200 && !wrong && seen >= 2 && library > 0 && library < all / 5) }' /tmp/phases /tmp/seen >/tmp/found ||
		fail "windows, of the library, wrong, phases: $(cat /tmp/found)"
}
