# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs of programs: their iterations, their logs, and their end."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

from .failure import Failure


@dataclass(frozen=True)
class Iteration:
    """A program from its start to its end. Times are in seconds since the run began."""

    unit: int
    program: str
    begin_s: float
    end_s: float
    status: int


def throughput(iterations: Sequence[Iteration], begin: float, end: float) -> float:
    """Iterations a second between two times. Those that overlap count in part (footnote 9)."""
    done = 0.0
    for i in iterations:
        if i.status == 0 and i.end_s > i.begin_s:
            done += max(0.0, min(end, i.end_s) - max(begin, i.begin_s)) / (i.end_s - i.begin_s)
    return done / (end - begin)


def read_rows(path: Path, what: str) -> Iterator[dict[str, str]]:
    """Rows of a log by their columns: CSV, or lines of JSON. @what: name of the log in messages.

    A last line without a line feed is still being written, and is not a row yet.
    """
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        lines = text[:text.rfind("\n") + 1].splitlines(keepends=True)
        if path.suffix == ".jsonl":
            for line in lines:
                yield {k: str(v) for k, v in json.loads(line).items()}
        else:
            yield from csv.DictReader(lines)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error
    except (ValueError, AttributeError, csv.Error) as error:
        raise Failure(f"{path}: not {what} ({error})") from error


def end_session(leader: subprocess.Popen[bytes]) -> None:
    """End a program that leads a session of its own, and everything that it has started."""
    leader.send_signal(signal.SIGTERM)
    try:
        leader.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(leader.pid, signal.SIGKILL)
    try:
        os.killpg(leader.pid, signal.SIGCONT)
        os.killpg(leader.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    leader.wait()
