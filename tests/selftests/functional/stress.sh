# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Everything at once: in the end, every count is there and nothing is left.

# Each of these functions is one disturbance, until /tmp/stop exists.
switch_modules() {
	while [ ! -e /tmp/stop ]; do
		for name in ipc test none; do echo $name >/proc/pmc/mmon_manager; done
	done
}
switch_cpus() {
	while [ ! -e /tmp/stop ]; do
		echo 0 >/sys/devices/system/cpu/cpu1/online
		sleep 0.01
		echo 1 >/sys/devices/system/cpu/cpu1/online
		sleep 0.03
	done
}
watch_system() {
	while [ ! -e /tmp/stop ]; do
		pmctrack -S -T 0.01 -N 0.05 -c cycles -c instr,cycles -A >/dev/null
	done
}
# Threads start and end meanwhile; sessions of others monitor them.
want_metrics() {
	local pid
	while [ ! -e /tmp/stop ]; do
		for pid in $(pgrep '^hand|^bash'); do
			# The thread may have ended, and another module may be active.
			echo "sched $pid 1" >/proc/pmc_test || true
			echo "metric $pid 16" >/proc/pmc_test && echo >>/tmp/wanted || true
		done 2>/dev/null
	done
}
attach_and_leave() {
	local pid
	while [ ! -e /tmp/stop ]; do
		for pid in $(pgrep '^sleep'); do
			pmctrack -n 3 -N 0.02 -T 0.004 -c cycles -V samples -p "$pid" >/dev/null && echo >>/tmp/attached || true
		done
	done 2>/dev/null
}

# churn ROUNDS NUMBER: programs with many short threads, which execute others and are killed
churn() {
	local i
	for ((i = 0; i < $1; i++)); do
		pmctrack -T 0.004 -c instr -o /tmp/churn$2 bash -c "
			for i in 1 2 3; do $S/handcount 00100000 9; done
			sleep 100 & kill -9 \$!
			exec $S/handcount 00300000 9" 2>/dev/null
		rows /tmp/churn$2 | awk -v n="$(hand_thread 00100000)" -v m="$(hand_thread 00300000)" '
			{ s[$2] += $4 } END { for (p in s) { a += s[p] == n; b += s[p] == m } exit !(a == 27 && b == 9) }' ||
			{ cp /tmp/churn$2 /tmp/bad; touch /tmp/wrong; }
	done
}

test_stress() {
	need_ebs
	need_instr
	local jobs=() job rounds=6
	# 42 threads a round, in two jobs; fewer rounds if each step is slow.
	[ ! "${LONG-}" ] || [ $CHECKER != none ] || rounds=30
	rm -f /tmp/stop /tmp/wrong /tmp/wanted /tmp/attached
	trap 'touch /tmp/stop' EXIT
	insmod /opt/pmctrack/modules/pmctrack_mmon_ipc.ko
	insmod /opt/pmctrack/modules/pmctrack_mmon_test.ko $(as_scheduler)
	sleep infinity & sleeper=$!
	for job in switch_modules switch_cpus watch_system want_metrics attach_and_leave; do
		$job & jobs+=($!)
	done
	# They work, and go on until the end.
	eventually test -s /tmp/wanted
	eventually test -s /tmp/attached
	churn $rounds 1 & a=$!
	churn $rounds 2 & b=$!
	pmctrack -T 0.004 -c instr:ebs=100000 -o /tmp/mine $S/handcount 20000000 5
	wait $a
	wait $b
	for job in "${jobs[@]}"; do kill -0 "$job"; done
	touch /tmp/stop
	wait "${jobs[@]}" || true
	kill $sleeper
	[ ! -e /tmp/wrong ] || fail "a thread's count is wrong: $(cat /tmp/bad)"
	equal "$(sum /tmp/mine 4)" "$(hand_all 20000000 5)" "sum of windows"
	equal "$(sed -n 's/^bad: //p' /proc/pmc_test)" 0 "violations"
	echo none >/proc/pmc/mmon_manager
	equal "$(sed -n 's/^enters: //p' /proc/pmc_test)" "$(sed -n 's/^exits: //p' /proc/pmc_test)" "threads that left"
	rmmod pmctrack_mmon_test pmctrack_mmon_ipc
}

# Ten thousand threads at once, all older than the session; fewer if memory is scarce.
test_many_threads() {
	need_instr
	local threads=10000
	[ $CHECKER = kasan ] && [ "$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)" -lt 3000000 ] && threads=1000
	ulimit -u unlimited
	sysctl -qw kernel.threads-max=30000 kernel.pid_max=32768 vm.max_map_count=200000
	start_waiting 00001000 $threads
	start_attached /tmp/mine -T 0 -k 4M -c instr -p $waiting
	go
	wait $waiting
	wait $mine
	equal "$(rows /tmp/mine | wc -l)" $((threads + 1)) "rows"
	equal "$(sum /tmp/mine 4)" "$(rest 00001000 $threads)"
}
