# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Monitoring modules, virtual counters, scheduler mode.

MANAGER=/proc/pmc/mmon_manager
MODULES=/opt/pmctrack/modules

# with_test_module [PARAM=VALUE…]: load it and make it the active one
with_test_module() {
	insmod $MODULES/pmctrack_mmon_test.ko $(as_scheduler) "$@"
	echo test >$MANAGER
}
without_modules() {
	echo none >$MANAGER
	rmmod pmctrack_mmon_test pmctrack_mmon_ipc 2>/dev/null || true
}
stat_of() { sed -n "s/^$1: //p" /proc/pmc_test; }
# metric PID: the test module's metric (PMCT_METRIC_PRIVATE), or a negative errno
metric() {
	echo "metric $1 16" >/proc/pmc_test
	stat_of metric
}
has_metric() { [ "$(metric "$1")" -gt 0 ]; }
has_no_metric() { [ "$(metric "$1")" = -61 ]; }

test_manager() {
	equal "$(cat $MANAGER)" ""
	insmod $MODULES/pmctrack_mmon_ipc.ko
	equal "$(cat $MANAGER)" "[ ] ipc - instructions per cycle"
	with_test_module
	equal "$(cat $MANAGER)" "[ ] ipc - instructions per cycle
[*] test - what a monitoring module is told"
	! rmmod pmctrack_mmon_test 2>/dev/null || fail "the active module was unloaded"
	! rmmod pmctrack 2>/dev/null || fail "pmctrack was unloaded under its modules"
	echo ipc >$MANAGER
	rmmod pmctrack_mmon_test
	equal "$(cat $MANAGER)" "[*] ipc - instructions per cycle"
	! echo nothing 2>/dev/null >$MANAGER || fail "there is no module 'nothing'"
	! echo '../ipc' 2>/dev/null >$MANAGER || fail "not a name"
	! user sh -c "echo none >$MANAGER" 2>/dev/null || fail "anybody may choose"
	equal "$(cat $MANAGER)" "[*] ipc - instructions per cycle"
	without_modules
}

