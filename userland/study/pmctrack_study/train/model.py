# SPDX-License-Identifier: GPL-2.0-or-later
"""A model as the kernel evaluates it: in integers. Documentation/models.md has the format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Sequence

import numpy
from numpy.typing import NDArray

from .features import OTHERS, Feature

VERSION = 2
PARTS = 1000
"""Values of stumps are in parts of a thousandth: PARTS of them are a thousandth."""
MOST_STUMPS = 256
ONE = 1 << 16
"""Logarithms, and coefficients of polynomials, are in parts of which ONE are 1."""
MOST_COEFFICIENT = 1 << 24
MOST_FEATURES = 12
MOST_SETS = 8

Integers = NDArray[numpy.int64]


@dataclass(frozen=True)
class Stump:
    """One of two values, by whether a feature is below a threshold."""

    feature: int
    threshold: int
    low: int
    high: int


def log2(values: Integers) -> Integers:
    """The same as pmct_log2(): the logarithm of one more than each value, in parts of ONE."""
    numbers = numpy.asarray(values, dtype=numpy.int64) + 1
    # Exact: numbers of 33 bits have an exact logarithm where they are powers of 2.
    whole = numpy.asarray(numpy.frexp(numbers.astype(numpy.float64))[1] - 1, dtype=numpy.int64)
    part = (numbers << 16 >> whole) - ONE
    bent = part * (ONE - part) >> 16
    return numpy.asarray((whole << 16) + part + (bent * (27582 - (10249 * part >> 16)) >> 16))


def exp2(logarithms: Integers) -> Integers:
    """The same as pmct_exp2(): logarithms are in parts of ONE."""
    part = logarithms & (ONE - 1)
    bent = part * (ONE - part) >> 16
    power = ONE + part - (bent * (19928 + (5186 * part >> 16)) >> 16)
    whole = numpy.clip(logarithms >> 16, 0, 31)
    found = numpy.where(logarithms < 0, 0, power << whole >> 16)
    return numpy.asarray(numpy.where(logarithms >= 32 << 16, (1 << 32) - 1, found))


@dataclass
class Output:
    """What is estimated: a number in thousandths."""

    kind: str
    small: str
    base: int
    error: int


@dataclass
class Steps(Output):
    """A sum of steps, one of two values each."""

    stumps: list[Stump] = field(default_factory=list)

    def evaluate(self, features: Integers) -> Integers:
        """The same as pmct_regression_eval(), for rows of features."""
        total = numpy.full(len(features), self.base, dtype=numpy.int64)
        for stump in self.stumps:
            below = features[:, stump.feature] < stump.threshold
            total += numpy.where(below, stump.low, stump.high)
        return numpy.asarray(numpy.minimum(numpy.maximum(total, 0) // PARTS, (1 << 32) - 1))

    def lines(self) -> list[str]:
        """Lines of the model file."""
        return [f"output {self.kind} {self.small} {self.base} {self.error}"] + [
            f"stump {s.feature} {s.threshold} {s.low} {s.high}" for s in self.stumps]


@dataclass
class Quadratic(Output):
    """2 to the power of a polynomial in logarithms of features."""

    features: Sequence[Feature] = ()
    center: Sequence[int] = ()
    linear: Sequence[int] = ()
    product: dict[tuple[int, int], int] = field(default_factory=dict)
    """Coefficients by the numbers of two features, of which the first one is not the larger."""

    def evaluate(self, features: Integers) -> Integers:
        """The same as pmct_regression_eval(), for rows of features."""
        logs = [log2(numpy.clip(features[:, n], f.least, f.most)) - self.center[n]
                for n, f in enumerate(self.features)]
        total = numpy.full(len(features), self.base << 16, dtype=numpy.int64)
        for n, log in enumerate(logs):
            row = numpy.full(len(features), self.linear[n] << 16, dtype=numpy.int64)
            for other in range(n, len(logs)):
                row += self.product[n, other] * logs[other]
            total += (row >> 16) * log
        return exp2(total >> 16)

    def lines(self) -> list[str]:
        """Lines of the model file."""
        return [f"quadratic {self.kind} {self.small} {self.base} {self.error}"] + [
            f"linear {n} {center} {value}"
            for n, (center, value) in enumerate(zip(self.center, self.linear))] + [
            f"product {one} {other} {value}" for (one, other), value in self.product.items()]


@dataclass
class Model:
    """A model of the counts of one core type."""

    module: str
    core_type: str
    big: str
    guard: int
    sets: list[list[str]]
    features: list[Feature]
    outputs: Sequence[Steps | Quadratic]
    comment: Sequence[str] = ()

    def text(self) -> str:
        """The text of the model file."""
        lines = [f"pmctrack-model {VERSION} {self.module}"]
        lines += [f"# {line}" for line in self.comment]
        lines += [f"from {self.core_type}", f"big {self.big}", f"guard {self.guard}"]
        if any(OTHERS in (f.part, f.whole) for f in self.features):
            lines.append(f"given {OTHERS}")
        lines += [f"set {','.join(events)}" for events in self.sets]
        lines += [f"feature {f.part} {f.whole} {f.scale} {f.least} {f.most}" for f in self.features]
        for out in self.outputs:
            lines += out.lines()
        return "\n".join(lines + ["end", ""])
