# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# At the context switches of a task, perf stopped our counters if a software event of the task had
# outlived the hardware event that led its group.
test_perf_does_not_stop_us() {
	need_instr
	mkfifo /tmp/ready
	taskset -c 0 $S/leftover >/tmp/ready & leftover=$!
	read -r line </tmp/ready
	equal "$line" "left over"
	expect_status 0 pmctrack -b 0 -c instr $S/handcount 20000000 2
	kill $leftover
	equal "$(sum $OUT 4)" "$(hand_all 20000000 2)"
}
