# SPDX-License-Identifier: GPL-2.0-or-later
"""The mixes of programs of the PMCTrack paper, Tables 2, 3 and 5, and what the paper found."""

from __future__ import annotations

import random
from dataclasses import dataclass

from ..failure import Failure


@dataclass(frozen=True)
class Program:
    """A simulated program, and its number of threads."""

    name: str
    threads: int = 1

    def __str__(self) -> str:
        return self.name if self.threads == 1 else f"{self.name}({self.threads})"


@dataclass(frozen=True)
class Mix:
    """Programs that run side by side."""

    machine: str
    number: int
    """number in the table, from 1"""
    programs: tuple[Program, ...]

    @property
    def name(self) -> str:
        """A short name, for files and tables."""
        return f"{self.machine}-{self.number}"

    def __str__(self) -> str:
        return " ".join(str(program) for program in self.programs)


def _mix(machine: str, number: int, text: str) -> Mix:
    programs = []
    for word in text.split():
        name, _, threads = word.rstrip(")").partition("(")
        programs.append(Program(name, int(threads or 1)))
    return Mix(machine, number, tuple(programs))


_TABLES = {
    "2B-2S": (
        "calculix gamess GemsFDTD bzip2",
        "calculix GemsFDTD bzip2 h264ref",
        "gamess GemsFDTD bzip2 sjeng",
        "calculix gamess sphinx3 sjeng",
        "gamess soplex povray h264ref",
        "mcf calculix sjeng gobmk",
        "mcf h264ref sjeng gobmk",
        "namd h264ref gobmk libquantum",
    ),
    "2B-10S": (
        "gamess hmmer fma3d(5) wupwise(5)",
        "hmmer gobmk h264ref fma3d(9)",
        "gamess astar soplex blackscholes(9)",
        "gobmk BLAST(6) FFTW3D(5)",
        "BLAST(4) semphy(4) FFTW3D(4)",
        "semphy(6) FFTW3D(6)",
        "BLAST(4) semphy(4) wupwise(4)",
        "BLAST(6) fma3d(6)",
    ),
    # Table 5; "" where there is no profile of a program (gap).
    "2B-4S": (
        "gamess wupwise soplex bzip2 h264ref gobmk",
        "hmmer wupwise soplex vortex h264ref gobmk",
        "hmmer wupwise soplex h264ref gobmk facerec",
        "gamess wupwise soplex sixtrack h264ref gobmk",
        "swim sixtrack perlbmk h264ref gobmk facerec",
        "",
        "soplex gamess hmmer vortex sixtrack h264ref",
        "art gamess wupwise mesa crafty h264ref",
    ),
    # Our own: all share a cache, and half of the programs wait for memory. Drawn by lot, once.
    "4P-8E": (
        "GemsFDTD art mcf swim bwaves astar perlbmk h264ref vortex namd facerec mesa",
        "swim milc soplex lbm astar art calculix crafty vortex perlbmk sjeng mesa",
        "bwaves art omnetpp GemsFDTD mcf swim gobmk mesa sixtrack facerec hmmer h264ref",
        "art soplex swim GemsFDTD lbm bwaves hmmer sjeng calculix gamess povray gobmk",
        "bwaves lbm astar milc soplex swim vortex sixtrack facerec sphinx3 gobmk perlbmk",
        "bwaves soplex GemsFDTD omnetpp mcf astar gamess gobmk povray perlbmk vortex sixtrack",
        "mcf astar omnetpp swim soplex art facerec vortex sixtrack calculix mesa perlbmk",
        "GemsFDTD milc art bwaves omnetpp swim vortex sjeng perlbmk mesa hmmer calculix",
    ),
}

FAST = {"2B-2S": 2, "2B-10S": 2, "2B-4S": 2, "4P-8E": 4}
"""Fast cores of each machine."""

PAPER: dict[str, dict[str, float]] = {
    "2B-2S": {"rr": -10.0, "a-dwrr": -10.0, "eqp": -13.0},
    "2B-10S": {"rr": -19.0, "eqp": -24.0},
    "2B-4S": {},
    "4P-8E": {},
}
"""Unfairness of ACFS against other policies, in percent (less is better); means of a table."""


_MEMORY = "mcf milc lbm omnetpp swim bwaves soplex GemsFDTD astar art".split()
_COMPUTE = ("gamess hmmer povray namd calculix h264ref sjeng gobmk crafty perlbmk vortex mesa "
            "sixtrack facerec sphinx3 bzip2").split()
_PARALLEL = "fma3d wupwise blackscholes BLAST FFTW3D semphy".split()


def _drawn(lot: random.Random, machine: str) -> str:
    """Draw a mix of the same kind as in the machine's table."""
    if machine == "2B-2S":
        return " ".join(lot.sample(_MEMORY + _COMPUTE, 4))
    if machine == "2B-4S":
        return " ".join(lot.sample(_MEMORY + _COMPUTE + ["wupwise"], 6))
    if machine == "4P-8E":
        return " ".join(lot.sample(_MEMORY, 6) + lot.sample(_COMPUTE, 6))
    single = lot.sample(_MEMORY + _COMPUTE, lot.choice((0, 0, 1, 2, 3)))
    parallel = lot.sample(_PARALLEL, 2 if len(single) < 3 else 1)
    each, rest = divmod(12 - len(single), len(parallel))
    return " ".join(single + [f"{name}({each + (number < rest)})"
                              for number, name in enumerate(parallel)])


def drawn(machine: str, seed: int, number: int) -> tuple[Mix, ...]:
    """Draw @number mixes by lot, for choosing constants of policies: never use the tables."""
    mixes(machine)
    lot = random.Random(f"{machine} {seed}")
    return tuple(_mix(machine, 100 + at, _drawn(lot, machine)) for at in range(number))


def mixes(machine: str) -> tuple[Mix, ...]:
    """All mixes of a machine's table."""
    if machine not in _TABLES:
        raise Failure(f"no mixes for {machine}; there are: {', '.join(_TABLES)}")
    return tuple(_mix(machine, number, text)
                 for number, text in enumerate(_TABLES[machine], 1) if text)
