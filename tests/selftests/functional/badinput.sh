# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Every error ends with one clear line, and leaves nothing behind.


test_unknown_event() {
	expect_refusal 1 "unknown event 'no_such_event'.*pmc-events -L" pmctrack -c no_such_event true
	expect_refusal 1 "unknown event 'nope'" pmc-events -e cycles,nope
	expect_refusal 1 "unknown flag ':z'" pmctrack -c cycles:z true
	expect_refusal 1 "empty event name" pmctrack -c cycles,,cycles true
}

test_event_the_pmu_lacks() {
	only arm64-pmuv3
	expect_refusal 1 "l1d_misses.*armv8_pmuv3_0 has no event.*pmc-events -L" pmctrack -c l1d_misses true
	expect_refusal 1 "0x3.*does not have" pmctrack -c 0x3 true
	expect_refusal 1 "pmc1=0x3: armv8_pmuv3_0 does not have this event" pmctrack -r -c pmc1=0x3 true
}

test_more_events_than_counters() {
	expect_refusal 1 "no counter left for 'cycles'.*$((COUNTERS - GENERAL)) general counters" \
		pmctrack --strict -c "$(printf 'cycles,%.0s' {1..8})cycles" true
	expect_refusal 1 "pmc9: $PMU has $COUNTERS counters" pmctrack -r -c pmc9=$RAW_CYCLES true
}

test_malformed_raw_string() {
	only arm64-pmuv3
	expect_refusal 1 "usr2.*|counter 2 has settings" pmctrack -r -c pmc1=0x11,usr2 true
	expect_refusal 1 "pmc1 is given twice" pmctrack -r -c pmc1=0x11,pmc1=0x11 true
	expect_refusal 1 "hexadecimal" pmctrack -r -c pmc1=0xzz true
	expect_refusal 1 "knows no key 'umask'" pmctrack -r -c pmc1=0x11,umask1=1 true
	expect_refusal 1 "pmc0 counts cycles only" pmctrack -r -c pmc0=0x8 true
	expect_refusal 1 "pmc2 needs an event code" pmctrack -r -c pmc2 true
	expect_refusal 1 "at most 0xffff" pmctrack -r -c pmc1=0x10000 true
	expect_refusal 1 "longer than" pmctrack -r -c "$(printf 'pmc1=0x11,%.0s' {1..100})" true
	expect_refusal 1 "ebs1=999: at least 1000" pmctrack -r -c pmc1=0x11,ebs1=999 true
	expect_refusal 1 "core types 0 to 0" pmctrack -r -c pmc1=0x11,coretype=2 true
}

# Event select registers of x86: their fields, and fixed counters.
test_malformed_raw_string_x86() {
	[[ $BACKEND = x86-* ]] || only x86
	expect_refusal 1 "knows no key 'nonsense'" pmctrack -r -c pmc3=0xc0,nonsense3=1 true
	expect_refusal 1 "umask3=0x100: at most 0xff" pmctrack -r -c pmc3=0xc0,umask3=0x100 true
	expect_refusal 1 "cmask3=0x100: at most 0xff" pmctrack -r -c pmc3=0xc0,cmask3=256 true
	expect_refusal 1 "edge3=0x2: at most 0x1" pmctrack -r -c pmc3=0xc0,edge3=2 true
	expect_refusal 1 "pmc3 needs an event code" pmctrack -r -c pmc3 true
	expect_refusal 1 "pmc3=0x41c0000: event codes of $PMU are at most.*umask3" pmctrack -r -c pmc3=0x41c0000 true
	expect_refusal 1 "ebs3=999: at least 1000" pmctrack -r -c pmc3=0xc0,ebs3=999 true
	expect_refusal 1 "core types 0 to" pmctrack -r -c pmc3=0xc0,coretype=3 true
	[ $GENERAL = 0 ] || expect_refusal 1 "pmc0 counts instructions and nothing else" pmctrack -r -c pmc0=0xc0 true
}

test_program_cannot_run() {
	expect_refusal 127 "cannot run './no-such-program': No such file" pmctrack ./no-such-program
	expect_refusal 126 "cannot run '/etc/passwd': Permission denied" pmctrack /etc/passwd
	expect_refusal 1 "-b: cannot run on these CPUs" pmctrack -c cycles -b 77 true
}

