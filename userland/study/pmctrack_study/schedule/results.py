# SPDX-License-Identifier: GPL-2.0-or-later
"""Completion times, in files, and the paper's figures of merit (section 4.1.3).

    plan.json           what these results depend on
    alone.csv           each program alone: on fast cores, and on the slowest only
    completions.csv     each run of each program, in a mix under a policy
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
PLAN = "plan.json"


@dataclass(frozen=True)
class Alone:
    """A program that has the machine for itself."""

    program: str
    fast_s: float
    """all fast cores are there for it"""
    slow_s: float
    """on cores of the slowest type only"""


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
    """Of a mix under a policy."""

    unfairness: float
    """greatest slowdown over the smallest one, at least 1"""
    speedup: float
    """ASP: sum over programs of CT_slow / CT - 1"""
    slowdowns: Mapping[str, float]
    """CT / CT_fast of each program"""


def append(path: Path, rows: Sequence[Alone] | Sequence[Completion]) -> None:
    """Rows more, all of them at once or none: what was measured is there, whatever happens."""
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
    """Results of different plans are not mixed."""
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
    """Within so many seconds the programs of a mix start, by the plan; 0: together."""
    path = folder / PLAN
    return float(json.loads(path.read_text("utf-8")).get("stagger", 0)) if path.exists() else 0.0


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error


def read_alone(folder: Path) -> dict[str, Alone]:
    """By program."""
    return {row["program"]: Alone(row["program"], float(row["fast_s"]), float(row["slow_s"]))
            for row in _rows(folder / ALONE)}


def read_completions(folder: Path) -> list[Completion]:
    """All of them."""
    return [Completion(row["mix"], row["policy"], row["program"], int(row["run"]),
                       float(row["seconds"])) for row in _rows(folder / COMPLETIONS)]


def merit(completions: Sequence[Completion], alone: Mapping[str, Alone]) -> Merit:
    """Of all runs of one mix under one policy: of geometric means of their times."""
    times: dict[str, list[float]] = {}
    for one in completions:
        times.setdefault(one.program, []).append(one.seconds)
    if not times:
        raise Failure("no program has ended a run")
    slowdowns, speedup = {}, 0.0
    for program, seconds in times.items():
        if program not in alone:
            raise Failure(f"{program} never ran alone")
        mean = geometric_mean(seconds)
        slowdowns[program] = mean / alone[program].fast_s
        speedup += alone[program].slow_s / mean - 1
    return Merit(max(slowdowns.values()) / min(slowdowns.values()), speedup, slowdowns)


def merits(folder: Path) -> dict[tuple[str, str], Merit]:
    """Of each mix under each policy that @folder has, in the order of their runs."""
    alone = read_alone(folder)
    cells: dict[tuple[str, str], list[Completion]] = {}
    for one in read_completions(folder):
        cells.setdefault((one.mix, one.policy), []).append(one)
    return {cell: merit(found, alone) for cell, found in cells.items()}
