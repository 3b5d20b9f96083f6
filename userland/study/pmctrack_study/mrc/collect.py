# SPDX-License-Identifier: GPL-2.0-or-later
"""Run the program beside co-runners that are slowed down step by step."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Iterator, Sequence

from ..failure import Failure
from ..topology import cpu_list
from . import slow
from .points import INSTR, MISSES, OCCUPANCY
from .processes import LOOK_S, PATIENCE_S, Ending, Session


@dataclass(frozen=True)
class Plan:
    """What the user has asked for."""

    command: Sequence[str]
    beside: Sequence[str]
    """Co-runners, each in the words of a shell."""
    cpus: frozenset[int]
    """CPUs of the program; empty: any."""
    beside_cpus: frozenset[int]
    """CPUs of the co-runners; empty: any."""
    levels: Sequence[float]
    """Percent of their time that co-runners get."""
    dwell: float
    """Seconds of each level."""
    starve: float
    """Seconds for which the program is stopped before each level, and co-runners are not."""
    window: int
    """Instructions of a window."""
    seconds: float
    """Most seconds that the program may run; 0: until it ends."""
    way: str
    """How co-runners are slowed down: quota, clock or auto."""


class Beside:
    """Co-runners, which run all the time: if one ends, it is started again."""

    def __init__(self, plan: Plan, way: slow.Slow, ending: Ending) -> None:
        self._plan = plan
        self._way = way
        self._ending = ending
        self._running: dict[str, Session] = {}
        self._stopped = False

    def _enter(self) -> None:
        wanted = self._plan.beside_cpus
        if wanted:
            os.sched_setaffinity(0, wanted)
            if os.sched_getaffinity(0) != wanted:
                raise OSError
        self._way.enter(os.getpid())
        self._ending.release()

    def look(self) -> None:
        """Start the co-runners that are not running."""
        for number, text in enumerate(self._plan.beside):
            key = f"{number}: {text}"
            last = self._running.get(key)
            if last and not last.ended():
                continue
            # Kill what it has left running, too.
            status = last.kill() if last else 0
            if status:
                raise Failure(f"co-runner {key} ended with status {status}")
            self._running[key] = self._start(text)
            if self._stopped:
                self._running[key].send(signal.SIGSTOP)

    def _start(self, text: str) -> Session:
        try:
            return Session(shlex.split(text), self._enter, subprocess.DEVNULL)
        except subprocess.SubprocessError as error:
            raise Failure(f"co-runner {text} cannot be put on CPUs "
                          f"{cpu_list(self._plan.beside_cpus) or 'of this machine'} and be slowed "
                          f"down by {self._way.name}: do these CPUs exist?") from error

    def level(self, percent: float) -> float:
        """Give co-runners @percent of their time. Returns what they really get."""
        self._stopped = not percent
        for program in self._running.values():
            program.send(signal.SIGSTOP if self._stopped else signal.SIGCONT)
        return self._way.set(percent) if percent else 0

    def end(self) -> None:
        """End all co-runners."""
        for program in self._running.values():
            program.end()


def child_of(pid: int) -> int | None:
    """PID of the program that pmctrack has started. None: it does not run yet, or any more."""
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    except OSError:
        return None
    return int(found[0]) if found else None


@contextmanager
def _program(counting: Session) -> Iterator[int | None]:
    """A descriptor of the program that pmctrack has started. None: nothing runs."""
    target = child_of(counting.pid)
    try:
        file = os.pidfd_open(target) if target else None
    except ProcessLookupError:
        file = None
    try:
        # Check that the descriptor is not that of another process, which has the PID now.
        yield file if child_of(counting.pid) == target else None
    finally:
        if file is not None:
            os.close(file)


def _tell(file: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        signal.pidfd_send_signal(file, number)


def _starve(counting: Session, plan: Plan, beside: Beside, ending: Ending) -> bool:
    """Let co-runners take the program's lines, so that it begins with few.

    Returns True if a signal came.
    """
    with _program(counting) as file:
        if file is None:
            return False
        beside.level(100)
        _tell(file, signal.SIGSTOP)
        came = ending.wait(plan.starve)
        _tell(file, signal.SIGCONT)
        return came


def _follow(counting: Session, plan: Plan, beside: Beside, ending: Ending,
            seen: list[float]) -> bool:
    """Set one level after another until the program ends. Levels are added to @seen.

    Returns True if a signal came.
    """
    for level in cycle(plan.levels):
        if plan.beside and plan.starve and _starve(counting, plan, beside, ending):
            return True
        real = beside.level(level)
        if plan.beside and real not in seen:
            seen.append(real)
        if plan.beside and sys.stderr.isatty():
            print(f"pmctrack-mrc: co-runners get {real:.3g} %", file=sys.stderr)
        end = time.monotonic() + plan.dwell
        while time.monotonic() < end:
            if counting.ended():
                return False
            beside.look()
            if ending.wait(LOOK_S):
                return True
    return False


@contextmanager
def _way(plan: Plan) -> Iterator[slow.Slow]:
    """The way in which co-runners are slowed down."""
    cpus = len(plan.beside_cpus) or os.cpu_count() or 1
    if plan.way == "clock" or (plan.way == "auto" and plan.beside_cpus and slow.has_clock()):
        if not plan.beside_cpus:
            raise Failure("clock modulation slows CPUs down: say which are the co-runners' "
                          "(--beside-cpus)")
        with slow.clock(sorted(plan.beside_cpus)) as way:
            yield way
        return
    with slow.quota(min(cpus, len(plan.beside))) as way:
        yield way


def _end(counting: Session) -> int:
    """Let pmctrack end the program, and write what was counted. All that it started is ended."""
    counting.send_leader(signal.SIGTERM)
    if not counting.wait(PATIENCE_S):
        # The program ignores SIGTERM.
        with _program(counting) as file:
            if file is not None:
                _tell(file, signal.SIGKILL)
        counting.wait(PATIENCE_S)
    return counting.kill()


@dataclass(frozen=True)
class Run:
    """The result of a run."""

    status: int
    """Status of the program, as pmctrack returns it."""
    interrupted: bool
    levels: list[float]
    way: str


def run(plan: Plan, file: Path) -> Run:
    """Write the windows of the program to @file. Signals are pending until all is restored."""
    levels: list[float] = []
    arguments = ["pmctrack", "--csv", "-o", str(file), "-c",
                 f"{INSTR}:ebs={plan.window},{MISSES}", "-V", OCCUPANCY]
    if plan.cpus:
        arguments += ["-b", cpu_list(plan.cpus)]
    if plan.seconds:
        arguments += ["-N", f"{plan.seconds}"]
    with ExitStack() as undo:
        ending = Ending()
        undo.callback(ending.release)
        way: slow.Slow = undo.enter_context(_way(plan)) if plan.beside else slow.Nothing()
        beside = Beside(plan, way, ending)
        undo.callback(beside.end)
        beside.level(100)
        beside.look()
        counting = Session([*arguments, "--", *plan.command], ending.release, sys.stderr.fileno())
        # This is for failures: otherwise, pmctrack has ended.
        undo.callback(_end, counting)
        interrupted = _follow(counting, plan, beside, ending, levels)
        status = _end(counting) if interrupted or plan.seconds else counting.reap()
    return Run(status, interrupted, levels, way.name)
