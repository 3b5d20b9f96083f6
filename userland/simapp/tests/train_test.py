# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of pmctrack-train, with data whose answers are known. Usage: train_test.py SIMAPP"""

from __future__ import annotations

import csv
import io
import json
import random
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path
from unittest import mock

import numpy

from pmctrack_study.failure import Failure
from pmctrack_study.simapp import generate
from pmctrack_study.simapp.programs import NAMES
from pmctrack_study.train import collect, data, fit, judge, model, quadratic, steps, windows
from pmctrack_study.train.features import IPC, Feature

SIMAPP = sys.argv.pop()


def curve(rates: list[tuple[float, float, float]]) -> windows.Curve:
    """A curve of windows, each given by its instructions, ns and misses."""
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
        self.assertEqual(list(found.truth), ["speedup_factor"])
        self.assertEqual(list(found.truth["speedup_factor"]["small"]), [1.5, 2.5])
        self.assertEqual(list(found.truth["speedup_factor"]), ["small"])

    def test_energy(self) -> None:
        """EF is the quotient of energy times time."""
        curves = {t: [windows.curve_of([{"instr": "100", "ns": n, "energy": e}],
                                       ("instr", "ns", "energy"))]
                  for t, n, e in (("big", "100", "40"), ("small", "250", "10"))}
        found = windows.pieces(windows.Program("p", "f", curves), "big", "big", 100)
        self.assertEqual(list(found.truth["ef"]["small"]), [2.5 * 10 / 40])

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
            path.write_text("pid,hw_ns,disturbed,instr,energy\n1,5,0,7,\n", encoding="utf-8")
            with self.assertRaisesRegex(Failure, "energy of some windows is not known"):
                windows.read_counts(path)


class Fit(unittest.TestCase):
    """Models in integers."""

    def test_same_function(self) -> None:
        """The integers are the regression's function, but for rounding."""
        rng = numpy.random.default_rng(1)
        features = rng.integers(0, 5000, (800, 2))
        target = 1000 + 0.3 * features[:, 0] + numpy.where(features[:, 1] > 2000, 500.0, 0.0)
        boost = steps.boost(features, target, numpy.ones(800), 200)
        out = steps.to_output(boost, "speedup_factor", "small", 1)
        wrong = numpy.abs(out.evaluate(features) - boost.predict(features))
        self.assertLess(float(wrong.max()), 2)
        self.assertLess(float(numpy.abs(out.evaluate(features) - target).mean()), 30)

    def test_logarithms(self) -> None:
        """The same as the KUnit tests: powers of 2 are exact, others within 0.0011 and 0.02 %."""
        numbers = numpy.array([0, 1, 2, 6, 99, 1023, 1_000_000, 2 ** 32 - 1])
        found = model.log2(numbers)
        wrong = numpy.abs(found / model.ONE - numpy.log2(numbers + 1.0))
        self.assertLess(float(wrong.max()), 0.0011)
        self.assertEqual([found[0], found[1], found[5], found[7]], [0, 65536, 655360, 32 << 16])
        self.assertEqual(list(model.exp2(numpy.array([-1, 0, 11 << 16, 32 << 16]))),
                         [0, 1, 2048, 2 ** 32 - 1])
        self.assertLess(abs(int(model.exp2(model.log2(numpy.array([999_999])))[0]) - 10 ** 6), 1000)

    def test_quadratic(self) -> None:
        """A product of powers is found again; the integers are the regression's function."""
        rng = numpy.random.default_rng(1)
        features = rng.integers(200, 5000, (800, 2))
        target = 40 * (features[:, 0] + 1.0) ** 0.5 * (features[:, 1] / 1000 + 0.001) ** 0.3
        known = data.Data(features, target, numpy.ones(800),
                          numpy.array([f"p{n % 20}" for n in range(800)]),
                          numpy.array([f"f{n % 10}" for n in range(800)]))
        out, _ = quadratic.make(known, [IPC, Feature("a", "instr", 1000)], "speedup_factor",
                                "small")
        self.assertLess(float(numpy.abs(out.evaluate(features) / target - 1).max()), 0.03)
        fitted = quadratic.fit(quadratic.best_penalty(known)[0])(features, target, known.weights)
        guess = fitted(features)
        self.assertLess(float(numpy.abs(out.evaluate(features) / guess - 1).max()), 0.002)
        # The range of values begins at 200, and 0 is not near it.
        low = numpy.array([[900, n] for n in (0, 10, 100, 190, 200)])
        guess = fitted(low)
        self.assertLess(float(numpy.abs(out.evaluate(low) / guess - 1).max()), 0.005)
        self.assertGreater(out.features[1].least, 180)
        # Beyond the range that was seen, the value is that at the range's end.
        far = numpy.array([[10 ** 6, 10 ** 6], [out.features[0].most, out.features[1].most]])
        self.assertEqual(*out.evaluate(far))

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

    def test_still(self) -> None:
        """A ratio that hardly varies is named."""
        rng = numpy.random.default_rng(2)
        features = numpy.column_stack([rng.integers(500, 2000, 400),
                                       rng.integers(30_000, 30_100, 400)])
        known = data.Data(features, 1000.0 + features[:, 0] + 8 * (features[:, 1] - 30_000),
                          numpy.ones(400),
                          numpy.array([f"p{n % 20}" for n in range(400)]),
                          numpy.array([f"f{n % 10}" for n in range(400)]))
        with self.assertRaisesRegex(Failure, "still/instr hardly varies"):
            quadratic.make(known, [IPC, Feature("still", "instr", 1)], "speedup_factor", "small")

    def test_one_program(self) -> None:
        """Cross validation needs several programs."""
        alone = data.Data(numpy.zeros((3, 1), dtype=numpy.int64), numpy.zeros(3),
                          numpy.ones(3), numpy.full(3, "p"), numpy.full(3, "f"))
        with self.assertRaisesRegex(Failure, "at least two families"):
            data.folds(alone)


