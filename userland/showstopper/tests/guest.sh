#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests of what must not be done to the machine that runs the tests: CPUs go offline, clocks jump,
# memory is exhausted. Run this in a guest, as root, in the folder of the program. Prints KTAP.
set -u
s=$PWD/showstopper
n=0 status=0
echo "KTAP version 1"
echo "1..6"
check() {
	n=$((n + 1))
	if "$1" >/tmp/log 2>&1; then
		echo "ok $n - guest: $1"
	else
		echo "not ok $n - guest: $1"
		sed 's/^/# /' /tmp/log
		status=1
	fi
}
busy=(sh -c 'while :; do :; done')

cpu_hotplug() {
	"$s" -q -m pi -l 50 -d 6 -o /tmp/load.csv -- "${busy[@]}" & local run=$! i
	for i in 1 2 3; do
		sleep 0.8
		echo 0 >/sys/devices/system/cpu/cpu1/online || return
		sleep 0.5
		echo 1 >/sys/devices/system/cpu/cpu1/online || return
	done
	wait $run || { echo "status $?"; return 1; }
	cat /tmp/load.csv
	awk -F, 'NR > 1 && !($3 >= 0 && $3 <= 100) { exit 1 } END { exit NR < 8 }' /tmp/load.csv
}

# Steps of the wall clock do not change the run's times.
clock_steps() {
	local begin end now
	begin=$(cut -d. -f1 /proc/uptime) now=$(date +%s)
	"$s" -q -m cdc -l 50 -d 4 -o /tmp/load.csv -- "${busy[@]}" & local run=$!
	sleep 1
	date -s "@$((now + 86400))" && sleep 1 && date -s "@$((now - 86400))" || return
	wait $run || { echo "status $?"; return 1; }
	end=$(cut -d. -f1 /proc/uptime)
	date -s "@$((now + end - begin))"
	cat /tmp/load.csv
	# Starting and ending programs takes time, too, in an emulator.
	[ $((end - begin)) -ge 4 ] && [ $((end - begin)) -le 30 ] &&
		awk -F, 'NR > 1 && !($1 > last && $1 < 9) { exit 1 } { last = $1 + 0 } END { exit NR < 6 }' /tmp/load.csv
}

# The kernel kills the program that takes the memory, and no process of showstopper.
out_of_memory() {
	mkdir -p /tmp/cgroup && { mountpoint -q /tmp/cgroup || mount -t cgroup2 none /tmp/cgroup; } || return
	echo +memory >/tmp/cgroup/cgroup.subtree_control || return
	mkdir /tmp/cgroup/small && echo 40M >/tmp/cgroup/small/memory.max || return
	echo '[{"command": ["python3", "-c", "import time; time.sleep(1); x = [str(i) * (1 << 20) for i in range(10, 999)]"]},
		{"command": ["sh", "-c", "sleep 4; echo done >/tmp/survived"]}]' >/tmp/jobs.json
	rm -f /tmp/survived
	sh -c 'echo 0 >/tmp/cgroup/small/cgroup.procs; exec "$0" -q -m cdc -l 50 --jobs /tmp/jobs.json' "$s" ||
		{ echo "status $?"; return 1; }
	grep "oom_kill [1-9]" /tmp/cgroup/small/memory.events && [ -e /tmp/survived ]
}

# The kernel continues a warden that was stopped: it is the same process afterwards.
warden_cannot_be_stopped() {
	"$s" -q -m cdc -l 50 -n 1 sleep 60 & local run=$! i warden=''
	for i in {1..100}; do
		warden=$(pgrep -x -P $run warden) && break
		sleep 0.1
	done
	echo "warden $warden"
	kill -STOP "$warden" || return
	for i in {1..100}; do
		sleep 0.1
		grep "^State:.S" "/proc/$warden/status" && break
	done
	kill -TERM $run
	wait $run
	[ $? = 143 ] && [ "$i" -lt 100 ]
}

# --cpus is refused for CPUs that are not in the cpuset; programs run on those that are.
cpuset() {
	mkdir -p /tmp/cgroup && { mountpoint -q /tmp/cgroup || mount -t cgroup2 none /tmp/cgroup; } || return
	echo +cpuset >/tmp/cgroup/cgroup.subtree_control || return
	mkdir /tmp/cgroup/first && echo 0 >/tmp/cgroup/first/cpuset.cpus || return
	sh -c 'echo 0 >/tmp/cgroup/first/cgroup.procs; exec "$0" -q -l 50 --cpus 0-1 true' "$s" 2>/tmp/err
	[ $? = 2 ] && grep "cpuset of this process has no CPU 1; choose from 0," /tmp/err || { cat /tmp/err; return 1; }
	sh -c 'echo 0 >/tmp/cgroup/first/cgroup.procs; exec "$0" -q -m cdc -l 50 --cpus 0 true' "$s"
}

# A control group's processes are killed, and it is removed, while it is controlled: the run ends.
control_group_vanishes() {
	mkdir -p /tmp/cgroup && { mountpoint -q /tmp/cgroup || mount -t cgroup2 none /tmp/cgroup; } || return
	mkdir /tmp/cgroup/gone || return
	sleep 60 & local other=$! run
	echo $other >/tmp/cgroup/gone/cgroup.procs
	timeout 30 "$s" -m cdc -l 50 --cgroup /tmp/cgroup/gone 2>/tmp/err & run=$!
	sleep 2
	kill -KILL $other; wait $other
	until rmdir /tmp/cgroup/gone; do sleep 0.1; done
	wait $run
	local rc=$?
	cat /tmp/err
	[ $rc -le 1 ] && [ "$(wc -l </tmp/err)" -le 2 ]
}

check cpu_hotplug
check clock_steps
check out_of_memory
check cpuset
check warden_cannot_be_stopped
check control_group_vanishes
exit $status
