# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Counters of PMUv3p5 keep 64 bits, but can be set to signal the overflow of the lower 32. A region
# around this overflow had 2^32 events too many.
test_regions_of_32_bits() {
	only arm64-pmuv3
	need_instr
	reload long_counters=0
	$S/regions
	idle
	reload
}
