# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What users may see, beyond the refusals of badinput.sh.

# Records have the PIDs of their reader's PID namespace.
test_pid_namespaces() {
	unshare --fork --pid bash -c 'pmctrack -T 0 -c cycles -o /tmp/mine bash -c "echo \$\$ >/tmp/inner; true"'
	equal "$(rows /tmp/mine | awk '{ print $2 }')" "$(cat /tmp/inner)" "PID inside"
	[ "$(cat /tmp/inner)" -lt 20 ] || fail "not a namespace: $(cat /tmp/inner)"
	# Outside of the namespace, the process has another PID.
	pmctrack -T 0 -c cycles -o /tmp/mine unshare --fork --pid bash -c 'echo $$ >/tmp/inner; true'
	equal "$(cat /tmp/inner)" 1 "PID inside"
	! rows /tmp/mine | awk '{ print $2 }' | grep -qx 1 || fail "$(cat /tmp/mine)"
	equal "$(pids /tmp/mine | wc -l)" 2 "processes"
	# A process outside of the namespace has no PID inside.
	sleep infinity & sleeper=$!
	expect_refusal 1 "no process $sleeper" unshare --fork --pid pmctrack -c cycles -p $sleeper
	kill $sleeper
}

# Root of a user namespace has no rights outside of it.
test_user_namespaces() {
	sleep infinity & sleeper=$!
	expect_refusal 1 "from a container" user unshare --user --map-root-user pmctrack -c cycles true
	echo unprivileged=2 >/proc/pmc/config
	expect_refusal 1 "needs CAP_PERFMON" user unshare --user --map-root-user pmctrack -S -c cycles true
	expect_refusal 1 "kernel mode needs CAP_PERFMON" user unshare --user --map-root-user pmctrack -c cycles:k true
	expect_refusal 1 "belongs to somebody else" user unshare --user --map-root-user pmctrack -c cycles -p $sleeper
	! user unshare --user --map-root-user sh -c 'echo none >/proc/pmc/mmon_manager' 2>/dev/null ||
		fail "chose the monitoring module"
	expect_status 0 user unshare --user --map-root-user pmctrack -c cycles true
	kill $sleeper
}

# Threads of a program that may not be traced are not followed, and the output says so.
test_not_dumpable() {
	cat >/tmp/hidden.py <<-'P'
		import ctypes, os, subprocess
		ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
		os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)
	P
	expect_status 0 user pmctrack -c cycles python3 /tmp/hidden.py
	grep -q "^pmctrack: 1 threads were not monitored: .*may not be traced" $ERR $OUT || fail "$(tail -n 5 $OUT $ERR)"
	expect_status 0 pmctrack -c cycles python3 /tmp/hidden.py
	! grep -q "were not monitored" $ERR $OUT || fail "$(tail -n 5 $OUT $ERR)"
}

# An attached process executes a set-user-ID program, which is not counted.
test_attached_executes_setuid() {
	cp $S/handcount /tmp/setuid-hand
	chmod 4755 /tmp/setuid-hand
	rm -f /tmp/go /tmp/mine; mkfifo /tmp/go
	setpriv --reuid=1000 --regid=1000 --clear-groups -- bash -c 'read -r x </tmp/go; exec /tmp/setuid-hand 09000000 0' & other=$!
	exec 7<>/tmp/go
	until [ "$(ps -o euid=,comm= -p $other | xargs)" = "1000 bash" ]; do nap 0.01; done
	user pmctrack -T 0.01 -c cycles -p $other >/tmp/mine 2>$ERR & mine=$!
	until grep -q nsample /tmp/mine; do kill -0 $mine; nap 0.01; done
	echo >&7
	wait $other $mine
	exec 7>&-
	grep -q "other privileges" $ERR || fail "no word about it: $(cat $ERR)"
	[ "$(sum /tmp/mine 4)" -lt 9000000 ] || fail "counted it: $(cat /tmp/mine)"
}

