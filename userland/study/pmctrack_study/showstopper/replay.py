# SPDX-License-Identifier: GPL-2.0-or-later
"""Is the throughput of a trace the same in its fast-forwarded replay (section 5.3)?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from ..failure import Failure
from ..plots import Plot
from ..report import notes, table, write_objects
from ..runs import throughput
from .methods import METHODS
from .runs import GRACE_S, Period, mean_load, run


@dataclass(frozen=True, kw_only=True)
class Config:
    """What is observed: @command along the file @trace, at all speeds, by all methods."""

    folder: Path
    command: list[str]
    trace: str
    speeds: Sequence[float] = (1, 2, 4, 8)
    methods: Sequence[str] = ("pi/even",)


@dataclass(frozen=True)
class Replay:
    """The replay of a trace, @speed times as fast."""

    method: str
    speed: float
    seconds: float
    load: float
    error: float
    rate: float
    note: str = ""


def _length(path: Path) -> float:
    """Seconds of a trace: its last line is its end."""
    last = 0.0
    try:
        for line in path.read_text("utf-8").splitlines():
            try:
                last = float(line.split("#")[0].split(",")[0])
            except ValueError:
                continue
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Failure(f"{path}: no trace of lines seconds,percent") from error
    if last <= 0:
        raise Failure(f"{path}: no trace of lines seconds,percent")
    return last


def write(config: Config, replays: list[Replay],
          periods: list[tuple[Replay, list[Period]]]) -> None:
    """Write data, table and plot."""
    folder = config.folder
    write_objects(folder / "replay.csv", replays)
    rows = []
    for one in replays:
        slowest = next(x for x in replays if x.method == one.method)
        rows.append([one.method, f"{one.speed:g}", f"{one.seconds:.1f}", f"{one.load:.2f}",
                     f"{one.error:z.2f}", f"{one.rate:.4f}",
                     f"{100 * (one.rate / slowest.rate - 1):+.2f}" if slowest.rate else ""])
    names: list[str] = []
    with Plot(folder, "replay.png", names) as plot:
        axes = plot.axes()
        for one, log in periods:
            axes.plot([p.at_s / one.seconds for p in log], [p.load for p in log], linewidth=0.7,
                      label=f"{one.method}, speed {one.speed:g}")
        one, log = periods[0]
        axes.plot([p.at_s / one.seconds for p in log], [p.target for p in log], "k--",
                  linewidth=0.8, label="target")
        axes.set(xlabel="part of the trace", ylabel="load, %", ylim=(0, 105), xlim=(0, 1))
        axes.legend(fontsize="small")
    head = ["method", "speed", "s", "load, %", "mean error, % of load", "iterations a second",
            "difference to the first, %"]
    (folder / "replay.md").write_text(
        f"# `{' '.join(config.command)}` along {config.trace}, faster\n\n{table(head, rows)}\n"
        f"{notes([r.note for r in replays])}\n![load](replay.png)\n", "utf-8")


def study(config: Config) -> None:
    """Replay the trace at all speeds, with all methods."""
    length = _length(Path(config.trace))
    replays: list[Replay] = []
    periods: list[tuple[Replay, list[Period]]] = []
    try:
        for method in config.methods:
            for speed in sorted(config.speeds):
                seconds = length / speed
                one = run(config.folder / f"{method.replace('/', '-')}-{speed:g}",
                          ["--trace", config.trace, "--speed", f"{speed!r}", *METHODS[method],
                           "--restart", "-d", f"{2 * seconds + GRACE_S!r}"], config.command,
                          seconds, seconds)
                log = [p for p in one.periods if 3 < p.at_s <= seconds]
                if not log:
                    raise Failure(f"{seconds:g} s are too short for a replay")
                replays.append(Replay(
                    method, speed, seconds, mean_load(one.periods, 0, seconds),
                    sum(p.target - p.load for p in log) / len(log),
                    throughput(one.iterations, 0, seconds), one.note() or ""))
                periods.append((replays[-1], log))
                last = replays[-1]
                print(f"{method:12} speed {speed:6g}  load {last.load:6.2f} %  error "
                      f"{last.error:6.2f} %  {last.rate:.4f} iterations a second", flush=True)
    finally:
        if replays:
            write(config, replays, periods)
