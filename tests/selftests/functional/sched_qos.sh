# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# qosd beside a policy of sched_ext, to which cpu.max may mean nothing: qosd gives whole CPUs as
# long as the policy runs.
. "$(dirname "${BASH_SOURCE[0]}")/sched_ext.sh"
. "$(dirname "${BASH_SOURCE[0]}")/qos.sh"

allowed_is() { [ "$(taskset -pc $program | sed 's/.*: //')" = "$1" ]; }
test_scx_qosd() {
	scx
	qos_machine
	insmod $MODULES/pmctrack_bpf.ko
	begin_qosd
	# Start the policy first: Linux 7.2 warns (dequeue_throttled_task()) if a policy takes, and
	# gives back, a thread that has just used up its cpu.max.
	sched_begin rr
	eventually grep -q "^qosd: a policy of sched_ext runs, and cpu.max may mean nothing to it: programs get whole CPUs" /tmp/qosd.err
	deliver frames /tmp/frames1.json -g 30
	eventually grep -q . $QOS/app-$program/cpuset.cpus
	grep -q "^max " $QOS/app-$program/cpu.max
	is_whole() { awk -v c="$(qos cpus $program)" 'BEGIN { exit !(c == int(c) && c >= 1) }'; }
	eventually is_whole
	sched_end
	eventually grep -q "^qosd: the policy of sched_ext has ended: programs get parts of CPUs again" /tmp/qosd.err
	eventually allowed_is 0-3
	is_part() { awk -v c="$(qos cpus $program)" 'BEGIN { exit !(c != int(c)) }'; }
	eventually is_part
	equal "$(grep -v "policy of sched_ext" /tmp/qosd.err || true)" "" "complaints"
	kill $program
	wait $program || true
	kill $daemon
	wait $daemon || fail "status $? of qosd: $(cat /tmp/qosd.err)"
	[ ! -e $QOS ] || fail "groups are left"
	no_functions
	on_machine ""
}