test_usage() {
	expect_refusal 2 "no program to run" pmctrack -c cycles
	expect_refusal 2 "-T x: not a number" pmctrack -T x true
	expect_refusal 2 "-n 0: not a number" pmctrack -n 0 true
	expect_refusal 2 "-b 3-1: not a list" pmctrack -b 3-1 true
	expect_refusal 2 "-k 5X: not a size" pmctrack -k 5X true
	expect_refusal 2 "invalid option" pmctrack -Z true
	expect_refusal 2 "give one of -I, -V, -L and -e" pmc-events -I -L
	expect_refusal 2 "-p needs the number of a PMU" pmc-events -I -p 4294967296
}

test_exit_status() {
	expect_status 7 pmctrack -c cycles $S/handcount 00000001 0 7
	expect_status 0 pmctrack -c cycles true
	expect_status 143 pmctrack -c cycles bash -c 'kill -TERM $$'
	expect_status 0 pmctrack -c cycles -- bash -c 'exit 0' -c -n
}

test_module_not_loaded() {
	rmmod pmctrack
	expect_refusal 1 "not loaded.*modprobe pmctrack" pmctrack true
	expect_refusal 1 "not loaded.*modprobe pmctrack" pmc-events -I
	load
	expect_status 0 pmctrack -c cycles true
}

test_module_for_another_kernel() {
	rmmod pmctrack
	# Do not change the release: kernels with symbol versions do not compare it.
	sed "s/ mod_unload / mod_onload /" $KO >/tmp/other.ko
	! insmod /tmp/other.ko 2>/tmp/err || fail "loaded"
	grep -q "Invalid module format" /tmp/err || fail "insmod says: $(cat /tmp/err)"
	expect_refusal 1 "not loaded" pmctrack true
	load
}

test_no_permission() {
	expect_refusal 1 "kernel mode needs CAP_PERFMON" user pmctrack -c cycles:k true
	expect_status 0 user pmctrack -c cycles true
	sleep infinity & sleeper=$!
	expect_refusal 1 "belongs to somebody else" user $S/session_open $sleeper
	kill $sleeper
	expect_refusal 1 "no thread 99999999" $S/session_open 99999999
	! user bash -c 'echo ring_max_bytes=4096 >/proc/pmc/config' 2>/dev/null || fail "config was writable"
}

test_perf_event_paranoid() {
	local before paranoid=/proc/sys/kernel/perf_event_paranoid
	before=$(cat $paranoid)
	echo 3 >$paranoid
	expect_refusal 1 "perf_event_paranoid is above 2.*CAP_PERFMON.*sysctl" user pmctrack -c cycles true
	expect_status 0 pmctrack -c cycles true
	echo 2 >$paranoid
	expect_status 0 user pmctrack -c cycles true
	echo "$before" >$paranoid
}

# A program with other privileges is not measured for an ordinary user.
test_setuid_program() {
	cp $S/handcount /tmp/setuid-hand
	chmod 4755 /tmp/setuid-hand
	expect_status 0 user pmctrack -T 0 -c cycles /tmp/setuid-hand 00001000 0
	equal "$(rows $OUT | awk '{ print $3, $4 }')" "exit 0" "the row that says so"
	grep -q "other privileges.*CAP_PERFMON" $ERR || fail "no word about it: $(cat $ERR)"
	user pmctrack -c cycles bash -c '/tmp/setuid-hand 00001000 0; true' >$OUT 2>$ERR
	grep -q "other privileges" $ERR || fail "no word about it: $(cat $ERR)"
	expect_status 0 pmctrack -T 0 -c cycles /tmp/setuid-hand 00001000 0
	equal "$(rows $OUT | wc -l)" 1 "rows as root"
}

test_buffer_size() {
	expect_refusal 1 "ring buffer of 1024 bytes: must be a power of two from 4096" pmctrack -k 1K -c cycles true
	expect_refusal 1 "power of two" pmctrack -k 5000 -c cycles true
	expect_refusal 1 "power of two from 4096 to 16777216" pmctrack -k 64M -c cycles true
	expect_refusal 1 "no memory for a ring buffer.*ulimit -l" \
		user bash -c 'ulimit -l 64; exec pmctrack -k 128K -c cycles true'
	echo ring_max_bytes=65536 >/proc/pmc/config
	expect_refusal 1 "from 4096 to 65536" user pmctrack -k 128K -c cycles true
	echo ring_max_bytes=4194304 >/proc/pmc/config
	! echo ring_max_bytes=77 2>/dev/null >/proc/pmc/config || fail "config took nonsense"
}

