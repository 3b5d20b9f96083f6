# SPDX-License-Identifier: GPL-2.0-or-later
"""What a database has, for people and for programs."""

from __future__ import annotations

import csv
import json
import pwd
import time
from typing import Any, Iterable, TextIO

from .records import NO_PHASE, UNIT, Phase, Record, followers_in
from .store import Row

COLUMNS = ("id", "program", "identity", "user", "machine", "address_instr", "windows", "phases",
           "known", "updated")


def user_name(uid: int) -> str:
    """The name of a user, or the number of a user that is not known here."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _cells(row: Row) -> tuple[object, ...]:
    program = row.record.program
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(row.updated))
    return (row.number, row.name, row.key.identity, user_name(row.key.uid), row.key.machine,
            program.address_instr, program.windows, len(row.record.phases()), row.record.known(),
            when)


def print_rows(out: TextIO, rows: Iterable[Row], form: str) -> None:
    """Print all rows, briefly."""
    cells = [_cells(row) for row in rows]
    if form == "csv":
        csv.writer(out, lineterminator="\n").writerows([COLUMNS, *cells])
    elif form == "json":
        json.dump({"schema": 1, "programs": [dict(zip(COLUMNS, c)) for c in cells]}, out, indent=1)
        out.write("\n")
    else:
        out.write(f"{'ID':>5} {'PROGRAM':<16} {'USER':<10} {'WINDOWS':>9} {'PHASES':>6} "
                  f"{'KNOWN':>5} {'UPDATED':<20} IDENTITY\n")
        for number, name, identity, user, _, _, windows, phases, known, when in cells:
            out.write(f"{number:>5} {str(name)[:16]:<16} {user:<10} {windows:>9} {phases:>6} "
                      f"{known:>5} {when:<20} {str(identity)[:25]}\n")


def _speeds(phase: Phase, core_types: int) -> list[dict[str, Any]]:
    return [{"core_type": i, "valid_windows": s.valid, "other_windows": s.other,
             "cpi_alone": s.alone / UNIT if s.valid else None,
             "deviation": s.variance ** 0.5 / 1000 if s.valid > 1 else None,
             "pressure_milli": s.pressure if s.valid else None,
             "cpi_beside": s.beside / UNIT if s.other else None}
            for i, s in enumerate(list(phase.speed)[:core_types])]


def followers_of(record: Record, phase: int) -> dict[int, int]:
    """How often other phases followed, whatever was before. Phases are counted from 1."""
    return {n + 1: times for entry in record.followers
            if entry.times[0] and entry.phase == phase and entry.before == NO_PHASE
            for n, times in followers_in(entry).items()}


def phases_of(record: Record) -> list[dict[str, Any]]:
    """Phases, in the form for other programs."""
    return [{"phase": i + 1, "windows": record.phase[i].seen,
             "windows_since": record.phase[i].age,
             "blocks": sum(x > 0 for x in record.phase[i].mean),
             "speeds": _speeds(record.phase[i], record.program.core_types),
             "next": followers_of(record, i)} for i in record.phases()]


def _number(value: float | None, form: str = "8.3f") -> str:
    return f"{'-':>8}" if value is None else f"{value:{form}}"


def print_row(out: TextIO, row: Row, form: str) -> None:
    """Print all that is known of a program."""
    phases = phases_of(row.record)
    if form == "json":
        facts = dict(zip(COLUMNS, _cells(row)))
        json.dump({"schema": 1, **facts, "detail": phases}, out, indent=1)
        out.write("\n")
        return
    for name, value in zip(COLUMNS, _cells(row)):
        out.write(f"{name}: {value}\n")
    out.write(f"\n{'PHASE':>5} {'WINDOWS':>8} {'SINCE':>7} {'BLOCKS':>6} {'TYPE':>4} {'ALONE':>8} "
              f"{'+-':>8} {'OF':>3} {'PRESSED':>7} {'BESIDE':>8}  NEXT (TIMES)\n")
    for phase in phases:
        follow = ", ".join(f"{n} ({times})" for n, times in phase["next"].items())
        head = (f"{phase['phase']:>5} {phase['windows']:>8} {phase['windows_since']:>7} "
                f"{phase['blocks']:>6}")
        for speed in phase["speeds"]:
            pressed = "-" if speed["pressure_milli"] is None else speed["pressure_milli"]
            out.write(f"{head} {speed['core_type']:>4} {_number(speed['cpi_alone'])} "
                      f"{_number(speed['deviation'])} {speed['valid_windows']:>3} {pressed:>7} "
                      f"{_number(speed['cpi_beside'])}  {follow}".rstrip() + "\n")
            head, follow = " " * len(head), ""
    out.write("# ALONE, BESIDE: cycles per instruction, alone (+-: deviation, as a part of it; "
              "mean of so many windows) and beside others\n"
              "# PRESSED: what others moved meanwhile, in thousandths of what memory can\n")
