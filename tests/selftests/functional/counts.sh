# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Counts of programs of known length (programs/handcount.S) are exact.

test_single_thread() {
	need_instr
	for n in 00000001 00001000 01000000; do
		expect_status 0 pmctrack -c instr,cycles $S/handcount $n 0
		equal "$(sum $OUT instr)" "$(hand_main $n 0)" "instructions of $n rounds"
		# At least one cycle an instruction; other CPUs' turns are counted, too.
		[ "$(sum $OUT cycles)" -ge "$(hand_main $n 0)" ] || fail "cycles: $(sum $OUT cycles)"
	done
}

test_rows_of_threads() {
	need_instr
	expect_status 0 pmctrack -T 0 -c instr $S/handcount 00050000 4
	equal "$(rows $OUT | wc -l)" 5 "rows"
	equal "$(rows $OUT | awk '{ print $4 }' | sort -n | uniq -c | awk '{ print $1 "x" $2 }' | paste -sd' ')" \
		"4x$(hand_thread 00050000) 1x$(hand_main 00050000 4)" "rows by count"
	equal "$(sum $OUT 4)" "$(hand_all 00050000 4)" "rows add up"
}

# Ticks cut the run into intervals; nothing is lost or counted twice between them.
test_sampling_adds_up() {
	need_instr
	expect_status 0 pmctrack -T 0.01 -c instr $S/handcount 10000000 3
	[ "$(rows $OUT | grep -c ' tick ')" -ge 8 ] || fail "hardly any samples: $(cat $OUT)"
	equal "$(rows $OUT | grep -c ' exit ')" 4 "exit rows"
	for pid in $(pids $OUT); do
		case $(sum $OUT 4 "$pid") in
		"$(hand_main 10000000 3)" | "$(hand_thread 10000000)") ;;
		*) fail "thread $pid: $(sum $OUT 4 "$pid")" ;;
		esac
	done
	equal "$(sum $OUT 4)" "$(hand_all 10000000 3)" "all rows"
}

# The kernel's own names are some of those that users have. It has none that only libpfm4 knows.
test_kernel_events() {
	local event events type
	need_instr
	for type in $(sed -n 's/^coretype: //p' /proc/pmc/info); do
		events=$(sed -n "/^coretype: $type\$/,/^\$/ s/^events: //p" /proc/pmc/info)
		[[ " $events " == *" instr "*" cycles "* ]] || fail "core type $type: $events"
		[[ $BACKEND != x86-intel || " $events " != *" l2_misses "* ]] || fail "core type $type: $events"
		for event in $events; do
			expect_status 0 pmc-events -p "$type" -e "$event"
		done
	done
}

# The paper's command. Each flush of a line is a miss.
test_llc_misses() {
	only x86-intel
	expect_status 0 pmctrack -c instr,llc_misses $S/handflush 00001234
	grep -q "^pmc[13]=llc_misses\$" $OUT || fail "$(cat $OUT)"
	equal "$(sum $OUT llc_misses)" 1234
}

