# SPDX-License-Identifier: GPL-2.0-or-later
"""The mixes of programs of the PMCTrack paper, Tables 2 and 3, and what it found."""

from __future__ import annotations

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
    """as in the table, from 1"""
    programs: tuple[Program, ...]

    @property
    def name(self) -> str:
        """Short, for files and tables."""
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
}

FAST = {"2B-2S": 2, "2B-10S": 2}
"""Fast cores of each machine."""

PAPER = {
    "2B-2S": {"rr": -10.0, "a-dwrr": -10.0, "eqp": -13.0},
    "2B-10S": {"rr": -19.0, "eqp": -24.0},
}
"""By how many percent ACFS has less unfairness than other policies, means of a table."""


def mixes(machine: str) -> tuple[Mix, ...]:
    """All of a machine's table."""
    if machine not in _TABLES:
        raise Failure(f"no mixes for {machine}; there are: {', '.join(_TABLES)}")
    return tuple(_mix(machine, number, text) for number, text in enumerate(_TABLES[machine], 1))
