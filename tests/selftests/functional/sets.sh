# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Several event sets that take turns, and sampling by events.

# Each record is of one set. The counts of an event in several sets add up to all its events.
test_rotation() {
	need_instr
	expect_status 0 pmctrack -T 0.01 -c instr,cycles -c cycles,instr -c instr $S/handcount 20000000 3
	[ "$(head -n 1 <(grep nsample $OUT) | awk '{ print $3 }')" = expid ] || fail "header: $(grep nsample $OUT)"
	for set in 0 1 2; do
		[ "$(rows $OUT | awk -v s=$set '$3 == s' | wc -l)" -ge 8 ] || fail "hardly any rows of set $set"
	done
	equal "$(sum $OUT instr)" "$(hand_all 20000000 3)" "instructions of all sets"
	equal "$(rows $OUT | awk '$3 == 2 && $4 != "-" && $5 != "-" && $6 != "-"' | wc -l)" 0 "cycles of the set without them"
	# The sets of each thread take turns every period, in order.
	equal "$(rows $OUT | awk '{ if ($2 in n && $3 != n[$2]) bad++; n[$2] = ($3 + 1) % 3 } END { print bad + 0 }')" 0 "rows out of turn"
}

test_rotation_with_migration() {
	need_instr
	pmctrack -T 0.008 -o /tmp/mine -c instr -c instr:uk,instr -c instr,cycles $S/handcount 20000000 3 & mine=$!
	chase_until_end $mine
	wait $mine
	equal "$(sum /tmp/mine instr)" "$(hand_all 20000000 3)"
}

test_spill_and_strict() {
	need_instr
	local events
	events=$(printf "instr,%.0s" $(seq "$COUNTERS"))instr
	expect_status 0 pmctrack -T 0.01 -c $events $S/handcount 10000000 0
	grep -q 'note: more events than counters: they are in 2 event sets' $ERR || fail "no note: $(cat $ERR)"
	equal "$(sum $OUT instr)" "$(hand_main 10000000 0)"
	expect_refusal 1 "no counter left for 'instr'" pmctrack --strict -c $events true
	expect_refusal 1 "several event sets take turns at the end of a sampling period, and there is none" \
		pmctrack -T 0 -c instr -c cycles true
	expect_refusal 1 "more than 8 event sets" pmctrack -r $(printf -- "-c pmc3=$RAW_INSTR %.0s" {1..9}) true
}

# Totals with their coverage; all sets together cover everything.
test_aggregate() {
	need_instr
	expect_status 0 pmctrack -A -c instr,cycles $S/handcount 01000000 2
	equal "$(awk '$NF == "instr" { print $3, $4, $5 }' $OUT)" "$(hand_all 01000000 2) 100.0% =" "one set"
	expect_status 0 pmctrack -A -T 0.01 -c instr -c instr,cycles $S/handcount 20000000 2
	equal "$(awk '$NF == "instr" { s += $3 } END { print s }' $OUT)" "$(hand_all 20000000 2)" "both sets"
	awk '$NF == "instr" { c += $4; if ($5 !~ /^~[0-9]+$/) bad = 1 } END { exit bad || c < 99.8 || c > 100.2 }' $OUT ||
		fail "coverage: $(cat $OUT)"
}

# windows ROUNDS THREADS N: full windows of all threads of handcount
windows() { echo $(($(hand_main "$1" "$2") / $3 + $2 * ($(hand_thread "$1") / $3))); }

# A sample every N events: all events are in samples, and the number of samples is exact.
test_ebs() {
	need_ebs
	need_instr
	local n
	for n in 1000000 77777; do
		expect_status 0 pmctrack -c instr:ebs=$n,cycles $S/handcount 05000000 2
		equal "$(sum $OUT instr)" "$(hand_all 05000000 2)" "events in the windows"
		equal "$(rows_of $OUT ebs)" "$(windows 05000000 2 $n)" "windows of $n"
		equal "$(rows_of $OUT tick)" 0 "rows of ticks"
		equal "$(rows_of $OUT exit)" 3 "last rows"
	done
}

