# SPDX-License-Identifier: GPL-2.0-or-later
"""Windows of a program: how much of the cache it had, and how often it missed."""

from __future__ import annotations

import csv
from array import array
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Iterable, Iterator, Mapping

from ..failure import Failure

OCCUPANCY, MISSES, INSTR = "llc_usage", "llc_misses", "instr"
Rows = Iterable[Mapping[str, str]]


@dataclass(frozen=True)
class Point:
    """A window of a thread."""

    occupancy: float
    """Bytes: the mean of its beginning and its end."""
    change: float
    """Bytes, from its beginning to its end."""
    instr: int
    misses: int

    @property
    def mpki(self) -> float:
        """Misses per 1000 instructions."""
        return 1000 * self.misses / self.instr


class Windows:
    """Many points, in 32 bytes each: there are thousands a second."""

    def __init__(self, points: Iterable[Point] = ()) -> None:
        self._numbers = array("d")
        for point in points:
            self.append(point)

    def append(self, point: Point) -> None:
        """Add a point."""
        self._numbers.extend((point.occupancy, point.change, point.instr, point.misses))

    def __len__(self) -> int:
        return len(self._numbers) // 4

    def __iter__(self) -> Iterator[Point]:
        numbers = iter(self._numbers)
        for occupancy, change, instr, misses in zip(numbers, numbers, numbers, numbers):
            yield Point(occupancy, change, int(instr), int(misses))


@dataclass
class Points:
    """The windows of a run, and how many were left out."""

    kept: Windows = field(default_factory=Windows)
    unknown: int = 0
    """Windows whose occupancy is not known at both ends, in one cache."""
    others: int = 0
    """Windows of other processes that the program has started."""
    disturbed: int = 0
    """Windows whose counts somebody else has changed."""


def _window(before: Mapping[str, str], row: Mapping[str, str]) -> Point | None:
    """The window between two samples. None: occupancy is not known, or of different caches."""
    if not before[OCCUPANCY] or not row[OCCUPANCY] or before["cpu"] != row["cpu"] or \
            int(row["merged"] or 0) or not int(row[INSTR]):
        return None
    begin, end = float(before[OCCUPANCY]), float(row[OCCUPANCY])
    return Point((begin + end) / 2, end - begin, int(row[INSTR]), int(row[MISSES]))


def _process(rows: Rows) -> str:
    """The process that has executed the most instructions."""
    work: Counter[str] = Counter()
    for row in rows:
        work[row["tgid"]] += int(row[INSTR] or 0)
    if not work:
        raise Failure("the program has no samples: is it shorter than a window?")
    (process, _), = work.most_common(1)
    return process


def points_of(rows: Callable[[], Rows]) -> Points:
    """Windows of what pmctrack has written. @rows reads it from the beginning, twice."""
    process = _process(rows())
    found = Points()
    before: dict[str, Mapping[str, str]] = {}
    for row in rows():
        if not row[INSTR]:
            continue
        if row["tgid"] != process:
            found.others += 1
            continue
        last = before.get(row["pid"])
        before[row["pid"]] = row
        point = _window(last, row) if last else None
        if int(row["disturbed"] or 0):
            found.disturbed += 1
        elif point:
            found.kept.append(point)
        else:
            found.unknown += 1
    return found


def read_points(path: Path) -> Points:
    """Windows of a file of `pmctrack --csv`."""
    def rows() -> Rows:
        with path.open(newline="", encoding="utf-8") as lines:
            yield from csv.DictReader(lines)

    return points_of(rows)
