# SPDX-License-Identifier: GPL-2.0-or-later
"""Energy that the machine took, from the kernel's powercap interface (RAPL)."""

from __future__ import annotations

import bisect
import threading
import time
from dataclasses import dataclass
from pathlib import Path

PERIOD_S = 1.0
POWERCAP = Path("/sys/class/powercap")


@dataclass(frozen=True)
class Zone:
    """A package, with its cores and caches. Its microjoules wrap after @largest."""

    file: Path
    largest: int


def zones(root: Path = POWERCAP) -> list[Zone]:
    """Packages and memories, of which none is a part of another."""
    found = []
    for folder in sorted(root.glob("intel-rapl:*")):
        name = folder / "name"
        # intel-rapl:0 is a package. Of its parts (intel-rapl:0:1), only memory is not included.
        # Some machines list packages a second time, as intel-rapl-mmio.
        part = folder.name.count(":") > 1
        try:
            if part and name.read_text("ascii").strip() != "dram":
                continue
            if not part and not name.read_text("ascii").startswith("package"):
                continue
            largest = int((folder / "max_energy_range_uj").read_text("ascii"))
            int((folder / "energy_uj").read_text("ascii"))
        except (OSError, ValueError):
            continue
        found.append(Zone(folder / "energy_uj", largest))
    return found


class Meter:
    """Adds up the energy that all zones took, once a second, in a thread of its own."""

    def __init__(self, measured: list[Zone]) -> None:
        self.zones = measured
        self.at_s: list[float] = []
        self.joules: list[float] = []
        self._last = [int(z.file.read_text("ascii")) for z in measured]
        self._total = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def sample(self) -> None:
        """Read all zones, and note the time of the monotonic clock."""
        for i, zone in enumerate(self.zones):
            now = int(zone.file.read_text("ascii"))
            gone = now - self._last[i]
            self._total += gone if gone >= 0 else gone + zone.largest
            self._last[i] = now
        self.at_s.append(time.monotonic())
        self.joules.append(self._total / 1e6)

    def _run(self) -> None:
        while not self._stop.wait(PERIOD_S):
            self.sample()

    def start(self) -> Meter:
        """Begin to measure. Returns itself."""
        self.sample()
        self._thread.start()
        return self

    def stop(self) -> None:
        """End the measurement, with a last sample."""
        self._stop.set()
        self._thread.join()
        self.sample()

    def between(self, begin: float, end: float) -> float:
        """Joules between two times of the monotonic clock, by linear interpolation."""
        return self._at(end) - self._at(begin)

    def _at(self, when: float) -> float:
        i = bisect.bisect_left(self.at_s, when)
        if i == 0:
            return self.joules[0]
        if i == len(self.at_s):
            return self.joules[-1]
        part = (when - self.at_s[i - 1]) / (self.at_s[i] - self.at_s[i - 1])
        return self.joules[i - 1] + part * (self.joules[i] - self.joules[i - 1])
