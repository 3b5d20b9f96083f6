# SPDX-License-Identifier: GPL-2.0-or-later
"""Lines through points, and how certain they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Sequence

from scipy import stats


@dataclass(frozen=True)
class Line:
    """A line by least squares. p_slope, p_intercept: the probability that each is 0 in truth."""

    slope: float
    intercept: float
    p_slope: float
    p_intercept: float


def fit(loads: Sequence[float], values: Sequence[float]) -> Line:
    """Fit a line to @values over @loads: three points at least."""
    line = stats.linregress(loads, values)
    free = len(loads) - 2
    # A perfect line has no error, and is certain.
    ratio = line.intercept / line.intercept_stderr if line.intercept_stderr else math.inf
    return Line(float(line.slope), float(line.intercept), float(line.pvalue),
                float(2 * stats.t.sf(abs(ratio), free)))
