# SPDX-License-Identifier: GPL-2.0-or-later
"""How good are the kernel's estimates? Each is compared with runs alone on both core types."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Mapping, Sequence

import numpy
from numpy.typing import NDArray

from ..failure import Failure
from .windows import Curve, Program, factors, read_counts, running_sum

Array = NDArray[numpy.float64]


@dataclass(frozen=True)
class Folder:
    """What collect() has written."""

    simulated: bool
    window: int
    types: dict[int, str]
    general: dict[int, int]
    programs: list[Program]
    """Curves are by the name of the core type."""

    def mark(self) -> str:
        """The mark that is put behind what is said of the folder."""
        return " (simulated)" if self.simulated else ""

    def big(self) -> str:
        """The core type on which the programs take the least time."""
        return min(self.types.values(), key=lambda name: sum(
            float(p.curves[name][0].sums["ns"][-1]) for p in self.programs))


def read_folder(path: Path) -> Folder:
    """Read a folder of collect()."""
    machine = path / "machine.json"
    if not machine.exists():
        raise Failure(f"{machine} is missing: pmctrack-train collect makes it")
    try:
        about = json.loads(machine.read_text(encoding="utf-8"))
        types = {t["index"]: t["name"] for t in about["types"]}
        general = {t["index"]: t["general"] for t in about["types"]}
        facts = about["simulated"], about["window"]
        families = about["families"]
    except (ValueError, KeyError, TypeError) as wrong:
        raise Failure(f"{machine} is damaged ({wrong!r}): collect again") from wrong
    programs = []
    for name, family in families.items():
        program = Program(name, family)
        for index, core_type in types.items():
            files = sorted((path / name).glob(f"{index}-*.csv"))
            if not files:
                raise Failure(f"{path / name} has no run on {core_type}")
            program.curves[core_type] = [read_counts(file) for file in files]
            files = sorted((path / name).glob(f"beside-{index}-*.csv"))
            if files:
                program.beside[core_type] = [read_counts(file) for file in files]
        programs.append(program)
    return Folder(*facts, types, general, programs)


@dataclass(frozen=True)
class Estimates:
    """Estimates of all programs, from one core type."""

    guess: Array
    truth: Array
    programs: NDArray[numpy.str_]
    samples: int
    """Number of samples, including those without an estimate."""
    runs: int
    """Programs, including those without an estimate."""

    def correlation(self) -> float:
        """Correlation over all estimates."""
        return float(numpy.corrcoef(self.guess, self.truth)[0, 1])

    def mean_error(self, programs: Iterable[str] = ()) -> float:
        """Mean absolute error of these programs, or of all; each program counts the same."""
        wrong = numpy.abs(self.guess - self.truth)
        return float(numpy.mean([wrong[self.programs == p].mean()
                                 for p in programs or set(self.programs)]))

    def halves(self) -> tuple[list[str], list[str]]:
        """Programs whose true values vary less than those of the others, and the others."""
        def variation(program: str) -> float:
            values = self.truth[self.programs == program]
            return float(values.std() / values.mean())

        ranked = sorted(sorted(set(self.programs)), key=variation)
        return ranked[:len(ranked) // 2], ranked[len(ranked) // 2:]

    def summary(self) -> str:
        """A summary for people."""
        counts = (f"{len(self.guess)} estimates in {self.samples} samples, of "
                  f"{len(set(self.programs))} of {self.runs} programs")
        if len(set(self.truth)) < 2:
            return counts
        if len(set(self.guess)) < 2:
            return f"no correlation, as all estimates are the same, mean absolute error " \
                   f"{self.mean_error():.3f}, {counts}"
        steady, varying = self.halves()
        return (f"correlation {self.correlation():.3f}, mean absolute error "
                f"{self.mean_error():.3f} ({self.mean_error(steady):.3f} for the half of the "
                f"programs that varies less, {self.mean_error(varying):.3f} for the other), "
                f"{counts}")


def together(parts: Sequence[Estimates]) -> Estimates:
    """Join estimates of programs that were judged apart."""
    return Estimates(numpy.concatenate([p.guess for p in parts]),
                     numpy.concatenate([p.truth for p in parts]),
                     numpy.concatenate([p.programs for p in parts]),
                     sum(p.samples for p in parts), sum(p.runs for p in parts))


COLUMNS = {"speedup_factor": "sf", "ef": "ef"}
"""Virtual counters of estimates, by kind; they are those of the first small type."""


MOVED = "moved"
"""In place of a core type: the run was moved between them."""


def _rows(path: Path, column: str) -> list[dict[str, str]]:
    if not path.exists():
        raise Failure(f"{path} is missing: collect it anew, with --estimates")
    with path.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    if not rows:
        raise Failure(f"{path} has no rows")
    if column not in rows[0]:
        raise Failure(f"{path} has no estimates '{column}': collect it with --energy, with the "
                      "monitoring module ef")
    return rows


def _edges(rows: Sequence[dict[str, str]], alone: Curve) -> Array:
    """Where in the program samples begin and end, in instructions.

    The module's events have no names in user space, so positions are found by time: the run is
    stretched to the length of one whose instructions were counted.
    """
    time = running_sum([float(row["hw_ns"]) for row in rows])
    time *= alone.sums["ns"][-1] / time[-1]
    return numpy.interp(time, alone.sums["ns"], alone.instr)


def edges_of_moved(rows: Sequence[dict[str, str]], alone: Mapping[str, Curve]) -> Array:
    """The same for a run on several core types, by the time that each sample took there.

    What moves cost makes these times too long, so all of them are scaled to the program's end.
    """
    end = min(float(curve.instr[-1]) for curve in alone.values())
    found = [0.0]
    for row in rows:
        curve = alone[row["coretype"]]
        time = float(curve.sum_at("ns", numpy.array(found[-1:]))[0]) + float(row["hw_ns"])
        # Beyond the end, the program goes on as fast as on average.
        ends, speed = float(curve.sums["ns"][-1]), curve.instr[-1] / curve.sums["ns"][-1]
        found.append(float(numpy.interp(time, curve.sums["ns"], curve.instr))
                     + max(0.0, time - ends) * float(speed))
    return numpy.array(found) * (end / found[-1])


@dataclass(frozen=True)
class Question:
    """Which estimates are judged."""

    kind: str
    big: str
    small: str


def _one(program: Program, path: Path, types: Mapping[int, str],
         question: Question) -> tuple[list[float], list[float], int]:
    """Estimates and truth of the same instructions of one run; @types: where it ran."""
    rows = _rows(path, COLUMNS[question.kind])
    curves = {str(index): program.curves[name][0] for index, name in types.items()}
    edges = _edges(rows, *curves.values()) if len(types) == 1 else edges_of_moved(rows, curves)
    edges = numpy.maximum.accumulate(edges + numpy.arange(len(edges)))
    # The last sample can be empty. Nothing is known of what is beyond the end of one of the runs.
    begun = int(numpy.searchsorted(edges[:-1], program.length()))
    observed = factors(program, question.big, numpy.minimum(edges[:begun + 1], program.length()))
    if question.kind not in observed:
        raise Failure(f"{program.name} has no energy: collect it with --energy")
    guess, truth = [], []
    estimates = [row[COLUMNS[question.kind]] for row in rows]
    for estimate, value in zip(estimates, observed[question.kind][question.small]):
        if estimate and numpy.isfinite(value):
            guess.append(float(estimate) / 1000)
            truth.append(float(value))
    return guess, truth, len(rows)


def runs(path: Path) -> dict[str, str]:
    """The runs with estimates that a folder has, by their names in files: where they ran."""
    folder = read_folder(path)
    kinds = {str(index): name for index, name in folder.types.items()}
    kinds[MOVED] = "all core types in turns"
    found = {run: where for run, where in kinds.items()
             if any((path / p.name / f"estimates-{run}.csv").exists() for p in folder.programs)}
    if not found:
        raise Failure(f"{path} has no runs with estimates: collect it anew, with --estimates")
    return found


def judge(path: Path, run: str, question: Question) -> Estimates:
    """Judge a folder of `collect --estimates`, for the runs of one of runs()."""
    folder = read_folder(path)
    types = folder.types if run == MOVED else {int(run): folder.types[int(run)]}
    guess: list[float] = []
    truth: list[float] = []
    names: list[str] = []
    samples = 0
    for program in folder.programs:
        found = _one(program, path / program.name / f"estimates-{run}.csv", types, question)
        guess += found[0]
        truth += found[1]
        names += [program.name] * len(found[0])
        samples += found[2]
    return Estimates(numpy.array(guess), numpy.array(truth), numpy.array(names), samples,
                     len(folder.programs))
