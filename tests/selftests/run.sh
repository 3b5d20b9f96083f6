#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh [FILE…]: run the guest tests in KTAP; exit 1 if one failed.
cd "$(dirname "$0")" || exit 1
[ $# -gt 0 ] || set -- functional/*.sh regression/*.sh
list=()
for file; do
	[ -e "$file" ] || continue
	for name in $(sed -n 's/^\(test_[a-z0-9_]*\)().*/\1/p' "$file"); do
		list+=("$file:$name")
	done
done
echo "KTAP version 1"
echo "1..${#list[@]}"
n=0 status=0
for entry in "${list[@]}"; do
	file=${entry%:*} name=${entry#*:}
	label="$(basename "$file" .sh): ${name#test_}"
	start=$(cut -d' ' -f1 /proc/uptime)
	bash -c 'set -eE; trap "echo \"# line \$LINENO: \$BASH_COMMAND\"" ERR; . ./lib.sh; . "$1"; "$2"; idle' run "$file" "$name" >/tmp/log 2>&1
	rc=$?
	n=$((n + 1))
	case $rc in
	0) echo "ok $n - $label" ;;
	4) echo "ok $n - $label # SKIP $(sed -n 's/^# //p' /tmp/log | tail -n 1)" ;;
	*) echo "not ok $n - $label"; sed 's/^/# /' /tmp/log; status=1 ;;
	esac
	awk -v s="$start" '{ printf "# %.1f s of guest time\n", $1 - s }' /proc/uptime
	[ -e /proc/pmc/info ] || insmod /opt/pmctrack/modules/pmctrack.ko
done
exit $status
