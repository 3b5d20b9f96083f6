#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the comparison of the kernel's estimates with the truth."""

from __future__ import annotations

import csv
import json
import tempfile
import unittest
from collections.abc import Mapping
from pathlib import Path

import numpy

from pmctrack_study.train.judge import Question, judge


def write(path: Path, *rows: Mapping[str, int | str]) -> None:
    """Write CSV as pmctrack does."""
    with path.open("w", newline="", encoding="utf-8") as lines:
        out = csv.DictWriter(lines, list(rows[0]))
        out.writeheader()
        out.writerows(rows)


def a_folder(folder: Path, *ends: int) -> None:
    """A program of ten windows: twice the time and a third of the energy on small cores.

    Two estimates on a small core, and then samples without one, @ends ns long. The small core's run
    has a few more instructions, which take no energy.
    """
    (folder / "a").mkdir()
    machine = {"simulated": True, "window": 1000, "families": {"a": "a"},
               "types": [{"index": 0, "name": "big", "general": 6},
                         {"index": 1, "name": "small", "general": 6}]}
    (folder / "machine.json").write_text(json.dumps(machine), encoding="utf-8")
    for index, time, energy in ((0, 100, 30), (1, 200, 10)):
        row = {"pid": 1, "disturbed": 0, "hw_ns": time, "instr": 1000, "energy": energy}
        more = {**row, "instr": 5, "energy": 0}
        write(folder / f"a/{index}-0.csv", *[row] * 10, *[more] * index)
    known = {"hw_ns": 1000, "coretype": 1, "sf": 2100, "ef": 700}
    write(folder / "a/estimates-1.csv", known, known, *({"hw_ns": end} for end in ends))


class Judge(unittest.TestCase):
    """Estimates beside the truth."""

    def test_empty_end(self) -> None:
        """A last sample of no time does not hide the others, and its program has energy."""
        for ends in ((), (0,), (0, 0)):
            with tempfile.TemporaryDirectory() as name:
                a_folder(Path(name), *ends)
                for kind, guess, truth in (("speedup_factor", 2.1, 2.0), ("ef", 0.7, 2 / 3)):
                    found = judge(Path(name), "1", Question(kind, "big", "small"))
                    numpy.testing.assert_allclose(found.guess, guess)
                    numpy.testing.assert_allclose(found.truth, truth)
                    self.assertEqual(len(found.guess), 2)
                    self.assertEqual(found.samples, 2 + len(ends))


if __name__ == "__main__":
    unittest.main()
