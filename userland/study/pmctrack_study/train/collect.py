# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs on the machine: each program alone on a CPU of each core type, once for each event set.

Results are files below a folder:

    machine.json                    core types, window, events
    PROGRAM/TYPE-SET.csv            windows of a run (pmctrack --csv)
    PROGRAM/beside-TYPE-SET.csv     the same, beside others (the module contention is active)
    PROGRAM/estimates-TYPE.csv      a run with the monitoring module's estimates
    PROGRAM/estimates-moved.csv     the same, of a run that was moved between core types
"""

from __future__ import annotations

import csv
import json
import os
import random
import shlex
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Sequence

from ..failure import Failure
from .features import BESIDE, CANDIDATES, OTHERS

INFO = Path("/proc/pmc/info")


@dataclass(frozen=True)
class CoreType:
    """A kind of CPUs, as /proc/pmc/info has it."""

    index: int
    name: str
    cpus: tuple[int, ...]
    general: int
    """Counters for any event, beside instr and cycles."""
    events: tuple[str, ...]
    """Names that the kernel knows, so that a model may have them."""


@dataclass(frozen=True)
class Task:
    """A program that is to be run."""

    name: str
    family: str
    command: tuple[str, ...]


def read_tasks(path: Path) -> list[Task]:
    """Read lines NAME FAMILY COMMAND...; empty lines and comments are left out."""
    tasks: dict[str, Task] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as wrong:
            raise Failure(f"{path}:{number}: {wrong}") from wrong
        if not words:
            continue
        if len(words) < 3:
            raise Failure(f"{path}:{number}: expected NAME FAMILY COMMAND...")
        name = words[0]
        if "/" in name or name.startswith("."):
            raise Failure(f"{path}:{number}: '{name}' is to be the name of a folder")
        if name in tasks:
            raise Failure(f"{path}:{number}: there are two programs '{name}'")
        tasks[name] = Task(name, words[1], tuple(words[2:]))
    if not tasks:
        raise Failure(f"{path} names no programs")
    return list(tasks.values())


def read_cpus(text: str) -> tuple[int, ...]:
    """A list as the kernel writes it: 0-3,8."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return tuple(found)


def core_types() -> list[CoreType]:
    """The core types of this machine."""
    if not INFO.exists():
        raise Failure(f"{INFO} is not there: load pmctrack.ko ('pmctrack doctor' helps)")
    found: list[dict[str, str]] = []
    for line in INFO.read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(": ")
        if key == "coretype":
            found.append({})
        if found:
            found[-1][key] = value
    return [CoreType(int(t["coretype"]), t["pmu"], read_cpus(t["cpus"]),
                     general_counters(int(t["counters"].split()[0]),
                                      int(t["fixed_counters"].split()[0])),
                     tuple(t.get("events", "").split())) for t in found]


def general_counters(counters: int, fixed: int) -> int:
    """Counters that are free beside instr and cycles, which take general ones if none is fixed."""
    return counters - max(fixed, 2)


def countable(kind: CoreType) -> list[str]:
    """Events of models that the kernel can count with this PMU."""
    events = dict.fromkeys(e for f in CANDIDATES for e in (f.part, f.whole))
    return [e for e in events if e not in ("instr", "cycles") and e in kind.events]


def _kill(leader: subprocess.Popen[Any]) -> None:
    """Kill all of the leader's session."""
    with suppress(ProcessLookupError):
        os.killpg(leader.pid, signal.SIGKILL)
    leader.wait()


