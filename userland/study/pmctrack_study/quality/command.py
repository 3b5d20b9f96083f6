# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: plots of how true Quality Time is, and of what placements bring."""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from typing import Sequence

from ..command_line import dispatch
from ..plots import Plot
from . import rows


def _errors(folder: Path, path: Path, names: list[str]) -> None:
    """Draw Fig. 7 of the paper: the errors of each pair, the greatest last."""
    pairs: dict[tuple[str, str], list[rows.Judged]] = defaultdict(list)
    for row in rows.judged(path):
        pairs[row.mix].append(row)
    time = sorted(sum(abs(row.error) for row in pair) / len(pair) for pair in pairs.values())
    cpu = sorted(sum(abs(row.cpu_error) for row in pair) / len(pair) for pair in pairs.values())
    with Plot(folder, f"{path.stem}.png", names) as plot:
        axes = plot.axes()
        axes.plot(cpu, "^", label=f"CPU time: mean {sum(cpu) / len(cpu):.1f} % (paper: 30.0)")
        axes.plot(time, "o", label=f"Quality Time: mean {sum(time) / len(time):.1f} % (paper: 7.5)")
        axes.set_xlabel("pairs of programs, sorted by error")
        axes.set_ylabel("error of the time alone, %")
        axes.set_title(path.stem)
        axes.legend()


def _timeline(folder: Path, names: list[str]) -> None:
    """Draw the quality of each second of a mix, estimated and true."""
    by_program: dict[str, list[rows.Judged]] = defaultdict(list)
    for row in rows.judged(folder / "timeline.csv"):
        key = row.program
        while by_program[key] and by_program[key][-1].at_s == row.at_s:
            key += "'"
        by_program[key].append(row)
    with Plot(folder, "timeline.png", names) as plot:
        axes = plot.axes()
        for number, (program, line) in enumerate(by_program.items()):
            pairs = list(zip(line, line[1:]))
            at_s = [after.at_s for _, after in pairs]
            axes.plot(at_s, [100 * (after.quality_ms - before.quality_ms) /
                             max(after.explained_ms - before.explained_ms, 1e-9)
                             for before, after in pairs], color=f"C{number}", label=program)
            axes.plot(at_s, [100 * (after.alone_ms - before.alone_ms) /
                             (after.cpu_ms - before.cpu_ms) for before, after in pairs],
                      color=f"C{number}", linestyle=":")
        axes.set_xlabel("time, s")
        axes.set_ylabel("quality, % (dotted: true)")
        axes.legend()


def _accuracy(options: argparse.Namespace) -> int:
    folder, names = Path(options.folder), []  # type: Path, list[str]
    for path in sorted(folder.glob("pairs-*.csv")):
        _errors(folder, path, names)
    _timeline(folder, names)
    print("plots:", *(str(folder / name) for name in names))
    return 0


def _placements(options: argparse.Namespace) -> int:
    """Draw Fig. 12 of the paper: the gain of each mix over the mean of static placements."""
    folder, names = Path(options.folder), []  # type: Path, list[str]
    for path in sorted(folder.glob("*.csv")):
        found = sorted(rows.placed(path), key=lambda mix: mix.gain(mix.qplacer))
        gains = [mix.gain(mix.qplacer) for mix in found]
        with Plot(folder, f"{path.stem}.png", names) as plot:
            axes = plot.axes()
            axes.bar(range(len(gains)), gains,
                     label=f"qplacer: mean {sum(gains) / len(gains):+.1f} % (paper: +3.2)")
            axes.plot([mix.gain(max(mix.static)) for mix in found], "k_", label="best static")
            axes.plot([mix.gain(mix.oracle) for mix in found], "r.", label="with the true quality")
            axes.set_xlabel("mixes, sorted by gain")
            axes.set_ylabel("progress over the mean of static placements, %")
            axes.set_title(path.stem)
            axes.legend()
    print("plots:", *(str(folder / name) for name in names))
    return 0


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="quality study", description=__doc__)
    commands = parser.add_subparsers(required=True)
    for name, run, text in (("accuracy", _accuracy, "of tests/experiments/pmctrack/quality"),
                            ("placements", _placements, "of tests/experiments/pmctrack/placer")):
        command = commands.add_parser(name, help=f"plots {text}")
        command.add_argument("folder")
        command.set_defaults(run=run)
    return dispatch("quality study", parser, arguments)
