# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# For the tests of this folder that write TAP themselves: a folder for their files, expect(),
# finish() and block().

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

# block FILE INFO: the code of a Markdown file in blocks that begin with ```INFO
block() { awk -v first="\`\`\`$2" '$0 == "```" { on = 0 } on; $0 == first { on = 1 }' "$1"; }

finish() {
	echo "1..$n"
	exit $status
}
