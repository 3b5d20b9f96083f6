# SPDX-License-Identifier: GPL-2.0-or-later
"""Parts of the command lines of studies: types of arguments, and the end of a study.

If an argument is wrong, argparse prints the name of its type.
"""

from __future__ import annotations

import argparse
import math
import shlex
import signal
import sys
from pathlib import Path
from typing import Callable, Iterable, NoReturn, Sequence

from .failure import Failure


def numbers(text: str) -> tuple[float, ...]:
    """Positive numbers, with commas between them."""
    found = tuple(float(x) for x in text.split(","))
    if not all(math.isfinite(x) and x > 0 for x in found):
        raise ValueError
    return found


def number(text: str) -> float:
    """A positive number."""
    (found,) = numbers(text)
    return found


def command(text: str) -> str:
    """A command that can be divided into words as by a shell."""
    if not shlex.split(text):
        raise ValueError
    return text


numbers.__name__ = "list of positive numbers"
number.__name__ = "positive number"
command.__name__ = "command, with its quotes closed"


def names_of(known: Iterable[str], what: str) -> Callable[[str], tuple[str, ...]]:
    """A type of arguments: some of the @known names, with commas between them."""
    def names(text: str) -> tuple[str, ...]:
        found = tuple(text.split(","))
        if not set(found) <= set(known):
            raise ValueError
        return found

    names.__name__ = f"list of {what} ({', '.join(known)})"
    return names


ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def _end(_number: int, _frame: object) -> NoReturn:
    """Interrupt the program, which undoes what it began. Further signals are ignored."""
    for ending in ENDINGS:
        signal.signal(ending, signal.SIG_IGN)
    raise KeyboardInterrupt


def interruptible() -> None:
    """Let signals that end a program interrupt it as Ctrl-C does."""
    for ending in ENDINGS:
        if signal.getsignal(ending) != signal.SIG_IGN:
            signal.signal(ending, _end)


def dispatch(program: str, parser: argparse.ArgumentParser, arguments: Sequence[str],
             interrupted: str = "interrupted") -> int:
    """Run what a subcommand has set as "run"; the user is told what went wrong.

    Returns the exit status.
    """
    options = parser.parse_args(arguments)
    try:
        status: int = options.run(options)
    except (Failure, OSError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{program}: {interrupted}", file=sys.stderr)
        return 130
    return status


def carry_out(program: str, folder: str, study: Callable[[], None]) -> int:
    """Do a study whose results are in @folder; the user is told how it ended.

    Returns the exit status. After a signal the study is interrupted as by Ctrl-C.
    """
    interruptible()
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        study()
    except (Failure, OSError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{program}: interrupted; what there is is in {folder}", file=sys.stderr)
        return 130
    print(f"see {folder}")
    return 0
