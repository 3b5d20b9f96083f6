# SPDX-License-Identifier: GPL-2.0-or-later
"""Windows as rows for a regression, and judgement by families that were left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Sequence

import numpy
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold

from ..failure import Failure
from .features import OTHERS, Feature
from .model import Integers
from .windows import Windows

Array = NDArray[numpy.float64]
Fit = Callable[[Integers, Array, Array], Callable[[Integers], Array]]
"""Makes a function that estimates, from features, targets and weights."""


@dataclass(frozen=True)
class Data:
    """Windows of all programs, for one core type and one output."""

    features: Integers
    """A column for each feature."""
    target: Array
    """In thousandths."""
    weights: Array
    """Weights of errors of the target."""
    programs: NDArray[numpy.str_]
    families: NDArray[numpy.str_]


def values(windows: Windows, feature: Feature) -> Integers:
    """The values of a feature, as the kernel computes them."""
    part, whole = windows.rates[feature.part], windows.rates[feature.whole]
    ratio = numpy.floor(part * feature.scale / numpy.maximum(whole, 1))
    return numpy.asarray(numpy.minimum(ratio, 2 ** 32 - 1), dtype=numpy.int64)


def usable(windows: Sequence[Windows], features: Sequence[Feature],
           counters: int) -> list[Feature]:
    """The features whose events all programs have, and for which there are counters."""
    return [f for f in features
            if len({f.part, f.whole} - {"instr", "cycles", OTHERS}) <= counters
            and all({f.part, f.whole} <= set(w.rates) for w in windows)]


def assemble(windows: Sequence[Windows], features: Sequence[Feature], kind: str,
             small: str) -> Data:
    """One row for each window."""
    rows = [numpy.column_stack([values(w, f) for f in features]) for w in windows]
    return Data(
        numpy.concatenate(rows), numpy.concatenate([w.truth[kind][small] * 1000 for w in windows]),
        numpy.concatenate([w.weights.get(kind, numpy.ones(len(r)))
                           for w, r in zip(windows, rows)]),
        numpy.concatenate([numpy.full(len(r), w.program) for w, r in zip(windows, rows)]),
        numpy.concatenate([numpy.full(len(r), w.family) for w, r in zip(windows, rows)]))


def folds(data: Data, most: int = 5) -> GroupKFold:
    """Split by family: no window of a program, or of its relatives, is in training and in test."""
    groups = len(set(data.families))
    if groups < 2:
        raise Failure("training needs programs of at least two families")
    return GroupKFold(min(most, groups))


def cross_validated(data: Data, fit: Fit) -> Array:
    """For each window, the estimate of a model that has not seen its family."""
    guess = numpy.zeros(len(data.target))
    for seen, unseen in folds(data).split(data.features, data.target, data.families):
        fitted = fit(data.features[seen], data.target[seen], data.weights[seen])
        guess[unseen] = fitted(data.features[unseen])
    return guess


def mean_error(data: Data, guess: Array) -> float:
    """Mean absolute error in thousandths; each program counts the same."""
    wrong = data.weights * numpy.abs(guess - data.target)
    return float(numpy.mean([wrong[data.programs == p].mean() for p in sorted(set(data.programs))]))


def correlation(data: Data, guess: Array) -> float:
    """Correlation of estimates with the truth, over all windows; 0 if either is constant."""
    if not numpy.ptp(guess) or not numpy.ptp(data.target):
        return 0.0
    return float(numpy.corrcoef(guess, data.target)[0, 1])


def limits(features: Integers) -> tuple[Integers, Integers]:
    """The least and greatest value that was seen of each feature, and 5 % of the value more.

    It is not 5 % of the range, because logarithms are compared, and a range can be larger than its
    least value.
    """
    least, most = features.min(axis=0), features.max(axis=0)
    return least - least // 20, numpy.minimum(most + most // 20, 2 ** 32 - 1)


def ranges(data: Data, features: Sequence[Feature]) -> list[Feature]:
    """The features with their limits."""
    return [Feature(f.part, f.whole, f.scale, int(least), int(most))
            for f, least, most in zip(features, *limits(data.features))]
