#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh [--long] [--no-skips] [--expect "KEY=VALUE…"] [FILE…]: run the guest tests and print KTAP.
# Exits with 1 if a test failed or, with --no-skips, could not be run here. A test for another PMU
# is not a failure. A test that hangs according to the host (tests/vm/watch.py) fails, and the
# others run.
# --long (make test-matrix): run tests named long_test_…, too. Tests that do the same for many
# policies, programs or machines do it for all of them.
# --expect: what /proc/pmc/info must say of this machine ("types": number of core types). Otherwise
# tests would be skipped as those of another machine if the module did not recognise this one.
cd "$(dirname "$0")" || exit 1
export LONG=
if [ "${1-}" = --long ]; then LONG=yes; shift; fi
no_skips=
if [ "${1-}" = --no-skips ]; then no_skips=yes; shift; fi
expected=
if [ "${1-}" = --expect ]; then expected=$2; shift 2; fi
[ $# -gt 0 ] || set -- functional/*.sh regression/*.sh
list=()
for file; do
	[ -e "$file" ] || continue
	for name in $(sed -nE "s/^(${LONG:+(long_)?}test_[a-z0-9_]*)\(\).*/\1/p" "$file"); do
		list+=("$file:$name")
	done
done
. ./lib.sh

# The host is told which test runs. It answers with the number of a test that hangs, and the reason.
exec 9<>/dev/null
for port in /sys/class/virtio-ports/*; do
	[ "$(cat "$port/name" 2>/dev/null)" != tests ] || exec 9<>"/dev/${port##*/}"
done
hear_host() {
	local number why running pid
	while read -r number why; do
		read -r running pid </tmp/running
		# The test may have ended meanwhile.
		[ "$number" = "$running" ] || continue
		{ echo "$why"; ps -s "$pid" -o pid,stat,wchan:24,args; } >/tmp/hung
		# test.sh prints where the test is.
		kill -USR1 "$pid"
		sleep 1
		kill_left "$pid"
	done
}
# left SESSION: fill $left with what a test left running: each test has a session of its own, and a
# process that began another one (tmux) has become an orphan, a child of init. $others: processes
# that are no test's, to look at no more than once
others=" $(echo /proc/[0-9]*) "
left() {
	local file stat
	left=()
	for file in /proc/[0-9]*; do
		[[ $others != *" $file "* ]] && read -r stat <"$file/stat" || continue
		# shellcheck disable=SC2206 # words: state, parent, process group, session
		stat=(${stat##*) })
		if [ "${stat[1]}" = 2 ]; then
			others+="$file "
		elif [ "${stat[3]}" = "$1" ] || [ "${stat[1]}" = 1 ]; then
			left+=("${file#/proc/}")
		fi
	done 2>/dev/null
	[ ${#left[@]} != 0 ]
}
kill_left() { while left "$1"; do kill -KILL "${left[@]}" 2>/dev/null; nap 0.1; done; }

# run_test NUMBER FILE NAME: returns the test's exit status. Its jobs do not ignore Ctrl-C.
run_test() {
	local rc=0
	env --default-signal setsid bash ./test.sh "$2" "$3" >/tmp/log 2>&1 </dev/null 9>&- & test=$!
	echo "$1 $test" >/tmp/running
	{ wait $test; } 2>/dev/null || rc=$?
	kill_left $test
	return $rc
}
hear_host <&9 & hearing=$!
# Some distributions set 3. Tests of unprivileged users need 2, which the others set.
echo 2 >/proc/sys/kernel/perf_event_paranoid
# Direct reads of counters are off by default, too.
[ ! -e /proc/sys/kernel/perf_user_access ] || echo 1 >/proc/sys/kernel/perf_user_access
settings
# as_expected: compare the machine with $expected
as_expected() {
	local pair is
	for pair in $expected; do
		is=$(info "${pair%%=*}")
		[ "${pair%%=*}" != types ] || is=$(grep -c ^coretype: /proc/pmc/info)
		[ "$is" = "${pair#*=}" ] || { echo "# ${pair%%=*} is '$is', expected ${pair#*=}"; return 1; }
	done
}
echo "KTAP version 1"
echo "1..$((${#list[@]} + 1))"
n=1 status=0 passed=0
as_expected && echo "ok 1 - machine: ${expected:-any}" || { echo "not ok 1 - machine: $expected"; status=1; }
for entry in "${list[@]}"; do
	file=${entry%:*} name=${entry#*:}
	label=${file##*/}
	label="${label%.sh}: ${name#*test_}"
	# A test that waits for output must not find that of the test before.
	rm -f /tmp/skipped /tmp/elsewhere /tmp/mine /tmp/metrics /tmp/pid /tmp/out /tmp/hung
	read -r start _ </proc/uptime
	n=$((n + 1))
	echo "begin $n $label" >&9
	rc=0
	run_test $n "$file" "$name" || rc=$?
	echo "end $n" >&9
	if [ -e /tmp/hung ]; then
		echo "not ok $n - $label: hung, $(head -n 1 /tmp/hung)"
		sed '1d; s/^/# /' /tmp/hung
		sed 's/^/# /' /tmp/log
		status=1
	elif [ -e /tmp/elsewhere ]; then
		echo "ok $n - $label # SKIP $(cat /tmp/elsewhere)"
	elif [ -e /tmp/skipped ] && [ -z "$no_skips" ]; then
		echo "ok $n - $label # SKIP $(cat /tmp/skipped)"
	elif [ $rc = 0 ] && [ ! -e /tmp/skipped ]; then
		echo "ok $n - $label"
		passed=$((passed + 1))
	else
		echo "not ok $n - $label"
		sed 's/^/# skipped: /' /tmp/skipped 2>/dev/null
		sed 's/^/# /' /tmp/log
		status=1
	fi
	awk -v s="$start" '{ printf "# %.1f s of guest time\n", $1 - s }' /proc/uptime
	# Remove what a failed test may have left.
	{ echo none >/proc/pmc/mmon_manager; rmmod pmctrack_mmon_test pmctrack_mmon_ipc; } 2>/dev/null
	for cpu in /sys/devices/system/cpu/cpu*/online; do echo 1 >"$cpu"; done 2>/dev/null
	[ -e /proc/pmc/info ] || load
	settings
done
kill $hearing
[ $passed != 0 ] || { echo "# all tests are for other machines"; status=1; }
exit $status
