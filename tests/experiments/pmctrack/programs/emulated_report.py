# SPDX-License-Identifier: GPL-2.0-or-later
"""A table of what emulated_guest.sh has written.

Usage: emulated_report.py FOLDER
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

PROGRAMS = ("xz", "sqlite3", "python3", "numpy")


def sums(path: Path) -> dict[str, float]:
    """Return the sum of each column of numbers over all records of all threads."""
    with open(path, encoding="ascii", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    found: dict[str, float] = {}
    for row in rows:
        for name, text in row.items():
            if text and text.isdigit():
                found[name] = found.get(name, 0.0) + float(text)
    return found


def ratios(total: dict[str, float]) -> tuple[float, float, float]:
    """Return millions of instructions, misses per 1000, cycles per instruction."""
    # pmc0 and pmc1 are instructions and cycles (fixed counters), the third event is llc_misses.
    instr, cycles, misses = (
        sum(value for name, value in total.items() if name.startswith(event))
        for event in ("pmc0", "pmc1", "0x2e:umask=0x41"))
    return instr / 1e6, 1000 * misses / instr, cycles / instr


def main() -> None:
    """Print the table."""
    folder = Path(sys.argv[1])
    print("| program | instructions, millions | beside others | misses of 1000 | beside others |"
          " cycles of an instruction | beside others | slowdown in cycles | estimated |"
          " windows valid, % | estimated alone |\n" + "|---" * 11 + "|")
    for name in PROGRAMS:
        alone, beside = (sums(folder / f"{name}-{way}.csv") for way in ("alone", "beside"))
        pairs = [f"{one:.{digits}f} | {other:.{digits}f}"
                 for one, other, digits in zip(ratios(alone), ratios(beside), (0, 2, 3))]
        print(f"| {name} | {' | '.join(pairs)} | {ratios(beside)[2] / ratios(alone)[2]:.3f} |"
              f" {beside['run_ns'] / beside['progress']:.3f} |"
              f" {100 * beside['valid_windows'] / beside['windows']:.0f} |"
              f" {alone['run_ns'] / alone['progress']:.3f} |")


if __name__ == "__main__":
    main()
