# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# A host of virtual machines (tests/vm/run --kvm): its kernel runs at EL2.

need_kvm() { { [ -e /dev/kvm ] && [ -x $S/vcpu ]; } || { echo "for hosts of virtual machines" >/tmp/elsewhere; exit 0; }; }

# Direct reads that are ended while the thread's virtual CPU is loaded stay ended.
test_reads_end_in_kvm() {
	need_kvm
	for _ in 1 2 3; do expect_status 0 $S/vcpu; done
	idle
}

# Kernel mode is EL2 here, and is counted.
test_kernel_mode_is_el2() {
	need_kvm
	expect_status 0 pmctrack -T 0 -c instr,instr:k $S/handcount 00500000 1
	equal "$(sum $OUT instr)" "$(hand_all 00500000 1)"
	[ "$(sum $OUT instr:k)" -gt 10000 ] || fail "$(sum $OUT instr:k) instructions in the kernel"
}
