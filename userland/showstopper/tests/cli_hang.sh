# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Part of cli.sh: tests of readers and processes that hang.

# If the log is a FIFO, nothing is started until it has a reader; this wait can be interrupted.
fifo() {
	local run end signal
	mkfifo "$dir/fifo"
	cp /bin/sleep "$dir/fifo-sleep"
	for signal in TERM HUP; do
		"$s" -q -m cdc -l 5 -n 1 -o "$dir/fifo" "$dir/fifo-sleep" 60 2>"$dir/err" & run=$!
		end=$((SECONDS + 10))
		until grep -q "fifo: nobody reads this FIFO: waiting for a reader; nothing has been started" "$dir/err"; do
			[ $SECONDS -lt $end ] || { kill -KILL $run; fail "no message: $(cat "$dir/err")"; return; }
			sleep 0.05
		done
		pgrep -f "$dir/fifo-sleep 60$" | grep -vqx $run && fail "a program has been started"
		kill -$signal $run
		wait $run
		[ $? = $((128 + $(kill -l $signal))) ] || fail "status after SIG$signal"
	done
	"$s" -q -m cdc -l 50 -d 2 -n 1 -o "$dir/fifo" --iterations /dev/null sleep 60 2>"$dir/err" & run=$!
	timeout 20 cat "$dir/fifo" >"$dir/log"
	wait $run || fail "status $? with a reader"
	[ "$(wc -l <"$dir/log")" -ge 3 ] || fail "$(cat "$dir/log")"
	# The reader comes first.
	timeout 20 cat "$dir/fifo" >"$dir/log" & end=$!
	timeout 20 "$s" -q -m cdc -l 50 -d 2 -n 1 -o "$dir/fifo" sleep 60 || fail "status $? after a reader"
	wait $end
	[ "$(wc -l <"$dir/log")" -ge 3 ] || fail "$(cat "$dir/log")"
}

# If the log's reader does not read, control and the end are as usual, and a message says so.
full_pipe() {
	local rc=0
	cp /bin/sleep "$dir/piped"
	python3 - "$s" "$dir/piped" 2>"$dir/err" <<-'EOF' || rc=$?
		import os, subprocess, sys, time
		_, pipe = os.pipe()
		os.set_blocking(pipe, False)
		try:
		    while True:
		        os.write(pipe, b"x")
		except BlockingIOError:
		    os.set_blocking(pipe, True)
		run = [sys.argv[1], "-m", "cdc", "-l", "30", "-d", "8", "-n", "1", "--restart", "-o", "-"]
		began = time.monotonic()
		status = subprocess.run([*run, sys.argv[2], "60"], stdout=pipe, timeout=60).returncode
		assert status == 1 and 8 < time.monotonic() - began < 22, (status, time.monotonic() - began)
		# All of its words, too.
		status = subprocess.run([*run[:-2], "-q", sys.argv[2], "60"], stdout=pipe, stderr=pipe, timeout=60).returncode
		assert status == 0, status
	EOF
	[ $rc = 0 ] || fail "$(cat "$dir/err")"
	grep -q "^showstopper: -: its reader does not read: lines are missing$" "$dir/err" || fail "$(cat "$dir/err")"
	# No observation was left out, so the programs were controlled.
	grep -qE "^load .* of ([6-9]|1[0-9]) periods" "$dir/err" || fail "$(cat "$dir/err")"
	[ -z "$(states)" ] || fail "left: $(states)"
}

# expect_words PATTERN: wait until the errors contain the pattern, 20 s at most
expect_words() {
	local end=$((SECONDS + 20))
	until grep -qE "$1" "$dir/err"; do
		[ $SECONDS -lt $end ] || { fail "no '$1' in: $(cat "$dir/err")"; return; }
		sleep 0.05
	done
}

# A message names the process that hangs, and says what to do about it.
names_what_hangs() {
	local run master executor
	cp /bin/sleep "$dir/named"
	"$s" -q -m cdc -l 5 -n 1 "$dir/named" 60 2>"$dir/err" & run=$!
	wait_for '^ *1 T$' 10 || return
	master=$(pgrep -x -P $run showstopper)
	executor=$(pgrep -x -P "$master" showstopper)
	kill -STOP "$master"
	expect_words "the master \(process $master\) is stopped: all programs run on, uncontrolled; continue it with kill -CONT $master, or end" || return
	states | grep -q T && fail "stopped without a master"
	kill -CONT "$master"
	expect_words "the master answers again: programs are controlled" || return
	wait_for '^ *1 T$' 10 || return
	kill -STOP "$executor"
	expect_words "the executor of .*named \(process $executor\) is stopped: .*named runs on, uncontrolled; continue it with kill -CONT $executor" || return
	kill -CONT "$executor"
	wait_for '^ *1 T$' 10 || return
	kill -STOP $run
	expect_words "showstopper \(process $run\) is stopped: all programs run on, uncontrolled; continue it with kill -CONT $run" || return
	states | grep -q T && fail "stopped without a guardian"
	kill -TERM $run
	wait $run
	[ $? = 143 ] || fail "status of a run that was stopped"
	[ -z "$(states)" ] || fail "left: $(states)"
}