# The limit is one for each user: each of two programs is within it, both together are not.
test_buffer_memory_of_user() {
	# With two CPUs, each program needs 88 KiB.
	user bash -c 'ulimit -l 128; exec pmctrack -o /dev/null -k 32K -c cycles sleep infinity' & mine=$!
	until info_is sessions 1; do nap 0.02; done
	expect_refusal 1 "no memory for a ring buffer.*ulimit -l" \
		user bash -c 'ulimit -l 128; exec pmctrack -k 32K -c cycles true'
	pkill -x sleep
	wait $mine || true
	idle
	expect_status 0 user bash -c 'ulimit -l 128; exec pmctrack -k 32K -c cycles true'
}

# A user who names no size gets smaller buffers if memory is short, and a message says so.
test_buffer_smaller() {
	user bash -c 'ulimit -l 64; exec pmctrack -o /dev/null -c cycles true' 2>/tmp/err
	grep -q 'buffers have 4096 bytes instead of 65536' /tmp/err || fail "says: $(cat /tmp/err)"
	pmctrack -o /dev/null -c cycles true 2>/tmp/err
	equal "$(cat /tmp/err)" ""
}

test_kill_pmctrack() {
	pmctrack -T 0.01 -c cycles sleep infinity >/dev/null & mine=$!
	until pgrep -x sleep >/dev/null; do nap 0.02; done
	kill -9 $mine
	wait $mine || true
	idle
	pgrep -x sleep >/dev/null || fail "the program was killed, too"
	pkill -x sleep
	start_attached /tmp/mine -T 0.01 -c cycles bash -c 'while :; do :; done'
	until [ "$(rows /tmp/mine | wc -l)" -ge 2 ]; do nap 0.02; done
	kill -9 $mine
	wait $mine || true
	idle
	pkill -9 -f 'while :' || true
	expect_status 0 pmctrack -c cycles true
}

test_kill_program() {
	pmctrack -c cycles bash -c 'echo $$ >/tmp/pid; while :; do :; done' >$OUT & mine=$!
	until [ -s /tmp/pid ]; do nap 0.02; done
	kill -9 "$(cat /tmp/pid)"
	rm /tmp/pid
	rc=0; wait $mine || rc=$?
	equal $rc 137 "exit status"
	equal "$(rows $OUT | tail -n 1 | awk '{ print $3 }')" exit "last row"
}

# SIGTERM from outside: the program gets it, and the last rows are still printed.
test_interrupt() {
	rm -f /tmp/traps
	pmctrack -T 0.02 -c cycles bash -c 'trap "exit 9" TERM; : >/tmp/traps; while :; do :; done' >$OUT & mine=$!
	# A debug kernel may need longer to start bash than two rows take.
	until [ -e /tmp/traps ] && [ "$(rows $OUT | wc -l)" -ge 2 ]; do nap 0.02; done
	kill -TERM $mine
	rc=0; wait $mine || rc=$?
	equal $rc 9 "exit status"
	equal "$(rows $OUT | tail -n 1 | awk '{ print $3 }')" exit "last row"
}

# The terminal sends SIGINT to the program itself: pmctrack must not send it again.
test_ctrl_c() {
	expect_status 9 $S/on_terminal pmctrack -o /tmp/table -T 0.02 -c cycles \
		bash -c 'n=0; trap "n=\$((n + 1))" INT; echo ready; until [ $n -gt 0 ]; do :; done
			# pmctrack, too, has had its signal, and sleeps.
			until grep -q "^State:.S" /proc/$PPID/status && grep -q "^ShdPnd:.0*$" /proc/$PPID/status; do :; done
			exit $((8 + n))'
	equal "$(rows /tmp/table | tail -n 1 | awk '{ print $3 }')" exit "last row"
}

