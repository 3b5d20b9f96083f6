# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What saying what it delivers costs a program.

# A tick, with the loop that makes it: exactly so many instructions more for more of them.
test_tick_cost() {
	[ "$BACKEND" != sim ] || only "a real PMU"
	need_instr
	local few many
	expect_status 0 pmctrack -c instr $S/ticks 100000
	few=$(sum $OUT instr)
	expect_status 0 pmctrack -c instr $S/ticks 300000
	many=$(sum $OUT instr)
	awk -v few="$few" -v many="$many" 'BEGIN { one = (many - few) / 200000; print "# a tick takes " one " instructions"
		exit !(one > 4 && one <= 25) }' || fail "from $few to $many instructions"
}
