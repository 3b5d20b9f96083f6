#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# awake.sh DEVICE: the tests of suspend.sh; DEVICE is the virtio device of "ctl".
set -u
cd /
. ./lib.sh
export S=/opt/pmctrack/selftests
n=0 status=0
# result NAME: of the command before it
result() {
	local rc=$?
	n=$((n + 1))
	if [ $rc = 0 ]; then echo "ok $n - suspend: $1"; else echo "not ok $n - suspend: $1"; status=1; fi
}
echo "KTAP version 1"
[ -e /share/lib ] && policies=1 || policies=0
echo "1..$((14 + policies))"

# asleep FILE WHAT [OPTION…] COMMAND…: a program sleeps on its way, and CPUs are monitored, too,
# while COMMAND puts the machine to sleep. FILE has its counts, by pmctrack with these options, and
# /tmp/cpus those of CPUs. No event of the program is lost, or counted twice.
asleep() {
	local file=$1 what=$2 attached cpus; shift 2
	start_waiting 00500000 2
	start_attached /tmp/attached -T 0.02 -c instr,cycles -p "$waiting"
	attached=$mine
	pmctrack -S --csv -o /tmp/cpus -T 0.05 -c cycles,instr:k sleep infinity & cpus=$!
	pmctrack --csv -o "$file" -T 0 -c instr,cycles,instr:k "$@" >/dev/null 2>"$file.err"
	result "$what"
	go
	wait "$waiting"
	wait "$attached"
	# One more than without: the system call in which the first thread waits begins again.
	equal "$(sum /tmp/attached instr)" $(($(rest 00500000 2) + 1)) "instructions of what slept"
	result "every event is counted once"
	kill "$cpus"
	wait "$cpus"
	pkill -x sleep 2>/dev/null || true
}

# rtcwake itself is in the middle of a system call on the last CPU.
asleep /tmp/rtcwake "the machine sleeps and wakes up" -V energy_package rtcwake -m mem -s 4
# The sleep took four seconds, and nobody ran meanwhile.
longest=$(csv /tmp/cpus run_ns | sort -n | tail -n 1) most=$(csv /tmp/cpus cycles | sort -n | tail -n 1)
[ "$longest" -gt 0 ] && [ "$longest" -lt 3000000000 ] && [ "$most" -lt 3000000000 ] ||
	fail "a row of $longest ns, one of $most cycles"
result "CPUs have neither the time nor events of the sleep"
[ "$(csv_sum /tmp/rtcwake run_ns)" -lt 3000000000 ] && [ "$(csv_sum /tmp/rtcwake instr:k)" -gt 1000 ] &&
	[ "$(csv_sum /tmp/rtcwake instr:k)" -lt 3000000000 ] || { cat /tmp/rtcwake; false; }
result "the thread on the CPU that slept last"

# The emulator's meter of the package begins anew with its CPU, as some machines' do, and that of
# the memory goes on. Nobody has what either counted meanwhile. A sleep is no reset.
uj=$(csv_sum /tmp/rtcwake energy_package)
[ "$uj" -gt 0 ] && [ "$uj" -lt 5000000 ] && [ "$(grep -c '^meter=.* resets=0$' /proc/pmc/mmon_state)" = 2 ] ||
	{ echo "# $uj uJ"; cat /tmp/rtcwake /proc/pmc/mmon_state; false; }
result "meters, one of which was reset"
echo none >/proc/pmc/mmon_manager
rmmod pmctrack_mmon_energy

# Others are held while a program is sampled, before a sleep and after it; none stays so, and the
# sleep is nobody's time.
begun() { awk '{ for (i = 1; i <= NF; i++) if (sub("^begun=", "", $i)) print $i }' /proc/pmc/mmon_state; }
echo quality_time >/proc/pmc/mmon_manager
taskset 2 bash -c 'while :; do :; done' & other=$!
pmctrack --csv -o /tmp/quality -T 0.05 -V quality_time,explained taskset 1 bash -c 'while :; do :; done' & mine=$!
sleep 1
before=$(begun)
rtcwake -m mem -s 3 >/dev/null
slept=$(begun) ran=$(awk '{ print $1 }' /proc/$other/schedstat)
sleep 1
echo "# holds: $before, $slept, $(begun)"
ran=$(($(awk '{ print $1 }' /proc/$other/schedstat) - ran))
kill $mine $other
wait $mine $other
more "$before" 5 "holds before" && more $(($(begun) - slept)) 5 "holds afterwards" &&
	more "$ran" 700000000 "ns that the other one had in a second" &&
	more 4000000000 "$(csv_sum /tmp/quality explained)" "ns explained" &&
	more "$(csv_sum /tmp/quality explained)" $(($(csv_sum /tmp/quality quality_time) - 1)) "ns of Quality Time" &&
	more "$(csv_sum /tmp/quality quality_time)" 500000000 "ns of Quality Time"
result "samples in which others are held"
echo none >/proc/pmc/mmon_manager
rmmod pmctrack_mmon_quality_time pmctrack_hold

# The sleep is nobody's progress either. A window in which others ran is an estimate, by what other
# windows took, so the sum can be more than the time by a hair: 85 ns of 1.9 s were seen.
echo fair_progress >/proc/pmc/mmon_manager
pmctrack --csv -o /tmp/fair -T 0.05 -V progress,windows,valid_windows taskset 1 bash -c 'while :; do :; done' & mine=$!
sleep 1
rtcwake -m mem -s 3 >/dev/null
slept=$(csv_sum /tmp/fair windows)
sleep 1
kill $mine
wait $mine
ran=$(csv_sum /tmp/fair run_ns) windows=$(csv_sum /tmp/fair windows)
echo "# $ran ns, progress $(csv_sum /tmp/fair progress); $slept windows, then $windows, $(csv_sum /tmp/fair valid_windows) valid"
more 4000000000 "$ran" "ns of a program that runs for two seconds" &&
	more "$(csv_sum /tmp/fair progress)" $((ran * 97 / 100)) "ns of progress alone" &&
	more $((ran * 1001 / 1000)) "$(csv_sum /tmp/fair progress)" "ns" &&
	more "$windows" $((slept + 50)) "windows afterwards" &&
	more "$(csv_sum /tmp/fair valid_windows)" $((windows * 8 / 10)) "valid windows"
