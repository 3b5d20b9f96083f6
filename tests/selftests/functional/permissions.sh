# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Who may see what, beyond the refusals of badinput.sh.

# Records name threads as their reader's PID namespace does.
test_pid_namespaces() {
	unshare --fork --pid bash -c 'pmctrack -T 0 -c cycles -o /tmp/mine bash -c "echo \$\$ >/tmp/inner; true"'
	equal "$(rows /tmp/mine | awk '{ print $2 }')" "$(cat /tmp/inner)" "PID inside"
	[ "$(cat /tmp/inner)" -lt 20 ] || fail "not a namespace: $(cat /tmp/inner)"
	# From outside, it has another one.
	pmctrack -T 0 -c cycles -o /tmp/mine unshare --fork --pid bash -c 'echo $$ >/tmp/inner; true'
	equal "$(cat /tmp/inner)" 1 "PID inside"
	! rows /tmp/mine | awk '{ print $2 }' | grep -qx 1 || fail "$(cat /tmp/mine)"
	equal "$(pids /tmp/mine | wc -l)" 2 "processes"
	# What is outside has no name inside.
	sleep infinity & sleeper=$!
	expect_refusal 1 "no process $sleeper" unshare --fork --pid pmctrack -c cycles -p $sleeper
	kill $sleeper
}

# Root of a user namespace is nobody here.
test_user_namespaces() {
	sleep infinity & sleeper=$!
	expect_refusal 1 "needs CAP_PERFMON" user unshare --user --map-root-user pmctrack -S -c cycles true
	expect_refusal 1 "kernel mode needs CAP_PERFMON" user unshare --user --map-root-user pmctrack -c cycles:k true
	expect_refusal 1 "belongs to somebody else" user unshare --user --map-root-user pmctrack -c cycles -p $sleeper
	! user unshare --user --map-root-user sh -c 'echo none >/proc/pmc/mmon_manager' 2>/dev/null ||
		fail "chose the monitoring module"
	expect_status 0 user unshare --user --map-root-user pmctrack -c cycles true
	kill $sleeper
}

# A process that was ours becomes another's.
test_attached_executes_setuid() {
	cp $S/handcount /tmp/setuid-hand
	chmod 4755 /tmp/setuid-hand
	rm -f /tmp/go /tmp/mine; mkfifo /tmp/go
	setpriv --reuid=1000 --regid=1000 --clear-groups -- bash -c 'read -r x </tmp/go; exec /tmp/setuid-hand 09000000 0' & other=$!
	exec 7<>/tmp/go
	until [ "$(ps -o euid=,comm= -p $other | xargs)" = "1000 bash" ]; do sleep 0.01; done
	user pmctrack -T 0.01 -c cycles -p $other >/tmp/mine 2>$ERR & mine=$!
	until grep -q nsample /tmp/mine; do kill -0 $mine; sleep 0.01; done
	echo >&7
	wait $other $mine
	exec 7>&-
	grep -q "other privileges" $ERR || fail "no word about it: $(cat $ERR)"
	[ "$(sum /tmp/mine 4)" -lt 9000000 ] || fail "counted it: $(cat /tmp/mine)"
}

# Virtual counters of CPUs, and of kernel mode, are for those who may have the records.
test_virtual_counters_unprivileged() {
	insmod /opt/pmctrack/modules/pmctrack_mmon_ipc.ko
	echo ipc >/proc/pmc/mmon_manager
	expect_status 0 user pmctrack -V ipc true
	expect_refusal 1 "needs CAP_PERFMON" user pmctrack -S -V ipc true
	echo none >/proc/pmc/mmon_manager
	rmmod pmctrack_mmon_ipc
}
