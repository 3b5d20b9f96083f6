# SPDX-License-Identifier: GPL-2.0-or-later
"""showstopper report and showstopper study, see showstopper-study(1)."""

from __future__ import annotations

import argparse
import math
import shlex
import signal
import sys
from pathlib import Path
from typing import Callable, Iterable, NoReturn

try:
    import accuracy
    import interference
    import replay
    import report
    import throughput
    from methods import METHODS
    from runs import Failure
    from topology import PINNINGS
except ImportError as missing:
    sys.exit(f"showstopper: {missing}; install python3-matplotlib and python3-scipy")


def _numbers(text: str) -> list[float]:
    """With commas between them."""
    numbers = [float(x) for x in text.split(",")]
    if not all(math.isfinite(x) and x > 0 for x in numbers):
        raise ValueError
    return numbers


def _number(text: str) -> float:
    """Of seconds."""
    (number,) = _numbers(text)
    return number


def _staircase(text: str) -> tuple[float, float, float]:
    first, last, step = _numbers(text)
    if not first < last <= 100:
        raise ValueError
    return first, last, step


_numbers.__name__ = "list of positive numbers"
_number.__name__ = "positive number"
_staircase.__name__ = "staircase FROM,TO,STEP, in percent, upwards"


def _names_of(known: Iterable[str], what: str) -> Callable[[str], list[str]]:
    """A type of arguments: some of these."""
    def names(text: str) -> list[str]:
        found = text.split(",")
        if not set(found) <= set(known):
            raise ValueError
        return found

    names.__name__ = f"list of {what} ({', '.join(known)})"
    return names


def _command(text: str) -> str:
    """One that can be divided as by a shell."""
    if not shlex.split(text):
        raise ValueError
    return text


_command.__name__ = "command, with its quotes closed"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="showstopper")
    commands = parser.add_subparsers(required=True, metavar="report|study")
    one = commands.add_parser("report", help="plots and summary of a log")
    one.add_argument("log", metavar="LOG", type=Path, help="of showstopper -o; CSV, or .jsonl")
    one.add_argument("folder", metavar="FOLDER", help="for report.md and its plots")
    one.set_defaults(run=lambda o: report.report(o.log, Path(o.folder)))

    kinds = commands.add_parser("study", help="experiments").add_subparsers(
        required=True, metavar="EXPERIMENT")

    def study(name: str, text: str, seconds: float) -> argparse.ArgumentParser:
        new = kinds.add_parser(name, help=text, description=text)
        new.add_argument("--folder", default=f"showstopper-{name}",
                         help="for all that is measured and drawn (%(default)s)")
        if seconds:
            new.add_argument("--seconds", type=_number, default=seconds,
                             help="that each load is observed (%(default)g)")
        return new

    methods = _names_of(METHODS, "methods")
    one = study("throughput", "how throughput depends on load", 180)
    one.add_argument("--warmup", type=_number, default=180, metavar="SECONDS",
                     help="before each (%(default)g)")
    one.add_argument("--loads", type=_numbers, help="in percent (8.33, 16.67, ... 100)")
    one.add_argument("--methods", type=methods,
                     help=f"{', '.join(METHODS)} (the controlled four, and the baseline)")
    one.add_argument("--baseline", choices=["nbench", "1cdc"], default="nbench",
                     help="what others are compared with: 1cdc for programs with a thread for "
                     "each CPU (%(default)s)")
    one.add_argument("command", nargs="+", metavar="PROGRAM", help="after --")
    one.set_defaults(run=throughput.study)

    one = study("replay", "throughput of a trace, and of its faster replay", 0)
    one.add_argument("--trace", required=True, metavar="FILE", help="lines seconds,percent")
    one.add_argument("--speeds", type=_numbers, default=[1, 2, 4, 8], help="(1,2,4,8)")
    one.add_argument("--methods", type=methods, help="as for throughput (pi/even)")
    one.add_argument("command", nargs="+", metavar="PROGRAM", help="after --")
    one.set_defaults(run=replay.study)

    one = study("interference", "what a background load costs a program beside it", 180)
    one.add_argument("--foreground", required=True, metavar="COMMAND", type=_command,
                     help="never stopped, in quotes")
    one.add_argument("--background", required=True, metavar="COMMAND", type=_command,
                     help="what makes the load, in quotes")
    one.add_argument("--pinnings", type=_names_of(PINNINGS, "pinnings"),
                     help="of neutral, per-chip, per-core and per-thread (all)")
    one.add_argument("--staircase", type=_staircase, default=(5.0, 95.0, 5.0),
                     metavar="FROM,TO,STEP", help="of the background's load (5,95,5)")
    one.set_defaults(run=_interference)

    one = study("accuracy", "the paper's tables, beside other tools", 60)
    one.add_argument("--loads", type=_numbers, help="of Table 1, in percent (25,33,50,66,75)")
    one.add_argument("--replay", type=_numbers, default=[90, 180],
                     help="lengths of Table 2, in s (90,180)")
    one.add_argument("--methods", type=_names_of(accuracy.ALL, "methods"),
                     help=f"of {', '.join(accuracy.ALL)} (all)")
    one.add_argument("--busy", action="store_true", help="also if the machine is not idle")
    one.set_defaults(run=accuracy.study)
    return parser


def _interference(options: argparse.Namespace) -> None:
    options.first, options.last, options.step = options.staircase
    interference.study(options)


ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _end(_number: int, _frame: object) -> NoReturn:
    """What was begun is undone, once."""
    for number in ENDINGS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def main() -> int:
    """The command line, whose status it returns."""
    options = _parser().parse_args()
    for number in ENDINGS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)
    try:
        Path(options.folder).mkdir(parents=True, exist_ok=True)
        options.run(options)
    except Failure as failure:
        print(f"showstopper: {failure}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"showstopper: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"showstopper: interrupted; what there is is in {options.folder}", file=sys.stderr)
        return 130
    print(f"see {options.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
