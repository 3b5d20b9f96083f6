# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The cost of reporting throughput for a program, and programs whose calls the kernel counts.

# The instructions of a tick and its loop, from the difference between many and few ticks.
test_tick_cost() {
	[ "$BACKEND" != sim ] || only "a real PMU"
	need_instr
	local few many
	expect_status 0 pmctrack -c instr $S/ticks 100000
	few=$(sum $OUT instr)
	expect_status 0 pmctrack -c instr $S/ticks 300000
	many=$(sum $OUT instr)
	awk -v few="$few" -v many="$many" 'BEGIN { one = (many - few) / 200000; print "# a tick takes " one " instructions"
		exit !(one > 4 && one <= 25) }' || fail "from $few to $many instructions"
}

# delivered OPTION… -- COMMAND…: $units, which "throughput run" prints at the end
delivered() {
	expect_status 0 throughput run -v "$@"
	units=$(sed -nE 's/^throughput: ([0-9]+) in [0-9.]+ s: .*/\1/p' $ERR)
	[ "$units" ] || fail "$(cat $ERR)"
}

# Calls of a function are counted once each: of all threads, and of what is forked.
test_probes() {
	[ -e /sys/kernel/tracing ] || only "kernels with tracing"
	mountpoint -q /sys/kernel/tracing || mount -t tracefs none /sys/kernel/tracing
	[ -e /sys/kernel/tracing/uprobe_events ] || only "kernels with uprobes"
	local one place
	delivered -p uprobe:$S/calls:unit -u calls/s -- $S/calls 1000
	equal "$units" 4000
	delivered -p uretprobe:$S/calls:unit -- $S/calls 1000
	equal "$units" 4000
	expect_status 3 $S/calls 1000 watched
	delivered -p "usdt:$S/calls:calls:unit" -- $S/calls 1000 watched
	equal "$units" 4000
	# Older kernels may take the breakpoint from a process that was forked.
	for place in uprobe:$S/calls:unit usdt:$S/calls:calls:unit; do
		delivered -p $place -- $S/calls 1000 fork
		[[ $(uname -r) == 6.1.* && $units -ge 4000 && $units -le 5000 ]] || equal "$units" 5000
	done
	expect_status 0 throughput run -p uprobe:$S/calls:unit -- true
	grep -q "^throughput: nothing was counted: the function was never called" $ERR || fail "$(cat $ERR)"
	expect_refusal 1 "the file has no such function or mark" throughput run -p uprobe:$S/calls:no_such -- true
	expect_refusal 1 "the file is not a program or library" throughput run -p uprobe:/etc/passwd:main -- true
	expect_refusal 1 "uprobe:FILE:FUNCTION, uretprobe:FILE:FUNCTION or usdt:" throughput run -p probe:$S/calls:unit -- true
	expect_refusal 1 "needs root: CAP_PERFMON" user throughput run -p uprobe:$S/calls:unit -- true
	expect_status 3 throughput run -p uprobe:$S/calls:unit -- sh -c 'exit 3'
	expect_status 127 throughput run -p uprobe:$S/calls:unit -- /nowhere
	expect_status 126 throughput run -p uprobe:$S/calls:unit -- /tmp
	throughput run -p uprobe:$S/calls:unit -- sleep 100 & one=$!
	eventually grep -q throughput /sys/kernel/tracing/uprobe_events
	kill -TERM $one
	rc=0; wait $one || rc=$?
	equal $rc 143 "status after SIGTERM"
	equal "$(cat /sys/kernel/tracing/uprobe_events)" "" "what is left"
	# A throughput that is killed leaves its event, which the next one removes.
	throughput run -p uprobe:$S/calls:unit -- sleep 100 & one=$!
	eventually grep -q throughput /sys/kernel/tracing/uprobe_events
	eventually pgrep -x sleep >/dev/null
	kill -KILL $one
	wait $one || true
	pkill -x sleep
	delivered -p uprobe:$S/calls:unit -- $S/calls 10
	equal "$units" 40
	equal "$(cat /sys/kernel/tracing/uprobe_events)" "" "what is left"
}

# throughput counts as many events as pmctrack.
test_events_delivered() {
	[ "$BACKEND" != sim ] || only "a real PMU"
	need_instr
	expect_status 0 pmctrack -c instr $S/ticks 1000000
	local all
	all=$(sum $OUT instr)
	delivered -c instr -u instr/s -- $S/ticks 1000000
	near "$units" "$all" 1 "instructions"
	expect_status 127 throughput run -c instr -- /nowhere
	expect_refusal 1 "-c no_such: " throughput run -c no_such -- true
	expect_refusal 1 "-c instr,cycles: one event" throughput run -c instr,cycles -- true
}
