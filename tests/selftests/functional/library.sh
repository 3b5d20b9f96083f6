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

# Direct reads are correct while monitored and unmonitored threads preempt the reader all the time.
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
	# The kernel's own setting counts as well.
	echo 0 >/proc/sys/kernel/perf_user_access
	expect_status 1 $S/userread
	grep -q "kernel.perf_user_access is 0" $ERR || fail "$(cat $ERR)"
	echo 1 >/proc/sys/kernel/perf_user_access
	expect_status 0 $S/userread
}

test_old_interface() {
	need_ownership
	need_instr
	expect_status 0 $S/old_api
	grep -qE "pmc[01]=instr\(0\),instr:uk\(1\)" $OUT || fail "$(cat $OUT)"
	equal "$(grep -c "^nsample " $OUT)" 2 "tables"
	# The same with pmctrack: one sample by events, and the rest at exit.
	expect_status 0 pmctrack -c instr:ebs -o /tmp/mine $S/burn 260000000
	equal "$(rows_of /tmp/mine ebs) $(rows_of /tmp/mine exit)" "1 1" "samples"
}

# README's program: the counts that it prints are those of the events that it names.
test_readme_program() {
	need_instr
	local few many
	few=$(ROUNDS=10000000 $S/readme-c)
	many=$(ROUNDS=30000000 $S/readme-c)
	echo "# $few; $many"
	[[ $few =~ ^[0-9]+" instructions, "[0-9]+" cycles"$ ]] || fail "it prints: $few"
	equal $((${many%% *} - ${few%% *})) $((2 * 20000000)) "instructions of 20000000 rounds more"
	reload backend=perf
	few=$(ROUNDS=10000000 $S/readme-c)
	many=$(ROUNDS=30000000 $S/readme-c)
	reload
	equal $((${many%% *} - ${few%% *})) $((2 * 20000000)) "the same through perf"
	rmmod pmctrack
	expect_refusal 1 "not loaded.*modprobe pmctrack" $S/readme-c
	load
}
