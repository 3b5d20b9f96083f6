# SPDX-License-Identifier: GPL-2.0-or-later
"""Do the emerging speedups agree with the papers' classes? The model predicts runs alone."""

from __future__ import annotations

import json
import statistics
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ..failure import Failure

CLASSES = {
    "2B-2S": {
        "H": "calculix gamess GemsFDTD bzip2 sphinx3 mcf soplex",
        "M": "h264ref namd povray",
        "L": "sjeng gobmk libquantum",
    },
    "2B-10S": {
        "H": "gamess hmmer gobmk h264ref fma3d BLAST semphy blackscholes",
        "M": "astar wupwise",
        "L": "soplex FFTW3D",
    },
}
"""Paper on PMCTrack, Tables 2 and 3; partly inferred from the workloads' names."""


@dataclass(frozen=True)
class Alone:
    """A program alone on the fastest and on the second core type."""

    name: str
    speedup: float
    misses: float
    """Misses of the last-level cache per 1000 instructions, on the fast type."""


def predict(simapp: str, machine: str, path: Path, seed: int = 1) -> Alone:
    """Let the model predict a program's runs alone."""
    done = subprocess.run([simapp, "--predict", machine, "--seed", str(seed), str(path)],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(done.stderr.strip())
    answer = json.loads(done.stdout)
    fast, slow = list(answer["alone"].values())[:2]
    return Alone(answer["program"], slow["seconds"] / fast["seconds"],
                 1000 * fast["events"]["llc_misses"] / fast["events"]["instr"])


def correlation(found: list[Alone]) -> float:
    """Correlation of speedup factors with misses (Fig. 6)."""
    return statistics.correlation([x.misses for x in found], [x.speedup for x in found])


def disagreements(machine: str, found: list[Alone]) -> list[str]:
    """Programs of a higher class that are not above all of a lower one."""
    by_name = {x.name: x.speedup for x in found}
    levels = [[(by_name[n], n) for n in CLASSES[machine][level].split()] for level in "HML"]
    wrong = []
    for higher, lower in zip(levels, levels[1:]):
        least, most = min(higher), max(lower)
        if least[0] <= most[0]:
            wrong.append(f"{machine}: {least[1]} ({least[0]:.2f}) is not above "
                         f"{most[1]} ({most[0]:.2f})")
    return wrong