test_limits() {
	expect_status 0 pmctrack -T 0.01 -n 3 -c cycles bash -c 'while :; do :; done'
	equal "$(rows $OUT | wc -l)" 3 "rows for -n 3"
	# A program that ignores SIGTERM is killed after two seconds; its last rows are not printed.
	# With long periods, rows are those of its children, so the program has begun.
	rm -f /tmp/pid
	began=$(date +%s%N)
	expect_status 0 pmctrack -T 10 -n 3 -c cycles bash -c 'trap "" TERM; echo $$ >/tmp/pid; while :; do sleep 0.1; done'
	[ $(($(date +%s%N) - began)) -gt 2000000000 ] || fail "it was killed at once"
	equal "$(rows $OUT | wc -l)" 3 "rows for -n 3 of a program that ignores SIGTERM"
	! kill -0 "$(cat /tmp/pid)" 2>/dev/null || fail "it runs on"
	rm /tmp/pid
	expect_status 0 pmctrack -T 0.01 -N 0.5 -c cycles bash -c 'while :; do :; done'
	[ "$(rows $OUT | wc -l)" -ge 4 ] || fail "-N 0.5 printed $(rows $OUT | wc -l) rows"
	bash -c 'echo $$ >/tmp/pid; while :; do :; done' & running=$!
	until [ -s /tmp/pid ]; do nap 0.02; done
	expect_status 0 pmctrack -T 0.01 -N 0.5 -c cycles -p $running
	kill $running
	[ "$(rows $OUT | wc -l)" -ge 4 ] || fail "-N 0.5 printed $(rows $OUT | wc -l) rows"
}

test_rmmod_with_session() {
	pmctrack -c cycles sleep infinity >/dev/null & mine=$!
	until info_is sessions 1; do nap 0.02; done
	! rmmod pmctrack 2>/tmp/err || fail "rmmod worked"
	grep -q "in use" /tmp/err || fail "rmmod says: $(cat /tmp/err)"
	kill $mine
	wait $mine || true
	idle
	rmmod pmctrack
	load
}

test_thread_twice() {
	expect_refusal 1 "being monitored by another session" pmctrack -o /dev/null -c cycles $S/session_open 0
}

test_perf_in_use() {
	need_ownership
	perf stat -e cycles:u -o /dev/null sleep infinity & other=$!
	until pgrep -x sleep >/dev/null; do nap 0.02; done
	expect_refusal 1 "perf is using the counters: end perf .*nmi_watchdog=0\) first$" pmctrack -c cycles true
	pkill -x sleep
	wait $other || true
	expect_status 0 pmctrack -c cycles true
}

test_perf_is_refused_and_comes_back() {
	need_ownership
	pmctrack -c cycles sleep infinity >/dev/null & mine=$!
	until info_is sessions 1; do nap 0.02; done
	perf stat -x, -e cycles:u true 2>/tmp/err || true
	! grep -qE '^[0-9]+,,cycles' /tmp/err || fail "perf counted: $(cat /tmp/err)"
	kill $mine
	wait $mine || true
	idle
	perf stat -x, -e cycles:u true 2>/tmp/err
	grep -qE '^[1-9][0-9]*,,cycles' /tmp/err || fail "perf does not count again: $(cat /tmp/err)"
}

test_output_file() {
	expect_status 1 bash -c 'pmc-events -L >/dev/full'
	grep -q "cannot write: No space" $ERR || fail "says: $(cat $ERR)"
	expect_refusal 1 "-o /no/such/dir/x: No such file" pmctrack -o /no/such/dir/x -c cycles true
	expect_status 1 pmctrack -o /dev/full -c cycles true
	grep -q "cannot write /dev/full: No space" $ERR || fail "says: $(cat $ERR)"
	# A reader that goes away does not disturb the program.
	rm -f /tmp/gone
	{ pmctrack -T 0.01 -c cycles bash -c 'until [ -e /tmp/gone ]; do :; done; echo done >/tmp/finished' 2>$ERR || echo $? >/tmp/rc; } |
		{ exec <&-; touch /tmp/gone; }
	equal "$(cat /tmp/finished /tmp/rc)" $'done\n1'
	grep -q "cannot write the counts: Broken pipe" $ERR || fail "says: $(cat $ERR)"
}

test_ignored_sigchld() {
	expect_status 7 bash -c "trap '' CHLD; exec pmctrack -c cycles $S/handcount 00000001 0 7"
}

# The program starts with the same signals blocked as it would without pmctrack.
test_signal_mask() {
	expect_status 0 pmctrack -o /dev/null -c cycles grep SigBlk /proc/self/status
	equal "$(cat $OUT)" "$(grep SigBlk /proc/self/status)"
	equal "$(ls /proc/self/fd | wc -l)" "$(pmctrack -o /dev/null -c cycles ls /proc/self/fd | wc -l)" "open files"
}
