# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Fair progress on a simulated machine: phases, speeds alone, and the times that programs would have
# needed alone.
. "$(dirname "${BASH_SOURCE[0]}")/models.sh"

# with_fair PARAMETER…: make the module active anew, so that it has learnt nothing yet
with_fair() {
	without_fair
	insmod $MODULES/pmctrack_mmon_fair_progress.ko address_instr=200000 "$@"
	echo fair_progress >$MANAGER
}
without_fair() {
	echo none >$MANAGER
	rmmod pmctrack_mmon_fair_progress 2>/dev/null || true
}

# peak: the most cache lines per ms that the simulated machine's memory transfers
peak() { python3 -c 'import json, sys; print(json.load(sys.stdin)["nodes"][0]["mem_mbs"] * 1000 // 64)' < <(simapp --describe "$(simapp --machine | sed -n 's/^simulated machine: //p')"); }

FAIR=progress,slowdown,phase,windows,valid_windows
# fair FILE PROGRAM [OPTION…]: run it on CPU 0
fair() { taskset -c 0 pmctrack --csv -T 0.1 -V $FAIR -o "$1" simapp -j "${@:3}" "$2" >"$1.truth"; }
# judge FILE: the true slowdown and the estimated one, in thousandths
judge() {
	awk -v alone="$(alone "$1.truth" 1)" -v ns="$(csv_sum "$1" run_ns)" -v progress="$(csv_sum "$1" progress)" 'BEGIN {
		printf "%d %d\n", ns / alone / 1e6, 1000 * ns / progress }'
}

# knows_slowdown FILE: a program beside soplex was slowed down, and the estimate is within 5 %
knows_slowdown() {
	local true estimated
	read -r true estimated < <(judge "$1")
	echo "# beside soplex: $true, estimated $estimated; $(csv_sum "$1" windows) windows, $(csv_sum "$1" valid_windows) valid"
	more "$true" 1080 "slowed down"
	on_time more "$estimated" $((true * 95 / 100)) "estimated slowdown"
	on_time more $((true * 105 / 100)) "$estimated" "estimated slowdown"
}

# Alone, a program is not slowed down, and its phases are found. Beside another program, nearly all
# its windows are in the same phases, and its speed alone is known from before.
test_fair_progress() {
	only sim
	local other phases place known new true estimated
	with_fair peak="$(peak)"
	fair /tmp/alone mcf -x 200
	read -r true estimated < <(judge /tmp/alone)
	echo "# alone: $true, estimated $estimated; $(csv_sum /tmp/alone windows) windows, $(csv_sum /tmp/alone valid_windows) valid"
	on_time more "$estimated" 985
	on_time more 1015 "$estimated"
	# Whoever is not monitored and keeps another CPU busy for 5 ms or so (a kernel thread) makes
	# a window invalid, because nobody knows what he moves. That is rare with four CPUs (once in
	# some 30 runs), and more frequent with more.
	on_time more "$(csv_sum /tmp/alone valid_windows)" \
		$(($(csv_sum /tmp/alone windows) * $([ "$(nproc)" = 4 ] && echo 98 || echo 90) / 100)) "valid windows alone"
	phases=$(grep -c " phase=" /proc/pmc/mmon_state)
	cat /proc/pmc/mmon_state
	more "$phases" 3 "phases of four"
	place=$(grep -o "^program=[0-9]* " /proc/pmc/mmon_state | head -n 1)
	place=${place% }
	known=$(grep -c "^$place phase=" /proc/pmc/mmon_state)
	taskset -c 1 simapp -x 10000 soplex >/dev/null & other=$!
	taskset -c 1 pmctrack -V progress -o /dev/null -p $other & mine=$!
	sleep 0.5
	fair /tmp/beside mcf -x 200
	kill $other
	wait $mine || true
	cat /proc/pmc/mmon_state
	knows_slowdown /tmp/beside
	# Whether a window on the border of two phases is like one of them, or a new one, is luck.
	new=$(sed -n "s/^$place phase=\([0-9]*\) windows=\([0-9]*\) .*/\1 \2/p" /proc/pmc/mmon_state |
		awk -v known="$known" '$1 > known { n += $2 } END { print n + 0 }')
	more $(($(csv_sum /tmp/beside windows) / 20)) "$new" "windows in new phases"
	without_fair
}

