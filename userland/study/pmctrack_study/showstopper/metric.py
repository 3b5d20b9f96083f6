# SPDX-License-Identifier: GPL-2.0-or-later
"""The interference metric and its significance (section 6.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..fit import Line

MOST_ANGLE = 3.0
MOST_P = 0.05


def metric(line: Line) -> float:
    """-100 slope / intercept: percent that a full background load takes away."""
    return -100 * line.slope / line.intercept


def angle(line: Line) -> float:
    """Angle of the normalized slope, in degrees."""
    return math.degrees(math.atan(line.slope / line.intercept))


@dataclass(frozen=True)
class Interference:
    """Lines of throughput over load (a fraction), for both halves of a staircase, up and down."""

    rising: Line
    falling: Line

    @property
    def metric(self) -> float:
        """The mean of both halves."""
        return (metric(self.rising) + metric(self.falling)) / 2

    @property
    def symmetric(self) -> bool:
        """The halves' normalized slopes differ by less than 3 degrees."""
        return abs(angle(self.rising) - angle(self.falling)) < MOST_ANGLE

    @property
    def significant(self) -> bool:
        """Slope and intercept of both halves have p below 0.05."""
        return all(p < MOST_P for line in (self.rising, self.falling)
                   for p in (line.p_slope, line.p_intercept))
