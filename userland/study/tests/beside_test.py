#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of training: what is learnt of programs beside others, and the models' text."""

from __future__ import annotations

import unittest

import numpy

from pmctrack_study.failure import Failure
from pmctrack_study.train import fit, quadratic
from pmctrack_study.train.data import assemble, cross_validated, mean_error
from pmctrack_study.train.features import BESIDE, IPC, OTHERS, STALLS
from pmctrack_study.train.windows import Curve, Program, Windows, beside, pieces, running_sum


def curve(instr: float, **per_window: float) -> Curve:
    """A curve of ten windows that are alike."""
    sums = {name: running_sum([value] * 10) for name, value in per_window.items()}
    return Curve(running_sum([instr] * 10), sums)


def program(name: str = "a", quality: float = 0.8, others: float = 50.0) -> Program:
    """A program: half of its time on big cores is stalls when others are there."""
    found = Program(name, name)
    found.curves = {"big": [curve(100, ns=80, cycles=100, stall_backend=20)],
                    "small": [curve(100, ns=160, cycles=100, stall_backend=10)]}
    found.beside = {"big": [curve(100, ns=80 / quality, cycles=200, stall_backend=100,
                                  others_llc_misses=others)],
                    "small": [curve(100, ns=160, cycles=100, stall_backend=10,
                                    others_llc_misses=0)]}
    return found


class Beside(unittest.TestCase):
    """Windows of programs beside others."""

    def test_undisturbed(self) -> None:
        """A quality of 0.8, where half of the time are stalls: 0.6 of these are there alone."""
        found = beside(program(), "big", "big", 200)
        self.assertEqual(len(found.rates["cycles"]), 5)
        numpy.testing.assert_allclose(found.truth["undisturbed"]["big"], 0.6)
        numpy.testing.assert_allclose(found.weights["undisturbed"], 0.5)
        # The speedup factor is that of the runs alone.
        numpy.testing.assert_allclose(found.truth["speedup_factor"]["small"], 2)

    def test_alone(self) -> None:
        """Nobody disturbs it, and others miss nothing."""
        found = pieces(program(), "big", "big", 200)
        numpy.testing.assert_allclose(found.truth["undisturbed"]["big"], 1)
        numpy.testing.assert_allclose(found.rates[OTHERS], 0)

    def test_faster(self) -> None:
        """Who is faster beside others is not disturbed."""
        found = beside(program(quality=1.1), "big", "big", 200)
        numpy.testing.assert_allclose(found.truth["undisturbed"]["big"], 1)

    def test_missing(self) -> None:
        """Programs that ran alone only."""
        one = program()
        one.beside = {}
        with self.assertRaises(Failure):
            beside(one, "big", "big", 200)


def drawn(number: int, seed: int) -> Windows:
    """A family in which the more others miss, the fewer stalls would be there alone, by a rule."""
    lot = numpy.random.default_rng(seed)
    cycles = numpy.full(number, 1e6)
    stalls, others = cycles * lot.uniform(0.05, 0.6, number), lot.uniform(10, 2000, number)
    rates = {"instr": cycles, "cycles": cycles, STALLS.part: stalls, OTHERS: others}
    undisturbed = 2 ** (-others / 2000)
    return Windows(str(seed), str(seed), rates, {"undisturbed": {"big": undisturbed}},
                   {"undisturbed": stalls / cycles})


class Fit(unittest.TestCase):
    """Models with what others do."""

    def test_weights(self) -> None:
        """An error counts as much as the stalls do."""
        data = assemble([drawn(100, 1)], [IPC, STALLS], "undisturbed", "big")
        guess = data.target + 100
        self.assertAlmostEqual(mean_error(data, guess), 100 * float(data.weights.mean()))

    def test_learnt(self) -> None:
        """A rule is found again for families that were left out; the file says what is given."""
        windows = [drawn(200, seed) for seed in range(4)]
        features = [IPC, *(f for f in BESIDE if {f.part, f.whole} <= set(windows[0].rates))]
        data = assemble(windows, features, "undisturbed", "big")
        error = mean_error(data, cross_validated(data, quadratic.fit(3)))
        self.assertLess(error, 10)
        self.assertGreater(mean_error(data, numpy.full(len(data.target), 1000.0)), 50)
        self.assertEqual(fit.pack(features, 2), [["instr", "cycles", "stall_backend"]])


if __name__ == "__main__":
    unittest.main()
