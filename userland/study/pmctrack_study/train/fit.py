# SPDX-License-Identifier: GPL-2.0-or-later
"""Additive regression with event selection, judged by programs that were left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Sequence

import numpy
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.model_selection import GroupKFold

from ..failure import Failure
from .features import CANDIDATES, IPC, Feature
from .model import MOST_STUMPS, PARTS, Integers, Model, Output, Stump
from .windows import Windows

Array = NDArray[numpy.float64]

@dataclass(frozen=True)
class Data:
    """Windows of all programs, for one core type and one output."""

    features: Integers
    """A column for each feature."""
    target: Array
    """In thousandths."""
    programs: NDArray[numpy.str_]
    families: NDArray[numpy.str_]


def values(windows: Windows, feature: Feature) -> Integers:
    """As the kernel computes them."""
    part, whole = windows.rates[feature.part], windows.rates[feature.whole]
    ratio = numpy.floor(part * feature.scale / numpy.maximum(whole, 1))
    return numpy.asarray(ratio, dtype=numpy.int64)


def assemble(windows: Sequence[Windows], features: Sequence[Feature], small: str) -> Data:
    """One row for each window."""
    rows = [numpy.column_stack([values(w, f) for f in features]) for w in windows]
    return Data(
        numpy.concatenate(rows), numpy.concatenate([w.speedup[small] * 1000 for w in windows]),
        numpy.concatenate([numpy.full(len(r), w.program) for w, r in zip(windows, rows)]),
        numpy.concatenate([numpy.full(len(r), w.family) for w, r in zip(windows, rows)]))


def _boost(features: Integers, target: Array, stumps: int) -> GradientBoostingRegressor:
    """Stumps only: the kernel adds them up. Seeded: the same data make the same model."""
    return GradientBoostingRegressor(
        n_estimators=stumps, max_depth=1, learning_rate=0.1, subsample=0.7, loss="huber",
        alpha=0.95, min_samples_leaf=10, random_state=1).fit(features, target)


def to_output(boost: GradientBoostingRegressor, kind: str, small: str, error: float) -> Output:
    """The same function in integers."""
    constant = float(boost.init_.predict(numpy.zeros((1, boost.n_features_in_)))[0])
    out = Output(kind, small, round(constant * PARTS), round(error))
    for (estimator,) in boost.estimators_:
        tree = estimator.tree_
        if tree.node_count < 3:
            out.base += round(boost.learning_rate * tree.value[0][0][0] * PARTS)
            continue
        # Left is "not above": for integers, below the next one.
        low, high = (round(boost.learning_rate * tree.value[child][0][0] * PARTS)
                     for child in (tree.children_left[0], tree.children_right[0]))
        threshold = int(numpy.floor(tree.threshold[0])) + 1
        out.stumps.append(Stump(int(tree.feature[0]), threshold, low, high))
    return out


def folds(data: Data, most: int = 5) -> GroupKFold:
    """By family: no window of a program, or of its relatives, is in training and in test."""
    groups = len(set(data.families))
    if groups < 2:
        raise Failure("training needs programs of at least two families")
    return GroupKFold(min(most, groups))


def cross_validated(data: Data, stumps: int) -> Array:
    """For each window, the estimate of a model that has not seen its program."""
    guess = numpy.zeros(len(data.target))
    for seen, unseen in folds(data).split(data.features, data.target, data.families):
        boost = _boost(data.features[seen], data.target[seen], stumps)
        guess[unseen] = boost.predict(data.features[unseen])
    return guess


def mean_error(data: Data, guess: Array) -> float:
    """Mean absolute error in thousandths; each program counts the same."""
    wrong = numpy.abs(guess - data.target)
    return float(numpy.mean([wrong[data.programs == p].mean() for p in sorted(set(data.programs))]))


def correlation(data: Data, guess: Array) -> float:
    """Of estimates with the truth, over all windows."""
    return float(numpy.corrcoef(guess, data.target)[0, 1])


def select(windows: Sequence[Windows], small: str, most: int, gain: float = 0.02,
           progress: Callable[[str], None] = lambda text: None) -> list[Feature]:
    """Features one by one, each the best in cross validation, while the error gets smaller.

    @gain is by how much of itself it has to, @most how many features there may be beside IPC.
    """
    chosen = [IPC]
    rest = [f for f in CANDIDATES if all({f.part, f.whole} <= set(w.rates) for w in windows)]
    data = assemble(windows, chosen, small)
    best = mean_error(data, cross_validated(data, 60))
    while rest and len(chosen) <= most:
        errors = []
        for feature in rest:
            data = assemble(windows, chosen + [feature], small)
            errors.append(mean_error(data, cross_validated(data, 60)))
        least = int(numpy.argmin(errors))
        if errors[least] > best * (1 - gain):
            break
        best = errors[least]
        progress(f"{rest[least].name}: mean error {best / 1000:.3f}")
        chosen.append(rest.pop(least))
    return chosen


def pack(features: Sequence[Feature], counters: int) -> list[list[str]]:
    """Event sets: instr and cycles in each, and both events of each feature in one of them."""
    sets: list[list[str]] = []
    for feature in features:
        needed = {feature.part, feature.whole} - {"instr", "cycles"}
        if any(needed <= set(events) for events in sets):
            continue
        if len(needed) > counters:
            raise Failure(f"{feature.name} needs {len(needed)} counters, and there are {counters}")
        for events in sets:
            if len(set(events) | needed) - 2 <= counters:
                events += sorted(needed - set(events))
                break
        else:
            sets.append(["instr", "cycles", *sorted(needed)])
    return sets


def ranges(data: Data, features: Sequence[Feature]) -> list[Feature]:
    """What the model has seen, with a little room: 5 % of the range, or 1."""
    found = []
    for column, feature in enumerate(features):
        seen = data.features[:, column]
        least, most = int(seen.min()), int(seen.max())
        room = max(1, (most - least) // 20)
        found.append(Feature(feature.part, feature.whole, feature.scale, max(0, least - room),
                             most + room))
    return found


@dataclass(frozen=True)
class Result:
    """A model, and how good it is."""

    model: Model
    data: dict[str, Data]
    """By small core type."""
    guesses: dict[str, Array]
    """Of cross validation."""


@dataclass(frozen=True)
class Wish:
    """What kind of model is wanted."""

    core_type: str
    big: str
    counters: int
    """For any event, on the core type."""
    kind: str = "speedup_factor"
    module: str = "speedup_factor"
    features: int = 6
    """At most, beside IPC."""
    guard: int = 15
    comment: Sequence[str] = ()


def train(windows: Sequence[Windows], wish: Wish,
          progress: Callable[[str], None] = lambda text: None) -> Result:
    """A model for the counts of a core type, with an output for each small type."""
    smalls = sorted(windows[0].speedup)
    features = select(windows, smalls[0], wish.features, progress=progress)
    data = {small: assemble(windows, features, small) for small in smalls}
    guesses = {small: cross_validated(data[small], MOST_STUMPS) for small in smalls}
    outputs = [to_output(_boost(data[small].features, data[small].target, MOST_STUMPS), wish.kind,
                         small, mean_error(data[small], guesses[small])) for small in smalls]
    model = Model(wish.module, wish.core_type, wish.big, wish.guard, pack(features, wish.counters),
                  ranges(data[smalls[0]], features), outputs, wish.comment)
    return Result(model, data, guesses)
