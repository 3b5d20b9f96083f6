# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables and plots of energy-delay products, as in section 4.3 of the PMCTrack paper."""

from __future__ import annotations

from pathlib import Path
from statistics import mean, quantiles
from typing import Sequence

from ..failure import Failure
from ..plots import Plot
from ..report import pictures, table, write_csv
from .results import merits, read_totals
from .runner import STATIC_EF, STATIC_HSP

NAMES = ("EDP", "EDP of runs", "ASP")
Row = tuple[str, str, str, tuple[float, ...]]
"""mix, programs, policy, and by how many percent each of NAMES is more than under BASE"""
BASE = STATIC_HSP


def _changes(folder: Path) -> list[Row]:
    """Changes of each mix under each policy but BASE."""
    found, totals = merits(folder), read_totals(folder)
    rows = []
    for (mix, policy), merit in found.items():
        if policy == BASE or (mix, BASE) not in found:
            continue
        total, base, least = totals[mix, policy], totals[mix, BASE], found[mix, BASE]
        ratios = (total.edp / base.edp,
                  total.edp_of_runs(merit.seconds) / base.edp_of_runs(least.seconds),
                  merit.speedup / least.speedup)
        rows.append((mix, total.programs, policy, tuple(100 * (ratio - 1) for ratio in ratios)))
    return rows


def _spread(values: Sequence[float]) -> list[str]:
    # If there is a single value, all quartiles are this value.
    quarters = quantiles([*values, values[0]][:max(2, len(values))], method="inclusive")
    return [f"{value:.1f}" for value in (min(values), *quarters, max(values), mean(values))]


def _plot(into: Path, rows: Sequence[Row], pictured: list[str]) -> None:
    with Plot(into, "edp.png", pictured, 2) as plot:
        for column in (0, 1):
            axes = plot.axes(column)
            for policy in dict.fromkeys(row[2] for row in rows):
                mine = [row[3] for row in rows if row[2] == policy]
                axes.scatter([found[2] for found in mine], [found[column] for found in mine],
                             label=policy)
            axes.axhline(0, color="grey", linewidth=0.5)
            axes.axvline(0, color="grey", linewidth=0.5)
            axes.set(xlabel=f"ASP, % more than {BASE}",
                     ylabel=f"{NAMES[column]}, % more than {BASE}", title="mixes (simulated)")
            axes.legend()


def report(machine: str, folders: Sequence[Path], into: Path) -> None:
    """Write the report of several folders: mixes of the table, and mixes drawn by lot."""
    rows = [row for folder in folders for row in _changes(folder)]
    if not rows:
        raise Failure(f"no mix ran under '{BASE}' and another policy")
    policies = list(dict.fromkeys(row[2] for row in rows))
    pictured: list[str] = []
    into.mkdir(parents=True, exist_ok=True)
    _plot(into, rows, pictured)
    write_csv(into / "edp.csv", ["mix", "programs", "policy", "edp_percent",
                                 "edp_of_runs_percent", "asp_percent"],
              [[*row[:3], *row[3]] for row in rows])
    text = [f"# Energy-delay products on the simulated machine {machine}\n",
            "Energy of the whole machine, time and instructions from the start of a mix to the end "
            "of the last program's third run. EDP is the paper's (equation 5), energy times time "
            "over instructions: it grows with the time until the last program has run three times, "
            "also when energy and work grow with it. EDP of runs is the machine's power times the "
            "square of the geometric mean of the programs' times for a run. "
            f"'{STATIC_HSP}' and '{STATIC_EF}' give a core to each program, the fast ones to those "
            "with the greatest speedup factor, or energy-efficiency factor, of whole runs alone. "
            f"Everything is relative to '{BASE}', in percent, and simulated.\n"]
    for policy in policies:
        columns = list(zip(*(row[3] for row in rows if row[2] == policy)))
        less, less_of_runs = (sum(change < 0 for change in column) for column in columns[:2])
        text += [f"## {policy}: EDP is less in {less} of {len(columns[0])} mixes, EDP of runs in "
                 f"{less_of_runs}\n",
                 table(["", "least", "quarter", "half", "three quarters", "most", "mean"],
                       [[name, *_spread(column)] for name, column in zip(NAMES, columns)])]
        if policy == STATIC_EF:
            text.append("The paper's 40 mixes (Fig. 12): less in all, 20 to 60 % less in some, and "
                        "ASP at most 7.6 % less.\n")
    text += ["## Mixes\n",
             table(["mix", "programs", "policy", *NAMES],
                   [[*row[:3], *(f"{change:+.1f}" for change in row[3])] for row in rows]),
             pictures(pictured)]
    (into / "report.md").write_text("\n".join(text), "utf-8")
    print("\n".join(text[2:-1]))
