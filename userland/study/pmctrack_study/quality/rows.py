# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows that the models without a guest print: quality_model and placer_model."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from ..failure import Failure


@dataclass(frozen=True)
class Judged:
    """A program of a mix, some time after the beginning."""

    mix: tuple[str, str]
    """seed and number"""
    at_s: float
    program: str
    quality_ms: float
    explained_ms: float
    """CPU time that quality_ms is about"""
    cpu_ms: float
    alone_ms: float

    @property
    def error(self) -> float:
        """Error of Quality Time, in percent of the time alone."""
        return 100 * (self.quality_ms / self.alone_ms - 1)

    @property
    def cpu_error(self) -> float:
        """Error of CPU time, in percent of the time alone."""
        return 100 * (self.cpu_ms / self.alone_ms - 1)


@dataclass(frozen=True)
class Placed:
    """A mix under qplacer and under static placements: progress, in CPUs' time alone."""

    mix: tuple[str, str]
    qplacer: float
    oracle: float
    static: tuple[float, ...]

    def gain(self, progress: float) -> float:
        """Gain of @progress over the mean of the static placements, in percent."""
        return 100 * (progress * len(self.static) / sum(self.static) - 1)


def _lines(path: Path, columns: int) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error
    if not lines or any(len(line) != columns for line in lines):
        raise Failure(f"{path} does not have {columns} columns")
    return lines


def judged(path: Path) -> list[Judged]:
    """Read what quality_model printed."""
    return [Judged((seed, number), float(at_s), program, *map(float, numbers))
            for _, seed, number, at_s, program, *numbers in _lines(path, 9)]


def placed(path: Path) -> list[Placed]:
    """Read what placer_model printed."""
    found: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for _, seed, number, policy, progress, _ in _lines(path, 6):
        found[seed, number][policy] = float(progress)
    return [Placed(mix, of["qplacer"], of["oracle"],
                   tuple(value for name, value in of.items() if name.startswith("static-")))
            for mix, of in found.items()]
