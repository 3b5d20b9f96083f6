#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the study of policies: its arithmetic, and its report."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from pmctrack_study.failure import Failure
from pmctrack_study.schedule import energy, fluid, mixes, report, results, runner
from pmctrack_study.schedule.results import Alone, Completion, Total
from pmctrack_study.train.collect import read_cpus


def plan_of(seed: int, stagger_s: float) -> runner.Plan:
    """A plan with only a seed and start times."""
    return runner.Plan(folder=Path("."), mixes=(), policies=(), scheduler=(), models=None,
                       others={}, seed=seed, stagger_s=stagger_s)


class Arithmetic(unittest.TestCase):
    """Figures of merit."""

    def test_merit(self) -> None:
        """Geometric means; a program that is as fast as alone, and one half as fast."""
        alone = {"a": Alone("a", 1.0, 3.0), "b": Alone("b", 2.0, 4.0)}
        found = results.merit([Completion("m", "p", "a", 1, 0.5), Completion("m", "p", "a", 2, 2.0),
                               Completion("m", "p", "b", 1, 4.0)], alone)
        self.assertAlmostEqual(found.slowdowns["a"], 1)
        self.assertAlmostEqual(found.slowdowns["b"], 2)
        self.assertAlmostEqual(found.unfairness, 2)
        self.assertAlmostEqual(found.speedup, 3 / 1 - 1 + 4 / 4 - 1)

    def test_missing(self) -> None:
        """What never ran alone has no slowdown."""
        with self.assertRaises(Failure):
            results.merit([Completion("m", "p", "a", 1, 1.0)], {})

    def test_mixes(self) -> None:
        """Tables 2 and 3."""
        self.assertEqual(len(mixes.mixes("2B-2S")), 8)
        self.assertTrue(all(sum(p.threads for p in mix.programs) == 12
                            for mix in mixes.mixes("2B-10S")))
        self.assertTrue(all(len(mix.programs) == 4 for mix in mixes.mixes("2B-2S")))
        self.assertTrue(all(len(mix.programs) == 12 for mix in mixes.mixes("4P-8E")))
        with self.assertRaises(Failure):
            mixes.mixes("4-shared")

    def test_drawn(self) -> None:
        """By lot, always the same, of the table's kind, and never under its names."""
        for machine, threads in (("2B-2S", 4), ("2B-10S", 12), ("4P-8E", 12)):
            found = mixes.drawn(machine, 1, 20)
            self.assertEqual(found, mixes.drawn(machine, 1, 20))
            self.assertNotEqual(found, mixes.drawn(machine, 2, 20))
            self.assertTrue(all(sum(p.threads for p in mix.programs) == threads for mix in found))
            self.assertFalse({mix.name for mix in found} & {m.name for m in mixes.mixes(machine)})

    def test_cpus(self) -> None:
        """Lists of the kernel."""
        self.assertEqual(read_cpus("0-2,5,7-8"), (0, 1, 2, 5, 7, 8))


class Bounds(unittest.TestCase):
    """Programs as fluids."""

    def test_fair(self) -> None:
        """Two programs, one fast core: parts of it that make both equally slow."""
        two = [fluid.fluid("a", 1, 1, Alone("a", 1.0, 3.0)),
               fluid.fluid("b", 1, 1, Alone("b", 1.0, 1.5))]
        found = fluid.fair(two, 1)
        self.assertAlmostEqual(found.unfairness, 1)
        # Parts x and 1 - x: 1/3 + x * 2/3 = 2/3 + (1 - x) / 3, so x = 2/3.
        self.assertAlmostEqual(found.slowdowns["a"], 9 / 7)
        self.assertAlmostEqual(found.speedup, 3 * 7 / 9 - 1 + 1.5 * 7 / 9 - 1)

    def test_unequal(self) -> None:
        """Who gains nothing is never slowed down, and the other one has the fast core."""
        two = [fluid.fluid("a", 1, 1, Alone("a", 1.0, 2.0)),
               fluid.fluid("b", 1, 1, Alone("b", 1.0, 1.0))]
        found = fluid.fair(two, 1)
        self.assertAlmostEqual(found.slowdowns["a"], 1)
        self.assertAlmostEqual(found.slowdowns["b"], 1)

    def test_swift(self) -> None:
        """The fast core is his who gains most; equal time would be in between."""
        two = [fluid.fluid("a", 1, 1, Alone("a", 1.0, 3.0)),
               fluid.fluid("b", 1, 1, Alone("b", 1.0, 1.5))]
        self.assertAlmostEqual(fluid.swift(two, 1).speedup, 2)
        self.assertAlmostEqual(fluid.swift(two, 1).unfairness, 1.5)
        self.assertAlmostEqual(fluid.shared(two, 1).slowdowns["a"], 1.5)
        self.assertAlmostEqual(fluid.shared(two, 1).slowdowns["b"], 1.2)

    def test_threads(self) -> None:
        """Four threads and two fast cores: alone, two of them are slow."""
        one = fluid.fluid("a(4)", 4, 2, Alone("a(4)", 1.0, 1.5))
        self.assertAlmostEqual(one.factor, 2)
        self.assertAlmostEqual(one.alone, 3)
        self.assertAlmostEqual(one.slowdown(0), 1.5)
        self.assertAlmostEqual(one.slowdown(2), 1)
        self.assertAlmostEqual(one.needs(1.2), 1)


