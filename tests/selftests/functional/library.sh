# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# libpmctrack: reads of counters, named regions, the interface of PMCTrack 4.0.

test_user_read() {
	only arm64-pmuv3
	need_instr
	expect_status 0 $S/userread
	echo "# instructions a read: $(cat $OUT)"
	awk '$1 == "read" { exit !($2 <= 60) }' $OUT || fail "$(cat $OUT)"
}

# Preempted by monitored and unmonitored others all the time.
test_user_read_among_others() {
	only arm64-pmuv3
	need_instr
	migrate_beside_others 20000000 & others=$!
	for _ in 1 2 3; do expect_status 0 $S/userread; done
	wait $others
}

test_user_read_refused() {
	only arm64-pmuv3
	reload long_counters=0
	expect_status 0 $S/userread refused
	reload
	echo user_read=0 >/proc/pmc/config
	expect_status 1 $S/userread
	grep -q "switched off" $ERR || fail "$(cat $ERR)"
	echo user_read=1 >/proc/pmc/config
}

test_old_interface() {
	need_ownership
	need_instr
	expect_status 0 $S/old_api
	grep -qE "pmc[01]=instr\(0\),instr:uk\(1\)" $OUT || fail "$(cat $OUT)"
	equal "$(grep -c "^nsample " $OUT)" 2 "tables"
}
