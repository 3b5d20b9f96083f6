# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# qosd as a service of systemd, which owns all control groups and runs in its own PID namespace.
. "$(dirname "${BASH_SOURCE[0]}")/qos.sh"

# begin_systemd: start a systemd that knows few units, as $systemd
begin_systemd() {
	local t units=/run/units
	# Units and settings of a test that failed would be this one's.
	rm -rf $units /etc/qosd.json
	mkdir -p $units/qosd.service.d /run/dbus
	for t in sysinit basic shutdown; do
		printf '[Unit]\nDefaultDependencies=no\n' >$units/$t.target
	done
	printf '[Unit]\nDefaultDependencies=no\nAllowIsolate=yes\nWants=dbus.service\n' >$units/test.target
	printf '[Unit]\nDefaultDependencies=no\n[Socket]\nListenStream=/run/dbus/system_bus_socket\n' >$units/dbus.socket
	printf '[Unit]\nDefaultDependencies=no\nRequires=dbus.socket\n[Service]\nType=notify\nExecStart=%s\n' \
		"/usr/bin/dbus-daemon --system --address=systemd: --nofork --nopidfile --systemd-activation" >$units/dbus.service
	cp /opt/pmctrack/lib/systemd/system/qosd.service $units
	printf '[Service]\nStandardError=append:/tmp/qosd.err\nRestartSec=100ms\n' >$units/qosd.service.d/log.conf
	SYSTEMD_UNIT_PATH=/run/systemd/system.control:/run/systemd/transient:$units unshare --pid --mount --fork --kill-child --mount-proc \
		env container=pmctrack /lib/systemd/systemd --system --unit=test.target --log-target=console --show-status=no \
		>/tmp/systemd.log 2>&1 & outer=$!
	eventually pgrep -P $outer
	systemd=$(pgrep -P $outer)
	is_up() { inside systemctl is-system-running 2>&1 | grep -qE 'running|degraded'; }
	eventually is_up
	inside systemctl set-environment "PATH=$PATH" "LD_LIBRARY_PATH=$LD_LIBRARY_PATH"
}
# inside COMMAND…: run COMMAND in systemd's namespaces
inside() { nsenter -t "$systemd" -p -m "$@"; }
end_systemd() {
	kill -KILL $outer $systemd || true
	wait $outer || true
	rm -rf /run/systemd
	are_gone() {
		find $CG -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null || true
		[ -z "$(find $CG -mindepth 1 -type d)" ]
	}
	eventually are_gone
}

