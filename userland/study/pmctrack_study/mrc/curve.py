# SPDX-License-Identifier: GPL-2.0-or-later
"""From windows to a curve: more of the cache never makes more misses."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Sequence

from ..failure import Failure
from .points import Point, Windows


@dataclass(frozen=True)
class Place:
    """A point of a curve: all windows with about so much of the cache."""

    occupancy: float
    """Bytes; the mean of the windows."""
    mpki: float
    """Misses per 1000 instructions, by the regression."""
    measured: float
    """The windows' own mean."""
    spread: float
    """Standard deviation between windows."""
    windows: int


@dataclass(frozen=True)
class Curve:
    """What is known between the least and the most that the program had; nothing beyond."""

    places: list[Place]
    unsettled: int
    """Windows in which the occupancy changed too much."""
    mean_change: float
    """Bytes by which the occupancy of the windows used changed, on average."""

    def misses_at(self, occupancy: float) -> float | None:
        """Misses per 1000 instructions; None: the program never had so much, or so little."""
        for low, high in zip(self.places, self.places[1:]):
            if low.occupancy <= occupancy <= high.occupancy:
                part = (occupancy - low.occupancy) / (high.occupancy - low.occupancy)
                return low.mpki + (high.mpki - low.mpki) * part
        return None


def falling(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """The closest values, by weighted squares, none of which is above its predecessor.

    Pool adjacent violators (Barlow et al., 1972).
    """
    # Each block is the mean of its members, the sum of their weights, and their number.
    blocks: list[tuple[float, float, int]] = []
    for block in zip(values, weights, (1 for _ in values)):
        while blocks and blocks[-1][0] < block[0]:
            mean, weight, count = blocks.pop()
            both = weight + block[1]
            block = ((mean * weight + block[0] * block[1]) / both, both, count + block[2])
        blocks.append(block)
    return [mean for mean, _, count in blocks for _ in range(count)]


class _Sums:
    """Windows with about the same occupancy, weighted by their instructions."""

    def __init__(self) -> None:
        self.windows = 0
        self.instr = 0.0
        self._occupancy = self._rate = self._square = self.change = 0.0

    def add(self, point: Point) -> None:
        """Add a window."""
        self.windows += 1
        self.instr += point.instr
        self._occupancy += point.instr * point.occupancy
        self._rate += point.instr * point.mpki
        self._square += point.instr * point.mpki ** 2
        self.change += point.instr * abs(point.change)

    def place(self) -> Place:
        """The means of the windows."""
        mean = self._rate / self.instr
        spread = math.sqrt(max(0.0, self._square / self.instr - mean ** 2))
        return Place(self._occupancy / self.instr, mean, mean, spread, self.windows)


def _range(points: Windows, known: tuple[float, float], places: int) -> tuple[float, float]:
    """From the least to the most occupancy of windows that are steady if @known is the range."""
    part = (known[1] - known[0]) / places
    steady = [p.occupancy for p in points if abs(p.change) <= part]
    return (min(steady), max(steady)) if steady else known


def curve_of(points: Windows, *, places: int = 48, least: int = 5) -> Curve:
    """The curve of a program.

    The range of the program's occupancy is divided into @places equal parts. A part with fewer
    than @least windows is left out. A window counts if its occupancy changed by at most one such
    part, because otherwise the mean of its ends says little. Windows far beyond that do not widen
    the range.
    """
    if not points:
        raise Failure("no window has a known occupancy: is the monitoring module cmt active, and "
                      "does it have a number left for the program (/proc/pmc/mmon_state)?")
    low, high = _range(points, _range(points, (-math.inf, math.inf), places), places)
    part = (high - low) / places
    bins = [_Sums() for _ in range(places)]
    settled = 0
    for point in points:
        if abs(point.change) <= part:
            settled += 1
            bins[min(int((point.occupancy - low) / part), places - 1) if part else 0].add(point)
    used = [b for b in bins if b.windows >= least]
    if len(used) < 2:
        raise Failure("the program had about the same part of the cache all the time "
                      f"({low / 1024:.0f} to {high / 1024:.0f} KiB, {settled} steady windows):"
                      " it needs co-runners that use the cache (--beside), or longer")
    found = [b.place() for b in used]
    rates = falling([p.mpki for p in found], [b.instr for b in used])
    return Curve([replace(place, mpki=rate) for place, rate in zip(found, rates)],
                 len(points) - settled, sum(b.change for b in used) / sum(b.instr for b in used))
