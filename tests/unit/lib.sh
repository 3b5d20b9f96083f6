# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# For the tests of this folder that write TAP themselves: a folder for their files,
# expect() and finish().

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 status=0

# expect NAME COMMAND…
expect() {
	local name=$1; shift
	n=$((n + 1))
	if "$@" >"$work/log" 2>&1; then
		echo "ok $n - $(basename "$0"): $name"
	else
		echo "not ok $n - $(basename "$0"): $name"
		tail -n 20 "$work/log" | sed 's/^/# /'
		status=1
	fi
}

finish() {
	echo "1..$n"
	exit $status
}
