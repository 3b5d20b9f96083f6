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
from itertools import chain
from pathlib import Path
from typing import IO, Iterator, Mapping, Sequence

from ..failure import Failure
from ..train.collect import core_types
from .mixes import Mix, Program
from .results import (ALONE, COMPLETIONS, TOTALS, Alone, Completion, Total, append, read_alone,
                      read_completions, same_plan)

STATE = Path("/sys/kernel/sched_ext/state")
MODEL = Path("/proc/pmc/mmon_model")
ROUNDS = 3
"""Least number of runs of each program (section 4.1.3)."""
PATIENCE_S = 30
DEFAULT = "default"
"""The kernel's own scheduler."""
STATIC_HSP, STATIC_EF = STATIC = ("static sf", "static ef")
"""Each program has a CPU; the programs with the greatest factors, alone and on average, have the
fast ones (section 4.3). The scheduler is the kernel's own."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to be run: see the command line."""

    folder: Path
    mixes: Sequence[Mix]
    policies: Sequence[str]
    scheduler: Sequence[str]
    """the command pmctrack-sched"""
    models: Path | None
    others: Mapping[str, Sequence[str]]
    """policies with a command of their own, which runs them until SIGTERM"""
    seed: int = 1
    percent: int = 100
    stagger_s: float = 0.0
    """seconds within which programs start at random, not together"""
    differing: int = 0
    """number of mixes to run, the first in which the static assignments differ; 0: all mixes"""


@dataclass(frozen=True)
class Outcome:
    """What a program reports at its end."""

    seconds: float
    """from its start to its end, on the machine's clock"""
    instr: int
    begin_j: float
    """energy that the machine had taken since it began to exist when the program started"""
    end_j: float


def _outcome(text: str) -> Outcome:
    said = json.loads(text)
    end_uj = said["machine_energy_uj"]
    return Outcome(said["elapsed_s"],
                   sum(thread["events"]["instr"] for thread in said["threads"]),
                   1e-6 * (end_uj - said["machine_energy_of_run_uj"]), 1e-6 * end_uj)


class Running:
    """A program that runs."""

    def __init__(self, program: Program, plan: Plan, cpus: Sequence[int] = ()) -> None:
        pinned = ["taskset", "-c", ",".join(map(str, cpus))] if cpus else []
        self.program = program
        self.cpus = cpus
        self.words = [*pinned, "simapp", "--json", "--seed", str(plan.seed), "--length",
                      str(plan.percent), "--threads", str(program.threads), program.name]
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, text=True)

    def _said(self, *, interrupted: bool) -> str:
        out, _ = self.process.communicate(timeout=PATIENCE_S if interrupted else None)
        if self.process.returncode not in (0, -signal.SIGTERM if interrupted else 0):
            raise Failure(f"'{' '.join(self.words)}' failed: status {self.process.returncode}")
        return str(out)

    def outcome(self) -> Outcome:
        """The outcome, once the program has ended."""
        return _outcome(self._said(interrupted=False))

    def part(self) -> list[Outcome]:
        """The outcome, once the program was interrupted; none if it had not begun."""
        said = self._said(interrupted=True)
        return [_outcome(said)] if said else []

    def interrupt(self) -> None:
        """Interrupt the program, which then reports what it has done until now."""
        self.process.terminate()

    def end(self) -> None:
        """End the program, whatever it does."""
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
    """Let a policy schedule the machine until the end."""
    if policy in (DEFAULT, *STATIC):
        yield
        return
    words = plan.others.get(policy) or [*plan.scheduler, "--quiet", *policy.split()]
    # Others print all the time.
    out = subprocess.DEVNULL if policy in plan.others else None
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out) as one:
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
    """Run a program alone. If there is a fast core for each thread, no policy needs to choose."""
    fast, *_, slow = (kind.cpus for kind in core_types())
    on_slow = Running(program, plan, slow).outcome()
    if program.threads <= len(fast):
        on_fast = Running(program, plan, fast).outcome()
    else:
        with scheduled(plan, "rr"):
            on_fast = Running(program, plan).outcome()
    return Alone(str(program), on_fast.seconds, on_slow.seconds,
                 on_fast.end_j - on_fast.begin_j, on_slow.end_j - on_slow.begin_j)


def start_times(plan: Plan, mix: Mix) -> list[float]:
    """Start times of the mix's programs, in seconds: all 0 unless they are staggered."""
    lot = random.Random(f"{plan.seed} {mix.name}")
    return [plan.stagger_s * lot.random() for _ in mix.programs]


def factor(policy: str, alone: Alone) -> float:
    """The factor by which the static assignment @policy ranks a program."""
    return alone.speedup_factor if policy == STATIC_HSP else alone.efficiency_factor


