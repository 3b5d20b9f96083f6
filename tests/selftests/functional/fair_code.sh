# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Phases of real code: addresses are sampled by the emulated PMU, traffic is that of the emulator's
# last-level cache (tests/vm/run --llc).
. "$(dirname "${BASH_SOURCE[0]}")/models.sh"

# phases MODE: ten turns of two loops, of some six windows each; one window of a turn is mixed
phases() { taskset -c 0 pmctrack -T 0.1 -V progress -o /dev/null ./phases "$1" 20000000 5 >>/tmp/places; }
# often WINDOWS: the phases of all programs that have at least so many windows, as "1 2"
often() { sed -n "s/^program=[0-9]* phase=\([0-9]*\) windows=\([0-9]*\) .*/\1 \2/p" /proc/pmc/mmon_state | awk -v n="$1" '$2 >= n { print $1 }' | xargs; }

# The same code gives the same phases wherever it is mapped: a program that is loaded at random
# places, and code that is made in anonymous memory (its place within the page is known). Children
# that a server forks go on with what is known.
test_fair_code() {
	local loops
	grep -q ' cqm_llc ' /proc/cpuinfo || only "a last-level cache"
	insmod $MODULES/pmctrack_mmon_fair_progress.ko address_instr=20000 peak=100000
	echo fair_progress >$MANAGER
	rm -f /tmp/places
	phases text
	loops=$(often 12)
	equal "$(wc -w <<<"$loops")" 2 "phases of two loops"
	phases text
	equal "$(often 24)" "$loops"
	phases jit
	phases jit
	equal "$(often 24 | wc -w)" 4 "phases of four loops"
	# The second child goes on with what the first one had: the program's phases or, if a tick
	# has hit their parent, which then has these, two phases of their own.
	phases fork
	[ "$(often 48)" = "$loops" ] || equal "$(often 24 | wc -w)" 6 "phases of two loops, of the children"
	cat /proc/pmc/mmon_state
	equal "$(sort -u /tmp/places | wc -l)" 5 "places of the first loop"
	echo none >$MANAGER
	rmmod pmctrack_mmon_fair_progress
}
