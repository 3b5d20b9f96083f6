# SPDX-License-Identifier: GPL-2.0-or-later
"""Completion times, in files, and the paper's figures of merit (section 4.1.3).

    plan.json           what these results depend on
    alone.csv           each program alone: on fast cores, and on the slowest only
    completions.csv     each run of each program, in a mix under a policy
    totals.csv          each mix under a policy: work and energy of the whole machine
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import geometric_mean
from typing import Mapping, Sequence

from ..failure import Failure

ALONE = "alone.csv"
COMPLETIONS = "completions.csv"
TOTALS = "totals.csv"
PLAN = "plan.json"


@dataclass(frozen=True)
class Alone:
    """A program that has the machine for itself."""

    program: str
    fast_s: float
    """time with all fast cores"""
    slow_s: float
    """time on cores of the slowest type only"""
    fast_j: float = 0.0
    """energy of the machine meanwhile"""
    slow_j: float = 0.0

    @property
    def speedup_factor(self) -> float:
        """The speedup factor of the whole run."""
        return self.slow_s / self.fast_s

    @property
    def efficiency_factor(self) -> float:
        """EF: energy-delay product of slow cores over that of fast ones, same instructions."""
        if not self.fast_j:
            raise Failure(f"the energy of {self.program} alone is not known: it was run by an "
                          "older version; use another folder")
        return self.slow_j / self.fast_j * self.speedup_factor


@dataclass(frozen=True)
class Total:
    """A mix under a policy: all runs of its programs, also those that were ended early."""

    mix: str
    policy: str
    programs: str
    seconds: float
    instr: int
    joules: float
    """of the whole machine"""

    @property
    def edp(self) -> float:
        """Energy-delay product (equation 5): energy per instructions in a second. A mix that takes
        twice as long for twice the work and energy has twice the product."""
        return self.joules * self.seconds / self.instr

    def edp_of_runs(self, seconds: float) -> float:
        """Energy times time in a program's run of @seconds, however long the whole mix takes."""
        return self.joules / self.seconds * seconds ** 2


@dataclass(frozen=True)
class Completion:
    """A run of a program, from its start to its end."""

    mix: str
    policy: str
    program: str
    run: int
    seconds: float


@dataclass(frozen=True)
class Merit:
    """Figures of merit of a mix under a policy."""

    unfairness: float
    """greatest slowdown over the smallest one, at least 1"""
    speedup: float
    """ASP: sum over programs of CT_slow / CT - 1"""
    slowdowns: Mapping[str, float]
    """CT / CT_fast of each program"""
    seconds: float = 0.0
    """geometric mean of CT"""


def append(path: Path, rows: Sequence[Alone] | Sequence[Completion] | Sequence[Total]) -> None:
    """Append rows, all at once or none. So what was measured is there, whatever happens."""
    names = [field.name for field in fields(rows[0])]
    text = io.StringIO()
    out = csv.writer(text)
    if not path.exists():
        out.writerow(names)
    for row in rows:
        out.writerow([getattr(row, name) for name in names])
    with open(path, "ab", buffering=0) as file:
        file.write(text.getvalue().encode("utf-8"))


def same_plan(folder: Path, plan: Mapping[str, object]) -> None:
    """Check that results of different plans are not mixed."""
    path = folder / PLAN
    if not path.exists():
        path.write_text(json.dumps(plan, indent=1) + "\n", "utf-8")
        return
    was = json.loads(path.read_text("utf-8"))
    for key, value in plan.items():
        if was.get(key) != value:
            raise Failure(f"{folder} has results with {key} {was.get(key)}, not {value}: use "
                          "another folder, or remove them")


def stagger_of(folder: Path) -> float:
    """Seconds within which the programs of a mix start, by the plan; 0: together."""
    path = folder / PLAN
    return float(json.loads(path.read_text("utf-8")).get("stagger", 0)) if path.exists() else 0.0


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error


def read_alone(folder: Path) -> dict[str, Alone]:
    """Times alone, by program."""
    return {row["program"]: Alone(row["program"], float(row["fast_s"]), float(row["slow_s"]),
                                  float(row.get("fast_j") or 0), float(row.get("slow_j") or 0))
            for row in _rows(folder / ALONE)}


def read_totals(folder: Path) -> dict[tuple[str, str], Total]:
    """Totals, by mix and policy. If a mix was interrupted before its completions were written, and
    was run again, the last total counts."""
    return {(row["mix"], row["policy"]):
            Total(row["mix"], row["policy"], row["programs"], float(row["seconds"]),
                  int(row["instr"]), float(row["joules"])) for row in _rows(folder / TOTALS)}


def read_completions(folder: Path) -> list[Completion]:
    """All completions."""
    return [Completion(row["mix"], row["policy"], row["program"], int(row["run"]),
                       float(row["seconds"])) for row in _rows(folder / COMPLETIONS)]


def merit(completions: Sequence[Completion], alone: Mapping[str, Alone]) -> Merit:
    """Merit of all runs of one mix under one policy, from geometric means of their times."""
    times: dict[str, list[float]] = {}
    for one in completions:
        times.setdefault(one.program, []).append(one.seconds)
    if not times:
        raise Failure("no program has ended a run")
    slowdowns, speedup, means = {}, 0.0, []
    for program, seconds in times.items():
        if program not in alone:
            raise Failure(f"{program} never ran alone")
        mean = geometric_mean(seconds)
        means.append(mean)
        slowdowns[program] = mean / alone[program].fast_s
        speedup += alone[program].slow_s / mean - 1
    return Merit(max(slowdowns.values()) / min(slowdowns.values()), speedup, slowdowns,
                 geometric_mean(means))


def merits(folder: Path) -> dict[tuple[str, str], Merit]:
    """Merits of each mix under each policy that @folder has, in the order of their runs."""
    alone = read_alone(folder)
    cells: dict[tuple[str, str], list[Completion]] = {}
    for one in read_completions(folder):
        cells.setdefault((one.mix, one.policy), []).append(one)
    return {cell: merit(found, alone) for cell, found in cells.items()}