def assigned(policy: str, mix: Mix, known: Mapping[str, Alone],
             cpus: Sequence[int]) -> list[Sequence[int]]:
    """For each program, the CPUs that it has: any, or one of @cpus, where fast ones are first."""
    if policy not in STATIC:
        return [()] * len(mix.programs)
    if [program.threads for program in mix.programs] != [1] * len(cpus):
        raise Failure(f"{mix} has not one thread for each CPU, so no '{policy}' assignment")
    ranked = sorted(range(len(cpus)), reverse=True,
                    key=lambda at: factor(policy, known[str(mix.programs[at])]))
    given: list[Sequence[int]] = [()] * len(cpus)
    for cpu, index in zip(cpus, ranked):
        given[index] = (cpu,)
    return given


def all_cpus() -> tuple[list[int], int]:
    """All CPUs, the fast ones first, and how many are fast."""
    kinds = [kind.cpus for kind in core_types()]
    return [cpu for kind in kinds for cpu in kind], len(kinds[0])


def differ(mix: Mix, known: Mapping[str, Alone], cpus: Sequence[int], fast: int) -> bool:
    """True if the static assignments give fast cores to different programs."""
    chosen = [{at for at, given in enumerate(assigned(policy, mix, known, cpus))
               if given[0] in cpus[:fast]} for policy in STATIC]
    return chosen[0] != chosen[1]


def _mixed(plan: Plan, mix: Mix, policy: str,
           given: Sequence[Sequence[int]]) -> tuple[list[Completion], Total]:
    """Start all programs, and again when they end, until the longest has run three times."""
    running: dict[int, tuple[int, Running]] = {}
    done: list[Completion] = []
    outcomes: list[Outcome] = []
    counts = [0] * len(mix.programs)

    def start(index: int) -> None:
        one = Running(mix.programs[index], plan, given[index])
        running[one.process.pid] = (index, one)

    times = start_times(plan, mix)
    # The first program begins now: from here on, energy and time count.
    begin = time.monotonic()
    try:
        for index in sorted(range(len(counts)), key=times.__getitem__):
            time.sleep(max(0.0, begin + times[index] - min(times) - time.monotonic()))
            start(index)
        while min(counts) < ROUNDS:
            # The program stays a zombie, so that its Popen object does not lose the status.
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
            if not found or found.si_pid not in running:
                raise Failure("the policy ended by itself")
            index, one = running.pop(found.si_pid)
            counts[index] += 1
            outcomes.append(one.outcome())
            done.append(Completion(mix.name, policy, str(one.program), counts[index],
                                   outcomes[-1].seconds))
            start(index)
        for _, one in running.values():
            one.interrupt()
        seconds = time.monotonic() - begin
        outcomes += [part for _, one in running.values() for part in one.part()]
    finally:
        for _, one in running.values():
            one.end()
    return done, Total(mix.name, policy, str(mix), seconds,
                       sum(outcome.instr for outcome in outcomes),
                       max(outcome.end_j for outcome in outcomes)
                       - min(outcome.begin_j for outcome in outcomes))


def _give_models(plan: Plan, mix: Mix) -> None:
    """Give the kernel the models that were trained without the families of this mix."""
    if plan.models is None:
        return
    found = sorted((plan.models / mix.name).rglob("*.model"))
    if not found:
        raise Failure(f"no models in {plan.models / mix.name}")
    for path in found:
        # The kernel wants a model in one write.
        fd = os.open(MODEL, os.O_WRONLY)
        try:
            os.write(fd, path.read_bytes())
        finally:
            os.close(fd)


def _digest(what: Sequence[str] | Path | None) -> str:
    """The digest of the files of a command line, or of a folder of models."""
    found = hashlib.sha256()
    if isinstance(what, Path):
        paths = sorted(what.rglob("*.model"))
    else:
        paths = [Path(word) for word in what or () if Path(word).is_file()]
    for path in paths:
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def run(plan: Plan) -> None:
    """Run all that is not there yet. So a run that was interrupted goes on."""
    same_plan(plan.folder, {"machine": plan.mixes[0].machine, "seed": plan.seed,
                            "length": plan.percent, "stagger": plan.stagger_s,
                            "policies": _digest([*plan.scheduler, *chain(*plan.others.values())]),
                            "models": _digest(plan.models)})
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
    cpus, fast = all_cpus()
    wanted = list(plan.mixes)
    if plan.differing:
        wanted = [mix for mix in wanted if differ(mix, known, cpus, fast)]
        print(f"in {len(wanted)} of {len(plan.mixes)} mixes the static assignments differ")
        del wanted[plan.differing:]
    for mix in wanted:
        if any(policy not in STATIC for policy in plan.policies):
            _give_models(plan, mix)
        for policy in plan.policies:
            if (mix.name, policy) in cells:
                continue
            with scheduled(plan, policy):
                done, total = _mixed(plan, mix, policy, assigned(policy, mix, known, cpus))
            append(plan.folder / TOTALS, [total])
            append(there, done)
            print(f"{mix.name} ({mix}) under {policy}: {len(done)} runs, "
                  f"{total.joules:.1f} J in {total.seconds:.1f} s", flush=True)
