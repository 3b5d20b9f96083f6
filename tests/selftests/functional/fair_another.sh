# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What one machine has learnt, on another one of the same kind. tests/guest (phases_of_another) runs
# this on both, with a folder that both see.
. "$(dirname "${BASH_SOURCE[0]}")/fair.sh"

SHARED=/share/phases.db

# The first machine sees mcf alone. The second one is given the first one's database. It never sees
# mcf alone, and yet knows how much mcf is slowed down.
test_fair_another() {
	only sim
	[ -e /share/two-machines ] || only "two machines"
	local mine=/tmp/mine.db other keeper
	rm -f $mine
	if [ ! -e $SHARED ]; then
		with_fair peak="$(peak)"
		phasedb -d $mine watch -i 0.2 & keeper=$!
		fair /tmp/alone mcf -x 200
		sleep 0.5
		kill $keeper
		wait $keeper || fail "status $? after SIGTERM"
		phasedb -d $mine show simapp
		cp $mine $SHARED
		without_fair
		return
	fi
	phasedb -d $mine merge $SHARED
	phasedb -d $mine show simapp
	with_fair peak="$(peak)"
	phasedb -d $mine watch -v -i 0.2 >/tmp/keeper & keeper=$!
	taskset -c 1 pmctrack -V progress -o /dev/null simapp -x 10000 soplex >/dev/null & other=$!
	its_windows() { grep -qE "^program=.* process=[1-9]" /proc/pmc/mmon_state; }
	eventually its_windows
	fair /tmp/beside mcf -x 200
	kill $keeper $other
	wait $keeper $other || true
	grep -E "^simapp\[[0-9]+\]: given [0-9]+ phases of [0-9]+ windows$" /tmp/keeper
	knows_slowdown /tmp/beside
	without_fair
}
