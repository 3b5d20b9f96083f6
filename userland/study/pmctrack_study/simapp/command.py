# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: profiles for the simulated machine."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Sequence

from ..command_line import dispatch
from ..failure import Failure
from . import check, generate
from .programs import NAMES


def _named(options: argparse.Namespace) -> int:
    generate.write(Path(options.folder), generate.named())
    return 0


def _draw(options: argparse.Namespace) -> int:
    generate.write(Path(options.folder),
                   generate.drawn(options.count, options.seed, options.families.split(",")))
    return 0


def _fold(options: argparse.Namespace) -> int:
    generate.fold(Path(options.folder), options.seed, (options.each, options.parts),
                  options.where)
    return 0


def _check(options: argparse.Namespace) -> int:
    """Check the classes, and the correlation of misses with the speedup factor (Fig. 6)."""
    status = 0
    for machine, limit in (("2B-10S", (-1.0, -0.8)), ("2B-2S", (-0.3, 0.3))):
        found = [check.predict(options.simapp, machine, path)
                 for path in sorted(Path(options.folder).glob("*.json"))]
        if len(found) < 2:
            raise Failure(f"{options.folder} has no profiles to compare")
        print(f"{machine} (simulated): speedup factor, LLC misses per 1000 instructions")
        for program in sorted(found, key=lambda program: -program.speedup):
            print(f"  {program.name:14} {program.speedup:5.2f} {program.misses:7.2f}")
        related = check.correlation(found)
        print(f"  correlation of the two: {related:.2f}, wanted {limit[0]:g} to {limit[1]:g}")
        wrong = check.disagreements(machine, found)
        for line in wrong:
            print(f"  {line}")
        if wrong or not limit[0] <= related <= limit[1]:
            status = 1
    return status


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="simapp study", description=__doc__)
    commands = parser.add_subparsers(required=True)

    named = commands.add_parser("named", help="write the profiles of the papers' programs")
    named.add_argument("folder")
    named.set_defaults(run=_named)

    draw = commands.add_parser("draw", help="write profiles of programs that nobody tuned to")
    draw.add_argument("folder")
    draw.add_argument("--seed", type=int, default=1)
    draw.add_argument("--count", type=int, default=20)
    draw.add_argument("--families", default=",".join(NAMES),
                      help="relatives of these programs only: " + ", ".join(NAMES))
    draw.set_defaults(run=_draw)

    fold = commands.add_parser("fold", help="draw relatives of all programs, with lists for "
                               "pmctrack-train: all, and parts of them without common families")
    fold.add_argument("folder")
    fold.add_argument("--where", required=True, help="the folder's path on the machine")
    fold.add_argument("--seed", type=int, default=1)
    fold.add_argument("--each", type=int, default=2, help="relatives of each program (2)")
    fold.add_argument("--parts", type=int, default=5, help="lists (5)")
    fold.set_defaults(run=_fold)

    examine = commands.add_parser("check", help="compare profiles with the papers' classes")
    examine.add_argument("folder")
    examine.add_argument("--simapp", default="simapp", help="the program")
    examine.set_defaults(run=_check)

    return dispatch("simapp study", parser, arguments)
