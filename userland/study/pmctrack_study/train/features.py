# SPDX-License-Identifier: GPL-2.0-or-later
"""Ratios of events that models are made of. Without numpy, which collecting machines may lack."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Feature:
    """A ratio of two events, times a scale."""

    part: str
    whole: str
    scale: int
    least: int = 0
    most: int = 0

    @property
    def name(self) -> str:
        """A name for people."""
        return f"{self.part}/{self.whole}"


CANDIDATES = tuple(
    Feature(event, whole, scale)
    for event, scale in (
        ("l1d_misses", 1_000_000), ("branch_misses", 1_000_000), ("l2_misses", 1_000_000),
        ("branches", 1_000_000), ("llc_misses", 1_000_000), ("dtlb_misses", 10_000_000),
        ("itlb_misses", 10_000_000))
    for whole in ("instr", "cycles")) + (
    Feature("llc_misses", "l2_misses", 10_000), Feature("l2_misses", "l1d_misses", 10_000),
    Feature("stall_backend", "cycles", 10_000), Feature("stall_frontend", "cycles", 10_000),
    Feature("stall_backend", "l2_misses", 100), Feature("stall_backend", "llc_misses", 100))
"""Events of the paper on PMCTrack, Tables 1 and 6, by instruction and by cycle: misses by cycle,
and stalls by miss, show how many misses are waited for together."""

OTHERS = "others_llc_misses"
"""Misses of others in the same cache meanwhile, which the monitoring module contention knows."""

STALLS = Feature("stall_backend", "cycles", 10_000)
"""A feature that the module contention has to find in a model."""

BESIDE = (
    Feature("llc_misses", "instr", 1_000_000), Feature("l2_misses", "instr", 1_000_000),
    Feature("llc_misses", "l2_misses", 10_000), STALLS,
    Feature(OTHERS, "cycles", 1_000_000), Feature("llc_misses", OTHERS, 1_000),
    Feature("branches", "instr", 1_000_000), Feature("branch_misses", "instr", 1_000_000),
    Feature("stall_frontend", "cycles", 10_000))
"""For polynomials of what threads beside others do: few, so that a round is soon complete."""

IPC = Feature("instr", "cycles", 1_000)
"""A feature of all models, because the phase guard needs it."""

TOGETHER = (
    Feature("branch_misses", "instr", 1_000_000), Feature("l2_misses", "instr", 1_000_000),
    Feature("llc_misses", "instr", 1_000_000), Feature("branches", "instr", 1_000_000),
    Feature("dtlb_misses", "instr", 10_000_000), Feature("llc_misses", "l2_misses", 10_000),
    Feature("stall_backend", "cycles", 10_000), Feature("stall_frontend", "cycles", 10_000),
    Feature("stall_backend", "l2_misses", 100))
"""For polynomials, which take all of them at once: one ratio of each kind."""
