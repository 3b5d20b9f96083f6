# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# pmctrack doctor: what stands in the way, and the remedy.

test_doctor_of_a_good_machine() {
	expect_status 0 pmctrack doctor
	grep -q "^ok  *hooks  *$HOOKS" $OUT || fail "$(cat $OUT)"
	grep -q "^ok  *counting .* can be counted" $OUT || fail "$(cat $OUT)"
	! grep -q "^FAIL" $OUT || fail "$(cat $OUT)"
	expect_status 0 pmctrack doctor --json
	python3 -c 'import json, sys
for line in sys.stdin:
    assert set(json.loads(line)) == {"check", "verdict", "finding", "remedy"}' <$OUT
	expect_status 2 pmctrack doctor nonsense
}

test_doctor_without_the_module() {
	rmmod pmctrack
	expect_status 1 pmctrack doctor
	load
	grep -A1 "^FAIL  *module" $OUT | grep -q "=> sudo apt install" || fail "$(cat $OUT)"
}

test_doctor_without_rights() {
	echo 3 >/proc/sys/kernel/perf_event_paranoid
	expect_status 1 user pmctrack doctor
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	grep -A1 "^FAIL  *rights .*perf_event_paranoid is 3" $OUT |
		grep -q "=> sudo sysctl kernel.perf_event_paranoid=2" || fail "$(cat $OUT)"
	expect_status 0 user pmctrack doctor
}

# The watchdog of stock kernels has a counter for itself.
test_doctor_and_the_nmi_watchdog() {
	[[ $BACKEND = x86-* ]] || only x86
	[ -e /proc/sys/kernel/nmi_watchdog ] || only "stock kernels"
	echo 1 >/proc/sys/kernel/nmi_watchdog
	equal "$(cat /proc/sys/kernel/nmi_watchdog)" 1 "watchdog"
	expect_refusal 1 "perf is using the counters.*sysctl kernel.nmi_watchdog=0" pmctrack -c cycles true
	expect_status 1 pmctrack doctor
	grep -A1 "^warning  *watchdog" $OUT | grep -q "=> sudo sysctl kernel.nmi_watchdog=0" || fail "$(cat $OUT)"
	reload backend=perf
	expect_status 0 pmctrack -c instr $S/handcount 00100000 0
	equal "$(sum $OUT instr)" "$(hand_main 00100000 0)" "instructions beside the watchdog"
	reload
	echo 0 >/proc/sys/kernel/nmi_watchdog
	expect_status 0 pmctrack -c instr $S/handcount 00100000 0
	equal "$(sum $OUT instr)" "$(hand_main 00100000 0)" "instructions without it"
}
