# SPDX-License-Identifier: GPL-2.0-or-later
"""The load of the whole machine, observed beside a target."""

from __future__ import annotations

import time
from dataclasses import dataclass

PERIOD_S = 0.5
SETTLE_S = 3.0


@dataclass
class Sample:
    """The load in a period, in percent."""

    at_s: float
    target: float
    load: float


def cpu_times() -> tuple[int, int]:
    """Ticks of work and idleness of all CPUs since boot."""
    with open("/proc/stat", encoding="ascii") as stat:
        user, nice, system, idle, iowait, irq, softirq = map(int, stat.readline().split()[1:8])
    return user + nice + system + irq + softirq, idle + iowait


def interpolate(points: list[tuple[float, float]], when: float) -> float:
    """The value of a trace at a time."""
    for (before, low), (after, high) in zip(points, points[1:]):
        if before <= when <= after:
            return low + (high - low) * (when - before) / (after - before)
    return points[-1][1]


def observe(seconds: float, points: list[tuple[float, float]]) -> list[Sample]:
    """Observe loads of 500 ms each, without the first 3 s. Targets are @points of a trace."""
    samples = []
    begin = time.monotonic()
    last, last_at = cpu_times(), begin
    while last_at - begin < seconds:
        time.sleep(max(0.0, last_at + PERIOD_S - time.monotonic()))
        now, now_at = cpu_times(), time.monotonic()
        work, idle = now[0] - last[0], now[1] - last[1]
        since = now_at - begin
        if since > SETTLE_S and work + idle:
            target = interpolate(points, since - (now_at - last_at) / 2)
            samples.append(Sample(since, target, 100 * work / (work + idle)))
        last, last_at = now, now_at
    return samples
