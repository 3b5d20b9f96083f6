# SPDX-License-Identifier: GPL-2.0-or-later
"""Powers of polynomials of the second degree in logarithms of ratios.

The time of an instruction is a sum of parts that take turns in being the largest. A factor is a
quotient of two such sums. In logarithms that is smooth, and ratios act together.
"""

from __future__ import annotations

from typing import Callable, Sequence

import numpy
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from ..failure import Failure
from .data import (Array, Data, Fit, assemble, cross_validated, limits, mean_error, ranges,
                   usable)
from .features import BESIDE, IPC, STALLS, TOGETHER, Feature
from .model import MOST_COEFFICIENT, ONE, Integers, Quadratic, log2
from .windows import Windows

PENALTIES = (3.0, 10.0, 30.0, 100.0)
LEAST_SPREAD = 0.05
"""Of a ratio's logarithm. A ratio that varies less needs large coefficients, and says nothing."""


def _polynomial(features: Integers, target: Array, weights: Array, penalty: float) -> Pipeline:
    """Fit a polynomial of the features' pmct_log2() to the logarithm of the target."""
    pipeline: Pipeline = make_pipeline(
        StandardScaler(), PolynomialFeatures(2, include_bias=False), StandardScaler(),
        Ridge(penalty)).fit(log2(features) / ONE, numpy.log2(numpy.maximum(target, 1)),
                            ridge__sample_weight=weights ** 2)
    return pipeline


def fit(penalty: float) -> Fit:
    """A fit, for cross validation. A value out of what was seen counts as the nearest one seen."""
    def fitted(features: Integers, target: Array, weights: Array) -> Callable[[Integers], Array]:
        pipeline = _polynomial(features, target, weights, penalty)
        least, most = limits(features)
        return lambda rows: numpy.asarray(numpy.exp2(pipeline.predict(
            log2(numpy.clip(rows, least, most)) / ONE)))
    return fitted


def best_penalty(data: Data) -> tuple[float, Array]:
    """The penalty with the least error in cross validation, and its estimates."""
    guesses = {penalty: cross_validated(data, fit(penalty)) for penalty in PENALTIES}
    best = min(PENALTIES, key=lambda penalty: mean_error(data, guesses[penalty]))
    return best, guesses[best]


def _coefficients(weights: Array, powers: Integers, scale: Array,
                  features: Sequence[Feature]) -> dict[tuple[int, ...], int]:
    """Coefficients in integers, by the features that are multiplied. @scale: their spreads."""
    values: dict[tuple[int, ...], int] = {}
    for weight, exponents in zip(weights, powers):
        used = tuple(n for n, exponent in enumerate(exponents) for _ in range(exponent))
        values[used] = round(weight / float(numpy.prod(scale[list(used)])) * ONE)
        if abs(values[used]) > MOST_COEFFICIENT:
            still = min((float(scale[n]), n) for n in used)[1]
            raise Failure(f"{features[still].name} hardly varies in these programs")
    return values


def make(data: Data, features: Sequence[Feature], kind: str,
         small: str) -> tuple[Quadratic, Array]:
    """Make a model of all data, in integers. Also returns what cross validation estimates."""
    penalty, guess = best_penalty(data)
    before, powers, after, ridge = (
        step for _, step in _polynomial(data.features, data.target, data.weights, penalty).steps)
    weights = ridge.coef_ / after.scale_
    base = ridge.intercept_ - float(weights @ after.mean_)
    values = _coefficients(weights, powers.powers_, before.scale_, features)
    return Quadratic(
        kind, small, round(base * ONE), round(mean_error(data, guess)), ranges(data, features),
        [round(mean * ONE) for mean in before.mean_], [values[n,] for n in range(len(features))],
        {(used[0], used[1]): value for used, value in values.items() if len(used) == 2}), guess


def select(windows: Sequence[Windows], small: str, kind: str, budget: tuple[int, int],
           progress: Callable[[str], None]) -> list[Feature]:
    """All ratios that vary, except those without which the error in cross validation is less.

    @budget: the counters, and a limit that only steps use.
    """
    def error(features: Sequence[Feature]) -> float:
        data = assemble(windows, features, kind, small)
        return mean_error(data, best_penalty(data)[1])

    together = BESIDE if kind == "undisturbed" else TOGETHER
    features = [IPC, *usable(windows, together, budget[0])]
    logs = log2(assemble(windows, features, kind, small).features) / ONE
    features = [f for f, spread in zip(features, logs.std(axis=0))
                if f in (IPC, STALLS) or spread >= LEAST_SPREAD]
    # Other outputs have the same features, and need some that this one does without.
    if kind == "undisturbed":
        return features
    best = error(features)
    while len(features) > 1:
        errors = [error(features[:n] + features[n + 1:]) for n in range(1, len(features))]
        least = int(numpy.argmin(errors))
        if errors[least] > best:
            break
        best = errors[least]
        progress(f"polynomial without {features[least + 1].name}: mean error {best / 1000:.3f}")
        del features[least + 1]
    return features