# CPUs go offline and come back while a program runs alone, and while another one, which must leave
# its CPU again and again, slows it down: estimates are as good as without that.
long_test_fair_hotplug() {
	only sim
	local other mine cycler true estimated cpu=/sys/devices/system/cpu/cpu
	with_fair peak="$(peak)"
	# The other one has mcf's cache for itself and mcf, until it must go to a CPU without that.
	while :; do
		for state in 0 1; do sleep 0.4; echo $state >${cpu}1/online; echo $state >${cpu}3/online; done
		taskset -pc 1 "$(pgrep -x -o -f "simapp .* soplex")" || true
	done >/dev/null 2>&1 & cycler=$!
	fair /tmp/alone mcf -x 200
	read -r true estimated < <(judge /tmp/alone)
	echo "# alone: $true, estimated $estimated; $(csv_sum /tmp/alone windows) windows, $(csv_sum /tmp/alone valid_windows) valid"
	on_time more "$(csv_sum /tmp/alone valid_windows)" $(($(csv_sum /tmp/alone windows) * 2 / 3)) "valid windows alone"
	on_time more "$estimated" 985
	on_time more 1015 "$estimated"
	simapp -x 10000 soplex >/dev/null & other=$!
	pmctrack -V progress -o /dev/null -p $other & mine=$!
	sleep 0.5
	fair /tmp/beside mcf -x 200
	kill $other
	wait $mine || true
	kill $cycler
	wait $cycler || true
	echo 1 | tee ${cpu}1/online >${cpu}3/online
	knows_slowdown /tmp/beside
	without_fair
}

# Wrong parameters are refused by name, and so are users without rights. The address samples of a
# module cannot be had in users' own event sets.
test_fair_refused() {
	only sim
	local wrong
	for wrong in address_instr=9999:address_instr programs=15:"programs is 16 to 65536, threads 16 to 1048576" threads=8:"programs is" \
		own_low=0:own_low system_low=1001:system_low lines=nothing:"nothing: unknown event"; do
		without_fair
		insmod $MODULES/pmctrack_mmon_fair_progress.ko "${wrong%%:*}"
		dmesg -C
		! echo fair_progress 2>/dev/null >$MANAGER || fail "active with ${wrong%%:*}"
		dmesg | grep -q "monitoring module fair_progress: .*${wrong#*:}" || fail "${wrong%%:*}: $(dmesg)"
	done
	with_fair
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	expect_refusal 1 "virtual counter progress shows what others do, too: that needs CAP_PERFMON" \
		user pmctrack -V progress true
	expect_refusal 1 "virtual counter progress is made of the counts of module fair_progress's own events" \
		pmctrack -c instr -V progress true
	expect_refusal 1 "ip: addresses of instructions are for monitoring modules; use ebs" pmctrack -r -c pmc0,ip0=100000 true
	without_fair
}

# Programs start and end, and find places. What was learnt stays for the next process of a program.
test_fair_programs() {
	only sim
	local i
	with_fair programs=16 threads=16
	for i in 1 2 3 4 5 6; do
		simapp -x 20 mcf & simapp -x 20 gamess & sh -c 'exec simapp -x 10 mesa' &
	done >/dev/null
	pmctrack -S -V progress -T 0.2 -o /dev/null sleep 1 || true
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do pmctrack -V $FAIR -o /dev/null simapp -n 2 -x 20 gamess; done
	wait
	for i in mcf mesa povray namd; do pmctrack -V $FAIR -o /dev/null simapp -x 30 $i; done
	cat /proc/pmc/mmon_state
	more "$(grep -c "^program=.* content=" /proc/pmc/mmon_state)" 4 "programs"
	! grep -E "^program=.* threads=[1-9]" /proc/pmc/mmon_state || fail "places of those who have ended"
	equal "$(state threads_refused)" 0 "threads without a place"
	without_fair
}

# All lines that a program moves are its traffic, also those that become known with its records,
# because addresses are far apart.
test_fair_traffic() {
	only sim
	local peak
	with_fair
	taskset -c 0 pmctrack -V progress -T 1 -o /dev/null simapp -x 20 lbm >/dev/null
	peak=$(state peak)
	with_fair address_instr=20000000
	taskset -c 0 pmctrack -V progress -T 0.01 -o /dev/null simapp -x 20 lbm >/dev/null
	# Records come every third tick. So an epoch of 10 ms seems to have what was moved in 12 ms.
	on_time near "$(state peak)" $((peak * 6 / 5)) 20 "highest traffic"
	without_fair
}

# A user gets half of the places of programs. Others find places then.
test_fair_places() {
	only sim
	local user=(setpriv --reuid=1000 --regid=1000 --clear-groups) its="^program=.* uid=1000 .* threads=1 "
	chmod 666 /dev/pmctrack_sim
	with_fair programs=16 threads=64
	for _ in $(seq 12); do
		pmctrack -V progress -o /dev/null "${user[@]}" simapp -x 900 gamess >/dev/null &
	done 2>/dev/null
	crowded() { [ "$(grep -c "$its" /proc/pmc/mmon_state)" -ge 8 ] && [ "$(state programs_refused)" -ge 12 ]; }
	eventually crowded
	expect_status 0 pmctrack -V $FAIR -o /dev/null simapp -x 20 gamess
	grep -v phase= /proc/pmc/mmon_state
	equal "$(grep -c "$its" /proc/pmc/mmon_state)" 8 "places of the user"
	grep -q "^program=.* uid=0 " /proc/pmc/mmon_state || fail "no place for another user"
	pkill simapp
	wait || true
	chmod 600 /dev/pmctrack_sim
	without_fair
}

