# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Output that programs read: CSV, JSON, OpenMetrics. Metrics and summaries.

# The last line of a file of JSON Lines is the total, and every line is whole.
json_complete() {
	[ "$(grep -c '^{.*}$' "$1")" = "$(wc -l <"$1")" ] || fail "half a line: $(grep -v '^{.*}$' "$1")"
	head -n 1 "$1" | grep -q '^{"type":"header","schema":"pmctrack","version":1,' || fail "$(head -n 1 "$1")"
	tail -n 1 "$1" | grep -q '^{"type":"total",' || fail "$(tail -n 1 "$1")"
	! grep -qi 'nan\|inf,' "$1" || fail "not a number of JSON"
}

test_json() {
	need_instr
	pmctrack --json -T 0.01 -m ipc -o /tmp/mine $S/handcount 05000000 2
	json_complete /tmp/mine
	equal "$(sed -n 's/.*"type":"sample".*"instr":\([0-9]*\).*/\1/p' /tmp/mine | awk '{ s += $1 } END { printf "%.0f", s }')" \
		"$(hand_all 05000000 2)" "sum of samples"
	tail -n 1 /tmp/mine | grep -q "\"name\":\"instr\",\"counted\":$(hand_all 05000000 2),\"coverage\":1.0" || fail "$(tail -n 1 /tmp/mine)"
	# Totals alone.
	pmctrack --json -A -c instr -o /tmp/mine $S/handcount 00500000 2
	json_complete /tmp/mine
	equal "$(wc -l </tmp/mine)" 2 "lines"
	tail -n 1 /tmp/mine | grep -q '"threads_left":0,.*"revoked":false,"estimate":false}$' || fail "$(tail -n 1 /tmp/mine)"
	pmctrack --json -A -S -c instr -o /tmp/mine true
	tail -n 1 /tmp/mine | grep -q '"threads_left":0,.*"estimate":false}$' || fail "CPUs: $(tail -n 1 /tmp/mine)"
}

# Totals in which threads are missing are marked as estimates.
test_incomplete_totals() {
	need_instr
	echo attach_max_threads=5 >/proc/pmc/config
	start_waiting 00500000 7
	pmctrack --json -A -T 0 -c instr -o /tmp/mine -p $waiting 2>$ERR & mine=$!
	until [ -s /tmp/mine ]; do nap 0.01; done
	go
	wait $waiting
	wait $mine
	json_complete /tmp/mine
	tail -n 1 /tmp/mine | grep -q '"left_out_threads":3,.*"estimate":true}$' || fail "$(tail -n 1 /tmp/mine)"
	grep -q '"coverage":1.0,"extrapolated":[0-9]*,"estimate":true}' /tmp/mine || fail "$(tail -n 1 /tmp/mine)"
	grep -q "^pmctrack: 3 threads of the process were not monitored" $ERR || fail "$(cat $ERR)"
}

# The output is whole also if more samples come than the reader takes; lost samples are reported.
test_interrupted_flood() {
	need_ebs
	echo ebs_cpu_percent=0 >/proc/pmc/config
	trap 'echo ebs_cpu_percent=25 >/proc/pmc/config' EXIT
	rm -f /tmp/mine
	$S/burn 100000000000 >/dev/null & running=$!
	pmctrack -k 4K -c instr:ebs=1000 --json -p $running -o /tmp/mine 2>/tmp/mine-err & mine=$!
	until [ -s /tmp/mine ] && [ "$(wc -l </tmp/mine)" -ge 1000 ]; do nap 0.01; done
	kill -INT $mine
	wait $mine
	kill $running
	wait $running || true
	json_complete /tmp/mine
	grep -q '"detach"' /tmp/mine || grep -q 'lost' /tmp/mine-err || fail "$(tail -n 2 /tmp/mine) $(cat /tmp/mine-err)"
}

# After Ctrl-C, output is valid up to its end.
test_interrupted() {
	local format
	for format in --json --csv; do
		rm -f /tmp/mine
		bash -c 'while :; do :; done' & running=$!
		pmctrack $format -T 0.01 -m ipc -p $running -o /tmp/mine & mine=$!
		until [ "$(wc -l </tmp/mine 2>/dev/null)" -ge 4 ]; do nap 0.01; done
		kill -INT $mine
		wait $mine
		kill $running
		wait $running || true
		[ $format = --csv ] || json_complete /tmp/mine
		[ $format = --json ] || equal "$(awk -F, '{ print NF }' /tmp/mine | sort -u | wc -l)" 1 "numbers of fields"
		grep -q detach /tmp/mine || fail "no last sample: $(tail -n 2 /tmp/mine)"
	done
}

test_csv() {
	need_instr
	pmctrack --csv -T 0 -c instr,cycles -m 'double=2*instr' -o /tmp/mine $S/handcount 00700000 3
	equal "$(wc -l </tmp/mine)" 5 "lines"
	equal "$(csv_sum /tmp/mine instr)" "$(hand_all 00700000 3)"
	equal "$(csv_sum /tmp/mine double)" $((2 * $(hand_all 00700000 3))) "metric"
	equal "$(csv /tmp/mine kind | sort -u)" exit
}

