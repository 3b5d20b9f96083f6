# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# pmctrack doctor: it names what prevents monitoring, and the remedy.

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
	cp $OUT /tmp/mine
	expect_status 1 user pmctrack doctor
	load
	# Without apt, packages are not advised; tests/packages tests that advice.
	[ ! -e /usr/bin/apt ] || fail "this system has packages"
	grep -A1 "^FAIL  *module" /tmp/mine | grep -q "=> make KDIR=.* && make KDIR=.* install" || fail "$(cat /tmp/mine)"
	grep -A1 "^FAIL  *module" $OUT | grep -q "=> make KDIR=.* && sudo make KDIR=" || fail "$(cat $OUT)"
}

# The kernel loads no modules any more, so doctor advises a reboot and no installation.
test_doctor_and_modules_disabled() {
	echo 1 >/tmp/one
	rmmod pmctrack
	mount --bind /tmp/one /proc/sys/kernel/modules_disabled
	expect_status 1 pmctrack doctor
	umount /proc/sys/kernel/modules_disabled
	load
	grep -A1 "^FAIL  *module .*kernel.modules_disabled is 1" $OUT | grep -q "=> reboot with the module" || fail "$(cat $OUT)"
	! grep -q "apt install\|modprobe" $OUT || fail "$(cat $OUT)"
}

test_doctor_without_rights() {
	echo 3 >/proc/sys/kernel/perf_event_paranoid
	expect_status 1 user pmctrack doctor
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	grep -A1 "^FAIL  *rights .*perf_event_paranoid is 3" $OUT |
		grep -q "=> sudo sysctl kernel.perf_event_paranoid=2" || fail "$(cat $OUT)"
	expect_status 0 user pmctrack doctor
}

# Root without capabilities, as in a container: doctor judges capabilities, not the user's number,
# and the remedy that it gives works.
test_doctor_of_root_without_capabilities() {
	expect_status 0 setpriv --bounding-set=-all pmctrack doctor
	grep -q "^ok  *rights .*need CAP_PERFMON" $OUT || fail "$(cat $OUT)"
	echo 3 >/proc/sys/kernel/perf_event_paranoid
	expect_refusal 1 "needs CAP_PERFMON" setpriv --bounding-set=-all pmctrack -c cycles true
	expect_status 1 setpriv --bounding-set=-all pmctrack doctor
	grep -q "^FAIL  *rights .*does not have although it is root's" $OUT || fail "$(cat $OUT)"
	! grep -A1 "^FAIL  *rights" $OUT | grep -q "as root\|sudo" || fail "$(cat $OUT)"
	setpriv --bounding-set=-all sh -c "$(sed -n 's/^ *=> \(sysctl .*\)/\1/p' $OUT)"
	expect_status 0 setpriv --bounding-set=-all pmctrack doctor
	expect_status 0 setpriv --bounding-set=-all pmctrack -c cycles true
}

# A user who has the capability, and a user who cannot get it.
test_doctor_of_users() {
	echo 3 >/proc/sys/kernel/perf_event_paranoid
	expect_status 0 setpriv --reuid=1000 --regid=1000 --clear-groups --inh-caps=+cap_38 --ambient-caps=+cap_38 pmctrack doctor
	grep -q "^ok  *rights  *CAP_PERFMON" $OUT || fail "$(cat $OUT)"
	expect_status 1 user setpriv --no-new-privs pmctrack doctor
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	grep -A1 "^FAIL  *rights" $OUT | grep -q "=> outside of this container or sandbox: sudo sysctl" || fail "$(cat $OUT)"
}

# The NMI watchdog of stock kernels occupies a counter.
test_doctor_and_the_nmi_watchdog() {
	[[ $BACKEND = x86-* ]] || only x86
	[ -e /proc/sys/kernel/nmi_watchdog ] || only "stock kernels"
	echo 1 >/proc/sys/kernel/nmi_watchdog
	equal "$(cat /proc/sys/kernel/nmi_watchdog)" 1 "watchdog"
	expect_refusal 1 "perf is using the counters.*sysctl kernel.nmi_watchdog=0" pmctrack -c cycles true
	expect_status 1 pmctrack doctor
	grep -A1 "^warning  *watchdog" $OUT | grep -q "=> sysctl kernel.nmi_watchdog=0" || fail "$(cat $OUT)"
	reload backend=perf
	expect_status 0 pmctrack -c instr $S/handcount 00100000 0
	equal "$(sum $OUT instr)" "$(hand_main 00100000 0)" "instructions beside the watchdog"
	reload
	echo 0 >/proc/sys/kernel/nmi_watchdog
	expect_status 0 pmctrack -c instr $S/handcount 00100000 0
	equal "$(sum $OUT instr)" "$(hand_main 00100000 0)" "instructions without it"
}
