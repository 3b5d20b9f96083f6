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
# pylint: disable=wrong-import-position
from pmctrack_study.plots import Plot  # noqa: E402
from pmctrack_study.qos.log import read as read_log  # noqa: E402

Numbers = numpy.typing.NDArray[np.float64]
# Rates are of windows of this length, which are disjoint.
WINDOW_S = 1.0
# A goal is judged by windows of a second, or of so many units.
UNITS = 20
FIRST_S = 5.0
NAMES = {"one": "one CPU", "two": "two CPUs", "bandwidth": "bandwidth of 1.5 CPUs", "qosd": "qosd"}


def rates(path: Path) -> dict[str, list[tuple[float, float]]]:
    """Return (CPUs, rate) of the windows of each part, in order."""
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
    """Return the model's input, a row (last rate, CPUs) for each step, and the resulting rates."""
    given = np.array([[before[1], now[0]] for before, now in zip(windows, windows[1:])])
    return given, np.array([now[1] for now in windows[1:]])


def explained(truth: Numbers, foreseen: Numbers) -> float:
    """Return the part of the variance that is explained."""
    return float(1 - np.sum((truth - foreseen) ** 2) / np.sum((truth - truth.mean()) ** 2))


def online(path: Path, windows: list[tuple[float, float]]) -> Numbers:
    """Return what the model of qosd predicts for each window, online."""
    text = "".join(f"{cpus} {rate}\n" for cpus, rate in windows)
    out = subprocess.run([path.parent / "foresee"], input=text, text=True, check=True,
                         capture_output=True).stdout
    return np.array([float(line) for line in out.split()])


def model_row(path: Path) -> str:
    """Return the row of a model: learnt with one run, judged with others and with fixed CPUs."""
    windows = rates(path)
    given, came = pairs(windows["learn"])
    model = np.linalg.lstsq(given, came, rcond=None)[0]
    given, came = pairs(windows["judge"])
    foreseen = online(path, windows["learn"] + windows["judge"])[-len(came):]
    errors = []
    for cpus in sorted({cpus for cpus, _ in windows["fixed"]}):
        fixed_given, fixed_came = pairs([w for w in windows["fixed"] if w[0] == cpus])
        # A window in which nothing was delivered has no relative error.
        kept = fixed_came > 0
        off = np.abs(fixed_given @ model - fixed_came)[kept] / fixed_came[kept]
        errors.append(100 * np.mean(off))
    one, most = (np.mean([rate for cpus, rate in windows["fixed"] if cpus == n]) for n in (1, 2))
    return (f"| {path.stem.removeprefix('model-')} | {most / one:.2f} | {model[0]:.2f} |"
            f" {explained(came, given @ model):.2f} | {explained(came, foreseen):.2f} |"
            f" {explained(came, given[:, 0]):.2f} |"
            f" {np.mean(errors):.1f} +- {np.std(errors):.1f} |")


def read_goal(path: Path) -> dict[str, Numbers]:
    """Return the columns of a file."""
    with open(path, encoding="ascii", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def windows_of(table: dict[str, Numbers]) -> tuple[Numbers, Numbers, float]:
    """Return ends and rates of disjoint windows, and the goal."""
    goal = float(table["goal"][0])
    length = max(1.0, UNITS / goal)
    ends, found, first = [], [], 0
    for index, now in enumerate(table["at_s"]):
        passed = now - table["at_s"][first]
        if passed >= length - 0.02:
            ends.append(now)
            found.append((table["count"][index] - table["count"][first]) / passed)
            first = index
    return np.array(ends), np.array(found), goal


def goal_row(way: str, table: dict[str, Numbers]) -> str:
    """Return the row of a way: windows within 10 %, the mean, and CPUs that were used."""
    ends, found, goal = windows_of(table)
    found = found[ends > FIRST_S]
    used = table["cpu_s"][-1] - table["cpu_s"][0]
    return (f"| {NAMES[way]} | {100 * np.mean(np.abs(found / goal - 1) <= 0.1):.0f} |"
            f" {100 * found.mean() / goal:.0f} | {100 * found.std() / goal:.0f} |"
            f" {used / (table['at_s'][-1] - table['at_s'][0]):.2f} |")


def plot_goals(folder: Path, tables: dict[str, dict[str, Numbers]], names: list[str]) -> None:
    """Draw the rates under each way, with the goal; and the CPUs that qosd gave."""
    with Plot(folder, "goal.png", names, 2) as picture:
        for way, table in tables.items():
            ends, found, goal = windows_of(table)
            picture.axes(0).plot(ends, found / goal, marker=".", label=NAMES[way])
        picture.axes(0).axhspan(0.9, 1.1, alpha=0.15)
        picture.axes(0).set_ylabel("frames/s, times the goal")
        picture.axes(0).set_ylim(bottom=0)
        picture.axes(0).legend(fontsize="small")
        log = folder / "log-qosd.csv"
        for program in read_log(log) if log.exists() else []:
            times = program.columns["monotonic_s"]
            picture.axes(1).step([now - times[0] for now in times], program.columns["granted"])
        picture.axes(1).set_ylabel("CPUs that qosd gave")
        for column in range(2):
            picture.axes(column).set_xlabel("s")


def main() -> None:
    """Print the tables, and draw the plots."""
    folder = Path(sys.argv[1])
    models = sorted(folder.glob("model-*.csv"))
    if models:
        print("| program | 2 CPUs, times one's rate | a | R2 | of qosd's model, as it runs |"
              " of the last rate | mean error with 0.5 to 2 CPUs, % |\n"
              "|---|---|---|---|---|---|---|")
        print("\n".join(model_row(path) for path in models))
    tables = {way: read_goal(folder / f"goal-{way}.csv") for way in NAMES
              if (folder / f"goal-{way}.csv").exists()}
    names: list[str] = []
    if tables:
        print("\n| way | windows within 10 %, % | mean, % of the goal | deviation | CPUs used |"
              "\n|---|---|---|---|---|")
        print("\n".join(goal_row(way, table) for way, table in tables.items()))
        plot_goals(folder, tables, names)
    if names:
        print(f"\nPlots in {folder}: {', '.join(names)}")


if __name__ == "__main__":
    main()
