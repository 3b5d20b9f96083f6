# SPDX-License-Identifier: GPL-2.0-or-later
"""Simulated machines of six and sixteen CPUs, random programs for them, and their goals.

Usage: machine_plan.py FOLDER SIMAPP PROFILES SECONDS SEED…
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

THREADS = 12
# Instructions of a thread in a round: one CPU does about ten rounds of all threads a second.
ROUND = 30_000_000
# A phase lasts so many seconds at the goal.
SHORTEST_S, LONGEST_S = 5, 12
# The speed of a busy phase, in relation to a calm one.
SLOWEST, FASTEST = 0.45, 0.75
# Goals in numbers of CPUs at their mean rate alone. The paper's two goals are in the ratio 8 to 12.
ENCODERS = (1.6, 2.4)
# Goals take only this part of a machine, because a busy phase takes more than the mean.
PROMISED = 0.62
LEAST = 1.1
# Threads wait for each other, so they need their CPUs divided by about this.
SCALING = 0.93
CPU_STEP = 0.05


def machine(simapp: str, name: str, clusters: int, cpus: int) -> dict[str, Any]:
    """Return a machine with CPUs like those of 8-shared, each six or eight of them with a cache."""
    out = subprocess.run([simapp, "--describe", "8-shared"], check=True, capture_output=True)
    found: dict[str, Any] = json.loads(out.stdout)
    kind = found["types"][0]["name"]
    found["name"] = name
    found["clusters"] = [found["clusters"][0] for _ in range(clusters)]
    found["cpus"] = [{"type": kind, "cluster": cpu * clusters // cpus} for cpu in range(cpus)]
    return found


def profile(base: dict[str, Any], name: str, times: float, lot: random.Random) -> dict[str, Any]:
    """Return the profile of an encoder: rounds are pictures, calm and busy parts take turns."""
    found = dict(base, name=name, description="an encoder", threads=THREADS, rounds=1_000_000,
                 serial=ROUND // 20, parallel=ROUND, imbalance=10)
    phases = []
    # About the instructions of a thread in a second of a calm part.
    speed = 3.2e9 * times / THREADS
    for part in range(4):
        phase = dict(base["phases"][part % len(base["phases"])])
        slower = lot.uniform(SLOWEST, FASTEST) if part % 2 else 1.0
        phase["ilp"] = int(phase["ilp"] * slower)
        phase["instr"] = int(speed * slower * lot.uniform(SHORTEST_S, LONGEST_S))
        phases.append(phase)
    found["phases"] = phases
    return found


def rate_alone(simapp: str, path: Path, on_machine: Path) -> float:
    """Return rounds in a second with one CPU, alone, on average over a cycle of phases."""
    # Predict a cycle of phases, because the profile itself does not end.
    found = json.loads(path.read_text(encoding="ascii"))
    found["rounds"] = max(1, sum(p["instr"] for p in found["phases"]) // ROUND)
    short = path.with_suffix(".cycle.json")
    short.write_text(json.dumps(found), encoding="ascii")
    out = subprocess.run([simapp, "--predict", str(on_machine), str(short)], check=True,
                         capture_output=True)
    short.unlink()
    (alone,) = json.loads(out.stdout)["alone"].values()
    return float(found["rounds"] / alone["seconds"])


def wanted_of(cpus: int, lot: random.Random) -> list[float]:
    """Return goals, in numbers of CPUs."""
    if cpus <= 6:
        return list(ENCODERS)
    wanted = [lot.uniform(1.2, 3.4) for _ in range(5)]
    # A program cannot have less than a CPU.
    return [max(LEAST, one * PROMISED * cpus / sum(wanted)) for one in wanted]


def plan(folder: Path, simapp: str, base: dict[str, Any], name: str, seed: int) -> dict[str, Any]:
    """Return the programs of a machine and a seed."""
    lot = random.Random(f"{name} {seed}")
    machine_of = json.loads((folder / f"{name}.json").read_text(encoding="ascii"))
    cpus, programs = len(machine_of["cpus"]), []
    for number, times in enumerate(wanted_of(cpus, lot)):
        label = f"encoder{number + 1}"
        path = folder / f"{name}-{seed}-{label}.json"
        path.write_text(json.dumps(profile(base, label, times, lot)), encoding="ascii")
        alone = rate_alone(simapp, path, folder / f"{name}.json")
        fixed = round(round(times / SCALING / CPU_STEP) * CPU_STEP, 2)
        programs.append({"name": label, "profile": path.name, "goal": round(times * alone, 3),
                         "cpus": fixed, "seed": seed})
    return {"cpus": cpus, "programs": programs}


def main() -> None:
    """Write the machines, and the plans that do not exist yet."""
    folder, simapp, profiles = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    base = json.loads((profiles / "h264ref.json").read_text(encoding="ascii"))
    for name, clusters, cpus in (("six", 1, 6), ("sixteen", 2, 16)):
        (folder / f"{name}.json").write_text(
            json.dumps(machine(simapp, name, clusters, cpus)), encoding="ascii")
        for seed in sys.argv[5:]:
            into = folder / f"plan-{name}-{seed}.json"
            if not into.exists():
                found = plan(folder, simapp, base, name, int(seed))
                found["seconds"] = float(sys.argv[4])
                into.write_text(json.dumps(found, indent=1), encoding="ascii")


if __name__ == "__main__":
    main()
