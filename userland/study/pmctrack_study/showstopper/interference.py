# SPDX-License-Identifier: GPL-2.0-or-later
"""How much a background load disturbs a program, under four pinnings (section 6)."""

from __future__ import annotations

import os
import shlex
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

from ..energy import Meter, zones
from ..failure import Failure
from ..fit import fit
from ..groups import remove_group
from ..plots import Plot
from ..report import notes, pictures, table, write_objects
from ..runs import Iteration, throughput
from ..topology import PINNINGS, Machine, Pinning, cpu_list, machine
from .metric import Interference, metric
from .runs import GRACE_S, Run, mean_load

WINDOW_S = 6.0


@dataclass(frozen=True)
class Staircase:
    """Loads of the background, in percent, up and down."""

    first: float = 5
    last: float = 95
    step: float = 5

    def steps(self) -> list[tuple[str, float]]:
        """The half (up or down) and the load of each step; each load comes twice."""
        loads = [self.first + self.step * i
                 for i in range(int((self.last - self.first) / self.step + 1e-9) + 1)]
        return [("up", x) for x in loads] + [("down", x) for x in reversed(loads)]


@dataclass(frozen=True, kw_only=True)
class Config:
    """What is observed: @foreground beside @background, commands in a shell's quotes."""

    folder: Path
    foreground: str
    background: str
    seconds: float = 180
    """length of each step"""
    pinnings: Sequence[str] = tuple(PINNINGS)
    staircase: Staircase = Staircase()

    @property
    def trim_s(self) -> float:
        """Time at each end of a step that may belong to the neighbouring step."""
        return min(30.0, self.seconds / 6)

    @property
    def window_s(self) -> float:
        """The part of a step that is observed."""
        return self.seconds - 2 * self.trim_s


@dataclass(frozen=True)
class Step:
    """A step of the staircase: loads in percent of the background's CPUs."""

    pinning: str
    half: str
    target: float
    load: float
    foreground: float
    """iterations a second"""
    background: float
    joules: float | None


@contextmanager
def control_group() -> Iterator[Path]:
    """A new control group (version 2)."""
    with open("/proc/mounts", encoding="utf-8") as mounts:
        roots = [line.split()[1] for line in mounts if line.split()[2] == "cgroup2"]
    if not roots:
        raise Failure("neutral: the background's load is that of its control group, and "
                      "there is no file system of groups (version 2)")
    with open("/proc/self/cgroup", encoding="utf-8") as groups:
        mine = next((g.strip()[3:] for g in groups if g.startswith("0::")), "/")
    group = Path(roots[0]) / mine.lstrip("/") / f"showstopper-study-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        raise Failure(f"neutral: {group}: {error.strerror}; run it as root, or choose "
                      "--pinnings without neutral") from error
    try:
        yield group
    finally:
        remove_group(group)


