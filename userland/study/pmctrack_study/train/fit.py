# SPDX-License-Identifier: GPL-2.0-or-later
"""Regression with event selection, judged by programs that were left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Protocol, Sequence

from ..failure import Failure
from . import quadratic, steps
from .data import Array, Data, assemble, mean_error, ranges
from .features import OTHERS, Feature
from .model import MOST_SETS, Model, Quadratic, Steps
from .windows import Windows



class Form(Protocol):
    """A form of model: a module of this package."""

    def select(self, windows: Sequence[Windows], small: str, kind: str, budget: tuple[int, int],
               progress: Callable[[str], None], /) -> list[Feature]:
        """Choose features for an output. @budget: counters, and features of steps beside IPC."""

    def make(self, data: Data, features: Sequence[Feature], kind: str,
             small: str, /) -> tuple[Steps | Quadratic, Array]:
        """Make a model of all data, and estimates of models that have not seen the family."""


FORMS: dict[str, Form] = {"steps": steps, "quadratic": quadratic}


def pack(features: Sequence[Feature], counters: int) -> list[list[str]]:
    """Event sets: instr and cycles in each, and both events of each feature in one of them."""
    sets: list[list[str]] = []
    for feature in features:
        needed = {feature.part, feature.whole} - {"instr", "cycles", OTHERS}
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


@dataclass(frozen=True)
class Result:
    """A model, and how good it is."""

    model: Model
    form: str
    data: dict[tuple[str, str], Data]
    """Data by kind of output and small core type."""
    guesses: dict[tuple[str, str], Array]
    """Estimates of cross validation."""

    def error(self) -> float:
        """Error of the first output, in thousandths."""
        first = next(iter(self.data))
        return mean_error(self.data[first], self.guesses[first])


@dataclass(frozen=True)
class Wish:
    """What kind of model is wanted."""

    core_type: str
    big: str
    counters: int
    """Counters for any event, on the core type."""
    module: str = "speedup_factor"
    kinds: Sequence[str] = ("speedup_factor",)
    """Kinds of outputs. Features are chosen for the first one."""
    forms: Sequence[str] = tuple(FORMS)
    """Forms to try; the better one is taken."""
    features: int = 6
    """Most features of steps, beside IPC."""
    guard: int = 15
    comment: Sequence[str] = ()


def _train(windows: Sequence[Windows], wish: Wish, form: str,
           progress: Callable[[str], None]) -> Result:
    kind, smalls = wish.kinds[0], sorted(windows[0].truth[wish.kinds[0]])
    features = FORMS[form].select(windows, smalls[0], kind, (wish.counters, wish.features),
                                  progress)
    sets = pack(features, wish.counters)
    if len(sets) > MOST_SETS:
        raise Failure(f"the features need {len(sets)} event sets; {MOST_SETS} are possible")
    data = {(kind, small): assemble(windows, features, kind, small)
            for kind in wish.kinds for small in sorted(windows[0].truth[kind])}
    made = {key: FORMS[form].make(rows, features, *key) for key, rows in data.items()}
    model = Model(wish.module, wish.core_type, wish.big, wish.guard, sets,
                  ranges(next(iter(data.values())), features),
                  [output for output, _ in made.values()], wish.comment)
    return Result(model, form, data, {key: guess for key, (_, guess) in made.items()})


def train(windows: Sequence[Windows], wish: Wish,
          progress: Callable[[str], None] = lambda text: None) -> Result:
    """Make a model for the counts of a core type, with an output for each kind and small type."""
    found: list[Result] = []
    failures: list[Failure] = []
    for form in wish.forms:
        try:
            found.append(_train(windows, wish, form, progress))
        except Failure as failure:
            progress(f"no model of the form {form}: {failure}")
            failures.append(failure)
    if not found:
        raise failures[-1]
    return min(found, key=lambda result: result.error())
