# SPDX-License-Identifier: GPL-2.0-or-later
"""The interference metric and its significance (section 6.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Sequence

from scipy import stats

MOST_ANGLE = 3.0
MOST_P = 0.05


@dataclass(frozen=True)
class Line:
    """Throughput over load (a fraction), by least squares; p: that it is 0 in truth."""

    slope: float
    intercept: float
    p_slope: float
    p_intercept: float

    @property
    def metric(self) -> float:
        """-100 slope / intercept: percent that a full background load takes away."""
        return -100 * self.slope / self.intercept

    @property
    def angle(self) -> float:
        """Of the normalized slope, in degrees."""
        return math.degrees(math.atan(self.slope / self.intercept))


def fit(loads: Sequence[float], throughputs: Sequence[float]) -> Line:
    """Three points at least; loads are fractions."""
    line = stats.linregress(loads, throughputs)
    free = len(loads) - 2
    # A perfect line has no error, and is certain.
    ratio = line.intercept / line.intercept_stderr if line.intercept_stderr else math.inf
    return Line(float(line.slope), float(line.intercept), float(line.pvalue),
                float(2 * stats.t.sf(abs(ratio), free)))


@dataclass(frozen=True)
class Interference:
    """Of a staircase, up and down."""

    rising: Line
    falling: Line

    @property
    def metric(self) -> float:
        """The mean of both halves."""
        return (self.rising.metric + self.falling.metric) / 2

    @property
    def symmetric(self) -> bool:
        """The halves' normalized slopes differ by less than 3 degrees."""
        return abs(self.rising.angle - self.falling.angle) < MOST_ANGLE

    @property
    def significant(self) -> bool:
        """Slope and intercept of both halves have p below 0.05."""
        return all(p < MOST_P for line in (self.rising, self.falling)
                   for p in (line.p_slope, line.p_intercept))
