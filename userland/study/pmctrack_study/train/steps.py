# SPDX-License-Identifier: GPL-2.0-or-later
"""Sums of steps, by gradient boosting: good where one or two ratios decide."""

from __future__ import annotations

from typing import Callable, Sequence

import numpy
from sklearn.ensemble import GradientBoostingRegressor

from .data import Array, Data, Fit, assemble, cross_validated, mean_error, usable
from .features import CANDIDATES, IPC, Feature
from .model import MOST_FEATURES, MOST_STUMPS, PARTS, Integers, Steps, Stump
from .windows import Windows

GAIN = 0.02


def boost(features: Integers, target: Array, weights: Array,
          stumps: int) -> GradientBoostingRegressor:
    """Fit stumps only, which the kernel adds up. Seeded, so the same data make the same model."""
    return GradientBoostingRegressor(
        n_estimators=stumps, max_depth=1, learning_rate=0.1, subsample=0.7, loss="huber",
        alpha=0.95, min_samples_leaf=10, random_state=1).fit(features, target, weights)


def to_output(boosted: GradientBoostingRegressor, kind: str, small: str, error: float) -> Steps:
    """The boosted function in integers."""
    constant = float(boosted.init_.predict(numpy.zeros((1, boosted.n_features_in_)))[0])
    out = Steps(kind, small, round(constant * PARTS), round(error))
    for (estimator,) in boosted.estimators_:
        tree = estimator.tree_
        if tree.node_count < 3:
            out.base += round(boosted.learning_rate * tree.value[0][0][0] * PARTS)
            continue
        # Left is "not above" the threshold: for integers, below the next integer.
        low, high = (round(boosted.learning_rate * tree.value[child][0][0] * PARTS)
                     for child in (tree.children_left[0], tree.children_right[0]))
        threshold = int(numpy.floor(tree.threshold[0])) + 1
        out.stumps.append(Stump(int(tree.feature[0]), threshold, low, high))
    return out


def fit(stumps: int = MOST_STUMPS) -> Fit:
    """A fit of steps, for cross validation."""
    def fitted(features: Integers, target: Array, weights: Array) -> Callable[[Integers], Array]:
        boosted = boost(features, target, weights, stumps)
        return lambda rows: numpy.asarray(boosted.predict(rows))
    return fitted


def make(data: Data, _: Sequence[Feature], kind: str, small: str) -> tuple[Steps, Array]:
    """Make a model of all data. Also returns what cross validation estimates."""
    guess = cross_validated(data, fit())
    return to_output(boost(data.features, data.target, data.weights, MOST_STUMPS), kind, small,
                     mean_error(data, guess)), guess


def select(windows: Sequence[Windows], small: str, kind: str, budget: tuple[int, int],
           progress: Callable[[str], None]) -> list[Feature]:
    """Choose features one by one, each the best in cross validation.

    This goes on while the error gets smaller, by GAIN of itself. @budget: the counters, and the
    features that there may be beside IPC.
    """
    counters, most = budget
    chosen = [IPC]
    rest = usable(windows, CANDIDATES, counters)
    data = assemble(windows, chosen, kind, small)
    best = mean_error(data, cross_validated(data, fit(60)))
    while rest and len(chosen) <= min(most, MOST_FEATURES - 1):
        errors = []
        for feature in rest:
            data = assemble(windows, chosen + [feature], kind, small)
            errors.append(mean_error(data, cross_validated(data, fit(60))))
        least = int(numpy.argmin(errors))
        if errors[least] > best * (1 - GAIN):
            break
        best = errors[least]
        progress(f"steps of {rest[least].name}: mean error {best / 1000:.3f}")
        chosen.append(rest.pop(least))
    return chosen
