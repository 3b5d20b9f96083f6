# SPDX-License-Identifier: GPL-2.0-or-later
"""What a program did alone on a core type, by its instructions, and its speedup at each place.

A run is a curve: time, energy and events by the number of instructions. Curves of different runs
of one program are compared at the same instruction, whatever their windows were.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterable, Mapping

import numpy
from numpy.typing import NDArray

from ..failure import Failure
from .features import OTHERS, STALLS

Array = NDArray[numpy.float64]


@dataclass(frozen=True)
class Curve:
    """Sums of a run, after each of its windows; the first entry is 0."""

    instr: Array
    sums: Mapping[str, Array]
    """Sums of "ns", and of events."""

    def sum_at(self, name: str, instr: Array) -> Array:
        """The sum of @name after @instr instructions."""
        return numpy.interp(instr, self.instr, self.sums[name])


@dataclass
class Program:
    """Runs of a program on each core type."""

    name: str
    family: str
    curves: dict[str, list[Curve]] = field(default_factory=dict)
    """Curves by core type: one for each event set that was counted."""
    beside: dict[str, list[Curve]] = field(default_factory=dict)
    """The same, of runs beside others; may be empty."""

    def curve_with(self, core_type: str, event: str) -> Curve:
        """A run on that core type in which an event was counted."""
        for curve in self.curves[core_type]:
            if event in curve.sums:
                return curve
        raise Failure(f"{self.name}: {event} was not counted on {core_type}")

    def length(self) -> float:
        """Instructions that all runs have done."""
        return min(float(c.instr[-1]) for curves in self.curves.values() for c in curves)


@dataclass(frozen=True)
class Windows:
    """Pieces of equal length of a program, as seen from one core type."""

    program: str
    family: str
    rates: Mapping[str, Array]
    """Events per piece, by name; and "instr"."""
    truth: Mapping[str, Mapping[str, Array]]
    """True values, by kind of output and other core type; see factors()."""
    weights: Mapping[str, Array] = field(default_factory=dict)
    """Weights of errors, by kind of output. No entry: 1."""


def running_sum(values: Iterable[float]) -> Array:
    """Sums of the first 0, 1, 2, ... values."""
    return numpy.cumsum([0.0, *values], dtype=numpy.float64)


def curve_of(rows: Iterable[Mapping[str, str]], names: Iterable[str]) -> Curve:
    """A curve of rows of CSV; @names are columns that are summed up."""
    table = list(rows)
    if not table:
        raise Failure("a run has no windows: is the program shorter than one?")
    sums = {name: running_sum([float(row[name] or 0) for row in table]) for name in names}
    return Curve(sums["instr"], sums)


OTHER_COLUMNS = frozenset(
    "nsample time_ns kind pid tgid cpu coretype expid run_ns merged widened disturbed".split())


def read_counts(path: Path) -> Curve:
    """Read a run that `pmctrack --csv` has written: samples by events."""
    with path.open(newline="", encoding="utf-8") as lines:
        rows = [{**row, "ns": row["hw_ns"]} for row in csv.DictReader(lines)]
    if not rows:
        raise Failure(f"{path} has no rows")
    if len({row["pid"] for row in rows}) > 1:
        raise Failure(f"{path}: a program with several threads has no common sequence of windows")
    if any(int(row["disturbed"] or 0) for row in rows):
        raise Failure(f"{path}: counts were disturbed by others; run it again")
    if not all(row.get("energy", "-") for row in rows):
        raise Failure(f"{path}: the energy of some windows is not known; see the kernel log")
    events = [name for name in rows[0] if name and name not in OTHER_COLUMNS and name != "hw_ns"]
    return curve_of(rows, events)


def factors(program: Program, big: str, edges: Array) -> dict[str, dict[str, Array]]:
    """What models estimate, between @edges (in instructions): 1 is "the same on both types".

    speedup_factor: time on the other core type over that on the big one. ef: the same of the
    energy-delay product, if energy was read. Values are means of all runs.
    """
    def mean(name: str) -> dict[str, Array]:
        return {core_type: numpy.mean(
            [numpy.diff(c.sum_at(name, edges)) for c in curves if name in c.sums]
            or [numpy.zeros(1)], axis=0) for core_type, curves in program.curves.items()}

    time, energy = mean("ns"), mean("energy")
    found = {"speedup_factor": {t: time[t] / time[big] for t in time if t != big}}
    if all((e > 0).all() for e in energy.values()):
        found["ef"] = {t: energy[t] / energy[big] * time[t] / time[big] for t in time if t != big}
    return found


def pieces(program: Program, core_type: str, big: str, length: float) -> Windows:
    """Divide a program into pieces of @length instructions. An incomplete last one is left out."""
    edges = numpy.arange(0.0, program.length() + 1, length)
    if len(edges) < 2:
        raise Failure(f"{program.name} is shorter than a window of {length:.0f} instructions")
    rates = _rates(program.curves[core_type], edges)
    truth = factors(program, big, edges)
    weights = {}
    if program.beside and STALLS.part in rates:
        # Alone, the program is not disturbed.
        rates[OTHERS] = numpy.zeros(len(edges) - 1)
        truth["undisturbed"] = {core_type: numpy.ones(len(edges) - 1)}
        weights["undisturbed"] = _stalls(rates)
    return Windows(program.name, program.family, rates, truth, weights)


def _rates(curves: Iterable[Curve], edges: Array) -> dict[str, Array]:
    """Events between @edges (in instructions), of the first run that counted them."""
    rates: dict[str, Array] = {}
    for curve in curves:
        for name in curve.sums:
            if name not in rates:
                rates[name] = numpy.diff(curve.sum_at(name, edges))
    return rates


LEAST_STALLS = 0.001
"""Part of the time; less is as good as nothing."""


def _stalls(rates: Mapping[str, Array]) -> Array:
    """The part of the time that is stalls which wait for data."""
    return numpy.clip(rates[STALLS.part] / rates[STALLS.whole], LEAST_STALLS, 1)


def beside(program: Program, core_type: str, big: str, length: float) -> Windows:
    """Like pieces(), of what was counted beside others.

    undisturbed: the part of the program's stalls that would be there alone, if all that others do
    is to add stalls.
    """
    if not program.beside:
        raise Failure(f"{program.name} did not run beside others")
    curves = program.beside[core_type]
    if not any(STALLS.part in c.sums for c in curves):
        raise Failure(f"{STALLS.part} was not counted on {core_type}: without it, nothing can be "
                      "said of threads beside others")
    length_all = min(program.length(), *(float(c.instr[-1]) for c in curves))
    edges = numpy.arange(0.0, length_all + 1, length)
    if len(edges) < 2:
        raise Failure(f"{program.name} is shorter than a window of {length:.0f} instructions")
    rates = _rates(curves, edges)
    alone, took = (numpy.mean([numpy.diff(c.sum_at("ns", edges)) for c in found], axis=0)
                   for found in (program.curves[core_type], curves))
    stalls = _stalls(rates)
    truth = factors(program, big, edges)
    truth["undisturbed"] = {core_type: numpy.clip(1 - (1 - alone / took) / stalls, 0.01, 1)}
    return Windows(program.name, program.family, rates, truth, {"undisturbed": stalls})
