# SPDX-License-Identifier: GPL-2.0-or-later
"""Rates and goals, CPUs, and what a further CPU is worth by the model, over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

from ..plots import Plot
from .log import Program

NAN = float("nan")


def _of_goal(program: Program) -> list[float]:
    """Rates as parts of the goal, because programs have different units."""
    middle = [(low + high) / 2 for low, high in
              zip(program.columns["goal_min"], program.columns["goal_max"])]
    return [rate / goal if goal else NAN for rate, goal in zip(program.columns["rate"], middle)]


def _worth(program: Program) -> list[float]:
    """The worth of a further CPU, in the program's unit."""
    return [b / (1 - a) if a < 1 else NAN for a, b in
            zip(program.columns["a"], program.columns["b"])]


def _draw(axes: Any, programs: list[Program], title: str,
          values: Callable[[Program], list[float]]) -> None:
    began = min(program.columns["monotonic_s"][0] for program in programs)
    for program in programs:
        times = [now - began for now in program.columns["monotonic_s"]]
        axes.step(times, values(program), where="post",
                  label=f"{program.name}[{program.pid}], {program.unit}")
    axes.set_ylabel(title)
    axes.set_xlabel("s")


def plot(programs: list[Program], folder: Path) -> list[str]:
    """Draw the plots. Returns the names of the files."""
    names: list[str] = []
    folder.mkdir(parents=True, exist_ok=True)
    with Plot(folder, "rates.png", names) as picture:
        _draw(picture.axes(), programs, "rate, times the goal (its middle)", _of_goal)
        picture.axes().axhspan(0.9, 1.1, alpha=0.15)
        picture.axes().set_ylim(bottom=0)
        picture.axes().legend(fontsize="small")
    with Plot(folder, "cpus.png", names, 2) as picture:
        _draw(picture.axes(0), programs, "CPUs given", lambda p: p.columns["granted"])
        _draw(picture.axes(1), programs, "CPUs used", lambda p: p.columns["used"])
        for column in range(2):
            picture.axes(column).set_ylim(bottom=0)
        picture.axes(0).legend(fontsize="small")
    with Plot(folder, "model.png", names) as picture:
        _draw(picture.axes(), programs, "a further CPU, by the model: b / (1 - a)", _worth)
        picture.axes().set_yscale("log")
        picture.axes().legend(fontsize="small")
    return names
