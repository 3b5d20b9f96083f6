# SPDX-License-Identifier: GPL-2.0-or-later
"""Two halves of a machine, as section 6.1.3 of the paper divides it (hwloc)."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import Callable, Sequence
from xml.etree import ElementTree

from .failure import Failure


@dataclass(frozen=True)
class Pinning:
    """The CPUs of the foreground, and those of the background; None: both may use all CPUs."""

    name: str
    foreground: frozenset[int] | None
    background: frozenset[int] | None


@dataclass(frozen=True)
class Core:
    """A core: its CPUs (hardware threads), in order."""

    cpus: tuple[int, ...]


@dataclass(frozen=True)
class Chip:
    """A NUMA node; or a package, if there is one node only."""

    cores: tuple[Core, ...]


@dataclass(frozen=True)
class Machine:
    """The chips that may be used."""

    chips: tuple[Chip, ...]

    @property
    def cpus(self) -> list[int]:
        """All CPUs."""
        return [cpu for chip in self.chips for core in chip.cores for cpu in core.cpus]


def _cpus(text: str) -> frozenset[int]:
    """Read a CPU set of hwloc: words of 32 bits, the highest first, with commas between them."""
    mask = 0
    for word in text.split(","):
        mask = mask << 32 | int(word or "0", 16)
    return frozenset(i for i in range(mask.bit_length()) if mask >> i & 1)


def machine(arguments: Sequence[str] = ()) -> Machine:
    """This machine, or what @arguments of lstopo describe."""
    try:
        text = subprocess.run(["lstopo-no-graphics", "--of", "xml", *arguments], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout
    except FileNotFoundError as error:
        raise Failure("lstopo-no-graphics is missing: apt-get install hwloc-nox") from error
    except subprocess.CalledProcessError as error:
        raise Failure(f"lstopo-no-graphics: {error.stderr.strip() or error}") from error
    objects = list(ElementTree.fromstring(text).iter("object"))

    def sets(kind: str) -> list[frozenset[int]]:
        found = (_cpus(o.get("cpuset", "0")) for o in objects if o.get("type") == kind)
        return sorted({s for s in found if s}, key=min)

    cores = sets("Core") or sets("PU")
    nodes = sets("NUMANode")
    chips = nodes if len(nodes) > 1 else sets("Package") or [frozenset().union(*cores)]
    return Machine(tuple(
        Chip(tuple(Core(tuple(sorted(core))) for core in cores if core <= chip)) for chip in chips
    ))


def _halves(name: str, parts: Sequence[Sequence[Sequence[int]]], what: str) -> Pinning:
    """Give the foreground the first half of the members of each of @parts."""
    foreground: set[int] = set()
    background: set[int] = set()
    for members in parts:
        half, odd = divmod(len(members), 2)
        if odd or not half:
            raise Failure(f"{name}: {what} {len(members)}, which two cannot share evenly")
        foreground.update(cpu for m in members[:half] for cpu in m)
        background.update(cpu for m in members[half:] for cpu in m)
    return Pinning(name, frozenset(foreground), frozenset(background))


def _neutral(whole: Machine) -> Pinning:
    if len(whole.cpus) % 2:
        raise Failure(f"neutral: the number of this machine's CPUs is {len(whole.cpus)}, which two "
                      "cannot share evenly")
    return Pinning("neutral", None, None)


def _per_chip(whole: Machine) -> Pinning:
    chips = [[cpu for core in chip.cores for cpu in core.cpus] for chip in whole.chips]
    return _halves("per-chip", [chips], "the number of this machine's chips is")


def _per_core(whole: Machine) -> Pinning:
    return _halves("per-core", [[core.cpus for core in chip.cores] for chip in whole.chips],
                   "the number of cores of a chip is")


def _per_thread(whole: Machine) -> Pinning:
    return _halves("per-thread", [[(cpu,) for cpu in core.cpus]
                                  for chip in whole.chips for core in chip.cores],
                   "the number of hardware threads of a core is")


PINNINGS: dict[str, Callable[[Machine], Pinning]] = {
    "neutral": _neutral,
    "per-chip": _per_chip,
    "per-core": _per_core,
    "per-thread": _per_thread,
}
"""Each function raises Failure if the machine is not made for its pinning."""


def cpu_list(cpus: frozenset[int]) -> str:
    """A list of CPUs, for people and for --cpus."""
    return ",".join(map(str, sorted(cpus)))
