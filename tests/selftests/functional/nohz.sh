# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# CPUs without a tick while only one thread runs there (nohz_full=1 on the kernel's command line).

need_nohz() {
	grep -q 1 /sys/devices/system/cpu/nohz_full 2>/dev/null || { echo "for nohz_full=1" >/tmp/elsewhere; exit 0; }
}

# Timer interrupts of CPU 1.
ticks() { awk '$1 == "LOC:" { print $3 }' /proc/interrupts; }

# A monitored thread that is alone on its CPU keeps the tick: it has a row each period.
test_lone_thread_keeps_its_tick() {
	need_nohz
	local before free
	before=$(ticks)
	taskset -c 1 $S/burn 300000000 >/dev/null
	free=$(($(ticks) - before))
	pmctrack -b 1 -T 0.008 -c cycles -o /tmp/mine $S/burn 300000000
	echo "# $free timer interrupts without us, $(rows /tmp/mine | wc -l) rows"
	[ $free -lt 20 ] || fail "the CPU has its tick also without us: $free"
	[ "$(rows_of /tmp/mine tick)" -ge 10 ] || fail "$(rows_of /tmp/mine tick) rows"
}

# A child has the tick, too, although the kernel clears this setting in each new child.
test_lone_child_keeps_its_tick() {
	need_nohz
	pmctrack -T 0.008 -c cycles -o /tmp/mine bash -c "taskset -c 1 $S/burn 300000000; true"
	[ "$(rows_of /tmp/mine tick)" -ge 10 ] || fail "$(rows_of /tmp/mine tick) rows"
}