class Judge(unittest.TestCase):
    """Estimates against the truth."""

    def test_together(self) -> None:
        """Parts count by their programs; a part without estimates is reported, and does no harm."""
        one = judge.Estimates(numpy.array([1.0, 2.0, 4.0]), numpy.array([1.0, 2.0, 3.0]),
                              numpy.array(["a", "a", "b"]), 5, 3)
        none = judge.Estimates(numpy.array([]), numpy.array([]), numpy.array([]), 7, 2)
        self.assertEqual(none.summary(), "0 estimates in 7 samples, of 0 of 2 programs")
        same = judge.Estimates(numpy.array([1.0, 1.0]), numpy.array([1.0, 2.0]),
                               numpy.array(["a", "b"]), 2, 2)
        self.assertRegex(same.summary(), "^no correlation, as all estimates are the same, mean "
                         "absolute error 0.500, 2 estimates")
        both = judge.together([none, one])
        # The mean error of a is 0, that of b is 1.
        self.assertEqual(both.summary(), "correlation 0.982, mean absolute error 0.500 (1.000 for "
                         "the half of the programs that varies less, 0.000 for the other), "
                         "3 estimates in 12 samples, of 2 of 5 programs")


    def test_moved(self) -> None:
        """Twice as fast on type 0; it took a quarter longer than alone."""
        instr = numpy.array([0.0, 50.0, 100.0])
        alone = {"0": windows.Curve(instr, {"ns": numpy.array([0.0, 25.0, 50.0])}),
                 "1": windows.Curve(instr, {"ns": numpy.array([0.0, 50.0, 100.0])})}
        rows = [{"coretype": kind, "hw_ns": "25"} for kind in "010"]
        self.assertEqual(list(judge.edges_of_moved(rows, alone)), [0.0, 40.0, 60.0, 100.0])

    def test_nothing(self) -> None:
        """Folders without estimates."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "machine.json").write_text(json.dumps({
                "simulated": True, "window": 1, "families": {},
                "types": [{"index": 0, "name": "big", "general": 2},
                          {"index": 1, "name": "small", "general": 2}]}), encoding="utf-8")
            with self.assertRaisesRegex(Failure, "has no runs with estimates"):
                judge.runs(Path(folder))


class Lists(unittest.TestCase):
    """Lists of programs, and counters."""

    def test_general(self) -> None:
        """The simulated machine, Intel with three fixed counters, ARM with one, AMD with none."""
        for counters, fixed, general in ((4, 2, 2), (11, 3, 8), (7, 1, 5), (6, 0, 4)):
            self.assertEqual(collect.general_counters(counters, fixed), general)

    def test_tasks(self) -> None:
        """Words are split as in a shell; messages name the line that is too short."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "list"
            path.write_text("# none\n\na fam ./a 'b c'\n", encoding="utf-8")
            self.assertEqual(collect.read_tasks(path),
                             [collect.Task("a", "fam", ("./a", "b c"))])
            for text, says in (("a fam\n", "list:1: expected NAME FAMILY COMMAND"),
                               ("a fam 'b\n", "list:1: No closing quotation"),
                               ("../a fam b\n", "list:1: '../a' is to be the name of a folder"),
                               ("a fam b\na g c\n", "list:2: there are two programs 'a'"),
                               ("# none\n", "list names no programs")):
                path.write_text(text, encoding="utf-8")
                with self.assertRaisesRegex(Failure, says):
                    collect.read_tasks(path)
            with self.assertRaisesRegex(Failure, "machine.json is missing"):
                judge.read_folder(Path(folder))
            for text in ("{", "{}", '{"types": [1]}'):
                (Path(folder) / "machine.json").write_text(text, encoding="utf-8")
                with self.assertRaisesRegex(Failure, "machine.json is damaged"):
                    judge.read_folder(Path(folder))

    def test_fold(self) -> None:
        """Each program is in the list of all and in one part; no part has another's families."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            generate.fold(folder, 7, (2, 5), "/where")
            tasks = collect.read_tasks(folder / "all.list")
            parts = [collect.read_tasks(folder / f"part-{n}.list") for n in range(1, 6)]
            self.assertEqual(sorted(t.name for part in parts for t in part),
                             sorted(t.name for t in tasks))
            families = [{t.family for t in part} for part in parts]
            self.assertEqual(sum(map(len, families)), len({t.family for t in tasks}))
            self.assertEqual(len(list((folder / "programs").glob("*.json"))), len(tasks))
            self.assertLessEqual(max(map(len, families)) - min(map(len, families)), 1)


class Predicted(unittest.TestCase):
    """A model for 2B-10S, judged by programs of other families; all by simapp's pure model."""

    @staticmethod
    def program(folder: Path, profile: generate.Profile) -> windows.Program:
        """The curves of a profile's program, as simapp predicts them."""
        path = folder / f"{profile['name']}.json"
        done = subprocess.run([SIMAPP, "-p", "2B-10S", "-w", "50000000", "-s",
                               str(zlib.crc32(profile["name"].encode())), str(path)],
                              capture_output=True, text=True, check=True)
        rows = [{**row, "energy": row["machine_energy_uj"]}
                for row in csv.DictReader(io.StringIO(done.stdout))]
        program = windows.Program(profile["name"], generate.family_of(profile["name"]))
        for kind in dict.fromkeys(row["simulated_type"] for row in rows):
            of_type = [row for row in rows if row["simulated_type"] == kind]
            names = [n for n in of_type[0] if n not in ("simulated_type", "window")]
            program.curves[kind] = [windows.curve_of(of_type, names)]
        return program

    def test_other_families(self) -> None:
        """Correlation and error are like the paper's; random estimates have no correlation."""
        families = list(NAMES)
        random.Random(3).shuffle(families)
        with tempfile.TemporaryDirectory() as name:
            drawn = [generate.drawn(24, 7, families[::2]), generate.drawn(24, 8, families[1::2])]
            generate.write(Path(name), drawn[0] + drawn[1])
            seen, unseen = (
                [windows.pieces(self.program(Path(name), p), "big", "big", 200_000_000)
                 for p in part] for part in drawn)
        kinds = ("speedup_factor", "ef")
        for form in fit.FORMS:
            result = fit.train(seen, fit.Wish("big", "big", 4, module="ef", kinds=kinds,
                                              forms=[form], features=3))
            self.assertEqual([(o.kind, o.small) for o in result.model.outputs],
                             [(kind, "small") for kind in kinds])
            for kind, output in zip(kinds, result.model.outputs):
                rows = data.assemble(unseen, result.model.features, kind, "small")
                guess = output.evaluate(rows.features).astype(float)
                self.assertGreater(data.correlation(rows, guess), 0.9, (form, kind))
                # EF goes up to 7 in these programs, SF to 2.6.
                self.assertLess(data.mean_error(rows, guess), 500 if kind == "ef" else 150,
                                (form, kind))
            self.assertIn("\nend\n", result.model.text())
        with mock.patch.object(quadratic, "make", side_effect=Failure("hardly varies")):
            self.assertEqual(fit.train(seen, fit.Wish("big", "big", 4, features=1)).form, "steps")
            with self.assertRaisesRegex(Failure, "hardly varies"):
                fit.train(seen, fit.Wish("big", "big", 4, forms=["quadratic"]))
        shuffled = list(guess)
        random.Random(1).shuffle(shuffled)
        self.assertLess(abs(data.correlation(rows, numpy.array(shuffled))), 0.3)


if __name__ == "__main__":
    unittest.main()
