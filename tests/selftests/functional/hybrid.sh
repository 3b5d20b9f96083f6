# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Machines whose CPUs are of two types.

two_types() { [ "$(grep -c ^coretype: /proc/pmc/info)" = 2 ] || only "two core types"; }

# chased ROUNDS THREADS OPTION…: run handcount under pmctrack, to /tmp/mine, and move its threads
# from core type to core type. After the second move each thread has changed its type. On a busy
# host handcount may end before; then it is run again.
chased() {
	local rounds=$1 threads=$2 mine; shift 2
	for _ in 1 2 3 4 5; do
		pmctrack --csv "$@" -o /tmp/mine $S/handcount "$rounds" "$threads" & mine=$!
		chase_until_end $mine
		wait $mine
		[ $chases -lt 2 ] || return 0
	done
	fail "threads were moved $chases times only"
}

# Threads that change the core type all the time lose no counts.
test_hybrid_exact() {
	two_types
	chased 90000000 3 -T 0.01 -c instr,cycles
	equal "$(csv_sum /tmp/mine instr)" "$(hand_all 90000000 3)"
	grep -q migration /tmp/mine || fail "no thread changed the type of its CPU"
	# An instruction of the emulated machine takes 3/2 cycles, or 3.
	for type in 0 1; do
		paste -d' ' <(csv /tmp/mine coretype) <(csv /tmp/mine instr) <(csv /tmp/mine cycles) |
			awk -v t=$type '$1 == t { i += $2; c += $3 }
				END { r = c / i; exit !(t ? r > 2.99 && r < 3.01 : r > 1.49 && r < 1.51) }' ||
			fail "cycles of core type $type"
	done
}

# A monitoring module names events once; each core type has counters of its own for them.
test_hybrid_module() {
	two_types
	insmod /opt/pmctrack/modules/pmctrack_mmon_ipc.ko
	echo ipc >/proc/pmc/mmon_manager
	chased 90000000 3 -T 0.01 -V ipc
	for type in 0 1; do
		paste -d' ' <(csv /tmp/mine coretype) <(csv /tmp/mine ipc) |
			awk -v t=$type '$1 == t && $2 > 0 { s += $2; n++ }
				END { r = n ? s / n : 0; exit !(t ? r > 300 && r < 360 : r > 600 && r < 720) }' ||
			fail "instructions per 1000 cycles of core type $type"
	done
	echo none >/proc/pmc/mmon_manager
	rmmod pmctrack_mmon_ipc
}

# Events of one core type are counted only there. Numbers of general counters differ between types.
test_hybrid_sets() {
	two_types
	chased 90000000 3 -T 0.01 -c instr,coretype=1
	[ "$(csv_sum /tmp/mine instr)" -gt 0 ] || fail "nothing on the second type"
	[ "$(csv_sum /tmp/mine instr)" -lt "$(hand_all 90000000 3)" ] || fail "something on the first type, too"
	equal "$(awk '/^counters:/ { print $2 }' /proc/pmc/info | paste -sd' ')" "11 9" "counters"
	expect_status 0 pmctrack -r -c pmc10=0xc0,coretype=0 -c pmc3=0xc0,coretype=1 true
	expect_refusal 1 "pmc10: intel_atom.* has 9 counters" pmctrack -r -c pmc10=0xc0,coretype=1 true
}

# A CPU of the second type goes offline and comes back: no count is lost.
test_hybrid_hotplug() {
	two_types
	pmctrack --csv -T 0.02 -c instr -o /tmp/mine $S/handcount 30000000 3 & mine=$!
	for _ in 1 2 3; do
		sleep 0.01
		echo 0 >/sys/devices/system/cpu/cpu1/online
		sleep 0.01
		echo 1 >/sys/devices/system/cpu/cpu1/online
	done
	wait $mine
	equal "$(csv_sum /tmp/mine instr)" "$(hand_all 30000000 3)"
}
