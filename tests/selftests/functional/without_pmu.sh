# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Machines without counters, with registers that do not count, as under some hypervisors, or with
# newer counters: software events are counted, and there is a reason why others are not.

without_pmu() { [ "$PMU" = perf_software_events ] || only "machines without a PMU"; }

test_software_events() {
	without_pmu
	expect_status 0 pmctrack -T 0 -c page_faults,context_switches,task_clock bash -c '
		for i in 1 2 3; do sleep 0.05; done; for ((i = 0; i < 20000; i++)); do :; done'
	equal "$(rows $OUT | wc -l)" 4 "rows"
	[ "$(sum $OUT page_faults)" -ge 100 ] || fail "page faults: $(cat $OUT)"
	[ "$(sum $OUT context_switches)" -ge 7 ] || fail "switches: $(cat $OUT)"
	[ "$(sum $OUT task_clock)" -ge 1000000 ] || fail "task clock: $(cat $OUT)"
}

test_hardware_events_are_refused() {
	without_pmu
	expect_refusal 1 "event 'instr' .*does not have it|event 'instr': .* has no event for it" pmctrack -c instr true
	expect_refusal 1 "cannot count this event on this machine" pmctrack -r -c pmc0=0x4000000c0 true
	! pmc-events -L | grep -q llc_misses || fail "$(pmc-events -L)"
}

test_doctor_says_why() {
	without_pmu
	expect_status 0 pmctrack doctor
	grep -A1 "^warning  *PMU .*only software events" $OUT | grep -q "=> " || fail "$(cat $OUT)"
	grep -q "^ok  *counting  *task_clock" $OUT || fail "$(cat $OUT)"
}

test_native_backends_say_why_not() {
	without_pmu
	rmmod pmctrack
	! insmod $KO backend=native 2>$ERR || fail "loaded"
	dmesg | tail -n 3 | grep -qE "x86-intel: (this virtual machine has no counters: .*pmu=on|CPUID announces counters, but their registers|perfmon version 6 of this CPU: nothing would keep perf from)" ||
		fail "$(dmesg | tail -n 3)"
	! insmod $KO backend=nonsense 2>$ERR || fail "loaded"
	dmesg | tail -n 1 | grep -q "backend=nonsense: this kernel has no such backend; there are auto, native and perf" ||
		fail "$(dmesg | tail -n 1)"
	load
}