class Report(unittest.TestCase):
    """From files to tables."""

    def test_report(self) -> None:
        """A mix that is not complete is left out, and said."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name, "results")
            folder.mkdir()
            for program in "calculix", "gamess", "GemsFDTD", "bzip2":
                results.append(folder / results.ALONE, [Alone(program, 1.0, 2.0)])
            for mix, policy, other in (("2B-2S-1", "rr", 2.0), ("2B-2S-1", "acfs", 1.5),
                                       ("2B-2S-2", "rr", 1.0)):
                for program, seconds in ("calculix", 1.0), ("gamess", other):
                    results.append(folder / results.COMPLETIONS,
                                   [Completion(mix, policy, program, 1, seconds)])
            report.report("2B-2S", [folder], Path(name, "report"))
            text = Path(name, "report", "report.md").read_text("utf-8")
            self.assertIn("1 mixes of the paper's table (7 did not run under all policies)", text)
            self.assertRegex(text, r"\| 2B-2S-1 \| 2.000 \| 1.500 \|")
            # Both half as fast for half of the time; of the way to 1 from 2, half is done.
            self.assertIn("acfs has 50 %", text)
            self.assertRegex(text, r"\| rr +\| +-25.0 \| +-10 \| +-50.0 \|")
            self.assertGreater(Path(name, "report", "policies.png").stat().st_size, 5000)

    def test_plans(self) -> None:
        """Results of another length are not taken for those of this one."""
        with tempfile.TemporaryDirectory() as name:
            results.same_plan(Path(name), {"length": 50, "seed": 1})
            results.same_plan(Path(name), {"length": 50, "seed": 1})
            with self.assertRaisesRegex(Failure, "with length 50, not 100"):
                results.same_plan(Path(name), {"length": 100, "seed": 1})

    def test_stagger(self) -> None:
        """By the seed, the same under all policies, and the report says so."""
        mix = mixes.mixes("2B-2S")[0]
        first, again, other = (runner.start_times(plan_of(seed, 2.0), mix) for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertTrue(all(0 <= at <= 2 for at in first + other))
        self.assertEqual(runner.start_times(plan_of(1, 0.0), mix), [0.0] * 4)
        with tempfile.TemporaryDirectory() as name:
            self.assertEqual(results.stagger_of(Path(name)), 0)
            results.same_plan(Path(name), {"stagger": 2.0})
            self.assertEqual(results.stagger_of(Path(name)), 2)


class Energy(unittest.TestCase):
    """Static assignments, and what they cost."""

    def test_assignments(self) -> None:
        """The paper's example: other programs are the efficient ones than the swift ones."""
        mix = mixes.Mix("m", 1, tuple(map(mixes.Program, "art soplex hmmer wupwise".split())))
        known = {"art": Alone("art", 1, 1.5, 1, 3), "soplex": Alone("soplex", 1, 1.4, 1, 3),
                 "hmmer": Alone("hmmer", 1, 3, 1, 0.6), "wupwise": Alone("wupwise", 1, 2, 1, 0.7)}
        cpus = [4, 5, 0, 1]
        self.assertEqual(runner.assigned("static sf", mix, known, cpus), [(0,), (1,), (4,), (5,)])
        self.assertEqual(runner.assigned("static ef", mix, known, cpus), [(4,), (5,), (0,), (1,)])
        self.assertEqual(runner.assigned("hsp", mix, known, cpus), [()] * 4)
        self.assertTrue(runner.differ(mix, known, cpus, 2))
        known["hmmer"] = Alone("hmmer", 1, 3, 1, 2)
        known["wupwise"] = Alone("wupwise", 1, 2, 1, 4)
        self.assertFalse(runner.differ(mix, known, cpus, 2))
        with self.assertRaisesRegex(Failure, "not one thread for each CPU"):
            runner.assigned("static ef", mix, known, [0, 1])
        with self.assertRaisesRegex(Failure, "energy of art alone is not known"):
            runner.assigned("static ef", mix, {**known, "art": Alone("art", 1, 1.5)}, cpus)

    def test_report(self) -> None:
        """A fourth of the power makes up for runs of twice the time."""
        self.assertEqual(Total("m", "p", "a", 2.0, 100, 3.0).edp, 0.06)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            results.append(folder / results.ALONE, [Alone("a", 1.0, 3.0, 1.0, 1.0)])
            for policy, seconds, total in (
                    ("static sf", 1.0, Total("m", "static sf", "a", 1.0, 100, 4.0)),
                    ("static ef", 2.0, Total("m", "static ef", "a", 2.0, 125, 2.0))):
                results.append(folder / results.COMPLETIONS,
                               [Completion("m", policy, "a", 1, seconds)])
                results.append(folder / results.TOTALS, [total])
            energy.report("2B-4S", [folder], folder / "report")
            text = Path(name, "report", "report.md").read_text("utf-8")
            self.assertIn("static ef: EDP is less in 1 of 1 mixes, EDP of runs in 0", text)
            self.assertRegex(text, r"\| m +\| +a +\| +static ef \| +-20.0 \| +\+0.0 \| +-75.0 \|")
            self.assertGreater(Path(name, "report", "edp.png").stat().st_size, 5000)


if __name__ == "__main__":
    unittest.main()
