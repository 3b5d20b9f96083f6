# SPDX-License-Identifier: GPL-2.0-or-later
"""Unit tests of the figures of fair-progress scheduling."""

from __future__ import annotations

import io
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

from pmctrack_study.failure import Failure
from pmctrack_study.fair import command, results


def row(policy: str, program: str, took: float, *, mix: int = 0, estimated: float = 1.0) -> str:
    """A row of a program that takes 1 s alone; it used 1 s, and CPUs were idle for 1 s more."""
    return f"m,7,{mix},{policy},{program},1,{took},1.0,{estimated},1.0,5,4,10,9,1,4\n"


class Figures(unittest.TestCase):
    """Figures of merit."""

    def setUp(self) -> None:
        # pylint: disable-next=consider-using-with
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, *rows: str) -> Path:
        """A file with these rows."""
        path = Path(self.folder.name) / "all-4-private.csv"
        path.write_text("".join(rows), encoding="utf-8")
        return path

    def rows(self, path: Path) -> str:
        """What the command prints for it."""
        out = io.StringIO()
        with redirect_stdout(out):
            self.assertEqual(command.main(["rows", str(path)]), 0)
        return out.getvalue()

    def test_rows(self) -> None:
        """One program is slowed down 2 times, the other 3, then 2.5; estimates are 10 % off."""
        text = self.rows(self.write(row("time", "a", 2), row("time", "b", 3),
                                    row("fair", "a", 2), row("fair", "b", 2.5, estimated=0.8)))
        self.assertEqual(text.splitlines(), [
            "| all | 4-private | time | 1.500 | - | +0.0 | +0.0 | 25.0 | 0.0 | +0.0 | 0.0 | 90 "
            "| 1 of 1 |",
            "| all | 4-private | fair | 1.250 | 50 (50..50) | +0.0 | -16.7 | 25.0 | 10.0 | -10.0 "
            "| 20.0 | 90 | 1 of 1 |"])

    def test_fair_mixes(self) -> None:
        """Mixes that are fair under equal time are counted only."""
        text = self.rows(self.write(row("time", "a", 2), row("time", "b", 3),
                                    row("time", "a", 2, mix=1), row("time", "b", 2.1, mix=1)))
        self.assertRegex(text, r"\| 1 of 2 \|$")
        self.assertRegex(self.rows(self.write(row("time", "a", 2), row("time", "b", 2))),
                         r"equal time is fair.* 0 of 1 \|$")

    def test_damaged(self) -> None:
        """Messages name the file, or what is missing."""
        with self.assertRaisesRegex(Failure, "all-4-private.csv: a row has not 16 columns"):
            results.read(self.write("m,7\n"))
        with self.assertRaisesRegex(Failure, "is empty"):
            results.read(self.write())
        with self.assertRaisesRegex(Failure, "no runs under 'time'"):
            results.summaries(results.read(self.write(row("fair", "a", 2))))


if __name__ == "__main__":
    unittest.main()
