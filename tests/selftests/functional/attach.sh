# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Attaching to processes that already run: pmctrack -p.

# All threads of a process that is older than the module and the session are counted. The rest of
# each thread is known.
test_attach() {
	need_instr
	rmmod pmctrack
	start_waiting 01000000 4
	load
	start_attached /tmp/mine -c instr -p $waiting
	go
	wait $waiting
	wait $mine
	equal "$(rows_of /tmp/mine exit)" 5 "rows"
	equal "$(sum /tmp/mine 4)" "$(rest 01000000 4)"
}

test_attach_several() {
	need_instr
	start_waiting 00500000 2
	first=$waiting
	exec 8>&7
	start_waiting 00700000 3
	start_attached /tmp/mine -T 0.01 -c instr -p $first,$waiting
	echo >&8; exec 8>&-
	go
	wait $first $waiting
	wait $mine
	equal "$(sum /tmp/mine 4)" $(($(rest 00500000 2) + $(rest 00700000 3)))
}

# Threads and processes that an attached process creates are monitored, too.
test_attach_follows() {
	need_instr
	rm -f /tmp/go; mkfifo /tmp/go
	bash -c "read x </tmp/go; $S/handcount 00200000 2; true" & waiting=$!
	exec 7>/tmp/go
	start_attached /tmp/mine -c instr -p $waiting
	go
	wait $waiting
	wait $mine
	equal "$(rows /tmp/mine | awk -v n="$(hand_thread 00200000)" '$4 == n' | wc -l)" 2 "threads of the child"
}

# pmctrack attaches to a running thread on its CPU and detaches again; the thread is not disturbed.
test_detach() {
	need_instr
	bash -c 'while :; do :; done' & running=$!
	start_attached /tmp/mine -T 0.01 -c instr,instr:k,instr:uk -p $running
	until [ "$(rows /tmp/mine | wc -l)" -ge 50 ]; do nap 0.01; done
	kill -INT $mine
	wait $mine
	equal "$(rows_of /tmp/mine detach)" 1 "last rows"
	[ "$(sum /tmp/mine 4)" -gt 1000000 ] || fail "counted $(sum /tmp/mine 4)"
	# All events of a row are read at the same instants.
	equal "$(rows /tmp/mine | awk '$4 + $5 != $6')" "" "rows where user + kernel is not both"
	idle
	expect_status 0 pmctrack -N 0.1 -c instr -p $running
	equal "$(rows_of $OUT detach)" 1 "last rows of -N"
	expect_status 0 pmctrack -n 3 -T 0.01 -c instr -p $running
	equal "$(rows $OUT | wc -l)" 3 "rows of -n"
	kill -KILL $running
}

# pmctrack detaches from a process while its threads run and migrate, and attaches again. The pieces
# have at most the counts of the whole.
test_attach_in_pieces() {
	need_instr
	local total=0 pieces=0
	start_waiting 60000000 3
	start_attached /tmp/mine -n 6 -T 0.005 -c instr -p $waiting
	chase_until_end $waiting &
	go
	while wait $mine; do
		total=$((total + $(sum /tmp/mine 4)))
		pieces=$((pieces + 1))
		pmctrack -N 0.02 -T 0.005 -c instr -p $waiting >/tmp/mine 2>$ERR & mine=$!
	done
	# The last attempt fails because the process has ended.
	grep -q "no process" $ERR || fail "$(cat $ERR)"
	wait $waiting
	echo "# $total of $(rest 60000000 3) in $pieces pieces"
	[ $total -gt 0 ] && [ $total -le "$(rest 60000000 3)" ] || fail "$total of $(rest 60000000 3)"
}

test_attach_refusals() {
	expect_refusal 1 "no process 99999999" pmctrack -c cycles -p 99999999
	sleep infinity & sleeper=$!
	expect_refusal 1 "process $sleeper belongs to somebody else" user pmctrack -c cycles -p $sleeper
	start_attached /tmp/mine -c cycles -p $sleeper
	expect_refusal 1 "thread $sleeper is being monitored by another session" pmctrack -c cycles -p $sleeper
	expect_refusal 2 "give one of them" pmctrack -p $sleeper true
	kill -TERM $mine
	wait $mine
	# If pmctrack is killed by SIGKILL, nothing is left.
	start_attached /tmp/mine -c cycles -p $sleeper
	kill -9 $mine
	wait $mine || true
	idle
	setpriv --reuid=1000 --regid=1000 --clear-groups -- sleep infinity & other=$!
	until [ "$(ps -o comm= -p $other)" = sleep ]; do nap 0.01; done
	expect_status 0 user pmctrack -N 0.05 -c cycles -p $other
	kill $sleeper $other
}
