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
    """A program that was managed. Each column is a list of numbers; unknown values are nan."""

    name: str
    pid: int
    unit: str
    columns: dict[str, list[float]]


def _row(columns: list[str], line: str) -> dict[str, str] | None:
    """Read a row. Names have no line feeds, so a damaged line is one row. None: not complete."""
    (fields,) = csv.reader([line])
    return dict(zip(columns, fields)) if len(fields) == len(columns) else None


def read(path: Path) -> list[Program]:
    """Read the programs of the last run of qosd. Each run begins with the names of the columns.

    A row that is not complete is left out: it is being written, or qosd was killed.
    """
    found: dict[tuple[int, str], Program] = {}
    with open(path, encoding="utf-8", newline="\n") as file:
        head = file.readline()
        columns = head.rstrip("\n").split(",")
        if not {*NUMBERS, "pid", "program", "unit"} <= set(columns):
            raise Failure(f"{path} is not a log of qosd (-l)")
        for line in file:
            if line == head:
                found.clear()
                continue
            row = _row(columns, line)
            if not row:
                continue
            try:
                key = (int(row["pid"]), row["program"])
                numbers = {name: float(row[name] or "nan") for name in NUMBERS}
            except ValueError as error:
                raise Failure(f"{path}: '{line.rstrip()}': {error}") from error
            program = found.setdefault(key, Program(row["program"], key[0], row["unit"],
                                                    defaultdict(list)))
            for name, value in numbers.items():
                program.columns[name].append(value)
    if not found:
        raise Failure(f"{path}: no program was managed")
    return list(found.values())
