# SPDX-License-Identifier: GPL-2.0-or-later
"""From a description of a program to a profile: phases, curves and rates, drawn with a seed."""

from __future__ import annotations

import dataclasses
import json
import random
import zlib
from pathlib import Path
from typing import Any, Sequence

from ..failure import Failure
from .programs import PROGRAMS, Spec

GIGA = 1_000_000_000
ROUND_INSTRUCTIONS = 200_000_000
"""Instructions of a round, of all threads of a parallel program together."""

Profile = dict[str, Any]
Curve = Sequence[tuple[int, float]]


def _vary(rng: random.Random, value: float, contrast: float) -> float:
    return value * rng.lognormvariate(0, contrast)


def _curve(rng: random.Random, points: Curve, contrast: float) -> list[list[int]]:
    """Points that ascend in size and do not ascend in misses."""
    size = rng.lognormvariate(0, contrast / 2)
    curve: list[list[int]] = []
    for kib, share in points:
        kib = round(kib * size)
        ppm = round(min(1.0, _vary(rng, share, contrast / 2) if kib else share) * 1_000_000)
        if curve:
            kib = max(kib, curve[-1][0] + 1)
            ppm = min(ppm, curve[-1][1])
        curve.append([kib, ppm])
    return curve


def _phase(rng: random.Random, spec: Spec, length: int) -> Profile:
    def rate(per_thousand: float, contrast: float = spec.contrast) -> int:
        return round(_vary(rng, per_thousand, contrast) * 1000)

    data = rate(spec.data, spec.contrast / 3)
    branches = rate(spec.branches, spec.contrast / 3)
    return {
        "instr": length,
        "ilp": max(100, round(_vary(rng, spec.ilp, spec.contrast) * 1000)),
        "mlp": max(1000, round(_vary(rng, spec.mlp(), spec.contrast / 3) * 1000)),
        "front_end": rate(spec.front_end),
        "branches": branches,
        "cond_branches": round(branches * 0.8),
        "branch_misses": min(rate(spec.mispredicts), branches),
        "l1d": data,
        "l1d_misses": min(rate(spec.l1d_misses), data),
        "itlb_misses": rate(spec.itlb),
        "dtlb_misses": min(rate(spec.dtlb), data),
        "write_backs": min(1000, round(_vary(rng, spec.write_backs, spec.contrast) * 1000)),
        "energy": round(_vary(rng, spec.energy, 0.1) * 1000),
        "wander": round(spec.wander * 1000),
        "l2": _curve(rng, spec.private, spec.contrast),
        "llc": _curve(rng, spec.llc, spec.contrast),
    }


def profile(spec: Spec, seed: int) -> Profile:
    """Draw a profile. The same spec and seed make the same profile."""
    rng = random.Random(seed * 1_000_003 + zlib.crc32(spec.name.encode()))
    phases = [_phase(rng, spec, rng.randint(110_000_000, 900_000_000)) for _ in range(spec.phases)]
    for number, phase in enumerate(phases):
        # The last blocks of a phase with many blocks are the first ones of the next phase.
        phase["code"] = number * 300
        phase["blocks"] = 200 + phase["instr"] % 201
    total = round(spec.giga_instructions * GIGA)
    if spec.threads == 1:
        rounds, serial, parallel = 1, total, 0
    else:
        rounds = max(1, total // ROUND_INSTRUCTIONS)
        serial = round(total * spec.serial / rounds)
        parallel = round(total * (1 - spec.serial) / rounds / spec.threads)
    return {
        "name": spec.name, "description": spec.description, "threads": spec.threads,
        "rounds": rounds, "serial": serial, "parallel": parallel, "imbalance": spec.imbalance,
        "spins": spec.spins, "phases": phases,
    }


def _resized(rng: random.Random, points: Curve) -> tuple[tuple[int, float], ...]:
    return tuple((round(kib * rng.uniform(0.7, 1.5)) if kib else 0, share) for kib, share in points)


def relative_of(spec: Spec, rng: random.Random, number: int) -> Spec:
    """Another program of the same family: it differs as programs do, not as phases do."""
    return dataclasses.replace(
        spec, name=f"{spec.name}-{number}", description=f"drawn, a relative of {spec.name}",
        ilp=_vary(rng, spec.ilp, 0.2), overlap=_vary(rng, spec.overlap, 0.15),
        mispredicts=_vary(rng, spec.mispredicts, 0.4), front_end=_vary(rng, spec.front_end, 0.4),
        l1d_misses=_vary(rng, spec.l1d_misses, 0.35), branches=_vary(rng, spec.branches, 0.25),
        dtlb=_vary(rng, spec.dtlb, 0.4), phases=rng.randint(1, 4), threads=1, serial=0.0,
        contrast=rng.uniform(0.05, 0.35), wander=rng.uniform(0.02, 0.15), giga_instructions=3.0,
        private=_resized(rng, spec.private), llc=_resized(rng, spec.llc))


def drawn(count: int, seed: int, families: Sequence[str]) -> list[Profile]:
    """@count programs that nobody tuned to: relatives of the programs in @families, in turn."""
    rng = random.Random(seed)
    by_name = {spec.name: spec for spec in PROGRAMS}
    pool = [by_name[name] for name in families]
    return [profile(relative_of(pool[number % len(pool)], rng, number), seed)
            for number in range(count)]


def family_of(name: str) -> str:
    """The family of a drawn program, by its name."""
    return name.rpartition("-")[0] or name


def write(folder: Path, profiles: Sequence[Profile]) -> None:
    """Write a file NAME.json for each. Phases are a line each, for people who compare them."""
    folder.mkdir(parents=True, exist_ok=True)
    for found in profiles:
        head = json.dumps({key: value for key, value in found.items() if key != "phases"})
        phases = ",\n".join(json.dumps(phase) for phase in found["phases"])
        (folder / f"{found['name']}.json").write_text(f'{head[:-1]}, "phases": [\n{phases}\n]}}\n',
                                                      encoding="utf-8")


def fold(folder: Path, seed: int, counts: tuple[int, int], where: str) -> None:
    """Write relatives of all programs, and lists for pmctrack-train: all, and parts to leave out.

    @counts: the numbers of relatives of each program, and of parts. Families of a part are chosen
    by chance; no other part has any of them. @where: the path of @folder on the simulated machine.
    """
    each, parts = counts
    names = [spec.name for spec in PROGRAMS]
    if not 2 <= parts <= len(names):
        raise Failure(f"there can be 2 to {len(names)} parts")
    profiles = drawn(each * len(names), zlib.crc32(f"fold {seed}".encode()), names)
    write(folder / "programs", profiles)
    random.Random(seed).shuffle(names)
    # Each program's rates wander in another way.
    lines = {p["name"]: f"{p['name']} {family_of(p['name'])} simapp "
             f"-s {zlib.crc32(p['name'].encode())} {where}/programs/{p['name']}.json\n"
             for p in profiles}
    (folder / "all.list").write_text("".join(lines.values()), encoding="utf-8")
    for part in range(parts):
        chosen = [line for name, line in lines.items() if family_of(name) in names[part::parts]]
        (folder / f"part-{part + 1}.list").write_text("".join(chosen), encoding="utf-8")


NAMED_SEED = 1
"""Seed of the profiles that are installed."""


def named() -> list[Profile]:
    """The programs of the papers."""
    return [profile(spec, NAMED_SEED) for spec in PROGRAMS]