# The same with migrations, other programs, and another one that samples.
test_ebs_migration() {
	need_ebs
	need_instr
	pmctrack -o /tmp/other1 -c instr:ebs=50000 $S/handcount 05000000 2 & other1=$!
	pmctrack -T 0.004 -o /tmp/other2 -c cycles,instr $S/handcount 05000000 2 & other2=$!
	pmctrack -k 1M -o /tmp/mine -c instr:ebs=30000 $S/handcount 10000000 3 & mine=$!
	chase_until_end $mine
	wait $mine $other1 $other2
	equal "$(sum /tmp/mine 4)" "$(hand_all 10000000 3)" "events"
	equal "$(rows_of /tmp/mine ebs)" "$(windows 10000000 3 30000)" "windows"
	equal "$(sum /tmp/other1 4)" "$(hand_all 05000000 2)" "events of the other that samples"
	equal "$(rows_of /tmp/other1 ebs)" "$(windows 05000000 2 50000)" "its windows"
	equal "$(sum /tmp/other2 instr)" "$(hand_all 05000000 2)" "events of the other"
}

test_ebs_narrow_counters() {
	need_ebs
	only arm64-pmuv3
	need_instr
	reload long_counters=0
	expect_status 0 pmctrack -c instr:ebs=100000,cycles $S/handcount 05000000 2
	equal "$(sum $OUT instr)" "$(hand_all 05000000 2)"
	equal "$(rows_of $OUT ebs)" "$(windows 05000000 2 100000)" "windows"
	idle
	reload
}

test_ebs_sets_take_turns() {
	need_ebs
	need_instr
	expect_status 0 pmctrack -c instr:ebs=100000 -c instr:ebs=200000,cycles $S/handcount 10000000 0
	equal "$(sum $OUT instr)" "$(hand_main 10000000 0)"
	expect_refusal 1 "some event sets sample by events \(ebs\) and others do not" \
		pmctrack -c instr:ebs=100000 -c cycles true
	expect_refusal 1 "ebs[01]=10: at least 1000 events" pmctrack -c instr:ebs=10 true
	expect_refusal 1 "ebs0 and ebs1: one counter of a set" pmctrack -c cycles:ebs=1000000,instr:ebs=1000000 true
}

# Kernel mode, and both modes: all events of a set are read at the same instants.
test_ebs_modes() {
	need_ebs
	need_instr
	expect_status 0 pmctrack -c instr:u,instr:k,instr:uk:ebs=20000 bash -c 'for i in {1..20}; do /bin/true; done'
	[ "$(rows_of $OUT ebs)" -gt 10 ] || fail "hardly any windows"
	equal $(($(sum $OUT 4) + $(sum $OUT 5))) "$(sum $OUT 6)" "user + kernel"
}

# Windows of kernel mode that are shorter than what a sample itself takes there: the thread goes on,
# and no event is lost.
test_ebs_of_a_busy_kernel() {
	need_ebs
	need_instr
	expect_status 0 pmctrack -k 4M -c instr:k:ebs=1000,instr:u dd if=/dev/zero of=/dev/null bs=1 count=3000
	[ "$(rows_of $OUT ebs)" -gt 100 ] || fail "hardly any windows"
	rows $OUT | awk '{ sum += $4; n += $3 == "ebs" } END { exit n * 1000 > sum }' || fail "more windows than events for them"
}

# Sixty thousand counter interrupts of fifteen processes on two CPUs: each window is recorded
# exactly once, whichever process had the CPU when it was full.
test_ebs_of_many_processes() {
	need_ebs
	need_instr
	pmctrack -k 8M -o /tmp/mine -c instr:ebs=10000 bash -c "for i in {1..15}; do $S/handcount 20000000 0 & done; wait" 2>$ERR
	equal "$(cat $ERR)" "" "messages"
	equal "$(rows /tmp/mine | awk '
		{ sum[$2] += $4; windows[$2] += ($3 == "ebs") }
		END {
			for (pid in sum) {
				if (sum[pid] < 40000058) continue
				programs++
				all += windows[pid]
				wrong += (windows[pid] != int(sum[pid] / 10000))
			}
			print programs, wrong + 0, (all >= 60000)
		}')" "15 0 1" "programs, those with other than their windows, 60000 windows"
}
