# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: qosplot."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Sequence

from ..command_line import dispatch
from . import log


def _plot(options: argparse.Namespace) -> int:
    programs = log.read(options.log)
    from . import plot  # pylint: disable=import-outside-toplevel
    for name in plot.plot(programs, options.folder):
        print(options.folder / name)
    return 0


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="qosplot", description="Pictures of the log of qosd (-l): rates and goals, CPUs, and "
        "the model, over time.")
    parser.add_argument("log", type=Path, metavar="LOG")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.set_defaults(run=_plot)
    return dispatch("qosplot", parser, arguments)
