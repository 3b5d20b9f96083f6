# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables and plots of what measure.py has written.

Usage: report.py FOLDER
"""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import numpy.typing

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "userland/study"))
from pmctrack_study.plots import Plot  # noqa: E402  # pylint: disable=wrong-import-position

Numbers = numpy.typing.NDArray[np.float64]
# Rates are of so long, and windows are disjoint.
WINDOW_S = 1.0
# A goal is judged by windows of a second, or of so many units.
UNITS = 20
FIRST_S = 5.0
NAMES = {"cpuset": "whole CPUs, fixed", "bandwidth": "bandwidth, fixed", "both": "both, fixed",
         "qosd": "qosd, bandwidth", "qosd-cpuset": "qosd, whole CPUs"}


def rates(path: Path) -> dict[str, list[tuple[float, float]]]:
    """(CPUs, rate) of the windows of each part, in order."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with open(path, encoding="ascii", newline="") as file:
        rows = list(csv.DictReader(file))
    first = rows[0]
    for row in rows[1:]:
        passed = float(row["at_s"]) - float(first["at_s"])
        if (row["part"], row["cpus"]) != (first["part"], first["cpus"]):
            first = row
        elif passed >= WINDOW_S:
            units = int(row["count"]) - int(first["count"])
            found[row["part"]].append((float(row["cpus"]), units / passed))
            first = row
    return found


def pairs(windows: list[tuple[float, float]]) -> tuple[Numbers, Numbers]:
    """What the model is given, a row for each step: the last rate, CPUs; and what came of it."""
    given = np.array([[before[1], now[0]] for before, now in zip(windows, windows[1:])])
    return given, np.array([now[1] for now in windows[1:]])


def explained(truth: Numbers, foreseen: Numbers) -> float:
    """Part of the variance that is explained."""
    return float(1 - np.sum((truth - foreseen) ** 2) / np.sum((truth - truth.mean()) ** 2))


def online(path: Path, windows: list[tuple[float, float]]) -> Numbers:
    """What the model of qosd foresees for each, as it goes."""
    text = "".join(f"{cpus} {rate}\n" for cpus, rate in windows)
    out = subprocess.run([path.parent / "foresee"], input=text, text=True, check=True,
                         capture_output=True).stdout
    return np.array([float(line) for line in out.split()])


def model_row(path: Path) -> str:
    """Least squares on one run; judged on another, and with each fixed number of CPUs."""
    windows = rates(path)
    given, came = pairs(windows["learn"])
    model = np.linalg.lstsq(given, came, rcond=None)[0]
    given, came = pairs(windows["judge"])
    foreseen = online(path, windows["learn"] + windows["judge"])[-len(came):]
    errors = []
    for cpus in sorted({cpus for cpus, _ in windows["fixed"]}):
        fixed_given, fixed_came = pairs([w for w in windows["fixed"] if w[0] == cpus])
        # What is not delivered in a window cannot be missed by a part of itself.
        kept = fixed_came > 0
        off = np.abs(fixed_given @ model - fixed_came)[kept] / fixed_came[kept]
        errors.append(100 * np.mean(off))
    one, most = (np.mean([rate for cpus, rate in windows["fixed"] if cpus == n]) for n in (1, 4))
    return (f"| {path.stem.removeprefix('model-')} | {most / one:.2f} | {model[0]:.2f} |"
            f" {explained(came, given @ model):.2f} | {explained(came, foreseen):.2f} |"
            f" {explained(came, given[:, 0]):.2f} |"
            f" {np.mean(errors):.1f} +- {np.std(errors):.1f} |")


def read_goals(path: Path) -> dict[str, Numbers]:
    """Its columns."""
    with open(path, encoding="ascii", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def windows_of(table: dict[str, Numbers], which: int) -> tuple[Numbers, Numbers, float]:
    """Ends and rates of disjoint windows, and the goal."""
    goal = float(table[f"goal{which}"][0])
    length = max(1.0, UNITS / goal)
    ends, found, first = [], [], 0
    for index, now in enumerate(table["at_s"]):
        passed = now - table["at_s"][first]
        if passed >= length - 0.02:
            ends.append(now)
            found.append((table[f"count{which}"][index] - table[f"count{which}"][first]) / passed)
            first = index
    return np.array(ends), np.array(found), goal


def goal_rows(way: str, table: dict[str, Numbers]) -> str:
    """Windows within 10 %, the mean, and CPUs that were used."""
    cells = []
    for which in range(2):
        ends, found, goal = windows_of(table, which)
        found = found[ends > FIRST_S]
        cpu = table[f"cpu{which}_s"]
        cells.append(f" {100 * np.mean(np.abs(found / goal - 1) <= 0.1):.0f} |"
                     f" {100 * found.mean() / goal:.0f} |"
                     f" {(cpu[-1] - cpu[0]) / (table['at_s'][-1] - table['at_s'][0]):.2f} |")
    return f"| {NAMES[way]} |{''.join(cells)}"


def cpus_over_time(folder: Path, way: str) -> dict[str, list[tuple[float, float]]]:
    """What qosd gave."""
    path = folder / f"log-{way}.csv"
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    if path.exists():
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                found[row["program"]].append((float(row["monotonic_s"]), float(row["granted"])))
    return found


def plot_way(folder: Path, way: str, table: dict[str, Numbers], names: list[str]) -> None:
    """Two panels: rates with their goals, and CPUs."""
    given = cpus_over_time(folder, way)
    with Plot(folder, f"goals-{way}.png", names, 2) as picture:
        for which in range(2):
            ends, found, goal = windows_of(table, which)
            line = picture.axes(0).plot(ends, found, marker=".", label=f"encoder {which}")[0]
            picture.axes(0).axhspan(0.9 * goal, 1.1 * goal, alpha=0.15, color=line.get_color())
            if given:
                rows = given[f"encoder{which}"]
                picture.axes(1).step([now - rows[0][0] for now, _ in rows],
                                     [cpus for _, cpus in rows])
        picture.axes(0).set_title(NAMES[way])
        picture.axes(0).set_xlabel("s")
        picture.axes(0).set_ylabel("frames/s, and goals +- 10 %")
        picture.axes(0).set_ylim(bottom=0)
        picture.axes(0).legend(fontsize="small")
        picture.axes(1).set_xlabel("s")
        picture.axes(1).set_ylabel("CPUs given")


def main() -> None:
    """Print, and draw."""
    folder = Path(sys.argv[1])
    models = sorted(folder.glob("model-*.csv"))
    if models:
        print("| program | 4 CPUs, times one's rate | a | R2 | of qosd's model, as it runs |"
              " of the last rate | mean error with 1 to 4 CPUs, % |\n|---|---|---|---|---|---|---|")
        print("\n".join(model_row(path) for path in models))
    tables = {way: read_goals(folder / f"goals-{way}.csv") for way in NAMES
              if (folder / f"goals-{way}.csv").exists()}
    if tables:
        print("\n| way | encoder 0: windows within 10 %, % | mean, % of its goal | CPUs used |"
              " encoder 1: windows | mean | CPUs |\n|---|---|---|---|---|---|---|")
        print("\n".join(goal_rows(way, table) for way, table in tables.items()))
    names: list[str] = []
    for way, table in tables.items():
        plot_way(folder, way, table, names)
    if names:
        print(f"\nPlots in {folder}: {', '.join(names)}")


if __name__ == "__main__":
    main()
