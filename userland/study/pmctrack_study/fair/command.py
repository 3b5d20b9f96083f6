# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: tables and plots of fair-progress scheduling."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Sequence

from ..command_line import dispatch, interruptible
from ..failure import Failure
from .results import TIME, read, summaries

PAPER = {"4-private": 53.5, "4-shared": 65.0, "2x2": 65.0, "4x2": 70.0}
"""What the paper eliminates with as much training as is wanted, in percent, on like machines."""


def _rows(options: argparse.Namespace) -> int:
    for name in options.files:
        path = Path(name)
        # "NAME-MACHINE.csv": machines have hyphens, too.
        programs, _, machine = path.stem.partition("-")
        found, mixes = summaries(read(path))
        if not found:
            print(f"| {programs} | {machine} | (equal time is fair) |{' |' * 9} 0 of {mixes} |")
        for one in found:
            cells = [programs, machine, one.policy, *one.row(), f"{len(one.runs)} of {mixes}"]
            print(f"| {' | '.join(cells)} |", flush=True)
    return 0


def _plot(options: argparse.Namespace) -> int:
    from ..plots import Plot  # pylint: disable=import-outside-toplevel
    names: list[str] = []
    for name in options.files:
        path = Path(name)
        programs, _, machine = path.stem.partition("-")
        shown = [one for one in summaries(read(path))[0] if one.policy != TIME]
        if not shown:
            continue
        with Plot(path.parent, f"{path.stem}.png", names) as plot:
            axes = plot.axes()
            values = [one.eliminated() for one in shown]
            heights = [value for value, _, _ in values]
            axes.bar([one.policy for one in shown], heights, color="0.7", edgecolor="0.3",
                     yerr=[[value - low for value, low, _ in values],
                           [high - value for value, _, high in values]], capsize=4)
            if machine in PAPER:
                axes.axhline(PAPER[machine], linestyle="--", color="0.3",
                             label="the paper, as much training as wanted")
                axes.legend(loc="upper left")
            axes.axhline(0, linewidth=0.5, color="0")
            axes.set_ylabel("eliminated unfairness, %")
            axes.set_title(f"{programs} programs on {machine} (simulated): mean, and least and "
                           "greatest of the seeds")
    if not names:
        raise Failure("equal time is fair in all mixes: nothing to plot")
    print(f"plots: {' '.join(names)}")
    return 0


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="fair study", description=__doc__)
    commands = parser.add_subparsers(required=True)
    for name, run, text in (("rows", _rows, "print a row of the table for each policy"),
                            ("plot", _plot, "draw what policies eliminate")):
        command = commands.add_parser(name, help=text)
        command.add_argument("files", nargs="+", metavar="NAME-MACHINE.csv",
                             help="rows of fair_model, of all seeds")
        command.set_defaults(run=run)
    interruptible()
    return dispatch("fair study", parser, arguments)
