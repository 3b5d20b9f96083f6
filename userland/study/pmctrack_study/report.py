# SPDX-License-Identifier: GPL-2.0-or-later
"""Parts of reports: tables and lists in Markdown, and data as CSV."""

from __future__ import annotations

import csv
import dataclasses
from pathlib import Path
from typing import Any, Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, aligned for people who read it as plain text; numbers to the right."""
    widths = [max(len(str(r[i])) for r in [head, *rows]) for i in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(
            c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths))
        ) + " |\n"

    rule = "|" + "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":"
                          for i, w in enumerate(widths)) + "|\n"
    return line(head) + rule + "".join(line(r) for r in rows)


def notes(texts: Sequence[str]) -> str:
    """A list of those texts that are not empty."""
    return "".join(f"- {text}\n" for text in texts if text)


def pictures(names: Sequence[str]) -> str:
    """Plots in files beside the report, each in a paragraph."""
    return "\n".join(f"![{name}]({name})\n" for name in names)


def write_objects(path: Path, objects: Sequence[Any]) -> None:
    """Write objects of one dataclass as CSV."""
    write_csv(path, [f.name for f in dataclasses.fields(objects[0])],
              [dataclasses.astuple(x) for x in objects])


def write_csv(path: Path, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write CSV. Numbers have a decimal point, whatever the locale."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(head)
        for row in rows:
            out.writerow([f"{x:.6g}" if isinstance(x, float) else x for x in row])
