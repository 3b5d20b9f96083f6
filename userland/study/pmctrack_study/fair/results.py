# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs of mixes under policies, as fair_model prints them, and their figures of merit."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Iterable, Mapping, Sequence

from ..failure import Failure

TIME = "time"
"""The policy that others are compared with."""
UNFAIR = 1.1
"""If equal time is less unfair than that, a mix says nothing."""
COLUMNS = ("machine seed mix policy program alone_s took_s slowdown estimated wasted_s windows "
           "valid changes foreseen training quanta").split()

Mix = tuple[str, str]
"""Seed and number."""


@dataclass(frozen=True)
class Run:
    """A mix under a policy."""

    unfairness: float
    """greatest slowdown over the smallest, of whole runs"""
    speedup: float
    """EWSpeedup: sum of time alone over time used, with the CPUs idle in its training"""
    last_s: float
    training: float
    """part of the quanta"""
    errors: tuple[float, ...]
    """estimated slowdown over the true one, less 1, by program"""
    changes: int
    foreseen: int


def run_of(rows: Sequence[Mapping[str, str]]) -> Run:
    """The figures of one run, of its programs' rows."""
    def values(column: str) -> list[float]:
        return [float(row[column]) for row in rows]

    alone, took, slowdown = values("alone_s"), values("took_s"), values("slowdown")
    whole = [t / a for t, a in zip(took, alone)]
    return Run(max(whole) / min(whole),
               sum(a / (s * a + wasted)
                   for a, s, wasted in zip(alone, slowdown, values("wasted_s"))),
               max(took), float(rows[-1]["training"]) / (float(rows[-1]["quanta"]) or 1),
               tuple(e / s - 1 for e, s in zip(values("estimated"), slowdown)),
               sum(map(int, values("changes"))), sum(map(int, values("foreseen"))))


def read(path: Path) -> dict[tuple[Mix, str], Run]:
    """All runs of a file, by mix and policy."""
    found: dict[tuple[Mix, str], list[dict[str, str]]] = defaultdict(list)
    with path.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines, COLUMNS):
            if None in row.values():
                raise Failure(f"{path}: a row has not {len(COLUMNS)} columns")
            found[(row["seed"], row["mix"]), row["policy"]].append(row)
    if not found:
        raise Failure(f"{path} is empty")
    return {key: run_of(rows) for key, rows in found.items()}


def eliminated(runs: Iterable[Run], base: Iterable[Run]) -> float:
    """The part of unfairness - 1 under equal time that a policy removes, in percent."""
    return 100 * (1 - (mean(run.unfairness for run in runs) - 1)
                  / (mean(run.unfairness for run in base) - 1))


@dataclass(frozen=True)
class Summary:
    """A policy over all mixes that are unfair enough."""

    policy: str
    runs: Mapping[Mix, Run]
    base: Mapping[Mix, Run]
    """under equal time"""

    def eliminated(self) -> tuple[float, float, float]:
        """Over all mixes, and the least and the greatest of the seeds."""
        seeds = [eliminated([run for mix, run in self.runs.items() if mix[0] == seed],
                            [run for mix, run in self.base.items() if mix[0] == seed])
                 for seed in {mix[0] for mix in self.runs}]
        return (eliminated(self.runs.values(), self.base.values()), min(seeds), max(seeds))

    def _eliminated(self) -> str:
        if self.policy == TIME:
            return "-"
        value, low, high = self.eliminated()
        return f"{value:.0f} ({low:.0f}..{high:.0f})"

    def row(self) -> list[str]:
        """Columns of the table, from "unfairness" on, without the number of mixes."""
        runs, base = list(self.runs.values()), list(self.base.values())
        speedup = sum(run.speedup for run in runs) / sum(run.speedup for run in base)
        last = sum(run.last_s for run in runs) / sum(run.last_s for run in base)
        off = [[abs(error) for error in run.errors] for run in runs]
        changes = sum(run.changes for run in runs)
        foreseen = sum(run.foreseen for run in runs)
        return [f"{mean(run.unfairness for run in runs):.3f}", self._eliminated(),
                f"{100 * (speedup - 1):+.1f}", f"{100 * (last - 1):+.1f}",
                f"{100 * mean(run.training for run in runs):.1f}",
                f"{100 * mean(mean(each) for each in off):.1f}",
                f"{100 * mean(mean(run.errors) for run in runs):+.1f}",
                f"{100 * max(max(each) for each in off):.1f}",
                f"{100 * foreseen / changes if changes else 0:.0f}"]


def summaries(found: Mapping[tuple[Mix, str], Run]) -> tuple[list[Summary], int]:
    """Each policy over the mixes that are unfair enough, and the number of all mixes."""
    mixes = list(dict.fromkeys(mix for mix, _ in found))
    policies = list(dict.fromkeys(policy for _, policy in found))
    if TIME not in policies:
        raise Failure(f"there are no runs under '{TIME}'")
    chosen = [mix for mix in mixes if found[mix, TIME].unfairness >= UNFAIR]
    base = {mix: found[mix, TIME] for mix in chosen}
    return ([Summary(policy, {mix: found[mix, policy] for mix in chosen}, base)
             for policy in policies] if chosen else []), len(mixes)
