# SPDX-License-Identifier: GPL-2.0-or-later
"""How throughput depends on load, point by point (section 5.2)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

import numpy

from ..plots import Plot
from ..report import notes, table, write_objects
from ..runs import throughput
from .methods import CONTROLLED, METHODS
from .runs import GRACE_S, mean_load, run

TWELFTHS = tuple(100 * n / 12 for n in range(1, 13))


@dataclass(frozen=True, kw_only=True)
class Config:
    """What is observed: @command at all loads (in percent), by all methods.

    If there are no methods, the controlled four and the baseline are used. Other methods are
    compared with the baseline.
    """

    folder: Path
    command: list[str]
    seconds: float = 180
    warmup: float = 180
    loads: Sequence[float] = TWELFTHS
    methods: Sequence[str] = ()
    baseline: str = "nbench"


@dataclass(frozen=True)
class Point:
    """What a method reached, in percent, and iterations a second."""

    method: str
    target: float
    load: float
    rate: float
    own_cpu_percent: float
    note: str = ""


def _targets(method: str, loads: Sequence[float], cpus: int) -> Sequence[float]:
    """Target loads of a method: nbench can only run whole programs."""
    return [100 * n / cpus for n in range(1, cpus + 1)] if method == "nbench" else loads


def measure(config: Config, method: str, target: float) -> Point:
    """Measure a point: a run with its warm-up."""
    end = config.warmup + config.seconds
    one = run(config.folder / f"{method.replace('/', '-')}-{target:.2f}",
              ["-l", f"{target!r}", *METHODS[method], "--restart",
               "-d", f"{end + config.seconds + GRACE_S:g}"],
              config.command, end, config.seconds / 2)
    point = Point(method, target, mean_load(one.periods, config.warmup, end),
                  throughput(one.iterations, config.warmup, end), one.own_cpu_percent,
                  one.note() or "")
    print(f"{method:12} target {target:6.2f} %  load {point.load:6.2f} %  "
          f"{point.rate:.4f} iterations a second", flush=True)
    return point


def deviation(points: list[Point], baseline: list[Point]) -> list[float]:
    """Differences of points to the baseline at the same load, in percent, if it has that load."""
    curve = sorted((b.load, b.rate) for b in baseline)
    loads, rates = [c[0] for c in curve], [c[1] for c in curve]
    pairs = [(p.rate, float(numpy.interp(p.load, loads, rates)))
             for p in points if curve and loads[0] <= p.load <= loads[-1]]
    return [100 * (rate / expected - 1) for rate, expected in pairs if expected > 0]


def write(config: Config, points: list[Point]) -> None:
    """Write data, table and plot."""
    folder = config.folder
    write_objects(folder / "throughput.csv", points)
    by_method = {m: [p for p in points if p.method == m] for m in METHODS}
    baseline = by_method[config.baseline]
    rows = []
    for method, mine in by_method.items():
        apart = deviation(mine, baseline) if mine is not baseline else []
        rows += [[p.method, f"{p.target:.2f}", f"{p.load:.2f}", f"{p.rate:.4f}",
                  f"{p.own_cpu_percent:.2f}", ""] for p in mine]
        if apart:
            rows[-1][-1] = (f"{sum(abs(x) for x in apart) / len(apart):.2f} ({len(apart)} of "
                            f"{len(mine)} points)")
    names: list[str] = []
    with Plot(folder, "throughput.png", names) as plot:
        axes = plot.axes()
        for method, mine in by_method.items():
            if mine:
                axes.plot([p.load for p in mine], [p.rate for p in mine],
                          "k.--" if method in ("nbench", "1cdc") else ".-", label=method,
                          linewidth=0.8)
        axes.set(xlabel="observed load, %", ylabel="iterations a second", xlim=(0, 102))
        axes.set_ylim(bottom=0)
        axes.legend(fontsize="small")
    head = ["method", "target, %", "load, %", "iterations a second", "own cost, % of a CPU",
            f"mean absolute difference to {config.baseline}, %"]
    (folder / "throughput.md").write_text(
        f"# Throughput of `{' '.join(config.command)}` and load\n\n"
        f"{os.cpu_count()} CPUs; {config.seconds:g} s each after {config.warmup:g} s. "
        "Differences are at the observed load, between neighbouring points of the baseline; "
        "points beyond its loads have none.\n\n"
        f"{table(head, rows)}\n{notes([p.note for p in points])}"
        "\n![throughput](throughput.png)\n", "utf-8")


def study(config: Config) -> None:
    """Measure all methods at all loads."""
    cpus = len(os.sched_getaffinity(0))
    methods = config.methods or [*CONTROLLED, config.baseline]
    points: list[Point] = []
    try:
        for method in methods:
            for target in _targets(method, config.loads, cpus):
                points.append(measure(config, method, target))
    finally:
        if points:
            write(config, points)