def _run(command: Sequence[str]) -> None:
    """Run a command. If this program is told to end, what it has started ends, too."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as done:
        try:
            _, said = done.communicate()
        except BaseException:
            _kill(done)
            raise
    if done.returncode:
        raise Failure(f"{shlex.join(command)}: status {done.returncode}: {said.strip()}")


def _pinned(kind: CoreType, task: Task, output: Path, *options: str) -> None:
    _run(["taskset", "-c", str(kind.cpus[0]), "pmctrack", "--csv", "-o", str(output), *options,
          *task.command])


def _children(pid: int) -> list[int]:
    """Children of a process; none if it has ended. (Linux: CONFIG_PROC_CHILDREN.)"""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    except FileNotFoundError:
        return []
    return [int(child) for child in text.split()]


def moved(kinds: Sequence[CoreType], task: Task, output: Path, seconds: float,
          *options: str) -> None:
    """Let the program visit each core type for @seconds, in turns, until it ends."""
    command = ["taskset", "-c", str(kinds[0].cpus[0]), "pmctrack", "--csv", "-o", str(output),
               *options, *task.command]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          start_new_session=True) as run:
        try:
            visit = 0
            while True:
                try:
                    run.wait(seconds)
                    break
                except subprocess.TimeoutExpired:
                    visit += 1
                for child in _children(run.pid):
                    with suppress(ProcessLookupError):
                        os.sched_setaffinity(child, {kinds[visit % len(kinds)].cpus[0]})
        except BaseException:
            _kill(run)
            raise
    if run.returncode:
        raise Failure(f"{shlex.join(command)}: status {run.returncode}")
    with output.open(newline="", encoding="utf-8") as lines:
        if len({row["coretype"] for row in csv.DictReader(lines)}) < len(kinds):
            raise Failure(f"{task.name} was not on all core types: it must be one process, and "
                          f"last for {len(kinds)} visits of {seconds} s")


def windows(folder: Path, task: Task, kind: CoreType, events: Sequence[str], window: int,
            energy: bool) -> None:
    """Make a run for each group of as many events as there are counters; at least one run."""
    more = ["-V", "energy"] if energy else []
    sets = [events[n:n + kind.general] for n in range(0, len(events), kind.general)] or [[]]
    for number, chosen in enumerate(sets):
        names = ",".join([f"instr:ebs={window}", "cycles", *chosen, f"coretype={kind.index}"])
        _pinned(kind, task, folder / f"{kind.index}-{number}.csv", "-c", names, *more)


def _loop(cpu: int, task: Task) -> subprocess.Popen[bytes]:
    """Run a program again and again, in a group of its own, with misses that the module sees."""
    one = shlex.join(["taskset", "-c", str(cpu), "pmctrack", "-V", OTHERS, "-T", "0.1",
                      "-o", "/dev/null", *task.command])
    return subprocess.Popen(["sh", "-c", f"while {one}; do :; done"], start_new_session=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


@contextmanager
def _neighbours(chosen: Sequence[tuple[int, Task]]) -> Iterator[None]:
    """Let programs run on other CPUs meanwhile."""
    loops: list[subprocess.Popen[bytes]] = []
    try:
        for cpu, task in chosen:
            loops.append(_loop(cpu, task))
        time.sleep(0.3)
        yield
        if any(loop.poll() is not None for loop in loops):
            raise Failure("a program that was to run beside others ended: try "
                          f"'pmctrack -V {OTHERS} true', with the monitoring module contention")
    finally:
        for loop in loops:
            _kill(loop)


def beside(folder: Path, task: Task, kind: CoreType, everyone: Sequence[Task],
           window: int) -> None:
    """Make a run for each group of as many events as there are counters, beside the same others.

    Which programs the others are, and how many, is drawn by lot.
    """
    lot = random.Random(f"{task.name} {kind.index}")
    cpus = [cpu for other in core_types() for cpu in other.cpus if cpu != kind.cpus[0]]
    cpus = lot.sample(cpus, lot.randint(1, len(cpus)))
    chosen = [(cpu, lot.choice(everyone)) for cpu in cpus]
    wanted = {e for f in BESIDE for e in (f.part, f.whole)}
    events = [e for e in countable(kind) if e in wanted]
    for number, start in enumerate(range(0, len(events), kind.general)):
        names = ",".join([f"instr:ebs={window}", "cycles", *events[start:start + kind.general],
                          f"coretype={kind.index}"])
        with _neighbours(chosen):
            _pinned(kind, task, folder / f"beside-{kind.index}-{number}.csv", "-c", names,
                    "-V", OTHERS)


def collect(folder: Path, tasks: Sequence[Task], window: int, *, features: bool = True,
            energy: bool = False, estimates: float = 0, others: bool = False,
            visits: float = 0) -> None:
    """Run all tasks.

    @others: also run each task beside others of them.
    @energy: read the energy of each window, too, from the active monitoring module.
    @estimates: also run with that module's estimates, one each @estimates seconds.
    @visits: the same run is moved to another core type each @visits seconds, instead of one run
        on each core type.
    """
    kinds = core_types()
    if len(kinds) < 2:
        raise Failure("all CPUs of this machine are of one type")
    events = {kind.index: countable(kind) if features else [] for kind in kinds}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "machine.json").write_text(json.dumps({
        "simulated": kinds[0].name.startswith("simulated_"), "window": window,
        "families": {task.name: task.family for task in tasks},
        "types": [{"index": k.index, "name": k.name, "general": k.general} for k in kinds],
    }, indent=1), encoding="utf-8")
    for number, task in enumerate(tasks, 1):
        print(f"{number} of {len(tasks)}: {task.name}", flush=True)
        into = folder / task.name
        into.mkdir(exist_ok=True)
        # These are of an earlier collection, which may have had other events.
        for old in into.glob("*.csv"):
            old.unlink()
        for kind in kinds:
            windows(into, task, kind, events[kind.index], window, energy)
            if others:
                beside(into, task, kind, tasks, window)
            if estimates and not visits:
                _pinned(kind, task, into / f"estimates-{kind.index}.csv", "-T", str(estimates),
                        "-V", "sf,ef" if energy else "sf")
        if estimates and visits:
            moved(kinds, task, into / "estimates-moved.csv", visits, "-T", str(estimates),
                  "-V", "sf")
