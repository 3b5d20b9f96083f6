# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# guest.sh PART ARGUMENT…: measure in the guest, and print lines "name figure". All
# figures are guest instructions (a fixed icount makes one of them last 1 ns).
set -e
. /opt/pmctrack/selftests/lib.sh

ours=instr,cycles,stall_frontend,stall_backend
perfs=r08:u,r11:u,r23:u,r24:u

# switch_of RUNS COMMAND…: the time of a switch in pingpong, run by COMMAND. It is the median of
# several runs, because the placement of pages can cost an instruction or two.
switch_of() {
	local i runs=$1; shift
	for ((i = 0; i < runs; i++)); do "$@" $S/pingpong 2>&1; done |
		sed -n 's/^switch //p' | sort -g | sed -n $((runs / 2 + 1))p
}
# rounds=N burn_of COMMAND…: time of a loop of N rounds
burn_of() { "$@" $S/burn ${rounds:-400000000} 2>&1 | sed -n 's/^burn //p'; }

# least_burn_of COMMAND…: the least of three runs, because something else may wake up during a run,
# and a fifth of a percent is a lot here
least_burn_of() { for _ in 1 2 3; do burn_of "$@"; done | sort -g | sed -n 1p; }

# least_rotation_of COMMAND…: the same while the reader is stopped. The reader would run some
# thousand instructions for each record, and not the same number each time.
least_rotation_of() {
	# shellcheck disable=SC2016 # for the shell in between
	rounds=1600000000 least_burn_of "$@" sh -c 'kill -STOP $PPID; "$@"; kill -CONT $PPID' -
}

# until_perf_counts PID: wait until perf has its four events and sleeps (not for the disk or kernel)
until_perf_counts() {
	until [ "$(readlink "/proc/$1/fd/"* | grep -c perf_event)" = 4 ] && [ "$(cut -d' ' -f3 "/proc/$1/stat")" = S ]; do
		sleep 0.01
	done
}

# perf attaches to each of the two processes by itself: two different contexts of perf.
perf_both() {
	$S/pingpong stopped >/tmp/pingpong & local parent=$! p
	until p=$(pgrep -P $parent); do sleep 0.01; done
	perf stat -o /dev/null -e $perfs -p $parent & until_perf_counts $!
	perf stat -o /dev/null -e $perfs -p "$p" & until_perf_counts $!
	kill -CONT $parent
	wait $parent
	wait
	sed -n 's/^switch //p' /tmp/pingpong
}

sampling() {
	echo "burn_alone $(least_burn_of env)"
	echo "burn $(least_burn_of pmctrack -T 0.1 -c $ours)"
	# Long runs, so that what happens once does not count.
	echo "one_set $(least_rotation_of pmctrack -A -T 0.004 -c $ours)"
	echo "two_sets $(least_rotation_of pmctrack -A -T 0.004 -c $ours -c stall_backend,stall_frontend,cycles,instr)"
	echo "four_sets $(least_burn_of pmctrack -T 0.01 -c instr -c instr,cycles -c $ours -c stall_backend,instr)"
	burn=$(pmctrack -o /tmp/ebs -c instr:ebs=5000 $S/burn 400000000 2>/tmp/err | sed -n 's/^burn //p')
	echo "ebs_per_s $(($(rows_of /tmp/ebs ebs) * 1000000000 / burn))"
	# A line for each kind of loss or delay, and the missing windows: there must be none.
	missing=$((160000 - $(rows_of /tmp/ebs ebs)))
	echo "ebs_lost $(($(wc -l </tmp/err) + (missing > 0 ? missing : 0)))"
}
perf_figures() {
	echo "perf_four $(least_burn_of perf stat -I 10 -o /dev/null -e $perfs,r08:k,r11:k,r23:k,r24:k)"
	echo "perf_burn $(least_burn_of perf stat -I 100 -e $perfs)"
	echo "perf_region $($S/startstop perf)"
	echo "perf_read $($S/startstop perf-read)"
	echo "perf_one $(switch_of 3 perf stat --no-inherit -e $perfs)"
	# perf's best case: the child has a copy of the parent's events.
	echo "perf_inherited $(switch_of 3 perf stat -e $perfs)"
	echo "perf_both $(perf_both)"
}

case $1 in
kunit)
	# The tests run when the module is loaded.
	dmesg | sed -n 's/.*# cost_test: cost: \([a-z_]*\) \([0-9]*\)$/\1 \2/p' ;;
kfuncs)
	insmod /opt/pmctrack/modules/pmctrack_bpf.ko
	insmod /opt/pmctrack/modules/pmctrack_mmon_ipc.ko
	echo ipc >/proc/pmc/mmon_manager
	/share/lib/ld-linux-x86-64.so.2 --library-path /share/lib /share/lib/ask /share/ask.bpf.o cost
	. /opt/pmctrack/selftests/functional/sched_ext.sh
	policy /share/simple.bpf.o
	echo "simple_policy $(switch_of 5 env)"
	no_policy simple
	for name in rr acfs cafs; do
		sched_begin -q -m none $name
		echo "policy_$name $(switch_of 5 env)"
		sched_end
	done
	# BPF programs are freed some time after their end.
	until rmmod pmctrack_bpf 2>/dev/null; do sleep 0.1; done
	echo none >/proc/pmc/mmon_manager
	rmmod pmctrack_mmon_ipc ;;
kernel)
	# The two kernels differ by one instruction, and so do medians of nine runs.
	echo "plain $(switch_of "${2-25}" env)" ;;
module)
	echo "none $(switch_of 9 env)"
	echo "one $(switch_of 5 pmctrack -L -c $ours --no-inherit)"
	echo "both $(switch_of 5 pmctrack -L -c $ours)"
	echo "region $($S/startstop pmctrack)"
	# Direct reads are off by default, as for perf.
	echo 1 >/proc/sys/kernel/perf_user_access
	echo "read $($S/userread cost | sed -n 's/^read //p')"
	[ "${2-}" = short ] || {
		sampling
		# perf comes last, because what it switches on stays on for a while.
		perf_figures
	} ;;
x86)
	# The module's cost by hooks and backend; each argument is "NAME hooks=… backend=…".
	ours=instr,cycles,branches,branch_misses perfs=instructions:u,cycles:u,branches:u,branch-misses:u
	echo "x86_plain $(switch_of 9 env)"
	for way in "${@:2}"; do
		insmod $KO ${way#* }
		echo "${way%% *}_none $(switch_of 9 env)"
		echo "${way%% *}_both $(switch_of 5 pmctrack -L -c $ours)"
		rmmod pmctrack
	done
	echo "x86_perf $(perf_both)" ;;
showstopper)
	/share/showstopper -q -l 50 -n 16 -- sh -c 'while :; do :; done' & run=$!
	until [ "$(pgrep -c -x 'showstopper|warden')" = 19 ]; do sleep 0.1; done
	# Wait until the machine has its load.
	sleep 10
	pmctrack -N 10 -T 0 -o /tmp/own -c instr:uk -p "$(pgrep -d, -x 'showstopper|warden')"
	[ "$(rows_of /tmp/own detach)" = 19 ]	# guardian, warden, master and executors
	kill $run
	echo "showstopper $(sum /tmp/own 4 | awk '{ printf "%.2f", $1 / 1e7 }')" ;;
scale)
	. /share/scale.sh "${@:2}" ;;
error)
	migrate_beside_others 10000000
	echo "error $(($(sum /tmp/mine 4) - $(hand_all 10000000 3)))" ;;
esac
