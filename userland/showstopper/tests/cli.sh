#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Usage: cli.sh SHOWSTOPPER [TEST]
# Tests what a user types, wrong and right, in TAP. Duty cycles are constant where a test does not
# depend on the load, so that a busy machine changes nothing.
# Each test is a process of its own, and fails if it takes more than $CLI_LIMIT seconds (240).
set -u
# Signals that are ignored here (nohup, a shell's "&") would be ignored in showstopper, too.
[ -n "${CLI_SIGNALS-}" ] || CLI_SIGNALS=default exec env --default-signal "$0" "$@"
s=$(realpath "$1")
n=0 failed=0 why=

fail() { why=${why:-$*}; return 1; }

# with_mark TEXT: processes that have the text in their environment
with_mark() { grep -lsF -- "$1" /proc/[0-9]*/environ | cut -d/ -f3; }

# Kill processes that tests have left: they all have the variable CLI_DIR, this process has not.
# shellcheck disable=SC2046
clean_up() { kill -KILL $(with_mark "CLI_DIR=$dir") 2>/dev/null; rm -rf "$dir"; }

if [ $# = 1 ]; then
	dir=$(mktemp -d)
	chmod 755 "$dir"
	trap clean_up EXIT
else
	dir=$CLI_DIR
fi

# check NAME TEST
check() {
	local rc=0
	n=$((n + 1))
	# Each test has a folder of runs of its own: runs of others are neither rescued nor counted.
	CLI_DIR=$dir SHOWSTOPPER_RUNS=$dir/runs-$2 timeout -k 5 "${CLI_LIMIT:-240}" "$0" "$s" "$2" >"$dir/why" || rc=$?
	[ $rc -lt 124 ] || echo "it hung: ended after ${CLI_LIMIT:-240} s, with status $rc" >>"$dir/why"
	if [ $rc = 0 ]; then
		grep '^#' "$dir/why"
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		head -n 20 "$dir/why" | sed 's/^/# /'
		failed=1
	fi
}

# refused STATUS TEXT COMMAND…: the command ends with STATUS, and one line of errors that has TEXT
refused() {
	local status=$1 text=$2 rc=0; shift 2
	timeout 20 "$@" >"$dir/out" 2>"$dir/err" || rc=$?
	[ $rc = "$status" ] || { fail "status $rc, not $status: $(cat "$dir/err")"; return; }
	grep -qF -- "$text" "$dir/err" || { fail "does not say '$text': $(cat "$dir/err")"; return; }
	[ "$(wc -l <"$dir/err")" = 1 ] || fail "more than a line: $(cat "$dir/err")"
}

usage() {
	printf '0,10\n5,20\n3,30\n' >"$dir/order.csv"
	refused 2 "no load is given" "$s" true &&
	refused 2 "a load of 150 %" "$s" -l 150 true &&
	refused 2 "needs a number, not 'nan'" "$s" -l nan true &&
	refused 2 "a load of -5 %" "$s" -l -5 true &&
	refused 2 "no program is given" "$s" -l 5 &&
	refused 2 "order.csv, line 3: 3 s is not after the line before it" "$s" --trace "$dir/order.csv" true &&
	refused 2 "more than one load" "$s" -l 5 --sine 50,10,3 true &&
	refused 2 "a sine from -10 to 70 %" "$s" --sine 30,40,5 true &&
	refused 2 "--quantum 900: it must be 2 to 500 ms" "$s" -l 5 --quantum 900 true &&
	refused 2 "--method foo: there are pi" "$s" -l 5 -m foo true &&
	refused 2 "either a program, --jobs, --pid or --cgroup" "$s" -l 5 -p 2 true &&
	refused 1 "process $$: showstopper is below it" "$s" -l 5 -p $$ &&
	refused 1 "process 1: showstopper is below it" "$s" -l 5 -p 1 &&
	refused 2 "--cpus x is no list" "$s" -l 5 --cpus x true &&
	refused 2 "--cpus 900: one of them is not online" "$s" -l 5 --cpus 900 true &&
	refused 2 "the trace would be too long, or too short" "$s" --sine 50,10,1 --speed 1e10 true &&
	refused 2 "the trace would be too long, or too short" "$s" --staircase 5,95,5,1 --speed 1e12 true &&
	refused 2 "too long, or too short" "$s" --staircase 5,95,5,1 --speed 1e-12 true &&
	refused 2 "a staircase of more than 10000 steps" "$s" --staircase 1,99,0.0000001,1 true &&
	refused 2 "are for programs that showstopper starts" "$s" -l 5 -m nbench -p $$ &&
	refused 2 "jobs.json" "$s" -l 5 --jobs "$dir/jobs.json"
}

programs() {
	refused 1 "/nonexistent: No such file or directory" "$s" -q -l 50 -n 1 /nonexistent &&
	refused 1 "false ends at once, with status 1" "$s" -q -l 50 -n 1 --restart false
}

# showstopper ends with the status of one program, and with 0 for several.
statuses() {
	local rc=0
	"$s" -q -l 50 -n 1 sh -c 'exit 7' || rc=$?
	[ $rc = 7 ] || fail "exit status $rc"
	rc=0
	"$s" -q -l 50 -n 1 sh -c 'kill -TERM $$' || rc=$?
	[ $rc = 143 ] || fail "status of a signal $rc"
	rc=0
	"$s" -q -l 50 -n 2 sh -c 'exit 7' || rc=$?
	[ $rc = 0 ] || fail "status of several programs $rc"
}

nested() { refused 2 "runs below another showstopper" "$s" -q -m cdc -l 50 -n 1 "$s" -l 50 true; }

permissions() {
	[ "$(id -u)" = 0 ] || { echo "# not root: nothing to drop"; return; }
	local user=(setpriv --reuid=1000 --regid=1000 --clear-groups --) rc=0
	# A set-uid program that changes its real user, too, as su does.
	cp "$(command -v setpriv)" "$dir/set-uid"; chmod 4755 "$dir/set-uid"
	sleep 100 & local other=$!
	XDG_RUNTIME_DIR='' SHOWSTOPPER_RUNS='' refused 1 "process $other: it is another user's" "${user[@]}" "$s" -q -l 50 -p $other
	rc=$?
	kill $other; wait $other 2>/dev/null
	refused 1 "process $other: there is none" "$s" -q -l 50 -p $other || return
	XDG_RUNTIME_DIR='' SHOWSTOPPER_RUNS='' refused 1 "$dir/set-uid: not permitted to stop it" \
		"${user[@]}" "$s" -q -m cdc -l 50 -n 1 "$dir/set-uid" --reuid=0 --regid=0 --clear-groups sleep 3 || return
	return $rc
}

# The states of processes whose programs are in $dir, with the number of processes.
states() { ps -eo stat=,args= | awk -v p="$dir/" 'index($2, p) || index($3, p) { print substr($1, 1, 1) }' | sort | uniq -c; }

# wait_for PATTERN SECONDS: wait until states() prints a line that matches
wait_for() {
	local end=$((SECONDS + $2))
	until states | grep -qE "$1"; do
		[ $SECONDS -lt $end ] || { fail "no '$1' among: $(states)"; return; }
		sleep 0.01
	done
}

# A child that leaves the group and its session is stopped, too. No process is left stopped.
strays() {
	printf '#!/bin/sh\nsetsid sh -c "while :; do sleep 0.05; done; : %s/" &\nsleep 0.3\nexec sleep 60\n' "$dir" >"$dir/strays"
	chmod +x "$dir/strays"
	"$s" -q -m cdc -l 10 -n 1 "$dir/strays" & local run=$!
	local end=$((SECONDS + 15)) seen=
	until [ -n "$seen" ] || [ $SECONDS -ge $end ]; do
		ps -eo stat=,args= | awk -v p="$dir/" '/^T.*sleep 0.05/ && index($0, p) { f = 1 } END { exit !f }' && seen=yes
	done
	kill -TERM $run; wait $run
	[ -n "$seen" ] || fail "the stray was never stopped"
	end=$((SECONDS + 5))
	while pgrep -f "$dir/strays" >/dev/null && [ $SECONDS -lt $end ]; do sleep 0.05; done
	states | grep -q T && fail "left stopped: $(states)"
	pkill -f "done; : $dir/"
	true
}

# Attached processes, and children that they start later, are stopped, and run on afterwards.
attached() {
	cp /bin/sleep "$dir/sleep"
	bash -c "$dir/sleep 60 & sleep 1.5; $dir/sleep 61 & wait" & local other=$!
	"$s" -q -m cdc -l 10 -d 4 -p $other & local run=$!
	wait_for '^ *2 T$' 12 || true
	wait $run || fail "status $?"
	states | grep -q T && fail "left stopped: $(states)"
	kill -0 $other || fail "it was ended"
	pkill -P $other; kill $other
	wait $other 2>/dev/null
	true
}

# If a process ends, or is killed, while its descendants are stopped, they are not left stopped.
orphans() {
	cp /bin/sleep "$dir/orphan"
	bash -c "(exec $dir/orphan 60) & (bash -c '$dir/orphan 61 & sleep 6' & sleep 7) & wait" & local other=$!
	wait_for '^ *2 S$' 5 || return
	"$s" -q -m cdc -l 5 -d 20 -p $other & local run=$!
	wait_for '^ *2 T$' 10 || return
	# Meanwhile all parents except the first end.
	sleep 9
	kill -KILL $other; wait $other 2>/dev/null
	wait $run
	states | grep -q T && fail "left stopped: $(states)"
	[ "$(states | grep -c .)" = 1 ] || fail "ended: $(states)"
	pkill -f "$dir/orphan"
	true
}

# of_run GUARDIAN: the PIDs of the run's processes except the warden, separated by blanks
of_run() {
	local master
	master=$(pgrep -x -P "$1" showstopper)
	echo "$1" "$master" "$(pgrep -d ' ' -P "$master")"
}

# Guardian and executor of an attached process are killed at once; then the master with them. The
# process is not left stopped.
attached_and_killed() {
	cp /bin/sleep "$dir/left"
	"$dir/left" 60 & local other=$! run who
	for who in 1,3 1-3; do
		"$s" -q -m cdc -l 5 -p $other 2>/dev/null & run=$!
		wait_for '^ *1 T$' 10 || return
		# shellcheck disable=SC2046
		kill -KILL $(of_run $run | cut -d ' ' -f $who)
		wait $run 2>/dev/null
		sleep 1.2
		states | grep -q T && fail "left stopped: $(states)"
	done
	kill $other; wait $other 2>/dev/null
	"$s" rescue >/dev/null
}

# Programs that ignore signals end with showstopper, however that is ended.
ends_programs() {
	local sig run begin
	for sig in TERM HUP; do
		printf '#!/bin/sh\ntrap "" TERM HUP\nwhile :; do sleep 0.1; done\n' >"$dir/deaf"
		chmod +x "$dir/deaf"
		"$s" -q -m cdc -l 50 -n 2 sh -c "$dir/deaf & wait" & run=$!
		begin=$SECONDS
		until [ "$(pgrep -cf "$dir/deaf")" -ge 4 ] || [ $((SECONDS - begin)) -gt 10 ]; do sleep 0.05; done
		kill -$sig $run; wait $run
		[ $? = $((128 + $(kill -l $sig))) ] || fail "status after SIG$sig"
		pgrep -f "$dir/deaf" >/dev/null && fail "programs were left by SIG$sig"
	done
	# The reader of the log ends.
	"$s" -q -m cdc -l 50 -n 1 -o - --restart "$dir/deaf" 2>/dev/null | head -n 1 >/dev/null
	pgrep -f "$dir/deaf" >/dev/null && fail "programs were left by a closed pipe"
	true
}

# No process of a program is left when showstopper returns, although many take a while to die.
killed_are_gone() {
	local loops=() run begin
	cat >"$dir/many" <<-'EOF'
		#!/usr/bin/python3
		import os, signal, sys, time
		for s in (signal.SIGTERM, signal.SIGHUP):
		    signal.signal(s, signal.SIG_IGN)
		memory = bytearray(20 << 20)
		for i in range(100):
		    if os.fork() == 0:
		        break
		open(sys.argv[1], "a").write(".")
		while True:
		    time.sleep(0.2)
	EOF
	chmod +x "$dir/many"
	: >"$dir/begun"
	for _ in 1 2 3 4; do
		sh -c 'while :; do :; done' & loops+=($!)
	done
	"$s" -q -m cdc -l 50 -n 1 nice -n 19 "$dir/many" "$dir/begun" & run=$!
	begin=$SECONDS
	until [ "$(stat -c %s "$dir/begun")" -gt 100 ] || [ $((SECONDS - begin)) -gt 60 ]; do sleep 0.1; done
	kill -HUP $run; wait $run
	pgrep -fc "$dir/begun" >"$dir/left" && fail "$(cat "$dir/left") were left"
	kill "${loops[@]}"; wait "${loops[@]}" 2>/dev/null
	true
}

iterations() {
	"$s" -q -m cdc -l 100 -n 2 -d 5 --restart --iterations "$dir/iterations.csv" --json="$dir/summary.json" \
		sh -c ': "a, b"; sleep 0.3' || fail "status $?"
	python3 - "$dir/iterations.csv" "$dir/summary.json" <<-'EOF' || fail "$(head -n 3 "$dir/iterations.csv")"
		import csv, json, sys
		rows = list(csv.DictReader(open(sys.argv[1])))
		assert len(rows) > 6 and {r["unit"] for r in rows} == {"0", "1"}, rows
		assert {(r["program"], r["status"]) for r in rows} == {("sh", "0")}
		for unit in "01":
		    mine = [(float(r["begin_s"]), float(r["end_s"])) for r in rows if r["unit"] == unit]
		    assert all(e - b > 0.29 for b, e in mine), mine
		    assert all(b >= before for (_, before), (b, _) in zip(mine, mine[1:])), mine
		summary = json.load(open(sys.argv[2]))
		assert summary["iterations_per_s"] > 0 and summary["begin_monotonic_s"] > 0
	EOF
	refused 1 "nowhere/x: No such file or directory" "$s" -q -l 5 --iterations "$dir/nowhere/x" true
}

# On a terminal, -v shows the run, and then restores the screen, also if the master is killed.
view() {
	cp /bin/sleep "$dir/seen"
	python3 - "$s" "$dir/seen" <<-'EOF' || fail "see above"
		import os, pty, re, select, signal, subprocess, sys, termios, time
		for kill in False, True:
		    pid, fd = pty.fork()
		    if not pid:
		        os.environ.update(TERM="xterm", LINES="24", COLUMNS="80")
		        os.execv(sys.argv[1], [sys.argv[1], "-v", "-m", "cdc", "-l", "40", "-n", "2", "--", "sh", "-c",
		                               "echo noise; " + sys.argv[2] + " 60"])
		    before, out, end, done = termios.tcgetattr(fd), b"", time.monotonic() + 30, False
		    while time.monotonic() < end:
		        if select.select([fd], [], [], 0.1)[0]:
		            try:
		                out += os.read(fd, 65536)
		            except OSError:
		                break
		        if not done and b"40.0 %" in out and b"DUTY" in out:
		            done = True
		            if kill:
		                os.kill(int(subprocess.check_output(["pgrep", "-x", "-P", str(pid), "showstopper"])), signal.SIGKILL)
		            else:
		                os.write(fd, b"q")
		    _, status = os.waitpid(pid, 0)
		    assert done, out
		    assert os.waitstatus_to_exitcode(status) == (1 if kill else 130), status
		    assert b"noise" not in out and re.search(rb"sh.{1,12}2 +40.0", out), out
		    assert out.count(b"\x1b[?1049h") == out.count(b"\x1b[?1049l") == 1, out
		    assert not kill or b"the master was killed" in out.split(b"\x1b[?1049l")[1], out
	EOF
	# In the background, -v reads no keys, and does not use the screen.
	python3 - "$s" "$dir/seen" <<-'EOF' || fail "in the background, see above"
		import os, pty, select, sys, time
		pid, fd = pty.fork()
		if not pid:
		    run = os.fork()
		    if not run:
		        os.setpgid(0, 0)
		        os.execv(sys.argv[1], [sys.argv[1], "-v", "-m", "cdc", "-l", "40", "-n", "1", "-d", "3", "--",
		                               sys.argv[2], "60"])
		    os._exit(os.waitstatus_to_exitcode(os.waitpid(run, 0)[1]))
		out, end = b"", time.monotonic() + 20
		os.write(fd, b"xy")
		while time.monotonic() < end:
		    if select.select([fd], [], [], 0.1)[0]:
		        try:
		            out += os.read(fd, 65536)
		        except OSError:
		            break
		else:
		    sys.exit("it did not end")
		assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, out
		assert b"\x1b[?1049h" not in out and b"target  40.0 %" in out, out
	EOF
	"$s" -v -m cdc -l 40 -n 1 -d 2 sleep 60 </dev/null 2>"$dir/err" || fail "status $?"
	[ "$(grep -c 'target  40.0 %' "$dir/err")" -ge 3 ] || fail "without a terminal: $(cat "$dir/err")"
	pkill -f "$dir/seen"
	true
}

# A program that stops itself is continued, also at 100 %, where showstopper never stops it.
stops_itself() {
	timeout 20 "$s" -q -m cdc -l 100 -n 1 sh -c 'kill -STOP $$; exit 5' 2>"$dir/err"
	[ $? = 5 ] || fail "it was left stopped"
	grep -q "sh has stopped itself: it is continued" "$dir/err" || fail "$(cat "$dir/err")"
}

# 100 % is too much for a program that sleeps, and 0 % is too little if other programs work: on any
# machine there is one of both messages.
unreachable() {
	timeout 60 "$s" -q -l 100 -d 9 -n 1 sleep 60 2>"$dir/err"
	grep -qE "a load of 100 % is out of reach: with nothing stopped it is [0-9.]+ %; use more copies" "$dir/err" &&
		return
	timeout 60 "$s" -q -l 0 -d 9 -n 1 sleep 60 2>"$dir/err"
	grep -qE "a load of 0 % is out of reach: with everything stopped it is [0-9.]+ %; other programs" "$dir/err" ||
		fail "$(cat "$dir/err")"
}

# Without a runtime folder, or with another user's, an ordinary user has a folder in /tmp.
runtime_folders() {
	[ "$(id -u)" = 0 ] || { echo "# not root: nobody to become"; return 0; }
	local base user=(setpriv --reuid=1000 --regid=1000 --clear-groups -- env -u SHOWSTOPPER_RUNS) other
	mkdir "$dir/roots" && mkdir -m 777 "$dir/open"
	for base in '' /nonexistent "$dir/roots" "$dir/open"; do
		XDG_RUNTIME_DIR=$base "${user[@]}" "$s" -q -m cdc -l 50 -n 1 true || fail "XDG_RUNTIME_DIR=$base: status $?"
	done
	refused 1 "/roots: Operation not permitted; set SHOWSTOPPER_RUNS to a folder that is yours" \
		"${user[@]}" SHOWSTOPPER_RUNS="$dir/roots" "$s" -q -l 50 true || return
	refused 1 "/nowhere/x: No such file or directory; set SHOWSTOPPER_RUNS" \
		env SHOWSTOPPER_RUNS="$dir/nowhere/x" "$s" -q -l 50 true || return
	# Rescue finds a run that had no XDG_RUNTIME_DIR.
	cp /bin/sleep "$dir/lost"
	XDG_RUNTIME_DIR='' "${user[@]}" "$s" -q -m cdc -l 5 -n 1 "$dir/lost" 60 2>/dev/null & other=$!
	wait_for '^ *1 T$' 10 || return
	# shellcheck disable=SC2046
	kill -KILL $(of_run $other) $(pgrep -x -P $other warden); wait $other 2>/dev/null
	mkdir "$dir/theirs" && chown 1000:1000 "$dir/theirs"
	XDG_RUNTIME_DIR="$dir/theirs" "${user[@]}" "$s" rescue >"$dir/out"
	grep -q "^run of process $other: " "$dir/out" || fail "rescue: $(cat "$dir/out")"
	pkill -KILL -f "$dir/lost"
	true
}

# A trace of one sample is constant, and ends at that sample, which needs -d if it is at 0 s.
one_sample() {
	echo 1,40 >"$dir/one.csv"
	timeout 20 "$s" -q -m cdc --trace "$dir/one.csv" -n 1 sleep 60 || fail "status $? of a sample at 1 s"
	echo 0,40 >"$dir/one.csv"
	refused 2 "one.csv: one sample, at 0 s, has no length: give --duration" "$s" -q --trace "$dir/one.csv" true || return
	timeout 20 "$s" -q -m cdc --trace "$dir/one.csv" -d 1 -n 1 sleep 60 || fail "status $? with -d"
}

# Logs are valid up to their last line, also after SIGTERM.
logs() {
	local f
	for f in csv jsonl; do
		: >"$dir/log.$f"
		"$s" -q -m cdc -l 30 -n 2 -o "$dir/log.$f" --restart sleep 0.2 & local run=$!
		until [ "$(wc -l <"$dir/log.$f")" -ge 4 ]; do sleep 0.05; done
		kill -TERM $run; wait $run
		[ $? = 143 ] || fail "status after SIGTERM"
	done
	awk -F, 'NF != 6 { exit 1 } NR > 1 && $2 != "30.000" { exit 1 }' "$dir/log.csv" || fail "$(cat "$dir/log.csv")"
	python3 -c 'import json, sys
for line in open(sys.argv[1]):
    assert json.loads(line)["target_percent"] == 30' "$dir/log.jsonl" || fail "$(cat "$dir/log.jsonl")"
	tail -n 1 "$dir/log.csv" | awk -F, '{ exit !($6 > 0) }' || fail "no iterations: $(tail -n 1 "$dir/log.csv")"
}

jobs_file() {
	cat >"$dir/jobs.json" <<-EOF
	[{"command": ["sh", "-c", "echo a >>$dir/done"], "copies": 2}, {"command": ["sh", "-c", "echo b >>$dir/done"]}]
	EOF
	"$s" -q -l 50 --jobs "$dir/jobs.json" || fail "status $?"
	[ "$(sort "$dir/done" | tr -d '\n')" = aab ] || fail "$(cat "$dir/done")"
	echo '[{"copies": 2}]' >"$dir/jobs.json"
	refused 2 'job 1 has no "command"' "$s" -l 50 --jobs "$dir/jobs.json"
}

# All of showstopper is killed, and the remains of a machine's crash are simulated: processes stay
# stopped, and the run's file exists. Rescue continues these processes, and no others.
rescue() {
	cp /bin/sleep "$dir/rescued"
	"$s" rescue >/dev/null || fail "status $?"
	"$s" -q -m cdc -l 5 -n 2 "$dir/rescued" 60 2>/dev/null & local run=$!
	wait_for '^ *2 T$' 10 || return
	# shellcheck disable=SC2046
	kill -KILL $(of_run $run) $(pgrep -x -P $run warden)
	wait $run 2>/dev/null
	sleep 0.3
	pkill -STOP -f "$dir/rescued"
	wait_for '^ *2 T$' 5 || return
	sleep 60 & local unrelated=$!
	kill -STOP $unrelated
	until [ "$(cut -d' ' -f3 /proc/$unrelated/stat)" = T ]; do sleep 0.01; done
	"$s" rescue >"$dir/out" || fail "status $?"
	grep -qE "^run of process $run: 2 continued\$" "$dir/out" || fail "$(cat "$dir/out")"
	states | grep -q T && fail "left stopped: $(states)"
	[ "$(cut -d' ' -f3 /proc/$unrelated/stat)" = T ] || fail "continued somebody else's"
	kill -KILL $unrelated; wait $unrelated 2>/dev/null; pkill -KILL -f "$dir/rescued"
	"$s" rescue | grep -q '^0 runs without a guardian' || fail "the file is still there"
}

# 500 programs at once: no process of showstopper is left.
many() {
	"$s" -q -m cdc -l 50 -n 500 -d 3 sleep 60 || { fail "status $?"; return; }
	local pid
	for pid in $(with_mark "SHOWSTOPPER_RUNS=$SHOWSTOPPER_RUNS"); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != showstopper ] || fail "showstopper is still there: process $pid"
	done
}

. "$(dirname "$0")/cli_groups.sh"
. "$(dirname "$0")/cli_hang.sh"
if [ $# = 2 ]; then
	"$2" && [ -z "$why" ] && exit
	echo "$why"
	exit 1
fi

check "wrong usage" usage
check "programs that fail" programs
check "exit status" statuses
check "nested" nested
check "permissions" permissions
check "children that leave the group" strays
check "running processes" attached
check "descendants whose parents end" orphans
check "attached, guardian and executor killed" attached_and_killed
check "programs end with it" ends_programs
check "what it killed is gone when it returns" killed_are_gone
check "a control group" cgroup
check "programs in a control group" in_cgroup
check "the freezer" freezer
check "iterations and summary" iterations
check "the whole screen" view
check "a program that stops itself" stops_itself
check "a load out of reach" unreachable
check "folders of runs" runtime_folders
check "CPUs" cpus
check "a trace of one sample" one_sample
check "logs" logs
check "a FIFO without a reader" fifo
check "a log whose reader hangs" full_pipe
check "what hangs is named" names_what_hangs
check "jobs" jobs_file
check "rescue" rescue
check "500 programs" many
echo "1..$n"
exit $failed
