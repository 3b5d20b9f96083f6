# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Counters of PMUv3p5 keep 64 bits, but signal the wrap of the lower 32 when told
# so: a region around the wrap was 2^32 events too long.
test_regions_of_32_bits() {
	only arm64-pmuv3
	need_instr
	reload long_counters=0
	$S/regions
	idle
	reload
}