result "progress"
echo none >/proc/pmc/mmon_manager
rmmod pmctrack_mmon_fair_progress

# What programs deliver is of the time in which they could: a second before the sleep and one after
# it are two.
qosd 2>/tmp/qosd.err & mine=$!
throughput run -n few -u x/s -e x -g 10 bash -c 'while sleep 0.1; do echo x; done' >/dev/null & other=$!
sleep 4
rtcwake -m mem -s 6 >/dev/null
sleep 1
qosctl list >/tmp/few; cat /tmp/few /tmp/qosd.err
kill $other
wait $other
kill $mine
wait $mine && equal "$(cat /tmp/qosd.err)" "" && awk '$2 == "few" { rate = $4 } END { exit !(rate >= 8 && rate <= 10.5) }' /tmp/few
result "rates of programs, and their goals"

# The counters, and their interrupt, are as they were. The time that samples take is not limited:
# the emulator may run the other CPU in the middle of an interrupt, which then seems to take long.
windows() {
	echo ebs_cpu_percent=0 >/proc/pmc/config
	pmctrack -c instr:ebs=100000,cycles $S/handcount 01000000 0 >/tmp/ebs &&
		equal "$(sum /tmp/ebs instr)" "$(hand_main 01000000 0)" &&
		equal "$(rows_of /tmp/ebs ebs)" 20 "windows"
}
windows
result "samples by events"

# To disk, and back within one boot (test_resume): the image is written and read again, and CPUs
# and devices go through all that they would go through otherwise, except that registers have what
# was counted after the image was made. Nobody is to see that: in the machine that is resumed, it
# did not happen.
mkswap /dev/vda >/dev/null && swapon /dev/vda && cat /sys/class/block/vda/dev >/sys/power/resume &&
	echo test_resume >/sys/power/disk && grep -q '\[test_resume\]' /sys/power/disk ||
	{ echo "Bail out! it would really power off"; exit 1; }
cat >/tmp/hibernate <<-'END'
	$S/handcount 00100000 0
	echo disk >/sys/power/state
END
asleep /tmp/own "the machine hibernates and resumes" taskset 1 bash -e /tmp/hibernate
# This machine executes an instruction a nanosecond, so nobody has more of them than of these.
[ "$(csv_sum /tmp/own instr:k)" -gt 1000000 ] &&
	[ $(($(csv_sum /tmp/own instr) + $(csv_sum /tmp/own instr:k))) -le "$(csv_sum /tmp/own run_ns)" ] ||
	{ cat /tmp/own; false; }
result "the thread that hibernates has nothing of what is undone"
# The clock and the counter are not read by the same instruction.
[ "$(csv_sum /tmp/cpus instr:k)" -gt 1000000 ] &&
	paste -d' ' <(csv /tmp/cpus instr:k) <(csv /tmp/cpus hw_ns) <(csv /tmp/cpus run_ns) |
	awk '$1 > $2 + 100 || $2 > $3 || $3 > 1e9 { print "# instr:k, hw_ns, run_ns:", $0; bad = 1 } END { exit bad }'
result "nor have the CPUs"
windows
result "samples by events after that"

# A policy begins again after a sleep, and all threads go on under it. A group has its limit.
policy() {
	local sched=(/share/lib/ld-linux-x86-64.so.2 --library-path /share/lib /share/lib/pmctrack-sched)
	local group=/sys/fs/cgroup/limited state=/sys/kernel/sched_ext/state pids=() rc=0 before pid
	echo +cpu >/sys/fs/cgroup/cgroup.subtree_control && mkdir $group && echo "20000 100000" >$group/cpu.max || return
	"${sched[@]}" -q rr 2>/tmp/sched.err & mine=$!
	eventually grep -q enabled $state || return
	for pid in 1 2 3; do bash -c 'while :; do :; done' & pids+=($!); done
	echo "${pids[0]}" >$group/cgroup.procs
	rtcwake -m mem -s 3 >/dev/null || return
	eventually grep -q "CPUs came or went" /tmp/sched.err && eventually grep -q enabled $state || return
	used() { awk '$1 == "usage_usec" { printf "%d ", $2 * 1000 }' $group/cpu.stat; cat /proc/"${pids[1]}"/schedstat; }
	# What the group had beyond its limit while there was no policy is paid in the first second.
	sleep 1
	before=$(used)
	sleep 5
	echo "$before $(used)" | awk '{ print "# of 5 s:", $5 - $1, $6 - $2 }
		END { exit !($5 - $1 > 0.9e9 && $5 - $1 < 1.1e9 && $6 - $2 > 4e9) }' || return
	kill "${pids[@]}" $mine
	wait $mine || rc=$?
	cat /tmp/sched.err
	equal $rc 0 "status of pmctrack-sched" && equal "$(grep -c "came or went" /tmp/sched.err)" 1 "new beginnings" &&
		eventually grep -q disabled $state
}
[ $policies = 0 ] || { policy; result "a policy"; }

cd /sys/bus/virtio/drivers/9pnet_virtio || exit 1
echo "$1" >unbind
echo "$1" >bind
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=none ctl /proc/1/root/run/vm
touch /proc/1/root/run/vm/reboot
exit $status
