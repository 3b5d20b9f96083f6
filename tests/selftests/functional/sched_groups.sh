# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Control groups under policies of pmctrack-sched: cpu.max.
. "$(dirname "${BASH_SOURCE[0]}")/sched_ext.sh"

GROUPS_AT=/sys/fs/cgroup
groups() {
	scx
	hybrid
	grep -q cgroup_set_bandwidth /proc/kallsyms || only "kernels that tell policies of cpu.max"
	mountpoint -q $GROUPS_AT || mount -t cgroup2 none $GROUPS_AT
	# Remove the groups of a failed test.
	local left
	while read -r left; do
		no_group "${left#"$GROUPS_AT"/}"
	done < <(find $GROUPS_AT -mindepth 1 -depth -type d)
	echo +cpu >$GROUPS_AT/cgroup.subtree_control
}
# group NAME MAX: make a group with this cpu.max
group() {
	mkdir $GROUPS_AT/"$1"
	echo "$2" >$GROUPS_AT/"$1"/cpu.max
}
# no_group NAME: kill all programs of a group, and remove it
no_group() {
	echo 1 >$GROUPS_AT/"$1"/cgroup.kill
	eventually rmdir $GROUPS_AT/"$1" 2>/dev/null
}
# busy NAME NUMBER: start NUMBER programs in a group, which run until they are killed; simulated
# ones, because a second of these costs little
busy() {
	local i
	for ((i = 0; i < $2; i++)); do
		sh -c 'echo $$ >$0/cgroup.procs; exec simapp -x 10000 gamess >/dev/null' $GROUPS_AT/"$1" &
	done
	members() { [ "$(wc -l <$GROUPS_AT/"$1"/cgroup.procs)" = "$2" ]; }
	eventually members "$1" "$2"
}
# look NAME: the CPU time of a group and the time, in seconds
look() { awk '$1 == "usage_usec" { printf "%.6f ", $2 / 1e6 } FILENAME == "/proc/uptime" { print $1 }' $GROUPS_AT/"$1"/cpu.stat /proc/uptime; }
# takes NAME SECONDS: how many CPUs a group has during SECONDS
takes() {
	local before
	before=$(look "$1")
	sleep "$2"
	echo "$before $(look "$1")" | awk '{ printf "%.4f", ($3 - $1) / ($4 - $2) }'
}

# has NAME SECONDS LIMIT PERCENT WHAT: a group has the CPUs of its limit, except for the percentage
# that a measurement may cut off: a quota, and a tick on each CPU that exceeds it
has() { near "$(takes "$1" "$2")" "$3" "$4" "$5"; }

# A group has the CPUs of its limit, whatever its number of threads and its period. Programs beside
# it have the rest. A limit can be changed, and removed while threads are throttled.
test_group_has_its_limit() {
	groups
	local max
	sched_begin -j -i 1000 rr
	group one "20000 100000"
	busy one 3
	# What programs exceed while they are started is paid within some periods.
	takes one 1 >/dev/null
	has one 10 0.2 2 "CPUs of 0.2"
	# The program may have to leave its fast core while two of the group's programs run. On a
	# slow core it would take almost three times as long.
	simapp -x 50 -j gamess >/tmp/free
	near "$(truth /tmp/free elapsed_s)" "$(truth /tmp/free big)" 25 "time of a program beside it"
	for max in "150000 100000" "1500 5000" "300000 500000" "1000 10000"; do
		echo "$max" >$GROUPS_AT/one/cpu.max
		takes one 1 >/dev/null
		# Sixteen periods at least, one of which may be cut off at either end.
		has one "$(awk '{ s = 16 * $2 / 1e6; print s < 2 ? 2 : s }' <<<"$max")" \
			"$(awk '{ print $1 / $2 }' <<<"$max")" 7 "CPUs of '$max'"
	done
	echo "max 100000" >$GROUPS_AT/one/cpu.max
	has one 2 3 4 "CPUs without a limit"
	no_group one
	sched_end
	tail -n 1 /tmp/sched | grep -q '"held_by_cpu_max":[1-9]'
}

