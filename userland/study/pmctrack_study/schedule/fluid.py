# SPDX-License-Identifier: GPL-2.0-or-later
"""Bounds of what policies can reach: programs as fluids, which get any part of a fast core.

Each program has as many threads as it was told. All of them run all the time, on one core each.
Each program has one speedup factor, which is that of its whole run. Moves cost nothing, and no
program slows others down in caches and memory. Programs that change, and those with serial phases,
can do better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Sequence

from ..failure import Failure
from .mixes import Mix
from .results import Alone, Merit

STEPS = 60
"""Steps of a bisection: more than a number has bits."""


@dataclass(frozen=True)
class Fluid:
    """A program; speeds are in threads on fast cores."""

    name: str
    threads: int
    fast: int
    """fast cores that it can use"""
    factor: float
    """fast over slow, of a thread"""

    @property
    def slow_speed(self) -> float:
        """Speed without any fast core."""
        return self.threads / self.factor

    @property
    def gain(self) -> float:
        """Gain of speed by each fast core."""
        return 1 - 1 / self.factor

    @property
    def alone(self) -> float:
        """Its speed with all fast cores that it can use."""
        return self.slow_speed + self.fast * self.gain

    def slowdown(self, fast: float) -> float:
        """Slowdown with @fast fast cores."""
        return self.alone / (self.slow_speed + fast * self.gain)

    def needs(self, slowdown: float) -> float:
        """Fast cores that it needs to be slowed down by no more than @slowdown."""
        if self.gain <= 0:
            return 0.0
        return min(max((self.alone / slowdown - self.slow_speed) / self.gain, 0.0), self.fast)


def fluid(name: str, threads: int, fast: int, alone: Alone) -> Fluid:
    """Make a fluid from a program's times alone, when up to @fast threads had a fast core."""
    can = min(threads, fast)
    ratio = alone.slow_s / alone.fast_s
    return Fluid(name, threads, can, max(1 + (ratio - 1) * threads / can, 1.0))


def _merit(programs: Sequence[Fluid], shares: Sequence[float]) -> Merit:
    slowdowns = {p.name: p.slowdown(share) for p, share in zip(programs, shares)}
    return Merit(max(slowdowns.values()) / min(slowdowns.values()),
                 sum(p.slowdown(0) / slowdowns[p.name] - 1 for p in programs), slowdowns)


def fair(programs: Sequence[Fluid], fast: int) -> Merit:
    """Programs are slowed down as equally as can be, with all fast cores in use."""
    low, high = 1.0, max(p.slowdown(0) for p in programs)
    for _ in range(STEPS):
        middle = (low + high) / 2
        if sum(p.needs(middle) for p in programs) > fast:
            low = middle
        else:
            high = middle
    return _merit(programs, [p.needs(high) for p in programs])


def swift(programs: Sequence[Fluid], fast: int) -> Merit:
    """The greatest ASP: fast cores go to programs that gain most from each, until none is left."""
    shares = {}
    left = float(fast)
    for one in sorted(programs, key=lambda p: p.slowdown(0) * p.gain / p.alone, reverse=True):
        shares[one.name] = min(left, one.fast)
        left -= shares[one.name]
    return _merit(programs, [shares[p.name] for p in programs])


def shared(programs: Sequence[Fluid], fast: int) -> Merit:
    """All threads get equal parts of the time on fast cores, as far as they can use it."""
    threads = sum(p.threads for p in programs)
    return _merit(programs, [min(fast * p.threads / threads, p.fast) for p in programs])


def programs_of(mix: Mix, fast: int, alone: Mapping[str, Alone]) -> list[Fluid]:
    """The fluids of a mix, on a machine with @fast fast cores."""
    found = []
    for program in mix.programs:
        if str(program) not in alone:
            raise Failure(f"{program} never ran alone")
        found.append(fluid(str(program), program.threads, fast, alone[str(program)]))
    return found
