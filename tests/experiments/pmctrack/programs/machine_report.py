# SPDX-License-Identifier: GPL-2.0-or-later
"""A table and plots of what machine_measure.py has written.

Usage: machine_report.py FOLDER
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "userland/study"))
# pylint: disable=wrong-import-position
from pmctrack_study.plots import Plot  # noqa: E402

Numbers = numpy.typing.NDArray[np.float64]
# Windows are of a second, or of so many units; those of the first seconds do not count.
UNITS = 20
FIRST_S = 10.0
NEAR = 0.1
WAYS = {"cpuset": "fixed cpusets", "bandwidth": "fixed bandwidth", "both": "both, fixed",
        "qosd-cpuset": "qosd, cpusets", "qosd-bandwidth": "qosd, bandwidth",
        "qosd-both": "qosd, both"}
PANELS = ("cpuset", "bandwidth", "both", "qosd-both")


@dataclass
class Run:
    """A program of a run: times, units so far, CPU time since the first row."""

    goal: float
    at_s: list[float] = field(default_factory=list)
    count: list[int] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)

    def windows(self) -> tuple[Numbers, Numbers]:
        """Return ends and rates of disjoint windows."""
        length = max(1.0, UNITS / self.goal)
        ends, rates, first = [], [], 0
        for index, now in enumerate(self.at_s):
            passed = now - self.at_s[first]
            if passed >= length - 0.05:
                ends.append(now)
                rates.append((self.count[index] - self.count[first]) / passed)
                first = index
        return np.array(ends), np.array(rates)

    def used(self) -> float:
        """Return how many CPUs were used, on average."""
        first = next(i for i, now in enumerate(self.at_s) if now > FIRST_S)
        return (self.cpu_s[-1] - self.cpu_s[first]) / (self.at_s[-1] - self.at_s[first])


def read(path: Path) -> dict[str, Run]:
    """Return the programs of a run. Their CPU times in the file begin anew with another group."""
    found: dict[str, Run] = {}
    last: dict[str, tuple[str, float]] = {}
    with open(path, encoding="ascii", newline="") as file:
        for row in csv.DictReader(file):
            name, group, cpu_s = row["program"], row["group"], float(row["cpu_s"])
            one = found.setdefault(name, Run(float(row["goal"])))
            before = last.get(name)
            passed = cpu_s - before[1] if before and before[0] == group else 0.0
            last[name] = group, cpu_s
            one.at_s.append(float(row["at_s"]))
            one.count.append(int(row["count"]))
            one.cpu_s.append((one.cpu_s[-1] if one.cpu_s else 0.0) + passed)
    return found


def row_of(machine: str, way: str, runs: list[Run]) -> str:
    """Return the row of all programs with all seeds."""
    near, means, deviations = [], [], []
    for one in runs:
        ends, rates = one.windows()
        rates = rates[ends > FIRST_S] / one.goal
        near.append(np.abs(rates - 1) <= NEAR)
        means.append(rates.mean())
        deviations.append(rates.std())
    flat = np.concatenate(near)
    return (f"| {machine} | {WAYS[way]} | {100 * flat.mean():.0f} |"
            f" {100 * min(part.mean() for part in near):.0f} | {100 * np.mean(means):.0f} |"
            f" {100 * np.mean(deviations):.0f} | {np.mean([one.used() for one in runs]):.2f} |")


def panels(folder: Path, name: str, ways: dict[str, dict[str, Run]], names: list[str]) -> None:
    """Draw each program's rate, over its goal, each way."""
    for program in sorted(ways[PANELS[0]]):
        with Plot(folder, f"{name}-{program}.png", names, len(PANELS)) as picture:
            for column, way in enumerate(PANELS):
                one, axes = ways[way][program], picture.axes(column)
                ends, rates = one.windows()
                axes.axhspan(1 - NEAR, 1 + NEAR, alpha=0.15)
                axes.plot(ends, rates / one.goal)
                axes.set_ylim(0, 2)
                axes.set_title(WAYS[way])
                axes.set_xlabel("s")
            picture.axes(0).set_ylabel(f"{program}, times its goal")


def main() -> None:
    """Print the table, and draw the plots."""
    folder = Path(sys.argv[1])
    found: dict[str, dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
    names: list[str] = []
    for plan in sorted(folder.glob("plan-*.json")):
        name = plan.stem.removeprefix("plan-")
        ways = {way: read(folder / f"{name}-{way}.csv") for way in WAYS}
        for way, programs in ways.items():
            found[name.rpartition("-")[0]][way] += programs.values()
        if name.startswith("six-"):
            panels(folder, name, ways, names)
    print("| CPUs | way | windows within 10 %, % | of the worst program | mean, % of the goal |"
          " deviation | CPUs used by a program |\n|---|---|---|---|---|---|---|")
    for machine in ("six", "sixteen"):
        for way in WAYS:
            print(row_of({"six": "6", "sixteen": "16"}[machine], way, found[machine][way]))
    print(f"\nPlots in {folder}: {', '.join(names)}")


if __name__ == "__main__":
    main()
