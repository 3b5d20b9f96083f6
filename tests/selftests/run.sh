#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh [--no-skips] [FILE…]: run the guest tests in KTAP; exit 1 if one failed
# or, with --no-skips, could not be run here. What is for other PMUs is no failure.
cd "$(dirname "$0")" || exit 1
no_skips=
if [ "${1-}" = --no-skips ]; then no_skips=yes; shift; fi
[ $# -gt 0 ] || set -- functional/*.sh regression/*.sh
list=()
for file; do
	[ -e "$file" ] || continue
	for name in $(sed -n 's/^\(test_[a-z0-9_]*\)().*/\1/p' "$file"); do
		list+=("$file:$name")
	done
done
. ./lib.sh
# Some distributions have 3: tests of unprivileged users need what others have.
echo 2 >/proc/sys/kernel/perf_event_paranoid
echo "KTAP version 1"
echo "1..${#list[@]}"
n=0 status=0
for entry in "${list[@]}"; do
	file=${entry%:*} name=${entry#*:}
	label="$(basename "$file" .sh): ${name#test_}"
	# Who waits for output must not find that of the test before.
	rm -f /tmp/skipped /tmp/elsewhere /tmp/mine /tmp/metrics /tmp/pid /tmp/out
	start=$(cut -d' ' -f1 /proc/uptime)
	# A test that hangs fails, and the others run.
	timeout --foreground 300 bash -c 'set -eE; trap "echo \"# line \$LINENO: \$BASH_COMMAND\"" ERR; . ./lib.sh; . "$1"; "$2"; idle' run "$file" "$name" >/tmp/log 2>&1
	rc=$?
	n=$((n + 1))
	if [ -e /tmp/elsewhere ]; then
		echo "ok $n - $label # SKIP $(cat /tmp/elsewhere)"
	elif [ -e /tmp/skipped ] && [ -z "$no_skips" ]; then
		echo "ok $n - $label # SKIP $(cat /tmp/skipped)"
	elif [ $rc = 0 ] && [ ! -e /tmp/skipped ]; then
		echo "ok $n - $label"
	else
		echo "not ok $n - $label"
		sed 's/^/# skipped: /' /tmp/skipped 2>/dev/null
		sed 's/^/# /' /tmp/log
		status=1
	fi
	awk -v s="$start" '{ printf "# %.1f s of guest time\n", $1 - s }' /proc/uptime
	# What a test that failed may have left.
	{ [ $rc != 124 ] || pkill -KILL '^(pmctrack|hand)'; echo none >/proc/pmc/mmon_manager; rmmod pmctrack_mmon_test pmctrack_mmon_ipc; } 2>/dev/null
	[ -e /proc/pmc/info ] || load
done
exit $status
