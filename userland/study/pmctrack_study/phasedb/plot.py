# SPDX-License-Identifier: GPL-2.0-or-later
"""Plots of what "phasedb top --csv" wrote."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from typing import Any

from ..failure import Failure

NEEDED = {"elapsed_s", "pid", "program", "alone_s", "phase", "changes", "foreseen"}


def read(path: Path) -> dict[str, list[dict[str, float]]]:
    """Read the rows of each process."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if not NEEDED <= set(rows.fieldnames or ()):
            raise Failure(f"{path} is not of 'phasedb top --csv'")
        processes: dict[str, list[dict[str, float]]] = defaultdict(list)
        try:
            for row in rows:
                processes[f"{row['program']}[{row['pid']}]"].append(
                    {name: float(row[name]) for name in NEEDED - {"program"}})
        except (ValueError, TypeError) as error:
            raise Failure(f"{path}: line {rows.line_num}: {error}") from error
    if not processes:
        raise Failure(f"{path}: no process was seen")
    return dict(processes)


def plot(path: Path, folder: Path) -> list[str]:
    """Draw progress over time, phases over progress, and how many changes were foreseen."""
    processes = read(path)
    from ..plots import Plot  # pylint: disable=import-outside-toplevel
    names: list[str] = []
    folder.mkdir(parents=True, exist_ok=True)

    def draw(file: str, across: tuple[str, str], upward: tuple[str, str],
             style: dict[str, Any]) -> None:
        with Plot(folder, file, names) as picture:
            axes = picture.axes()
            for name, rows in processes.items():
                first = rows[0][across[0]]
                axes.plot([row[across[0]] - first for row in rows],
                          [row[upward[0]] for row in rows], label=name, **style)
            axes.set_xlabel(across[1])
            axes.set_ylabel(upward[1])
            axes.legend(fontsize="small")

    for rows in processes.values():
        for row in rows:
            row["accuracy"] = row["foreseen"] / row["changes"] if row["changes"] else float("nan")
    draw("progress.png", ("elapsed_s", "s"), ("alone_s", "progress, s of time alone"), {})
    draw("phases.png", ("alone_s", "progress, s of time alone"), ("phase", "phase"),
         {"drawstyle": "steps-post"})
    draw("foreseen.png", ("elapsed_s", "s"), ("accuracy", "changes of the phase foreseen so far"),
         {})
    return names