# What was learnt outlives the module: phasedb keeps it, and gives it to the next process. Its speed
# alone is then known although it never ran alone. Forged records are refused.
long_test_fair_phasedb() {
	only sim
	local other mine keeper file=/tmp/phases.db programs=/proc/pmc/programs
	rm -f $file
	with_fair peak="$(peak)"
	expect_refusal 1 "^phasedb: $programs is root's: it says what others run" user phasedb top --batch
	phasedb -d $file watch -i 0.2 & keeper=$!
	fair /tmp/alone mcf -x 200
	sleep 0.5
	kill $keeper
	wait $keeper || fail "status $? after SIGTERM"
	phasedb -d $file list
	phasedb -d $file show simapp
	phasedb -d $file list --json | grep -q '"program": "simapp"'
	equal "$(stat -c %a $file)" 600 "mode of the database"
	python3 -c 'import os
fd = os.open("/proc/pmc/programs", os.O_RDONLY)
records = [os.pread(fd, 27288, i * 27288) for i in range(512)]
open("/tmp/record", "wb").write(next(r for r in records if r[16:24] != bytes(8)))'
	# As after another boot, the module knows nothing.
	with_fair peak="$(peak)"
	! grep -q "^program=.* content=" /proc/pmc/mmon_state || fail "it knows a program"
	phasedb -d $file watch -v -i 0.2 >/tmp/keeper & keeper=$!
	taskset -c 1 simapp -x 10000 soplex >/dev/null & other=$!
	# soplex is the same file, so it is given the same phases; its own phases are different.
	taskset -c 1 pmctrack -V progress -o /dev/null -p $other & mine=$!
	fair /tmp/beside mcf -x 200 &
	sleep 1
	phasedb top --batch -i 0.5 -n 4
	phasedb top --csv -i 0.2 -n 3 >/tmp/top.csv
	# On a terminal.
	TERM=xterm python3 -c 'import pty, sys; sys.exit(pty.spawn(["phasedb", "top", "-i", "0.2", "-n", "2"]))' >/tmp/screen </dev/null
	grep -q ADVANCES /tmp/screen && grep -q simapp /tmp/screen || fail "$(cat /tmp/screen)"
	wait $!
	kill $other
	wait $mine || true
	grep -E "^simapp\[[0-9]+\]: given [0-9]+ phases of [0-9]+ windows$" /tmp/keeper
	knows_slowdown /tmp/beside
	more "$(csv /tmp/top.csv windows | sort -n | tail -n 1)" 0 "windows that top tells of"
	# The module is deactivated under phasedb: both the watcher and a later reader get an error.
	echo none >$MANAGER
	! wait $keeper || fail "it watches nothing"
	expect_refusal 1 "there is none: as root" phasedb top --batch
	# Wrong records: too short, of no process, and changed at random for a process that exists.
	with_fair
	taskset -c 1 pmctrack -V progress -o /dev/null simapp -x 10000 soplex >/dev/null & other=$!
	there() { grep -qE "^program=.* process=[1-9][0-9]* " /proc/pmc/mmon_state; }
	eventually there
	python3 - <<-'P'
		import errno, os, random, struct
		lot, refused = random.Random(1), {}
		good = open("/tmp/record", "rb").read()
		assert len(good) == 27288, len(good)
		fd = os.open("/proc/pmc/programs", os.O_RDWR)
		for at, count in ((1, 100), (0, 10), (27289, 88)):
		    try:
		        os.pread(fd, count, at)
		        raise AssertionError((at, count))
		    except OSError:
		        pass
		assert os.pread(fd, 88, len(good) * 10 ** 12) == b""
		heads = [os.pread(fd, 88, i * len(good)) for i in range(512)]
		head = next(h for h in heads if struct.unpack_from("i", h, 28)[0])
		def write(data):
		    try:
		        assert os.pwrite(fd, data, 0) == len(good)
		        return 0
		    except OSError as error:
		        return error.errno
		def record(windows, head=head, rest=good[88:]):
		    return head[:44] + struct.pack("I", windows) + head[48:] + rest
		windows = struct.unpack_from("I", good, 44)[0]
		assert write(record(windows)[:-1]) == errno.EINVAL
		assert write(record(windows, head=head[:28] + struct.pack("i", 4000000) + head[32:])) == errno.ESRCH
		assert write(record(1)) == errno.EINVAL
		for i in range(2000):
		    rest = bytearray(good[88:])
		    for _ in range(1 + i % 4):
		        rest[lot.randrange(len(rest))] = lot.randrange(256)
		    status = write(record(2 ** 31 - 1 if i % 2 else windows + 1000, rest=bytes(rest)))
		    refused[status] = refused.get(status, 0) + 1
		print("#", {errno.errorcode.get(k, "given"): v for k, v in refused.items()})
		assert refused.get(errno.EINVAL, 0) > 20 and refused.get(0, 0) > 0, refused
		assert set(refused) <= {0, errno.EINVAL, errno.EEXIST}, refused
	P
	sleep 1
	kill $other
	wait $other || true
	without_fair
}
