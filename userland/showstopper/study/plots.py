# SPDX-License-Identifier: GPL-2.0-or-later
"""Plots and tables, as all reports have them."""

from __future__ import annotations

import csv
import dataclasses
from pathlib import Path
from types import TracebackType
from typing import Any, Sequence

import matplotlib

matplotlib.use("Agg")
# pylint: disable-next=wrong-import-position
import matplotlib.pyplot as plt  # noqa: E402


class Plot:
    """A file with a plot, written when all went well, and its name then added to a list."""

    def __init__(self, folder: Path, name: str, names: list[str], columns: int = 1) -> None:
        self.path = folder / name
        self.names = names
        self.figure, grid = plt.subplots(1, columns, figsize=(8 if columns == 1 else 12, 4.5),
                                         squeeze=False)
        self.grid = grid[0]

    def axes(self, column: int = 0) -> Any:
        """Those of a column."""
        return self.grid[column]

    def __enter__(self) -> Plot:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if error is None:
            self.figure.tight_layout()
            self.figure.savefig(self.path, dpi=110)
            self.names.append(self.path.name)
        plt.close(self.figure)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """In Markdown, aligned for those who read it as it is; numbers to the right."""
    widths = [max(len(str(r[i])) for r in [head, *rows]) for i in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(
            c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths))
        ) + " |\n"

    rule = "|" + "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":"
                          for i, w in enumerate(widths)) + "|\n"
    return line(head) + rule + "".join(line(r) for r in rows)


def write_objects(path: Path, objects: Sequence[Any]) -> None:
    """Objects of one dataclass."""
    write_csv(path, [f.name for f in dataclasses.fields(objects[0])],
              [dataclasses.astuple(x) for x in objects])


def write_csv(path: Path, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Numbers with a point, whatever the locale."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(head)
        for row in rows:
            out.writerow([f"{x:.6g}" if isinstance(x, float) else x for x in row])
