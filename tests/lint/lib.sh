# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Shared by the checks of the tree: the files, and results in TAP.

# files PATTERN…: the files of the tree that git knows, or would if they were added
files() { git ls-files -co --exclude-standard -- "$@"; }

# recent FILE…: the files that are not committed, or that the last commit changed
recent() {
	local list
	list=$(git diff --name-only HEAD~1 && git ls-files -o --exclude-standard) || list=$(files '*')
	printf '%s\n' "$@" | grep -xF -e "$list"
}

n=0 status=0
# check NAME COMMAND…: the command prints what is wrong, and nothing if all is well
check() {
	local name=$1 found; shift
	n=$((n + 1))
	if found=$("$@" 2>&1) && [ -z "$found" ]; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		echo "$found" | head -n 40 | sed 's/^/# /'
		status=1
	fi
}
