# SPDX-License-Identifier: GPL-2.0-or-later
"""The log of qosd: a row of CSV for each program and step."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from ..failure import Failure

NUMBERS = ("monotonic_s", "rate", "goal_min", "goal_max", "asked", "granted", "used", "a", "b")


@dataclass(frozen=True)
class Program:
    """One that was managed. Each column is a list of numbers; what was not known is nan."""

    name: str
    pid: int
    unit: str
    columns: dict[str, list[float]]


def read(path: Path) -> list[Program]:
    """In the order in which they came. Several runs of qosd can have written to a file."""
    found: dict[tuple[int, str], Program] = {}
    cut_off: int | None = None
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if not {*NUMBERS, "pid", "program", "unit"} <= set(rows.fieldnames or ()):
            raise Failure(f"{path} is not a log of qosd (-l)")
        try:
            for row in rows:
                if cut_off:
                    raise Failure(f"{path}: line {cut_off}: not all columns are there")
                # The last one may not be complete: qosd writes it, or was killed.
                if None in row.values():
                    cut_off = rows.line_num
                    continue
                key = (int(row["pid"]), row["program"])
                program = found.setdefault(key, Program(row["program"], key[0], row["unit"],
                                                        defaultdict(list)))
                for name in NUMBERS:
                    program.columns[name].append(float(row[name] or "nan"))
        except (ValueError, TypeError) as error:
            raise Failure(f"{path}: line {rows.line_num}: {error}") from error
    if not found:
        raise Failure(f"{path}: no program was managed")
    return list(found.values())
