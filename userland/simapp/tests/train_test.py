# SPDX-License-Identifier: GPL-2.0-or-later
"""pmctrack-train, with data whose answers are known. Usage: train_test.py SIMAPP"""

from __future__ import annotations

import csv
import io
import random
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

import numpy

from pmctrack_study.failure import Failure
from pmctrack_study.simapp import generate
from pmctrack_study.train import collect, fit, judge, windows
from pmctrack_study.train.features import IPC, Feature

SIMAPP = sys.argv.pop()


def curve(rates: list[tuple[float, float, float]]) -> windows.Curve:
    """Of windows of so many instructions, ns and misses."""
    return windows.curve_of(
        [{"instr": str(i), "ns": str(n), "misses": str(m)} for i, n, m in rates],
        ("instr", "ns", "misses"))


class Windows(unittest.TestCase):
    """Runs of one program are compared at the same instructions."""

    def test_pieces(self) -> None:
        """Windows of different lengths; the second half is slower on the small core."""
        program = windows.Program("p", "f", {
            "big": [curve([(50, 100, 5), (150, 300, 15)])],
            "small": [curve([(100, 300, 20), (60, 300, 6), (40, 200, 4)])],
        })
        found = windows.pieces(program, "small", "big", 100)
        self.assertEqual(list(found.rates["instr"]), [100, 100])
        self.assertEqual(list(found.rates["misses"]), [20, 10])
        self.assertEqual(list(found.speedup["small"]), [1.5, 2.5])
        self.assertEqual(list(found.speedup), ["small"])

    def test_short(self) -> None:
        """A program that is shorter than a piece is an error with its name."""
        program = windows.Program("p", "f", {"big": [curve([(50, 100, 5)])]})
        with self.assertRaisesRegex(Failure, "p is shorter"):
            windows.pieces(program, "big", "big", 100)

    def test_disturbed(self) -> None:
        """Counts that others have disturbed are refused."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.csv"
            path.write_text("pid,hw_ns,disturbed,instr\n1,5,1,7\n", encoding="utf-8")
            with self.assertRaisesRegex(Failure, "disturbed by others"):
                windows.read_counts(path)
            path.write_text("pid,hw_ns,disturbed,instr\n1,5,0,7\n1,6,0,3\n", encoding="utf-8")
            self.assertEqual(list(windows.read_counts(path).sums["ns"]), [0, 5, 11])


class Fit(unittest.TestCase):
    """Models in integers."""

    def test_same_function(self) -> None:
        """The integers are the regression's function, but for rounding."""
        rng = numpy.random.default_rng(1)
        features = rng.integers(0, 5000, (800, 2))
        target = 1000 + 0.3 * features[:, 0] + numpy.where(features[:, 1] > 2000, 500.0, 0.0)
        boost = fit._boost(features, target, 200)  # pylint: disable=protected-access
        out = fit.to_output(boost, "speedup_factor", "small", 1)
        wrong = numpy.abs(out.evaluate(features) - boost.predict(features))
        self.assertLess(float(wrong.max()), 2)
        self.assertLess(float(numpy.abs(out.evaluate(features) - target).mean()), 30)

    def test_pack(self) -> None:
        """Both events of a feature are in one set, and no set has too many."""
        features = [IPC, Feature("a", "instr", 1), Feature("b", "c", 1), Feature("d", "cycles", 1),
                    Feature("a", "d", 1)]
        for counters in (2, 4):
            sets = fit.pack(features, counters)
            for events in sets:
                self.assertEqual(events[:2], ["instr", "cycles"])
                self.assertLessEqual(len(events) - 2, counters)
                self.assertEqual(len(events), len(set(events)))
            for feature in features:
                self.assertTrue(any({feature.part, feature.whole} <= set(e) for e in sets))
        with self.assertRaisesRegex(Failure, "needs 2 counters"):
            fit.pack([Feature("b", "c", 1)], 1)

    def test_one_program(self) -> None:
        """Cross validation needs several programs."""
        data = fit.Data(numpy.zeros((3, 1), dtype=numpy.int64), numpy.zeros(3),
                        numpy.full(3, "p"), numpy.full(3, "f"))
        with self.assertRaisesRegex(Failure, "at least two families"):
            fit.folds(data)


class Lists(unittest.TestCase):
    """Lists of programs, and counters."""

    def test_general(self) -> None:
        """The simulated machine, Intel with three fixed counters, ARM with one, AMD with none."""
        for counters, fixed, general in ((4, 2, 2), (11, 3, 8), (7, 1, 5), (6, 0, 4)):
            self.assertEqual(collect.general_counters(counters, fixed), general)

    def test_tasks(self) -> None:
        """Words as in a shell; a line that is too short is named."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "list"
            path.write_text("# none\n\na fam ./a 'b c'\n", encoding="utf-8")
            self.assertEqual(collect.read_tasks(path),
                             [collect.Task("a", "fam", ("./a", "b c"))])
            path.write_text("a fam\n", encoding="utf-8")
            with self.assertRaisesRegex(Failure, "list:1: expected NAME FAMILY COMMAND"):
                collect.read_tasks(path)
            with self.assertRaisesRegex(Failure, "machine.json is missing"):
                judge.read_folder(Path(folder))

    def test_halves(self) -> None:
        """Training and test share no family, whatever the seed."""
        for seed in range(20):
            train, test = generate.halves(seed)
            self.assertFalse(set(train) & set(test))
            self.assertLessEqual(abs(len(train) - len(test)), 1)


class Predicted(unittest.TestCase):
    """A model of 2B-10S, and programs of other families: all by the pure model."""

    @staticmethod
    def program(folder: Path, profile: generate.Profile) -> windows.Program:
        """Its curves, as the model predicts them."""
        path = folder / f"{profile['name']}.json"
        done = subprocess.run([SIMAPP, "-p", "2B-10S", "-w", "50000000", "-s",
                               str(zlib.crc32(profile["name"].encode())), str(path)],
                              capture_output=True, text=True, check=True)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        program = windows.Program(profile["name"], generate.family_of(profile["name"]))
        for kind in dict.fromkeys(row["simulated_type"] for row in rows):
            of_type = [row for row in rows if row["simulated_type"] == kind]
            names = [n for n in of_type[0] if n not in ("simulated_type", "window")]
            program.curves[kind] = [windows.curve_of(of_type, names)]
        return program

    def test_other_families(self) -> None:
        """Correlation and error that the paper's are like; random estimates have none."""
        train, test = generate.halves(3)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            drawn = [generate.drawn(24, 7, train), generate.drawn(24, 8, test)]
            generate.write(folder, drawn[0] + drawn[1])
            seen, unseen = ([windows.pieces(self.program(folder, p), "big", "big", 200_000_000)
                             for p in part] for part in drawn)
        result = fit.train(seen, fit.Wish("big", "big", 4, features=3))
        data = fit.assemble(unseen, result.model.features, "small")
        guess = result.model.outputs[0].evaluate(data.features).astype(float)
        self.assertGreater(fit.correlation(data, guess), 0.9)
        self.assertLess(fit.mean_error(data, guess), 150)
        shuffled = list(guess)
        random.Random(1).shuffle(shuffled)
        self.assertLess(abs(fit.correlation(data, numpy.array(shuffled))), 0.3)
        self.assertIn("\nend\n", result.model.text())


if __name__ == "__main__":
    unittest.main()