class Experiment:
    """A pinning: both programs, side by side, along the staircase."""

    def __init__(self, config: Config, whole: Machine, pinning: Pinning) -> None:
        self.config = config
        self.pinning = pinning
        self.half = len(whole.cpus) // 2
        self.commands = [shlex.split(c) for c in (config.foreground, config.background)]
        self.steps = config.staircase.steps()
        self.folder = config.folder / pinning.name
        self.foreground: Run
        self.background: Run
        self.meter: Meter | None = None

    def _place(self, cpus: frozenset[int] | None) -> list[str]:
        return ["-n", str(self.half), "--restart", *(["--cpus", cpu_list(cpus)] if cpus else [])]

    def run(self) -> list[Step]:
        """Run the experiment. Returns its steps."""
        if self.pinning.background:
            return self._run([], 1)
        # The load of a group is a part of all CPUs, of which the background may have half.
        with control_group() as group:
            return self._run(["--cgroup", str(group)], 2)

    def _run(self, where: list[str], scale: int) -> list[Step]:
        config = self.config
        length = len(self.steps) * config.seconds
        most = config.seconds
        stairs = config.staircase
        percent = ",".join(repr(x / scale) for x in (stairs.first, stairs.last, stairs.step))
        self.foreground = Run(
            self.folder / "foreground",
            ["-l", "100", "-m", "nbench", *self._place(self.pinning.foreground),
             "-d", f"{length + 2 * most + GRACE_S:g}"], self.commands[0])
        self.background = Run(
            self.folder / "background",
            ["--staircase", f"{percent},{config.seconds!r}", *where,
             *self._place(self.pinning.background), "-d", f"{length + most + GRACE_S:g}"],
            self.commands[1])
        sources = zones()
        self.meter = Meter(sources).start() if sources else None
        try:
            self.foreground.start()
            self.background.start()
            # The foreground runs longer, because the background must run beside it to the end.
            self.background.wait(length, most, self.foreground)
            self.foreground.wait(length + 2, most / 2)
        finally:
            self.background.end()
            self.foreground.end()
            if self.meter:
                self.meter.stop()
        return [self._step(i, scale) for i in range(len(self.steps))]

    def _step(self, i: int, scale: int) -> Step:
        """Step @i without its first and last part, which may belong to its neighbours."""
        half, target = self.steps[i]
        begin = i * self.config.seconds + self.config.trim_s
        end = begin + self.config.window_s
        # Each run counts time from its own beginning, on the same clock.
        later = self.background.begin_s - self.foreground.begin_s
        clock = self.background.begin_s
        return Step(self.pinning.name, half, target,
                    scale * mean_load(self.background.periods, begin, end),
                    throughput(self.foreground.iterations, begin + later, end + later),
                    throughput(self.background.iterations, begin, end),
                    self.meter.between(clock + begin, clock + end) if self.meter else None)

    def notes(self) -> list[str]:
        """Notes about what the numbers lack."""
        found = []
        for what, one in ("foreground", self.foreground), ("background", self.background):
            lengths = sorted(i.end_s - i.begin_s for i in one.iterations if i.status == 0)
            name = f"{self.pinning.name}, {what}"
            if not lengths:
                found.append(f"{name}: no iteration ended with status 0")
            elif lengths[len(lengths) // 2] > self.config.window_s / 4:
                found.append(
                    f"{name}: half of the iterations take {lengths[len(lengths) // 2]:.1f} s or "
                    f"more, with the time they were stopped, and a step is observed for "
                    f"{self.config.window_s:.1f} s: they belong to several steps; "
                    "use longer --seconds")
            note = one.note()
            if note and what == "background":
                found.append(f"{name}: {note}")
        return found

    def draw(self, names: list[str]) -> None:
        """Draw the background's load and the foreground's throughput over time (Figure 12)."""
        later = self.background.begin_s - self.foreground.begin_s
        with Plot(self.config.folder, f"timeline-{self.pinning.name}.png", names) as plot:
            left = plot.axes()
            right = left.twinx()
            scale = 1 if self.pinning.background else 2
            left.plot([p.at_s for p in self.background.periods],
                      [scale * p.target for p in self.background.periods], color="lightgrey",
                      linewidth=4)
            left.plot([p.at_s for p in self.background.periods],
                      [scale * p.load for p in self.background.periods], color="grey",
                      linewidth=0.7)
            times, rates = windows(self.foreground.iterations, later,
                                   len(self.steps) * self.config.seconds)
            right.plot(times, rates, "k-", linewidth=0.9)
            left.set(xlabel="s", ylabel="background load, % (target: wide)", ylim=(0, 105))
            right.set(ylabel="foreground, iterations a second")
            right.set_ylim(bottom=0)
            left.set_title(self.pinning.name)


def windows(iterations: Sequence[Iteration], later: float,
            end: float) -> tuple[list[float], list[float]]:
    """Middles of adjacent intervals of 6 s, and the throughput in each."""
    starts = [WINDOW_S * n for n in range(int(end / WINDOW_S))]
    return ([s + WINDOW_S / 2 for s in starts],
            [throughput(iterations, s + later, s + WINDOW_S + later) for s in starts])


def interference(steps: Sequence[Step]) -> Interference:
    """The interference of a pinning."""
    halves = ([s for s in steps if s.half == half] for half in ("up", "down"))
    return Interference(*(fit([s.load / 100 for s in part], [s.foreground for s in part])
                          for part in halves))


MARKS = {"up": "^", "down": "v"}
COLOURS = {"neutral": "tab:blue", "per-chip": "tab:green", "per-core": "tab:orange",
           "per-thread": "tab:red"}


def _scatter(axes: object, steps: Sequence[Step], value: str) -> None:
    for pinning in dict.fromkeys(s.pinning for s in steps):
        for half, mark in MARKS.items():
            mine = [s for s in steps if s.pinning == pinning and s.half == half]
            axes.plot([s.load for s in mine], [getattr(s, value) for s in mine],  # type: ignore
                      mark, color=COLOURS[pinning], markersize=5,
                      label=pinning if half == "up" else None)


def _table(steps: Sequence[Step]) -> str:
    rows = []
    for pinning in dict.fromkeys(s.pinning for s in steps):
        mine = [s for s in steps if s.pinning == pinning]
        try:
            found = interference(mine)
            cells = [found.metric, metric(found.rising), metric(found.falling)]
        except (ValueError, ZeroDivisionError):
            rows.append([pinning, *["-"] * 5])
            continue
        rows.append([pinning, *(f"{x:.2f}" for x in cells), "yes" if found.symmetric else "no",
                     "yes" if found.significant else "no"])
    return table(["pinning", "interference metric", "up", "down", "halves alike",
                  "significant"], rows)


def write(config: Config, steps: list[Step], remarks: list[str], names: list[str]) -> None:
    """Write data, table and plots of all pinnings."""
    folder = config.folder
    write_objects(folder / "steps.csv", steps)
    with Plot(folder, "interference.png", names, 2) as plot:
        for column, value in enumerate(("foreground", "background")):
            axes = plot.axes(column)
            _scatter(axes, steps, value)
            axes.set(xlabel="background load, %", ylabel=f"{value}, iterations a second",
                     xlim=(0, 100))
            axes.margins(y=0.25)
            axes.set_ylim(bottom=0)
            axes.legend(fontsize="small")
    text = ""
    if config.foreground == config.background:
        text += system(steps, config.window_s)
    if any(s.joules for s in steps):
        text += "\nEnergy is that of all packages and memories (powercap), once a second.\n"
    else:
        text += "\nNo energy: this machine has no powercap zone (RAPL) that can be read.\n"
    (folder / "interference.md").write_text(
        f"# `{config.foreground}` beside `{config.background}`\n\n{_table(steps)}\n"
        "The metric is -100 slope / intercept of the foreground's throughput over the "
        "background's load (a fraction): percent that a full background load takes away; the "
        "mean of both halves of the staircase. Halves are alike if their normalized slopes "
        "differ by less than 3 degrees; significant: p < 0.05 for slope and intercept of "
        f"both. Steps of {config.seconds:g} s, without their ends: {config.window_s:.1f} s are "
        f"observed.\n{text}\n{notes(remarks)}\n{pictures(names)}", "utf-8")


def system(steps: Sequence[Step], window: float) -> str:
    """A table if both programs are the same: the machine's work a second, and for a watt-hour."""
    pinnings = list(dict.fromkeys(s.pinning for s in steps))
    rows = []
    for target in sorted({s.target for s in steps}):
        row = [f"{target:g}"]
        for pinning in pinnings:
            mine = [s for s in steps if s.pinning == pinning and s.target == target]
            if not mine:
                row += ["", ""]
                continue
            rates = [step.foreground + step.background for step in mine]
            row.append(f"{sum(rates) / len(rates):.4f}")
            efficient = [3600 * rate * window / step.joules
                         for rate, step in zip(rates, mine) if step.joules]
            row.append(f"{sum(efficient) / len(efficient):.1f}" if efficient else "-")
        rows.append(row)
    head = ["background load, %"]
    for pinning in pinnings:
        head += [f"{pinning}, iterations a second", "per Wh"]
    return f"\n## Of the whole machine\n\n{table(head, rows)}"


def study(config: Config) -> None:
    """Observe all pinnings that the machine is made for."""
    whole = machine()
    if len(config.staircase.steps()) < 6:
        raise Failure("the staircase needs three steps at least, for a line through them")
    steps: list[Step] = []
    remarks: list[str] = []
    names: list[str] = []
    try:
        for name in config.pinnings:
            try:
                experiment = Experiment(config, whole, PINNINGS[name](whole))
                print(f"{name}: {len(experiment.steps)} steps of {config.seconds:g} s",
                      flush=True)
                steps += experiment.run()
            except Failure as failure:
                # Other pinnings may be possible all the same.
                remarks.append(f"{failure}")
                print(f"showstopper study: {failure}", flush=True)
                continue
            experiment.draw(names)
            remarks += experiment.notes()
    finally:
        if steps:
            write(config, steps, remarks, names)
    if not steps:
        raise Failure("no pinning could be observed")