# in_it GOAL: the test in systemd's namespaces, with programs that have this goal.
in_it() {
	local a b c d e f units=$CG/system.slice
	main_of() { systemctl show -P MainPID "$1"; }
	deliver_as() { systemd-run -q --unit="$1" "${@:3}" throughput run -n "$1" -u frames/s -e '^round' -g "$2" simapp -r /tmp/frames1.json; }
	is_held() { qosctl why "$1" | grep -q ": held: "; }
	is_left() { qosctl why "$1" | grep -q "left alone: .*$2"; }
	limited() { grep -qE "^[0-9]+ 20000" "$1/cpu.max"; }
	unlimited() { grep -q "^max " "$1/cpu.max"; }

	systemctl start qosd
	eventually [ -S /run/qosd/socket ]
	printf '[Service]\nExecStart=%s\n' "/opt/pmctrack/bin/throughput run -n one -u frames/s -e ^round -g $1 simapp -r /tmp/frames1.json" >/run/units/one.service
	systemctl daemon-reload
	systemctl start one
	deliver_as two "$1" -p CPUQuota=20%
	deliver_as three "$1" --slice=guests.slice -p MemoryMax=500M
	systemd-run -q --scope --unit=four throughput run -n four -e '^round' -g "$1" simapp -r /tmp/frames1.json >/dev/null & d=$!
	systemd-run -q --unit=five -p User=user bash -c "throughput run -n five -e '^round' -g 1000 simapp -r /tmp/frames1.json & echo \$! >/tmp/five; wait"
	a=$(main_of one) b=$(main_of two) c=$(main_of three)
	eventually grep -q . /tmp/five
	e=$(cat /tmp/five)
	# A program with a limit keeps it. A program that is not alone in its unit is not limited.
	eventually is_left "$b" "has limits"
	eventually is_left "$e" "it is not alone in a unit of systemd: start it as one of its own"
	[ ! -e $units/five.service/cpu.max ] || unlimited $units/five.service
	systemctl stop two five
	for e in $a $c $d; do eventually is_held $e; done
	# All programs are in their own groups.
	grep -qx "0::/system.slice/one.service" /proc/$a/cgroup
	grep -qx "0::/guests.slice/three.service" /proc/$c/cgroup
	grep -qx "0::/system.slice/four.scope" /proc/$d/cgroup
	limited $units/one.service
	limited $CG/guests.slice/three.service
	limited $units/four.scope
	# qosd corrects what systemd writes when it reads its settings again.
	systemctl daemon-reload
	systemctl set-property --runtime one.service IOWeight=200
	eventually limited $units/one.service
	eventually is_held $a
	eventually is_held $d
	qosctl list
	# What an administrator writes stays.
	systemctl set-property --runtime four.scope CPUQuota=77%
	eventually is_left $d "its cpu.max was changed"
	# A unit can be stopped as usual.
	systemctl stop three
	[ ! -e /proc/$c ]
	# The next program of a unit is managed, too.
	systemctl restart one
	a=$(main_of one)
	eventually is_held $a
	limited $units/one.service
	# After SIGKILL, systemd starts qosd again.
	kill -KILL "$(main_of qosd)"
	eventually grep -q "one.service has all CPUs again that a qosd had taken" /tmp/qosd.err
	eventually is_held $a
	systemctl stop qosd
	unlimited $units/one.service
	equal "$(cat $units/four.scope/cpu.max)" "77000 100000"
	# The same with whole CPUs.
	echo '{"actuator": "cpuset"}' >/etc/qosd.json
	systemctl start qosd
	has_cpus() { grep -q . $units/one.service/cpuset.cpus && ! grep -qx 0-3 $units/one.service/cpuset.cpus; }
	eventually has_cpus
	unlimited $units/one.service
	: >/tmp/qosd.err
	kill -KILL "$(main_of qosd)"
	eventually grep -q "one.service has all CPUs again that a qosd had taken" /tmp/qosd.err
	eventually has_cpus
	eventually qosctl why $a
	! is_left $a . || fail "$(qosctl why $a)"
	# A unit that ends while its program has CPUs leaves no note of them.
	systemd-run -q --scope --unit=six throughput run -n six -e '^round' -g "$1" simapp -r /tmp/frames1.json >/dev/null & f=$!
	has_note() { [ -e "/run/qosd/cpus-$f" ]; }
	has_no_note() { ! has_note; }
	eventually has_note
	systemctl stop six.scope
	eventually has_no_note
	# What an administrator has written while no qosd ran stays.
	printf '[Service]\nRestart=no\n' >/run/units/qosd.service.d/restart.conf
	systemctl daemon-reload
	eventually has_cpus
	kill -KILL "$(main_of qosd)"
	systemctl set-property --runtime one.service AllowedCPUs=0-2
	eventually grep -qx 0-2 $units/one.service/cpuset.cpus
	systemctl start qosd
	eventually is_left $a "has limits"
	equal "$(cat $units/one.service/cpuset.cpus)" 0-2
	systemctl set-property --runtime one.service AllowedCPUs=
	systemctl stop qosd
	rm /run/units/qosd.service.d/restart.conf
	systemctl daemon-reload
	systemctl restart one
	a=$(main_of one)
	# A unit had this PID, and ended while no qosd ran.
	echo 0 >"/run/qosd/cpus-$a"
	mv /etc/qosd.json /tmp
	systemctl start qosd
	eventually limited $units/one.service
	[ ! -e "/run/qosd/cpus-$a" ] || fail "$(ls /run/qosd)"
	systemctl stop qosd
	mv /tmp/qosd.json /etc
	systemctl start qosd
	eventually has_cpus
	systemctl stop qosd
	equal "$(cat $units/one.service/cpuset.cpus)" "$(cat /sys/devices/system/cpu/possible)"
	rm /etc/qosd.json
	systemctl stop one
	kill $d
	wait $d || true
	equal "$(grep -vE "has all CPUs again that a qosd had taken|four\[[0-9]+\] is left alone: its cpu.max was changed" /tmp/qosd.err)" "" "complaints"
}

# beside_systemd FUNCTION: call it in systemd's namespaces, with a goal for programs
beside_systemd() {
	local failed=
	qos_machine
	chmod 666 /dev/pmctrack_sim
	alone_rate /tmp/frames1.json
	: >/tmp/qosd.err
	rm -f /tmp/five
	begin_systemd
	inside bash -c "set -eu; . $S/lib.sh; . $S/functional/systemd.sh; $1 $(awk -v r="$rate" 'BEGIN { print 1.05 * r }')" ||
		failed=$(tail -n 20 /tmp/systemd.log /tmp/qosd.err)
	end_systemd
	[ -z "$failed" ] || fail "$failed"
	on_machine ""
}
long_test_systemd_qosd() {
	only sim
	beside_systemd in_it
}

