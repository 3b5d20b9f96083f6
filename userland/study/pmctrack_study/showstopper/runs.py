# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs of showstopper: starting them, and reading what they log."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Sequence

from ..failure import Failure
from ..runs import Iteration, read_rows

LOG = "load.csv"
ITERATIONS = "iterations.csv"
SUMMARY = "summary.json"

GRACE_S = 60
"""If their study cannot end runs any more, they end themselves after this further time."""


def binary() -> str:
    """The showstopper that studies run: the one that has started them."""
    return os.environ.get("SHOWSTOPPER", "showstopper")


@dataclass(frozen=True)
class Period:
    """500 ms of a run: seconds since the trace began, and percent."""

    at_s: float
    target: float
    load: float
    duty: float
    running: int
    iterations: int


def read_log(path: Path) -> list[Period]:
    """Read what --log has written, CSV or lines of JSON."""
    try:
        return [
            Period(float(r["time_s"]), float(r["target_percent"]), float(r["load_percent"]),
                   float(r["duty_percent"]), int(r["running"]), int(r["iterations"]))
            for r in read_rows(path, "a log of showstopper")
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise Failure(f"{path}: not a log of showstopper ({error})") from error


def read_iterations(path: Path) -> list[Iteration]:
    """Read what --iterations has written."""
    try:
        return [
            Iteration(int(r["unit"]), r["program"], float(r["begin_s"]), float(r["end_s"]),
                      int(r["status"]))
            for r in read_rows(path, "a log of showstopper")
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise Failure(f"{path}: not a log of iterations ({error})") from error


def mean_load(periods: Sequence[Period], begin: float, end: float) -> float:
    """The observed load between two times, in percent."""
    loads = [p.load for p in periods if begin < p.at_s <= end]
    if not loads:
        raise Failure(f"no load was observed from {begin:g} to {end:g} s")
    return sum(loads) / len(loads)


@dataclass
class Run:
    """A run of showstopper, whose logs are in @folder."""

    folder: Path
    options: list[str]
    command: list[str]
    begin_s: float = 0.0
    """when the trace began, on the monotonic clock"""
    own_cpu_percent: float = 0.0
    unfinished: int = 0
    periods: list[Period] = field(default_factory=list)
    iterations: list[Iteration] = field(default_factory=list)
    _process: subprocess.Popen[bytes] | None = None

    def start(self) -> Run:
        """Start the run. Returns itself."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in (LOG, ITERATIONS, SUMMARY):
            (self.folder / name).unlink(missing_ok=True)
        # pylint: disable-next=consider-using-with
        self._process = subprocess.Popen(
            [binary(), "-q", f"--json={self.folder / SUMMARY}", "-o", str(self.folder / LOG),
             "--iterations", str(self.folder / ITERATIONS), *self.options, "--", *self.command],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )
        return self

    def is_running(self) -> bool:
        """True if the run has not ended yet."""
        return self._process is not None and self._process.poll() is None

    def _unfinished(self, end: float) -> int:
        """Number of running programs whose iterations, begun before @end, have not ended."""
        running = max((p.running for p in read_log(self.folder / LOG)), default=0)
        beyond = {i.unit for i in read_iterations(self.folder / ITERATIONS) if i.end_s >= end}
        return running - len(beyond)

    def wait(self, end: float, most: float, company: Run | None = None) -> Run:
        """Wait for the end of the run, and read its logs. Returns itself.

        Throughput until @end is that of iterations that ended. So the run goes on until each
        program has ended an iteration after @end, for @most seconds at most. @company must not
        end before.
        """
        assert self._process
        ours = False
        while self.is_running():
            time.sleep(0.5)
            if company and not company.is_running():
                raise Failure(f"{company}: it ended before its time")
            at_s = self._now()
            if at_s > end and (at_s > end + most or self._unfinished(end) <= 0):
                ours = True
                self._process.send_signal(signal.SIGTERM)
                self._process.wait()
        status = self._process.wait()
        if status != (143 if ours else 0) or self._now() < end:
            raise Failure(f"{self}: it ended before its time, with status {status}")
        summary = json.loads((self.folder / SUMMARY).read_text("ascii"))
        if not summary["observations"]:
            raise Failure(f"{self}: it ended before its load counts, after 3 s")
        self.begin_s = summary["begin_monotonic_s"]
        self.own_cpu_percent = summary["own_cpu_percent"]
        self.periods = read_log(self.folder / LOG)
        self.iterations = read_iterations(self.folder / ITERATIONS)
        self.unfinished = self._unfinished(end)
        return self

    def _now(self) -> float:
        """Time of the last observation, in seconds since the trace began."""
        log = self.folder / LOG
        return max((p.at_s for p in read_log(log)), default=0.0) if log.exists() else 0.0

    def note(self) -> str | None:
        """A note about what the throughput lacks."""
        if self.unfinished <= 0:
            return None
        return (f"{self}: {self.unfinished} programs did not end an iteration in time, and what "
                "they did of it is not counted; use longer --seconds, or shorter iterations")

    def __str__(self) -> str:
        return f"showstopper {' '.join(self.options)} -- {' '.join(self.command)}"

    def end(self) -> None:
        """End the run before its time. The programs that it controls end with it."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait()


def run(folder: Path, options: list[str], command: list[str], end: float, most: float) -> Run:
    """Make a run that lasts until @end, and at most @most seconds more; see Run.wait()."""
    one = Run(folder, options, command).start()
    try:
        return one.wait(end, most)
    finally:
        one.end()
