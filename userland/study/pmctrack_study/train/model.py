# SPDX-License-Identifier: GPL-2.0-or-later
"""A model as the kernel evaluates it: in integers. Documentation/models.md has the format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Sequence

import numpy
from numpy.typing import NDArray

from .features import Feature

VERSION = 1
PARTS = 1000
"""Values of stumps are in such parts of a thousandth."""
MOST_STUMPS = 256

Integers = NDArray[numpy.int64]


@dataclass(frozen=True)
class Stump:
    """One of two values, by whether a feature is below a threshold."""

    feature: int
    threshold: int
    low: int
    high: int


@dataclass
class Output:
    """What is estimated: a number in thousandths."""

    kind: str
    small: str
    base: int
    error: int
    stumps: list[Stump] = field(default_factory=list)

    def evaluate(self, features: Integers) -> Integers:
        """As pmct_regression_eval(), for rows of features."""
        total = numpy.full(len(features), self.base, dtype=numpy.int64)
        for stump in self.stumps:
            below = features[:, stump.feature] < stump.threshold
            total += numpy.where(below, stump.low, stump.high)
        return numpy.asarray(numpy.maximum(total, 0) // PARTS)


@dataclass
class Model:
    """Of the counts of one core type."""

    module: str
    core_type: str
    big: str
    guard: int
    sets: list[list[str]]
    features: list[Feature]
    outputs: list[Output]
    comment: Sequence[str] = ()

    def text(self) -> str:
        """The file."""
        lines = [f"pmctrack-model {VERSION} {self.module}"]
        lines += [f"# {line}" for line in self.comment]
        lines += [f"from {self.core_type}", f"big {self.big}", f"guard {self.guard}"]
        lines += [f"set {','.join(events)}" for events in self.sets]
        lines += [f"feature {f.part} {f.whole} {f.scale} {f.least} {f.most}" for f in self.features]
        for out in self.outputs:
            lines.append(f"output {out.kind} {out.small} {out.base} {out.error}")
            lines += [f"stump {s.feature} {s.threshold} {s.low} {s.high}" for s in out.stumps]
        return "\n".join(lines + ["end", ""])