# in_delegated GOAL: the test of groups that systemd has delegated, in its namespaces
in_delegated() {
	local a b d mine=$CG/system.slice/mine.service ours=$CG/system.slice/ours.service
	is_held() { qosctl why "$1" | grep -q ": held: "; }
	is_left() { qosctl why "$1" | grep -q "left alone: .*$2"; }
	limited() { grep -sqE "^[0-9]+ 20000" "$1/cpu.max"; }

	# A user's program in a group that he has made himself is limited there. "No limit" is what
	# his own systemd would write, too, so the limit is written again. With another one, the
	# program is left alone.
	systemctl start qosd
	eventually [ -S /run/qosd/socket ]
	cat >/tmp/mine.sh <<-END
		set -e
		mkdir $mine/app
		echo \$\$ >$mine/app/cgroup.procs
		echo +cpu >$mine/cgroup.subtree_control
		exec throughput run -n mine -u frames/s -e ^round -g $1 simapp -r /tmp/frames1.json
	END
	systemd-run -q --unit=mine -p User=user -p Delegate=cpu bash /tmp/mine.sh
	eventually limited $mine/app
	a=$(systemctl show -P MainPID mine)
	grep -qx "0::/system.slice/mine.service/app" /proc/$a/cgroup
	grep -q '^max ' $mine/cpu.max
	eventually is_held $a
	user bash -c "echo max >$mine/app/cpu.max"
	eventually limited $mine/app
	eventually is_held $a
	user bash -c "echo 400000 100000 >$mine/app/cpu.max"
	eventually is_left $a "its cpu.max was changed"
	equal "$(cat $mine/app/cpu.max)" "400000 100000" "what its owner has written"
	systemctl stop mine qosd

	# An administrator gives qosd a group of its own. Programs are moved there from their units,
	# and back again at the end; nothing of it stays. (A program that would escape a limit by
	# that stays in its unit, and TasksMax= is one.)
	cat >/tmp/ours.sh <<-END
		mkdir $ours/keeper
		echo \$\$ >$ours/keeper/cgroup.procs
		echo +cpu +cpuset >$ours/cgroup.subtree_control
		exec sleep infinity
	END
	systemd-run -q --unit=ours -p Delegate=yes bash /tmp/ours.sh
	eventually grep -sq cpuset $ours/cgroup.subtree_control
	echo '{"group": "system.slice/ours.service/qosd"}' >/etc/qosd.json
	systemctl start qosd
	eventually [ -S /run/qosd/socket ]
	systemd-run -q --unit=one -p TasksMax=infinity throughput run -n one -u frames/s -e ^round -g "$1" simapp -r /tmp/frames1.json
	a=$(systemctl show -P MainPID one)
	eventually is_held $a
	systemd-run -q --unit=two throughput run -n two -u frames/s -e ^round -g "$1" simapp -r /tmp/frames1.json
	eventually is_left "$(systemctl show -P MainPID two)" "has limits that it would escape"
	systemctl stop two
	# So are BPF programs that judge what it does.
	systemd-run -q --unit=three -p TasksMax=infinity -p IPAddressDeny=any throughput run -n three -u frames/s -e ^round -g "$1" simapp -r /tmp/frames1.json
	eventually is_left "$(systemctl show -P MainPID three)" "has limits that it would escape"
	systemctl stop three
	b=$CG$(sed -n 's/^0:://p' /proc/$a/cgroup)
	[[ $b = $ours/qosd/* ]] || fail "in $b"
	limited "$b"
	# systemd leaves what it has delegated as it is. (qosd looks once a second.)
	systemctl daemon-reload
	sleep 2
	limited "$b"
	! is_left $a . || fail "$(qosctl why $a)"
	# A scope is gone without its process, which gets a group beside it, and never the root.
	systemd-run -q --scope --unit=four -p TasksMax=infinity throughput run -n four -e '^round' -g "$1" simapp -r /tmp/frames1.json >/dev/null & d=$!
	eventually qosctl why $d
	eventually grep -q ours.service/qosd/app- /proc/$d/cgroup
	eventually [ ! -d $CG/system.slice/four.scope ]
	# It stays managed: qosd looks each five seconds.
	sleep 8
	grep -q ours.service/qosd/app- /proc/$d/cgroup || fail "$(qosctl why $d)"
	systemctl stop qosd
	grep -qx "0::/system.slice/qosd-left" /proc/$d/cgroup || fail "in $(cat /proc/$d/cgroup)"
	kill $d
	wait $d || true
	rmdir $CG/system.slice/qosd-left
	grep -qx "0::/system.slice/one.service" /proc/$a/cgroup || fail "in $(cat /proc/$a/cgroup)"
	[ ! -d "$b" ] || fail "$b is left"
	# A limit that comes later is not escaped, either.
	systemctl start qosd
	eventually is_held $a
	systemctl set-property --runtime one.service MemoryMax=500M
	eventually is_left $a "has limits now that it would escape"
	grep -qx "0::/system.slice/one.service" /proc/$a/cgroup || fail "in $(cat /proc/$a/cgroup)"
	systemctl stop qosd one ours
	rm /etc/qosd.json
	cat /tmp/qosd.err
	equal "$(grep -vE "mine\[[0-9]*\] is left alone: its cpu.max was changed|one\[[0-9]*\] is left alone: its control group has limits|process [0-9]+ is in /sys/fs/cgroup/system.slice/qosd-left now: it cannot be moved back to '/system.slice/four.scope'" /tmp/qosd.err)" "" "complaints"
}
long_test_systemd_delegated() {
	only sim
	beside_systemd in_delegated
}