test_autoload() {
	local dir
	dir=/lib/modules/$(uname -r)
	mkdir -p "$dir/extra" 2>/dev/null || skip "cannot write $dir"
	cp $MODULES/*.ko "$dir/extra"
	depmod
	echo ipc >$MANAGER
	equal "$(cat $MANAGER)" "[*] ipc - instructions per cycle"
	without_modules
	rm -r "$dir/extra"
}

# Every record has gone through the module, which saw the same counts.
test_virtual_counters() {
	need_instr
	with_test_module
	pmctrack -T 0.01 -V seen,samples,ticks -o /tmp/mine $S/handcount 05000000 3
	equal "$(sum /tmp/mine 4)" "$(hand_all 05000000 3)" "instructions"
	equal "$(sum /tmp/mine 6)" "$(hand_all 05000000 3)" "instructions that the module saw"
	equal "$(sum /tmp/mine 5)" "$(rows /tmp/mine | wc -l)" "samples"
	[ "$(sum /tmp/mine 7)" -ge 1 ] || fail "no tick"
	grep -qx "virt1=seen" /tmp/mine || fail "$(head -n 4 /tmp/mine)"
	equal "$(stat_of enters)" "$(stat_of exits)" "threads that left"
	equal "$(stat_of enters)" 4 "threads that came"
	equal "$(stat_of inherits)" 3 "threads that were created"
	equal "$(stat_of execs)" 1 "execs"
	equal "$(stat_of samples)" "$(rows /tmp/mine | wc -l)" "samples of the module"
	equal "$(stat_of bad)" 0 "violations"
	without_modules
}

# Virtual counters beside events of the user's own; some samples have no value.
test_virtual_counters_beside() {
	need_instr
	with_test_module
	expect_refusal 1 "virtual counter seen is made of" pmctrack -c instr -V seen true
	expect_refusal 1 "module test has none of that name" pmctrack -V nonsense true
	pmctrack -T 0.005 -c instr,cycles -V odd,switches,virt0 -o /tmp/mine $S/handcount 20000000 0 2>$ERR
	equal "$(sum /tmp/mine instr)" "$(hand_main 20000000 0)"
	equal "$(sum /tmp/mine 6)" "$(rows /tmp/mine | wc -l)" "samples"
	equal "$(rows /tmp/mine | awk '$8 == "-"' | wc -l)" $(($(rows /tmp/mine | wc -l) / 2)) "samples without value"
	grep -q "virtual counter odd: .* samples have no value" $ERR || fail "$(cat $ERR)"
	without_modules
	expect_refusal 1 "none is active" pmctrack -V ipc true
}

# The instruction pointers of samples by events are in the loop of two instructions.
test_instruction_pointers() {
	need_ebs
	need_instr
	with_test_module
	pmctrack -L -c instr:ebs=50000 -V ip -o /tmp/mine $S/handcount 02000000 0
	rows /tmp/mine | awk '$3 == "ebs" { n[$5]++; if (!min || $5 < min) min = $5; if ($5 > max) max = $5 }
		END { for (ip in n) d++; exit !(d >= 1 && d <= 3 && max - min <= 8 && min >= 4194304 && max < 4194304 + 8192) }' ||
		fail "$(rows /tmp/mine | awk '{ print $5 }' | sort | uniq -c)"
	without_modules
}

# Counts are found by name, whichever counter an event has: cycles are first on arm64, last on x86.
test_counts_by_name() {
	need_instr
	with_test_module event=cycles
	pmctrack -T 0.005 -V seen -o /tmp/mine $S/handcount 05000000 0
	equal "$(sum /tmp/mine 6)" "$(hand_main 05000000 0)" "instructions that the module saw"
	[ "$(sum /tmp/mine 4)" -gt 0 ] || fail "nothing counted by the first counter"
	[ "$(sum /tmp/mine 5)" -gt 0 ] || fail "nothing counted by the second counter"
	without_modules
}

# refused_for EVENT REGEX: the module is not activated; the log names the event.
refused_for() {
	insmod $MODULES/pmctrack_mmon_test.ko "event=$1"
	! echo test 2>/dev/null >$MANAGER || fail "activated with $1"
	equal "$(cat $MANAGER)" "[ ] test - what a monitoring module is told"
	dmesg | tail -n 1 | grep -qE "pmctrack: monitoring module test: $2" || fail "$(dmesg | tail -n 1)"
	without_modules
}

test_unknown_event() {
	refused_for no_such_event "no_such_event: unknown event"
	refused_for instr "instr: is in the set twice"
	refused_for instr:x "instr: unknown flag ':x'"
}

# The guests' PMU lacks this event.
test_event_of_other_pmus() {
	only arm64-pmuv3
	refused_for l1d_misses "l1d_misses: not an event of armv8_pmuv3_0"
}

# The module may choose the next set.
test_module_rotates() {
	need_instr
	with_test_module nr_sets=2
	pmctrack -T 0.005 -V seen -o /tmp/mine $S/handcount 09000000 0
	equal "$(rows /tmp/mine | awk '{ s += $5 } END { printf "%.0f", s }')" "$(hand_main 09000000 0)"
	[ "$(rows /tmp/mine | awk '$3 == 1' | wc -l)" -gt 0 ] || fail "the second set had no turn"
	echo Y >/sys/module/pmctrack_mmon_test/parameters/stay
	pmctrack -T 0.005 -V seen -o /tmp/mine $S/handcount 09000000 0
	equal "$(rows /tmp/mine | awk '$3 != 0' | wc -l)" 0 "samples of other sets"
	equal "$(rows /tmp/mine | awk '{ s += $5 } END { printf "%.0f", s }')" "$(hand_main 09000000 0)"
	without_modules
}

# A module is replaced while threads run: no count is lost, and the old module's counters end.
test_module_replaced() {
	need_instr
	insmod $MODULES/pmctrack_mmon_ipc.ko
	with_test_module
	start_waiting 90000000 3
	start_attached /tmp/mine -T 0.005 -V samples,seen -p $waiting 2>$ERR
	go
	for _ in 1 2 3 4; do
		echo ipc >$MANAGER
		sleep 0.02
		echo test >$MANAGER
		sleep 0.02
	done
	wait $waiting
	wait $mine
	equal "$(rows /tmp/mine | awk '{ s += $4 } END { printf "%.0f", s }')" "$(rest 90000000 3)"
	rows /tmp/mine | tail -n 1 | grep -q -- '-  *-$' || fail "$(tail -n 1 /tmp/mine)"
	grep -q "samples have no value" $ERR || fail "$(cat $ERR)"
	equal "$(stat_of enters)" "$(stat_of exits)" "threads that left"
	equal "$(stat_of bad)" 0 "violations"
	without_modules
}

test_virtual_counters_of_cpus() {
	with_test_module
	pmctrack -S -T 0.05 -V samples,ip -o /tmp/mine $S/burn 20000000
	equal "$(sum /tmp/mine 5)" "$(rows /tmp/mine | wc -l)" "samples"
	equal "$(sum /tmp/mine 6)" 0 "instruction pointers of CPUs"
	equal "$(stat_of enters)" "$(stat_of exits)" "CPUs that left"
	equal "$(stat_of bad)" 0 "violations"
	without_modules
}

# The metric that a scheduler gets is what the user sees: the sum of the rows.
test_metric_of_user_session() {
	need_instr
	with_test_module
	rm -f /tmp/go /tmp/pid; mkfifo /tmp/go
	pmctrack -T 0.004 -V seen -o /tmp/mine bash -c "for ((i = 0; i < 3000; i++)); do :; done; echo \$\$ >/tmp/pid; read -r x </tmp/go" & mine=$!
	eventually test -s /tmp/pid
	# The program sleeps now: no sample is open for long, and rows are written with the metric.
	eventually has_metric "$(cat /tmp/pid)"
	same() { [ "$(metric "$(cat /tmp/pid)")" = "$(sum /tmp/mine 4)" ]; }
	eventually same || equal "$(metric "$(cat /tmp/pid)")" "$(sum /tmp/mine 4)" "metric"
	echo "metric $(cat /tmp/pid) 99" >/proc/pmc_test
	equal "$(stat_of metric)" -22 "metric 99"
	echo >/tmp/go
	wait $mine
	rm /tmp/pid
	without_modules
}

# A scheduling class only sets a flag to get metrics; a scheduler's module calls a function.
test_scheduler_mode() {
	need_instr
	with_test_module
	bash -c 'while :; do :; done' & running=$!
	equal "$(metric $running)" -61 "metric before"
	echo "sched $running 1" >/proc/pmc_test
	eventually has_metric $running
	a=$(metric $running)
	more() { [ "$(metric $running)" -gt "$a" ]; }
	eventually more
	grep -q '^sessions: 1$' /proc/pmc/info || fail "$(cat /proc/pmc/info)"
	# A user's session takes the thread; afterwards the scheduler has it again.
	start_attached /tmp/mine -T 0.01 -c instr,cycles -p $running
	equal "$(metric $running)" -61 "metric while a user counts other events"
	kill -INT $mine
	wait $mine
	[ "$(sum /tmp/mine 5)" -gt 0 ] || fail "nothing counted"
	eventually has_metric $running
	# The class does not want metrics of the thread any more.
	echo "sched $running 0" >/proc/pmc_test
	eventually has_no_metric $running
	# The module is deactivated and activated again while the class wants metrics.
	echo "sched $running 1" >/proc/pmc_test
	eventually has_metric $running
	echo none >$MANAGER
	equal "$(metric $running)" -61 "metric without a module"
	echo test >$MANAGER
	eventually has_metric $running
	kill $running
	wait $running || true
	equal "$(stat_of bad)" 0 "violations"
	without_modules
}
