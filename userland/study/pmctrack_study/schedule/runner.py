# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs on the machine: programs alone, and mixes of them under policies."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Iterator, Sequence

from ..failure import Failure
from ..train.collect import core_types
from .mixes import Mix, Program
from .results import (ALONE, COMPLETIONS, Alone, Completion, append, read_alone,
                      read_completions, same_plan)

STATE = Path("/sys/kernel/sched_ext/state")
MODEL = Path("/proc/pmc/mmon_model")
ROUNDS = 3
"""So often each program runs at least (section 4.1.3)."""
PATIENCE_S = 30
DEFAULT = "default"
"""The kernel's own scheduler."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be run: see the command line."""

    folder: Path
    mixes: Sequence[Mix]
    policies: Sequence[str]
    scheduler: Sequence[str]
    """the command pmctrack-sched"""
    models: Path | None
    seed: int = 1
    percent: int = 100
    stagger_s: float = 0.0
    """programs start at random within so many seconds, not together"""


class Running:
    """A program that runs."""

    def __init__(self, program: Program, plan: Plan, cpus: Sequence[int] = ()) -> None:
        pinned = ["taskset", "-c", ",".join(map(str, cpus))] if cpus else []
        self.program = program
        self.words = [*pinned, "simapp", "--json", "--seed", str(plan.seed), "--length",
                      str(plan.percent), "--threads", str(program.threads), program.name]
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, text=True)

    def seconds(self) -> float:
        """Once it has ended: from its start to its end, on the machine's clock."""
        out, _ = self.process.communicate()
        if self.process.returncode:
            raise Failure(f"'{' '.join(self.words)}' failed")
        elapsed: float = json.loads(out)["elapsed_s"]
        return elapsed

    def end(self) -> None:
        """Whatever it does."""
        self.process.kill()
        self.process.wait()
        stdout: IO[str] | None = self.process.stdout
        if stdout:
            stdout.close()


def _wait_for_state(wanted: str) -> bool:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if STATE.read_text("ascii").strip() == wanted:
            return True
        time.sleep(0.02)
    return False


@contextmanager
def scheduled(plan: Plan, policy: str) -> Iterator[None]:
    """By a policy, until the end."""
    if policy == DEFAULT:
        yield
        return
    words = [*plan.scheduler, "--quiet", *policy.split()]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL) as one:
        try:
            if not _wait_for_state("enabled") or one.poll() is not None:
                raise Failure(f"'{' '.join(words)}' did not begin")
            yield
            if one.poll() is not None:
                raise Failure(f"'{' '.join(words)}' ended by itself")
        finally:
            one.send_signal(signal.SIGTERM)
            one.wait(PATIENCE_S)
    if one.returncode or not _wait_for_state("disabled"):
        raise Failure(f"'{' '.join(words)}' ended with status {one.returncode}")


def _alone(plan: Plan, program: Program) -> Alone:
    """On fast cores, if there is one for each thread: then nobody needs to choose."""
    fast, *_, slow = (kind.cpus for kind in core_types())
    slow_s = Running(program, plan, slow).seconds()
    if program.threads <= len(fast):
        return Alone(str(program), Running(program, plan, fast).seconds(), slow_s)
    with scheduled(plan, "rr"):
        return Alone(str(program), Running(program, plan).seconds(), slow_s)


def start_times(plan: Plan, mix: Mix) -> list[float]:
    """One for each program of the mix, in seconds: all 0 unless they are staggered."""
    lot = random.Random(f"{plan.seed} {mix.name}")
    return [plan.stagger_s * lot.random() for _ in mix.programs]


def _mixed(plan: Plan, mix: Mix, policy: str) -> list[Completion]:
    """All start, and again when they have ended, until the longest has run three times."""
    running = {}
    done: list[Completion] = []
    counts = [0] * len(mix.programs)
    try:
        begin = time.monotonic()
        for after, index, program in sorted(zip(start_times(plan, mix), range(len(counts)),
                                             mix.programs)):
            time.sleep(max(0.0, begin + after - time.monotonic()))
            one = Running(program, plan)
            running[one.process.pid] = (index, one)
        while min(counts) < ROUNDS:
            # It stays a zombie: its process is not to lose its status.
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
            if not found or found.si_pid not in running:
                raise Failure("the policy ended by itself")
            index, one = running.pop(found.si_pid)
            counts[index] += 1
            done.append(Completion(mix.name, policy, str(one.program), counts[index],
                                   one.seconds()))
            again = Running(one.program, plan)
            running[again.process.pid] = (index, again)
    finally:
        for _, one in running.values():
            one.end()
    return done


def _give_models(plan: Plan, mix: Mix) -> None:
    """Those that were trained without the families of this mix."""
    if plan.models is None:
        return
    found = sorted((plan.models / mix.name).rglob("*.model"))
    if not found:
        raise Failure(f"no models in {plan.models / mix.name}")
    for path in found:
        # Written at once, as the kernel wants it.
        fd = os.open(MODEL, os.O_WRONLY)
        try:
            os.write(fd, path.read_bytes())
        finally:
            os.close(fd)


def _digest(what: Sequence[str] | Path | None) -> str:
    """Of the files of a command line, or of a folder of models."""
    found = hashlib.sha256()
    if isinstance(what, Path):
        paths = sorted(what.rglob("*.model"))
    else:
        paths = [Path(word) for word in what or () if Path(word).is_file()]
    for path in paths:
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def run(plan: Plan) -> None:
    """All that is not there yet: a run that was interrupted goes on."""
    same_plan(plan.folder, {"machine": plan.mixes[0].machine, "seed": plan.seed,
                            "length": plan.percent, "stagger": plan.stagger_s,
                            "policies": _digest(plan.scheduler), "models": _digest(plan.models)})
    known = read_alone(plan.folder) if (plan.folder / ALONE).exists() else {}
    there = plan.folder / COMPLETIONS
    cells = {(c.mix, c.policy) for c in read_completions(plan.folder)} if there.exists() else set()
    for mix in plan.mixes:
        for program in mix.programs:
            if str(program) not in known:
                known[str(program)] = _alone(plan, program)
                append(plan.folder / ALONE, [known[str(program)]])
                print(f"{program}: alone {known[str(program)].fast_s:.3f} s on fast cores, "
                      f"{known[str(program)].slow_s:.3f} s on slow ones", flush=True)
    for mix in plan.mixes:
        _give_models(plan, mix)
        for policy in plan.policies:
            if (mix.name, policy) in cells:
                continue
            with scheduled(plan, policy):
                done = _mixed(plan, mix, policy)
            append(there, done)
            print(f"{mix.name} ({mix}) under {policy}: {len(done)} runs", flush=True)