test_openmetrics() {
	need_instr
	start_waiting 01000000 2
	cgroup_of a $waiting
	pmctrack --cgroup $CG/a -T 0.05 -c instr -m 'double=2*instr' --openmetrics -o /tmp/metrics & mine=$!
	until [ -s /tmp/metrics ]; do nap 0.01; done
	go
	wait $waiting
	kill -INT $mine
	wait $mine
	equal "$(tail -n 1 /tmp/metrics)" "# EOF"
	equal "$(sed -n 's/^pmctrack_events_total{.*} //p' /tmp/metrics | awk '{ s += $1 } END { printf "%.0f", s }')" \
		"$(rest 01000000 2)"
	grep -q '^pmctrack_metric_double{cpu="0"} [0-9]' /tmp/metrics || fail "$(cat /tmp/metrics)"
	[ -z "$(ls /tmp/metrics.* 2>/dev/null)" ] || fail "left behind: $(ls /tmp/metrics.*)"
}

# Raw events of one code, in different modes or twice, have different names in every format.
test_events_of_one_code() {
	need_instr
	local a=$((COUNTERS - 3)) b=$((COUNTERS - 2)) c=$((COUNTERS - 1)) raw names
	# Version 1 of Intel's architectural performance monitoring has two counters.
	[ "$COUNTERS" -ge 3 ] || { a=0; b=1; c=; }
	raw=pmc$a=$RAW_INSTR,pmc$b=$RAW_INSTR,os$b
	names="$RAW_INSTR $RAW_INSTR:uk"
	[ -z "$c" ] || { raw+=,pmc$c=$RAW_INSTR; names="$RAW_INSTR@pmc$a $RAW_INSTR:uk $RAW_INSTR@pmc$c"; }
	pmctrack -r -c $raw -T 0 -o /tmp/mine $S/handcount 00300000 0
	equal "$(sed -n 's/^pmc[0-9]*=//p' /tmp/mine | paste -sd' ')" "$names" "names of the table"
	pmctrack --json -r -c $raw -T 0 -o /tmp/mine $S/handcount 00300000 0
	python3 -c 'import json, sys
counts = [json.loads(line) for line in open("/tmp/mine")][1]["counts"]
user = [count for name, count in counts.items() if not name.endswith(":uk")]
assert sorted(counts) == sorted(sys.argv[2:]) and set(user) == {int(sys.argv[1])}' \
		"$(hand_main 00300000 0)" $names || fail "$(cat /tmp/mine)"
	pmctrack --csv -r -c $raw -T 0 -o /tmp/mine $S/handcount 00300000 0
	equal "$(head -n 1 /tmp/mine | tr -d '\r' | cut -d, -f14- | tr , ' ')" "$names" "columns"
	equal "$(csv_sum /tmp/mine "${names%% *}")" "$(hand_main 00300000 0)"
	[ "$(csv_sum /tmp/mine "$RAW_INSTR:uk")" -gt "$(hand_main 00300000 0)" ] || fail "$(cat /tmp/mine)"
	expect_refusal 2 "--csv has a column of that name" pmctrack --csv -c instr -m instr=instr/2 true
}

test_metrics() {
	need_instr
	pmctrack -m 'share=instr/(instr+instr:k)' -m gips -T 0 -o /tmp/mine $S/handcount 00900000 0
	grep -qx 'pmc[01]=instr' /tmp/mine || fail "the events of the formula: $(cat /tmp/mine)"
	rows /tmp/mine | awk '{ exit !($6 > 0.5 && $6 < 1 && $7 > 0 && $7 <= 1) }' || fail "$(cat /tmp/mine)"
	expect_refusal 2 "'llc' is not counted" pmctrack -c instr -m 'a=instr/llc' true
	expect_refusal 2 "no ready metric of that name" pmctrack -m nonsense true
	expect_refusal 2 "missing" pmctrack -m 'a=instr/' true
	expect_status 0 pmctrack -m list
	grep -q '^ipc  *instr/cycles' $OUT || fail "$(cat $OUT)"
}

# Metrics above the empty line of the list can be counted, and those below it cannot.
test_list_of_metrics() {
	need_instr
	local name
	pmctrack -m list >/tmp/metrics
	[ "$(awk 'NF' /tmp/metrics | wc -l)" -ge 15 ] || fail "$(cat /tmp/metrics)"
	for name in $(awk '!NF { exit } { print $1 }' /tmp/metrics); do
		expect_status 0 pmctrack --strict -T 0 -m $name true
	done
	for name in $(awk 'below > 1 { print $1 } !NF || below { below++ }' /tmp/metrics); do
		expect_refusal 1 "^pmctrack: $(sed -n "s/^$name  *[^ ]*  *//p" /tmp/metrics)" pmctrack --strict -m $name true
	done
	rmmod pmctrack
	expect_status 0 pmctrack -m list
	load
	grep -q "not known: .*modprobe" $ERR || fail "$(cat $ERR)"
	! grep -q "Not on this machine" $OUT || fail "$(cat $OUT)"
}

test_summary() {
	need_instr
	expect_status 0 pmctrack --summary -m ipc -c instr,cycles $S/handcount 01000000 2
	grep -qE '^ +6,000,084  instr' $OUT || fail "$(cat $OUT)"
	grep -q 'seconds on CPUs' $OUT || fail "$(cat $OUT)"
	# Sets that take turns: estimates are marked.
	expect_status 0 pmctrack --summary -T 0.004 -m ipc -c instr -c cycles $S/handcount 09000000 0
	grep -qE '~[0-9,]+  instr +extrapolated from [0-9.]+% of the time' $OUT || fail "$(cat $OUT)"
	grep -qE '~[0-9.]+  ipc' $OUT || fail "$(cat $OUT)"
}
