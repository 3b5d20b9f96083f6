# SPDX-License-Identifier: GPL-2.0-or-later
"""How processes advance, as the module sees it now."""

from __future__ import annotations

import contextlib
import csv
import curses
import json
import time
from collections import deque
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Iterator, TextIO

from ..failure import Failure
from .identity import printable
from .records import Program, Programs
from .show import user_name

SPAN_S = 5.0  # windows end one by one, so what happened in the last seconds is shown
BAR = 20


@dataclass
class Line:
    """A process. Times are in seconds, since the process was met; elapsed_s is since top began.

    @advance: time alone that it made in a second, for each of its threads; 1 is as fast as alone on
    a CPU of its own
    @slowdown: CPU time over time alone; None before the first window
    """

    elapsed_s: float
    pid: int
    program: str
    user: str
    threads: int
    phase: int
    known: bool
    training: bool
    windows: int
    valid_windows: int
    changes: int
    foreseen: int
    cpu_s: float
    alone_s: float
    slowdown: float | None
    advance: float | None


def _name(pid: int) -> str:
    try:
        return printable(Path(f"/proc/{pid}/comm").read_text(encoding="utf-8",
                                                              errors="replace").strip())
    except OSError:
        return "?"


class Looks:
    """What was seen of processes lately."""

    def __init__(self, programs: Programs) -> None:
        self.programs = programs
        self.began = time.monotonic()
        self.past: dict[tuple[int, int], deque[tuple[float, int]]] = {}

    def look(self) -> list[Line]:
        """Look at all processes. Those that advance least are first."""
        if not self.programs.alive():
            raise Failure("the module fair_progress has gone")
        now = time.monotonic()
        here = [p for _, p in self.programs.heads() if p.process and p.threads]
        lines = [self._line(p, now) for p in here]
        there = {(p.process, p.content) for p in here}
        self.past = {key: past for key, past in self.past.items() if key in there}
        return sorted(lines, key=lambda x: (x.advance is None, x.advance, x.pid))

    def _line(self, process: Program, now: float) -> Line:
        past = self.past.setdefault((process.process, process.content), deque())
        past.append((now, process.run_alone))
        while len(past) > 2 and now - past[1][0] >= SPAN_S:
            past.popleft()
        before, alone = past[0]
        advance = max(0.0, (process.run_alone - alone) / 1e9 / (now - before) / process.threads) \
            if now > before else None
        known = process.run_alone and process.run_windows
        return Line(
            elapsed_s=round(now - self.began, 3), pid=process.process,
            program=_name(process.process), user=user_name(process.uid), threads=process.threads,
            phase=process.run_phase, known=bool(process.run_known),
            training=bool(process.run_wanted), windows=process.run_windows,
            valid_windows=process.run_valid, changes=process.run_changes,
            foreseen=process.run_foreseen, cpu_s=process.run_ns / 1e9,
            alone_s=process.run_alone / 1e9,
            slowdown=process.run_ns / process.run_alone if known else None, advance=advance)


HEAD = (f"{'PID':>7} {'PROGRAM':<16} {'USER':<8} {'THR':>3} {'ADVANCES':<{BAR + 6}} "
        f"{'SLOWDOWN':>8} {'PHASE':>5} {'VALID':>11} {'FORESEEN':>9}")


def bar_of(part: float | None) -> str:
    """The bar of a line, with its number."""
    if part is None:
        return f"{'':{BAR}}   -  "
    return f"{'#' * round(min(part, 1) * BAR):.<{BAR}} {part:4.0%} "


def text_of(line: Line) -> str:
    """A line, in the columns of HEAD. "~" marks a slowdown that is a guess, "T" a process that is
    to be seen with few others."""
    slowdown = "-" if line.slowdown is None else f"{'' if line.known else '~'}{line.slowdown:.3f}"
    phase = f"{line.phase or '-'}{'T' if line.training else ''}"
    foreseen = f"{line.foreseen}/{line.changes}"
    return (f"{line.pid:>7} {line.program[:16]:<16} {line.user[:8]:<8} {line.threads:>3} "
            f"{bar_of(line.advance)}{slowdown:>8} {phase:>5} "
            f"{f'{line.valid_windows}/{line.windows}':>11} {foreseen:>9}")


def looks(programs: Programs, interval: float, number: int) -> Iterator[list[Line]]:
    """Look @number times, or until interrupted. The first look has no interval, and is left out."""
    seen, done = Looks(programs), 0
    seen.look()
    while not number or done < number:
        time.sleep(interval)
        yield seen.look()
        done += 1


def print_looks(out: TextIO, form: str, programs: Programs, interval: float, number: int) -> None:
    """Print looks for programs, or on paper."""
    names = [f.name for f in fields(Line)]
    table = csv.writer(out, lineterminator="\n")
    if form == "csv":
        table.writerow(names)
    for lines in looks(programs, interval, number):
        if form == "csv":
            table.writerows([f"{x:.6g}" if isinstance(x, float) else int(x) if isinstance(x, bool)
                             else x for x in asdict(line).values()] for line in lines)
        elif form == "json":
            out.write(json.dumps({"type": "interval", "processes": [asdict(x) for x in lines]})
                      + "\n")
        else:
            out.write("\n".join([HEAD, *map(text_of, lines)]) + "\n\n")
        out.flush()


def screen(programs: Programs, interval: float, number: int) -> None:
    """Show looks on a screen, until q, or @number times."""
    def run(window: curses.window) -> None:
        # Not all terminals can do this.
        with contextlib.suppress(curses.error):
            curses.use_default_colors()
        with contextlib.suppress(curses.error):
            curses.curs_set(0)
        window.timeout(round(interval * 1000))
        seen, done = Looks(programs), 0
        lines: list[Line] = seen.look()
        while not number or done < number:
            height, width = window.getmaxyx()
            window.erase()
            shown = [HEAD, *map(text_of, lines)]
            for row, text in enumerate(shown[:height - 1]):
                window.addnstr(row, 0, text, width - 1, 0 if row else curses.A_REVERSE)
            foot = "time alone made in a second; ~: a guess; T: to be seen with few others; q: quit"
            window.addnstr(height - 1, 0, foot, width - 1)
            if window.getch() in (ord("q"), 27):
                return
            lines = seen.look()
            done += 1
    try:
        curses.wrapper(run)
    except curses.error as error:
        raise Failure(f"this terminal shows no screen ({error}): use --batch") from error
