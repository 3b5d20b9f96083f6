# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: showstopper report, showstopper study."""

from __future__ import annotations

import argparse
import functools
from pathlib import Path
from typing import Sequence

from ..command_line import carry_out, command, names_of, number, numbers
from ..topology import PINNINGS
from . import accuracy, interference, replay, report, throughput
from .methods import METHODS


def _staircase(text: str) -> interference.Staircase:
    first, last, step = numbers(text)
    if not first < last <= 100:
        raise ValueError
    return interference.Staircase(first, last, step)


_staircase.__name__ = "staircase FROM,TO,STEP, in percent, upwards"


def _list(values: Sequence[float] | Sequence[str]) -> str:
    """A default value, as a user types it."""
    return ",".join(x if isinstance(x, str) else f"{x:g}" for x in values)


def _throughput(options: argparse.Namespace) -> None:
    throughput.study(throughput.Config(
        folder=Path(options.folder), command=options.command, seconds=options.seconds,
        warmup=options.warmup, loads=options.loads, methods=options.methods,
        baseline=options.baseline))


def _replay(options: argparse.Namespace) -> None:
    replay.study(replay.Config(
        folder=Path(options.folder), command=options.command, trace=options.trace,
        speeds=options.speeds, methods=options.methods))


def _interference(options: argparse.Namespace) -> None:
    interference.study(interference.Config(
        folder=Path(options.folder), foreground=options.foreground,
        background=options.background, seconds=options.seconds, pinnings=options.pinnings,
        staircase=options.staircase))


def _accuracy(options: argparse.Namespace) -> None:
    accuracy.study(accuracy.Config(
        folder=Path(options.folder), seconds=options.seconds, loads=options.loads,
        lengths=options.replay, methods=options.methods, busy=options.busy))


def _parser() -> argparse.ArgumentParser:
    """Each command has a function in "run", which makes the configuration of its study."""
    parser = argparse.ArgumentParser(prog="showstopper")
    commands = parser.add_subparsers(required=True, metavar="report|study")
    one = commands.add_parser("report", help="plots and summary of a log")
    one.add_argument("log", metavar="LOG", type=Path, help="of showstopper -o; CSV, or .jsonl")
    one.add_argument("folder", metavar="FOLDER", help="for report.md and its plots")
    one.set_defaults(run=lambda o: report.report(o.log, Path(o.folder)))

    kinds = commands.add_parser("study", help="experiments").add_subparsers(
        required=True, metavar="EXPERIMENT")

    def study(name: str, text: str) -> argparse.ArgumentParser:
        new = kinds.add_parser(name, help=text, description=text)
        new.add_argument("--folder", default=f"showstopper-{name}",
                         help="for all that is measured and drawn (%(default)s)")
        return new

    def seconds(parser: argparse.ArgumentParser, default: float) -> None:
        parser.add_argument("--seconds", type=number, default=default,
                            help="that each load is observed (%(default)g)")

    methods = names_of(METHODS, "methods")
    one = study("throughput", "how throughput depends on load")
    seconds(one, throughput.Config.seconds)
    one.add_argument("--warmup", type=number, default=throughput.Config.warmup,
                     metavar="SECONDS", help="before each (%(default)g)")
    one.add_argument("--loads", type=numbers, default=throughput.Config.loads,
                     help="in percent (8.33, 16.67, ... 100)")
    one.add_argument("--methods", type=methods, default=throughput.Config.methods,
                     help=f"{', '.join(METHODS)} (the controlled four, and the baseline)")
    one.add_argument("--baseline", choices=["nbench", "1cdc"], default=throughput.Config.baseline,
                     help="what others are compared with: 1cdc for programs with a thread for "
                     "each CPU (%(default)s)")
    one.add_argument("command", nargs="+", metavar="PROGRAM", help="after --")
    one.set_defaults(run=_throughput)

    one = study("replay", "throughput of a trace, and of its faster replay")
    one.add_argument("--trace", required=True, metavar="FILE", help="lines seconds,percent")
    one.add_argument("--speeds", type=numbers, default=replay.Config.speeds,
                     help=f"({_list(replay.Config.speeds)})")
    one.add_argument("--methods", type=methods, default=replay.Config.methods,
                     help=f"as for throughput ({_list(replay.Config.methods)})")
    one.add_argument("command", nargs="+", metavar="PROGRAM", help="after --")
    one.set_defaults(run=_replay)

    one = study("interference", "what a background load costs a program beside it")
    seconds(one, interference.Config.seconds)
    one.add_argument("--foreground", required=True, metavar="COMMAND", type=command,
                     help="never stopped, in quotes")
    one.add_argument("--background", required=True, metavar="COMMAND", type=command,
                     help="what makes the load, in quotes")
    one.add_argument("--pinnings", type=names_of(PINNINGS, "pinnings"),
                     default=interference.Config.pinnings,
                     help="of neutral, per-chip, per-core and per-thread (all)")
    one.add_argument("--staircase", type=_staircase, default=interference.Config.staircase,
                     metavar="FROM,TO,STEP", help="of the background's load (5,95,5)")
    one.set_defaults(run=_interference)

    one = study("accuracy", "the paper's tables, beside other tools")
    seconds(one, accuracy.Config.seconds)
    one.add_argument("--loads", type=numbers, default=accuracy.Config.loads,
                     help=f"of Table 1, in percent ({_list(accuracy.Config.loads)})")
    one.add_argument("--replay", type=numbers, default=accuracy.Config.lengths,
                     help=f"lengths of Table 2, in s ({_list(accuracy.Config.lengths)})")
    one.add_argument("--methods", type=names_of(accuracy.ALL, "methods"),
                     default=accuracy.Config.methods, help=f"of {', '.join(accuracy.ALL)} (all)")
    one.add_argument("--busy", action="store_true", help="also if the machine is not idle")
    one.set_defaults(run=_accuracy)
    return parser


def main(arguments: list[str]) -> int:
    """Run the command line. Returns the exit status."""
    options = _parser().parse_args(arguments)
    return carry_out("showstopper", options.folder, functools.partial(options.run, options))
