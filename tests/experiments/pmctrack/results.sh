# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Results that take hours. The caller has sourced tests/vm/lib.sh.

# begin_in FOLDER [OPTION…]: what an interrupted run of the same commit with the same options has
# completed in FOLDER stays there. All else is removed: numbers of two versions do not mix.
begin_in() {
	local folder=$1 now
	now="$(commit) ${*:2}" || now=
	if [ "$now" ] && [ -e "$folder/begun" ] && [ "$(cat "$folder/begun")" = "$now" ]; then
		say "going on with what is in $folder"
		return
	fi
	rm -rf "${folder:?}"
	mkdir -p "$folder"
	echo "$now" >"$folder/begun"
}
