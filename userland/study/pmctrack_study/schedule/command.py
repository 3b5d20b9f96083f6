# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: policies for asymmetric machines, and mixes of simulated programs."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Sequence

from ..command_line import command, dispatch, interruptible
from ..failure import Failure
from .mixes import drawn, mixes

POLICIES = "default,rr,a-dwrr,eqp,hsp,acfs,hsp -m oracle,acfs -m oracle,cafs -m oracle"


def _mixes(options: argparse.Namespace) -> int:
    for mix in mixes(options.machine):
        print(mix.name, *(program.name for program in mix.programs))
    return 0


def _other(text: str) -> tuple[str, list[str]]:
    name, sign, words = text.partition("=")
    if not (name and sign and shlex.split(words)):
        raise Failure(f"--other '{text}' is not NAME=COMMAND")
    return name, shlex.split(words)


def _run(options: argparse.Namespace) -> int:
    from . import runner  # pylint: disable=import-outside-toplevel
    folder = Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    known = drawn(options.machine, options.seed, options.drawn) if options.drawn else \
        mixes(options.machine)
    wanted = [mix for mix in known
              if not options.mixes or str(mix.number) in options.mixes.split(",")]
    if not wanted:
        raise Failure(f"--mixes {options.mixes}: {options.machine} has "
                      f"{', '.join(str(mix.number) for mix in known)}")
    runner.run(runner.Plan(
        folder=folder, mixes=wanted, policies=options.policies.split(","),
        scheduler=shlex.split(options.scheduler), seed=options.seed, percent=options.length,
        stagger_s=options.stagger, differing=options.differing,
        models=Path(options.models) if options.models else None,
        others=dict(map(_other, options.other))))
    return 0


def _report(options: argparse.Namespace) -> int:
    from . import report  # pylint: disable=import-outside-toplevel
    report.report(options.machine, [Path(folder) for folder in options.folders],
                  Path(options.into))
    return 0


def _energy(options: argparse.Namespace) -> int:
    from . import energy  # pylint: disable=import-outside-toplevel
    energy.report(options.machine, [Path(folder) for folder in options.folders],
                  Path(options.into))
    return 0


def main(arguments: Sequence[str]) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="schedule study", description=__doc__)
    commands = parser.add_subparsers(required=True)

    listed = commands.add_parser("mixes", help="print the mixes of a machine")
    listed.add_argument("machine")
    listed.set_defaults(run=_mixes)

    carry = commands.add_parser("run", help="run mixes under policies, on the simulated machine")
    carry.add_argument("folder", help="where completion times go; what it has is not run again")
    carry.add_argument("--machine", required=True)
    carry.add_argument("--mixes", help="numbers of some mixes, with commas between them")
    carry.add_argument("--drawn", type=int, metavar="N",
                       help="run N mixes drawn by lot with the seed, and not the table's")
    carry.add_argument("--policies", default=POLICIES,
                    help=f"with their options, with commas between them ({POLICIES})")
    carry.add_argument("--scheduler", type=command, default="pmctrack-sched", metavar="COMMAND")
    carry.add_argument("--other", action="append", default=[], metavar="NAME=COMMAND",
                       help="let the command run the policy NAME; it ends at SIGTERM")
    carry.add_argument("--models", help="folder with a folder of models for each mix")
    carry.add_argument("--seed", type=int, default=1, help="of the programs' variation (1)")
    carry.add_argument("--length", type=int, default=100,
                       help="percent of the programs' length (100)")
    carry.add_argument("--stagger", type=float, default=0.0, metavar="SECONDS",
                       help="start a mix's programs at random within so many seconds, by the seed, "
                            "and not together (0)")
    carry.add_argument("--differing", type=int, default=0, metavar="N",
                       help="run the first N mixes in which the policies 'static sf' and "
                            "'static ef' give fast cores to different programs")
    carry.set_defaults(run=_run)

    tell = commands.add_parser("report", help="tables and plots")
    tell.add_argument("machine")
    tell.add_argument("folders", nargs="+", metavar="folder", help="of run, one for each seed")
    tell.add_argument("--into", required=True, metavar="FOLDER")
    tell.set_defaults(run=_report)

    spent = commands.add_parser("energy", help="tables and plots of energy-delay products")
    spent.add_argument("machine")
    spent.add_argument("folders", nargs="+", metavar="folder", help="of run, one for each seed")
    spent.add_argument("--into", required=True, metavar="FOLDER")
    spent.set_defaults(run=_energy)

    interruptible()
    return dispatch("schedule study", parser, arguments,
                    "interrupted; what there is goes on with the same command")