# Two programs in a group of weight 50 below a group of weight 160 weigh 80, and two others 100. One
# of the others is in a group of the second level with a greater weight, which is no use to it.
test_group_weights() {
	groups
	local beside inside i
	sched_begin -j -i 1 -B 20000000 a-dwrr
	group above max
	echo +cpu >$GROUPS_AT/above/cgroup.subtree_control
	group above/a max
	echo 50 >$GROUPS_AT/above/a/cpu.weight
	echo 160 >$GROUPS_AT/above/cpu.weight
	busy above/a 2
	group other max
	echo +cpu >$GROUPS_AT/other/cgroup.subtree_control
	group other/a max
	echo 10000 >$GROUPS_AT/other/a/cpu.weight
	busy other/a 1
	mapfile -t beside <$GROUPS_AT/other/a/cgroup.procs
	simapp -x 10000 gamess >/dev/null & beside+=($!)
	sleep 7
	sched_end
	mapfile -t inside <$GROUPS_AT/above/a/cgroup.procs
	kill -KILL "${beside[@]}"
	for i in above/a above other/a other; do
		no_group $i
	done
	shares_are 2 100 80 "${beside[0]}" "${inside[0]}" "${beside[1]}" "${inside[1]}"
}

# The limit of a group holds for all groups below it together. Each of these has its own limit, too.
test_group_limits_nest() {
	groups
	sched_begin -q a-dwrr
	group above "60000 100000"
	echo +cpu >$GROUPS_AT/above/cgroup.subtree_control
	group above/a max
	group above/b "20000 100000"
	busy above/b 2
	has above/b 10 0.2 2 "CPUs of the lower limit"
	busy above/a 2
	takes above 1 >/dev/null
	has above 4 0.6 4 "CPUs of the upper limit"
	more "$(takes above/a 2)" 0.35 "CPUs of the group without a limit"
	no_group above/a
	no_group above/b
	no_group above
	sched_end
}

# A throttled program runs again if it leaves the group or if the policy ends, and can be killed.
test_group_is_left() {
	groups
	local pid
	sched_begin -q rr
	group one "1000 1000000"
	busy one 2
	sleep 2
	pid=$(head -n 1 $GROUPS_AT/one/cgroup.procs)
	mkdir $GROUPS_AT/two
	echo "$pid" >$GROUPS_AT/two/cgroup.procs
	has two 2 1 4 "CPUs of a thread that left"
	takes one 20 >/tmp/takes
	more "$(cat /tmp/takes)" 0.0005 "CPUs of the one that stayed"
	more 0.003 "$(cat /tmp/takes)" "CPUs of the one that stayed"
	sched_end
	has two 1 1 4 "CPUs without the policy"
	no_group one
	no_group two
}

# Threads of a group with a limit are stopped and continued all the time.
test_group_survives_storm() {
	groups
	local i pids
	sched_begin -q a-dwrr
	group one "100000 100000"
	busy one 4
	pids=$(cat $GROUPS_AT/one/cgroup.procs)
	for ((i = 0; i < 300; i++)); do
		# shellcheck disable=SC2086 # several
		kill -STOP $pids
		# shellcheck disable=SC2086
		kill -CONT $pids
	done
	has one 3 1 4 "CPUs of 1 after the storm"
	state_is enabled
	no_group one
	sched_end
}

# A program that is killed while its group is throttled does end. Freeing its memory takes a while,
# in a thread that the kernel does not enqueue any more.
test_group_lets_end() {
	groups
	local pid
	sched_begin -q rr
	group one max
	sh -c "echo \$\$ >$GROUPS_AT/one/cgroup.procs; exec python3 -c 'x = bytearray(100 << 20)
while True: pass'" & pid=$!
	takes one 1 >/dev/null
	echo "1000 1000000" >$GROUPS_AT/one/cpu.max
	sleep 1
	kill -KILL $pid
	wait $pid || true
	no_group one
	sched_end
}

# Groups below groups, more than the policy looks at, and pinned threads do not escape a limit.
test_group_no_way_out() {
	groups
	local name=one i
	sched_begin -q a-dwrr
	group one "20000 100000"
	for ((i = 0; i < 40; i++)); do
		echo +cpu >$GROUPS_AT/$name/cgroup.subtree_control
		name=$name/d
		group $name max
	done
	busy $name 1
	has one 10 0.2 2 "CPUs of a group forty levels below"
	for i in $(cat $GROUPS_AT/$name/cgroup.procs); do
		taskset -cp 3 "$i" >/dev/null
	done
	has one 10 0.2 2 "CPUs of one that keeps to a CPU"
	while [ $name != . ]; do
		no_group $name
		name=$(dirname $name)
	done
	sched_end
}