# Virtual counters of CPUs, and of kernel mode, are only for users who may have such records.
test_virtual_counters_unprivileged() {
	insmod /opt/pmctrack/modules/pmctrack_mmon_ipc.ko
	echo ipc >/proc/pmc/mmon_manager
	expect_status 0 user pmctrack -V ipc true
	expect_refusal 1 "needs CAP_PERFMON" user pmctrack -S -V ipc true
	echo none >/proc/pmc/mmon_manager
	rmmod pmctrack_mmon_ipc
}

# refused_to_users WHO RAW…: these events count for WHO, too: refused to users, allowed to root
refused_to_users() {
	local who=$1 raw; shift
	for raw; do
		expect_refusal 1 "^[^ ]* *pmc[0-9] counts for $who, too: that needs CAP_PERFMON" user pmctrack -r -c "$raw" true
		expect_refusal 1 "needs CAP_PERFMON" user unshare --user --map-root-user pmctrack -r -c "$raw" true
		expect_status 0 pmctrack -r -c "$raw" true
	done
}

# Events that show what others do are only for users with CAP_PERFMON.
test_events_of_others() {
	local vendor
	vendor=$(awk '/^vendor_id/ { print $3; exit }' /proc/cpuinfo)
	case $BACKEND:$PMU:$vendor in
	x86-intel:*_v[34]:*)
		refused_to_users "the other hyperthread of the core" pmc1,any1=1 pmc3=0x3c,any3=1 pmc3=0x3c,umask3=2
		expect_status 0 user pmctrack -r -c pmc1,any1=0,pmc3=0x3c,any3=0,pmc4=0x3c,umask4=1 true ;;
	x86-amd:amd_k7:*)
		refused_to_users "all CPUs of the node" pmc0=0xe0,umask0=7
		expect_status 0 user pmctrack -r -c pmc0=0xc0,umask0=7 true ;;
	perf:perf:GenuineIntel)
		refused_to_users "the other hyperthread of the core" pmc0=0x40020003c
		expect_status 0 user pmctrack -r -c pmc0=0x40000003c true ;;
	*) only "PMUs with such events" ;;
	esac
}

# Events of other types of perf, such as tracepoints and devices, do not count for one thread.
test_other_types_of_perf() {
	only perf
	expect_refusal 1 "pmc0 counts for other programs or CPUs, too: that needs CAP_PERFMON" user pmctrack -r -c pmc0=0x200000001 true
	expect_status 0 user pmctrack -r -c pmc0=0x100000001 true
}

# With the perf backend, sessions of ordinary users count at most 64 different events: perf looks at
# all events whenever it schedules.
test_events_of_users_are_limited() {
	only perf
	local session event events pids=()
	for session in 0 1 2 3 4 5 6 7; do
		events=
		for event in 0 1 2 3 4 5 6 7; do
			# Instructions, in cycles with at least so many of them (the counter mask).
			events+=$([ $((event % 4)) = 0 ] && echo " -c " || echo ,)
			events+=pmc$((event % 4))=$(printf '0x4%02x0000c0' $((8 * session + event)))
		done
		setpriv --reuid=1000 --regid=1000 --clear-groups -- pmctrack -T 100 -r $events sleep infinity \
			>/dev/null & pids+=($!)
		until grep -q "^sessions: $((session + 1))\$" /proc/pmc/info; do
			kill -0 "${pids[session]}"
			sleep 0.01
		done
	done
	expect_refusal 1 "pmc0: sessions count 64 different events already; end some, or run as root" \
		user pmctrack -r -c pmc0=0x4400000c0 true
	# An event that is counted already, and any event of root.
	expect_status 0 user pmctrack -r -c pmc0=0x4000000c0 true
	expect_status 0 pmctrack -r -c pmc0=0x4400000c0 true
	pkill -x sleep
	wait "${pids[@]}" || true
	expect_status 0 user pmctrack -r -c pmc0=0x4400000c0 true
}