# Counts stay exact while threads migrate and other programs with other sets share the CPUs.
test_migration_beside_others() {
	need_instr
	[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
	migrate_beside_others 20000000
	equal "$(sum /tmp/mine 4)" "$(hand_all 20000000 3)" "instructions of the migrating program"
	for i in 1 2; do
		equal "$(sum /tmp/other$i instr)" "$(hand_all 20000000 $i)" "instructions of the other program $i"
	done
}

test_children_and_no_inherit() {
	need_instr
	expect_status 0 pmctrack -T 0 -c instr bash -c "for i in 1 2 3; do $S/handcount 00001000 2; done"
	equal "$(rows $OUT | awk -v n="$(hand_thread 00001000)" '$4 == n' | wc -l)" 6 "threads of children"
	expect_status 0 pmctrack -T 0 --no-inherit -c instr bash -c "$S/handcount 00001000 2; true"
	equal "$(rows $OUT | wc -l)" 1 "rows without children"
}

test_many_short_processes() {
	need_instr
	expect_status 0 pmctrack -T 0 -c instr bash -c "for i in {1..60}; do $S/handcount 00000100 3 & done; wait"
	equal "$(rows $OUT | awk -v n="$(hand_thread 00000100)" '$4 == n' | wc -l)" 180 "threads"
	equal "$(rows $OUT | grep -c exit)" 241 "last rows, of 60 processes with 4 threads and the shell"
}

test_options() {
	expect_status 0 pmctrack -T 0 -b 0 -o /tmp/table -t -c cycles bash -c 'taskset -p $$'
	grep -q 'affinity mask: 1$' $OUT || fail "-b: $(cat $OUT)"
	! grep -q nsample $OUT || fail "-o: counts on standard output"
	! rows /tmp/table | grep -q tick || fail "-T 0: ticks"
	grep -q '^real ' /tmp/table || fail "-t: no times"
	expect_status 0 pmctrack -L -c cycles true
	[ "$(head -n 1 $OUT | awk '{ print $1 }')" = nsample ] || fail "-L: $(cat $OUT)"
	expect_status 0 pmctrack --help
	grep -q '^Usage: pmctrack' $OUT
	expect_status 0 pmc-events -I
	grep -q "^name  *$PMU\$" $OUT || fail "-I: $(cat $OUT)"
}

# An event in user mode, in kernel mode and in both: all three are read at the same instants.
test_modes_add_up() {
	need_instr
	expect_status 0 pmctrack -c instr:u,instr:k,instr:uk bash -c 'for i in {1..20}; do /bin/true; done'
	[ "$(sum $OUT 5)" -gt 0 ] || fail "no kernel instructions"
	equal $(($(sum $OUT 4) + $(sum $OUT 5))) "$(sum $OUT 6)" "user + kernel"
}

# The codes that the kernel module knows are those of libpfm4, which has tables of ARM only on ARM.
test_codes_agree() {
	only arm64-pmuv3
	local name code listed n=0
	pmc-events -L >/tmp/list
	while read -r _ name code _; do
		listed=$(awk -v n="$name" '$1 == n { print $2 }' /tmp/list)
		[ -n "$listed" ] || continue
		equal $((listed)) $((code)) "code of $name"
		n=$((n + 1))
	done < <(grep '^code' /opt/pmctrack/share/pmctrack/events/arm64.events)
	[ $n -ge 2 ] || fail "$n codes to compare"
}

test_raw_is_the_same() {
	need_instr
	local last=$((COUNTERS - 1))
	equal "$(pmc-events -e instr,cycles)" "$RAW_BOTH" "pmc-events -e"
	expect_status 0 pmctrack -r -c "$RAW_BOTH,pmc$last=$RAW_INSTR" $S/handcount 00001000 0
	equal "$(sum $OUT 6)" "$(hand_main 00001000 0)"
	rows $OUT | awk -v n="$(hand_main 00001000 0)" '{ exit $4 != n && $5 != n }' || fail "$(cat $OUT)"
	expect_status 0 pmctrack -r -c pmc$last=$RAW_INSTR $S/handcount 00001000 0
	equal "$(sum $OUT 4)" "$(hand_main 00001000 0)" "highest counter"
	grep -q "^pmc$last=$RAW_INSTR\$" $OUT || fail "mappings: $(cat $OUT)"
	expect_status 0 pmctrack -r -c pmc003=$RAW_INSTR $S/handcount 00001000 0
	grep -q "^pmc3=$RAW_INSTR\$" $OUT || fail "mappings: $(cat $OUT)"
}

# 32-bit counters that overflow while the program runs (they start 65536 below the overflow).
test_narrow_counters() {
	only arm64-pmuv3
	need_instr
	reload long_counters=0
	grep -q '^counter_bits: 32$' /proc/pmc/info || fail "not 32 bits"
	expect_status 0 pmctrack -T 0.02 -c instr,cycles,instr:uk $S/handcount 10000000 3
	equal "$(sum $OUT instr)" "$(hand_all 10000000 3)" "instructions"
	for n in 00032000 00040000; do
		pmctrack -o /tmp/other -c instr $S/handcount $n 1 & other=$!
		expect_status 0 pmctrack -c instr $S/handcount $n 2
		wait $other
		equal "$(sum $OUT 4)" "$(hand_all $n 2)"
		equal "$(sum /tmp/other 4)" "$(hand_all $n 1)"
	done
	idle
	reload
}

test_cpu_hotplug() {
	need_instr
	[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
	pmctrack -T 0.02 -o /tmp/mine -c instr $S/handcount 30000000 3 & mine=$!
	for i in 1 2 3; do
		sleep 0.01
		echo 0 >/sys/devices/system/cpu/cpu1/online
		sleep 0.01
		echo 1 >/sys/devices/system/cpu/cpu1/online
	done
	wait $mine
	equal "$(sum /tmp/mine 4)" "$(hand_all 30000000 3)"
}

# The reader is stopped until the smallest buffer is full: samples are merged, no event is missing.
test_full_buffer() {
	need_instr
	pmctrack -k 4K -T 0.004 -o /tmp/mine -c instr $S/handcount 60000000 3 S 2>/tmp/err & mine=$!
	until [ "$(cut -d' ' -f3 /proc/$mine/stat)" = T ]; do nap 0.02; done
	pid=$(pgrep -x handcount)
	# The leader stays as a zombie until pmctrack waits for it.
	until [ "$(ls /proc/"$pid"/task | wc -l)" = 1 ]; do nap 0.02; done
	kill -CONT $mine
	wait $mine
	lost=$(awk '/^  core type 0, set 0: pmc[01] / { print $NF }' /tmp/err)
	equal $(($(sum /tmp/mine 4) + ${lost:-0})) $(($(hand_all 60000000 3) + 11)) "rows and reported losses"
	grep -q 'buffer was full' /tmp/err || fail "no word about the full buffer: $(cat /tmp/err)"
}

test_library_regions() {
	need_instr
	[ "$BACKEND" != arm64-pmuv3 ] || $S/startstop pmctrack >/dev/null
	$S/regions
}

# perf, with the kernel's own driver of the PMU, counts the same.
test_same_as_perf() {
	need_instr
	perf stat -x, -o $OUT -e instructions:u $S/handcount 00100000 0
	equal "$(grep instructions $OUT | cut -d, -f1)" "$(hand_main 00100000 0)" "perf"
	expect_status 0 pmctrack -c instr $S/handcount 00100000 0
	equal "$(sum $OUT instr)" "$(hand_main 00100000 0)" "pmctrack"
}

# perf removes the events of a CPU that goes offline, and takes hotplug locks for software events.
test_software_events_and_hotplug() {
	local cpu=/sys/devices/system/cpu/cpu1/online i
	only perf
	[ -e $cpu ] || skip "needs a second CPU that can go"
	pmctrack -T 0.01 -c page_faults,context_switches -o /tmp/mine bash -c 'for ((i = 0; i < 60; i++)); do /bin/true; done' & mine=$!
	for i in 1 2 3 4; do
		echo 0 >$cpu
		sleep 0.02
		echo 1 >$cpu
		sleep 0.02
	done
	wait $mine
	[ "$(sum /tmp/mine page_faults)" -ge 600 ] || fail "page faults: $(sum /tmp/mine page_faults)"
}

# A set with more events than the PMU has counters is refused, and no event is left open.
test_perf_set_too_large() {
	only perf
	[ "$PMU $(uname -m)" = "perf x86_64" ] || only "x86 with a PMU"
	expect_refusal 1 "perf has no counter left beside the other events of this set" \
		pmctrack -c instr,instr:k,instr:uk,cycles,cycles:k,cycles:uk,branches,branches:k true
	expect_status 0 pmctrack -c instr,cycles,instr:k,cycles:k $S/handcount 00100000 0
	equal "$(sum $OUT instr)" "$(hand_main 00100000 0)" "instructions afterwards"
}

# near VALUE EXPECTED PERCENT WHAT
near() {
	awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { d = 100 * (a - b) / b; exit d < -most || d > most }' ||
		fail "$4: $1, not $2 within $3 %"
}

# extrapolated SET EVENT: the extrapolated total, from the totals in $OUT
extrapolated() { awk -v s="$1" -v e="$2" '$1 == s && $NF == e { sub(/^~/, "", $5); print $5 }' $OUT; }

# All sets together need too many counters: they take turns, and each record says for how long its
# events counted.
test_perf_sets_take_turns() {
	only perf
	[ "$PMU $(uname -m)" = "perf x86_64" ] || only "x86 with a PMU"
	local a=instr,instr:k,instr:uk,cycles,cycles:k b=branches,branches:k,branches:uk,cycles:uk,instr set
	expect_status 0 pmctrack -T 0.02 -c $a -c $b $S/handcount 50000000 0
	# All events of a record counted at the same time.
	equal "$(rows $OUT | awk '$5 + $6 != $7' | wc -l)" 0 "rows whose modes do not add up"
	expect_status 0 pmctrack -A -T 0.02 -c $a -c $b $S/handcount 99999999 0
	# At its start and end the program is in the kernel (on a debug kernel for 10 ms), mostly in
	# turns of one set.
	for set in 0 1; do
		near "$(extrapolated $set instr)" "$(hand_main 99999999 0)" 10 "instructions of set $set"
	done
	near "$(awk '$NF == "instr" { s += $4 } END { print s }' $OUT)" 75 33.6 "coverage"
	# Sets of different sessions take turns, too.
	pmctrack -T 0.02 -o /tmp/mine -c $a $S/handcount 50000000 0 & mine=$!
	expect_status 0 pmctrack -T 0.02 -c $b $S/handcount 50000000 0
	wait $mine
	equal "$({ rows $OUT; rows /tmp/mine; } | awk '$4 + $5 != $6' | wc -l)" 0 "rows of two sessions whose modes do not add up"
	[ "$(sum /tmp/mine instr)" -gt 0 ] && [ "$(sum $OUT branches)" -gt 0 ] || fail "a session without counts"
	# After these sessions, counts are exact as before.
	expect_status 0 pmctrack -c instr,cycles,instr:k,cycles:k $S/handcount 00100000 0
	equal "$(sum $OUT instr)" "$(hand_main 00100000 0)" "instructions afterwards"
}
