#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Kill and stop parts of showstopper at random moments: nothing may stay stopped.

Usage: kill_matrix.py SHOWSTOPPER [ROUNDS [OPTION...]]

Each round runs all cases, some at a time. A case starts programs that have a
child each, waits for a random time, sends its signals, and measures how long it
takes until no process of the programs is stopped, or frozen (OPTION: --freezer).
If parts of showstopper are stopped (SIGSTOP) and the run has to end, by a
signal or by -d, the case measures how long it takes until all of it has ended.
Prints TAP; the seed of the random times is printed, and may be given in SEED.
"""

from __future__ import annotations

import ctypes
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

GROUPS: set[Path] = set()  # control groups of programs
LIMIT_S = 1.0  # what is promised: nothing is stopped for longer
ENDS_S = 10.0  # what is promised: a run has ended so long after it was asked to
SLACK_S = 2.0  # for a machine that has other things to do
PATIENCE_S = 10.0  # for a machine that has other things to do
AT_ONCE = 8
COPIES = 3
CGROUPS = next(
    (
        line.split()[1]
        for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
        if line.split()[2] == "cgroup2"
    ),
    "",
)


@dataclass
class Tree:
    """The processes of a run."""

    guardian: int
    warden: int = 0
    master: int = 0
    executors: list[int] = field(default_factory=list)
    programs: list[int] = field(default_factory=list)


def stat(pid: int) -> tuple[str, int] | None:
    """State and parent of a process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    state, parent = text.rsplit(")", 1)[1].split()[:2]
    return state, int(parent)


def families() -> dict[int, list[int]]:
    """The children of all processes of the machine."""
    found: dict[int, list[int]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and (s := stat(int(path.name))):
            found.setdefault(s[1], []).append(int(path.name))
    return found


def read(pid: int, name: str) -> bytes:
    """A file of a process; nothing if that is gone."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def marked(mark: str) -> list[int]:
    """Programs, and their children, that have the mark in their environment."""
    return [
        int(p.name)
        for p in Path("/proc").iterdir()
        if p.name.isdigit()
        and mark.encode() in read(int(p.name), "environ")
        and b"sleep" in read(int(p.name), "cmdline")
        and b"showstopper" not in read(int(p.name), "cmdline")
    ]


def group_of(pid: int) -> Path | None:
    """The control group that was made for the process."""
    for line in read(pid, "cgroup").decode().splitlines():
        if line.startswith("0::") and "/showstopper." in line:
            return Path(CGROUPS + line[3:])
    return None


def frozen(pid: int) -> bool:
    """True if the control group of the process is frozen."""
    group = group_of(pid)
    try:
        return group is not None and b"frozen 1" in (group / "cgroup.events").read_bytes()
    except OSError:
        return False


def stopped(pids: list[int]) -> list[int]:
    """The processes that are stopped or frozen."""
    return [p for p in pids if (s := stat(p)) and (s[0] == "T" or frozen(p))]


def find_tree(guardian: int) -> Tree:
    """Wait until all processes of a run exist."""
    tree = Tree(guardian)
    until = time.monotonic() + 30
    while time.monotonic() < until:
        children = families()
        names = {read(p, "comm"): p for p in children.get(guardian, [])}
        tree.master, tree.warden = (names.get(n, 0) for n in (b"showstopper\n", b"warden\n"))
        tree.executors = children.get(tree.master, []) if tree.master and tree.warden else []
        tree.programs = [p for e in tree.executors for p in children.get(e, [])]
        if len(tree.programs) >= COPIES and all(p in children for p in tree.programs):
            return tree
        time.sleep(0.02)
    raise RuntimeError(f"showstopper did not start: {tree}")


Signals = list[tuple[int, signal.Signals]]


def each(sig: signal.Signals, *pids: int) -> Signals:
    """The same signal to all."""
    return [(pid, sig) for pid in pids]


KILL, STOP = signal.SIGKILL, signal.SIGSTOP


@dataclass
class Case:
    """Which process gets which signal, and what has to become of the run."""

    first: Callable[[Tree], Signals]
    then: Callable[[Tree], Signals] | None = None  # a second later
    goes_on: bool = False  # control goes on, or may: no stop is too long
    ends: bool = False  # the run ends, with all its programs
    needs_rescue: bool = False
    options: tuple[str, ...] = ()


KILLS: dict[str, Case] = {
    "interrupt": Case(lambda t: each(signal.SIGINT, t.guardian, t.master)),
    "terminate": Case(lambda t: each(signal.SIGTERM, t.guardian)),
    "terminal closes": Case(lambda t: each(signal.SIGHUP, t.guardian, t.master, *t.executors)),
    "kill the master": Case(lambda t: each(KILL, t.master)),
    "kill an executor": Case(lambda t: each(KILL, t.executors[0]), goes_on=True),
    "kill all executors": Case(lambda t: each(KILL, *t.executors)),
    "kill master and executor": Case(lambda t: each(KILL, t.master, t.executors[1])),
    "kill master and all executors": Case(lambda t: each(KILL, t.master, *t.executors)),
    "kill the guardian": Case(lambda t: each(KILL, t.guardian)),
    "kill guardian and master": Case(lambda t: each(KILL, t.guardian, t.master)),
    "kill the warden": Case(lambda t: each(KILL, t.warden), goes_on=True),
    "kill all": Case(lambda t: each(KILL, t.guardian, t.master, *t.executors)),
    # When the last process of showstopper dies, the kernel continues what is stopped, but not a
    # program's child that is about to stop: "showstopper rescue" does, as the manual says.
    "kill the warden and all": Case(
        lambda t: each(KILL, t.warden, t.guardian, t.master, *t.executors), needs_rescue=True
    ),
    "segmentation fault of an executor": Case(
        lambda t: each(signal.SIGSEGV, t.executors[2]), goes_on=True
    ),
    "suspend from the terminal": Case(
        lambda t: each(signal.SIGTSTP, t.guardian, t.master, *t.executors)
    ),
    "suspend and terminate": Case(
        lambda t: each(signal.SIGTSTP, t.guardian, t.master, *t.executors),
        lambda t: each(signal.SIGTERM, t.guardian),
        ends=True,
    ),
}
STOPS: dict[str, Callable[[Tree], list[int]]] = {
    "the guardian": lambda t: [t.guardian],
    "the warden": lambda t: [t.warden],
    "the master": lambda t: [t.master],
    "an executor": lambda t: [t.executors[0]],
    "all executors": lambda t: t.executors,
    "guardian and warden": lambda t: [t.guardian, t.warden],
    "guardian and master": lambda t: [t.guardian, t.master],
    "master and warden": lambda t: [t.master, t.warden],
    "master and executor": lambda t: [t.master, t.executors[1]],
    "master and all executors": lambda t: [t.master, *t.executors],
    "all but the warden": lambda t: [t.guardian, t.master, *t.executors],
    "all": lambda t: [t.warden, t.guardian, t.master, *t.executors],
}


PTRACE_ATTACH = 16


def debug(pid: int) -> Signals:
    """Make a process hang as in a debugger: SIGCONT does not continue it."""
    if ctypes.CDLL(None, use_errno=True).ptrace(PTRACE_ATTACH, pid, 0, 0):
        raise OSError(ctypes.get_errno(), "ptrace")
    return []


HANGS: dict[str, Callable[[Tree], Signals]] = {
    f"stop {name}": lambda t, pids=pids: each(STOP, *pids(t)) for name, pids in STOPS.items()
} | {
    "debug the warden": lambda t: debug(t.warden),
    "debug the master": lambda t: debug(t.master),
    "debug an executor": lambda t: debug(t.executors[0]),
}


def hang_cases(name: str, hang: Callable[[Tree], Signals]) -> dict[str, Case]:
    """If parts hang, the guarantee holds, and the run can be ended."""
    return {
        name: Case(hang, goes_on=True),
        f"{name}, SIGTERM": Case(hang, lambda t: each(signal.SIGTERM, t.guardian), ends=True),
        # A terminal sends it to all of these.
        f"{name}, Ctrl-C": Case(
            hang, lambda t: each(signal.SIGINT, t.guardian, t.master, *t.executors), ends=True
        ),
        f"{name}, -d": Case(hang, ends=True, options=("-d", "8")),
    }


CASES = KILLS | {
    case: value for name, hang in HANGS.items() for case, value in hang_cases(name, hang).items()
}


def longest_stop(pids: list[int], seconds: float) -> float:
    """The longest time for which one of the processes was stopped without a break."""
    since: dict[int, float] = {}
    longest = 0.0
    before = time.monotonic()
    end = before + seconds
    # A process that is stopped for too long is watched for longer than "seconds".
    while (now := time.monotonic()) < end or (since and now < end + PATIENCE_S):
        # The last look was so long ago that processes may have run meanwhile.
        if now - before > LIMIT_S / 4:
            since.clear()
        before = now
        now_stopped = set(stopped(pids))
        for pid in pids:
            if pid in now_stopped:
                longest = max(longest, now - since.setdefault(pid, now))
            else:
                since.pop(pid, None)
        if now > end and longest <= LIMIT_S:
            break
        time.sleep(0.01)
    return longest


def find_guardian(shell: int) -> int:
    """The showstopper process that a shell has started."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        for pid in families().get(shell, []):
            if read(pid, "comm") == b"showstopper\n":
                return pid
        time.sleep(0.01)
    raise RuntimeError("showstopper did not start")


def send(signals: Signals) -> None:
    """Send the signals; some processes may have ended."""
    for pid, sig in signals:
        try:
            os.kill(pid, sig)
        except ProcessLookupError:
            pass


def lives(pid: int) -> bool:
    """True if the process has not ended."""
    return (s := stat(pid)) is not None and s[0] != "Z"


def time_to_end(tree: Tree, programs: list[int], lasts_s: float) -> tuple[float, str]:
    """How long after its time all processes of a run have ended, and which are left."""
    end = time.monotonic() + lasts_s
    everybody = [tree.guardian, tree.warden, tree.master, *tree.executors, *programs]
    while (left := list(filter(lives, everybody))) and time.monotonic() < end + 3 * ENDS_S:
        time.sleep(0.01)
    took = max(0, time.monotonic() - end)
    late = "ended too late: " if took > ENDS_S + SLACK_S else ""
    return took, f"{late}{took:.1f} s, left {left} of {tree}" if late or left else ""


def time_to_run(case: Case, programs: list[int], binary: str) -> tuple[float, str]:
    """How long it takes until no program is stopped, and which still are."""
    began = last = time.monotonic()
    # The last stop counts, because a stop may come after the signal.
    while (now := time.monotonic()) - began < 1.5 or (
        stopped(programs) and now - began < PATIENCE_S
    ):
        if stopped(programs):
            last = now
            if case.needs_rescue and now - began > LIMIT_S:
                subprocess.run(
                    [binary, "rescue"], stdout=subprocess.DEVNULL, check=True, timeout=60
                )
        time.sleep(0.01)
    took = last - began
    return took, f"still stopped: {stopped(programs)}" if took > PATIENCE_S - 1 else ""


def attack(
    case: Case, tree: Tree, programs: list[int], wait_s: float, binary: str
) -> tuple[float, str]:
    """Send the signals. Returns how long the promise took, and how it was broken."""
    until = time.monotonic() + 30
    while not stopped(programs):
        if time.monotonic() > until:
            return 0, "no program was ever stopped"
        time.sleep(0.01)
    time.sleep(wait_s)
    send(case.first(tree))
    if case.then:
        time.sleep(1)
        send(case.then(tree))
    if case.ends:
        return time_to_end(tree, programs, float(case.options[1]) if case.options else 0)
    if case.goes_on:
        took = longest_stop(programs, 2.5)
        return took, f"stopped for {took:.1f} s" if took > LIMIT_S + SLACK_S else ""
    return time_to_run(case, programs, binary)


def clean_up(run: subprocess.Popen[bytes], tree: Tree, mark: str) -> None:
    """End all that is left."""
    for pid in [
        tree.warden, tree.master, *tree.executors, tree.guardian, *marked(mark), run.pid
    ]:
        try:
            if pid:
                os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    run.wait()


def one(
    binary: str, options: list[str], case: str, wait_s: float, number: int
) -> tuple[str, float, str]:
    """Run a case. Returns its name, seconds until all ran, and what is wrong."""
    mark = f"SHOWSTOPPER_KILL_MATRIX={os.getpid()}.{number:06}"
    env = dict(os.environ, **dict([mark.split("=")]))
    program = ["sh", "-c", "sleep 1000 & sleep 1000"]
    # The shell has job control, and stays, like that of a terminal.
    with subprocess.Popen(
        ["bash", "-c", 'set -m; "$@" & wait -f $!', "bash", binary, "-q", "-m", "cdc", "-l", "30",
         "-n", str(COPIES), *CASES[case].options, *options, "--", *program],
        env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    ) as run:
        tree = Tree(0)
        try:
            tree = find_tree(find_guardian(run.pid))
            programs = marked(mark)
            GROUPS.update(filter(None, map(group_of, programs)))
            took, wrong = attack(CASES[case], tree, programs, wait_s, binary)
        except RuntimeError as error:
            took, wrong = 0, str(error)
        finally:
            clean_up(run, tree, mark)
    return case, took, wrong


def main() -> int:
    """Run the rounds."""
    binary = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    options = sys.argv[3:]
    seed = int(os.environ.get("SEED", time.time_ns() % 1_000_000))
    rng = random.Random(seed)
    print(f"# seed {seed}")
    # Signals that are ignored here (nohup, a shell's "&") would be ignored in showstopper, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for sig in signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT, signal.SIGTSTP:
        signal.signal(sig, signal.SIG_DFL)
    jobs = [(case, rng.uniform(0, 0.3)) for _ in range(rounds) for case in CASES]
    # These runs and other runs on this machine must not be rescued by each other's tests.
    with tempfile.TemporaryDirectory() as runs:
        os.environ["SHOWSTOPPER_RUNS"] = runs
        with ThreadPoolExecutor(AT_ONCE) as pool:
            results = list(
                pool.map(lambda j: one(binary, options, j[1][0], j[1][1], j[0]), enumerate(jobs))
            )
        return report(results) or not_left(binary)


def not_left(binary: str) -> int:
    """Rescue removes files of runs whose guardians were killed, and control groups."""
    until = time.monotonic() + PATIENCE_S
    while True:
        text = subprocess.run(
            [binary, "rescue"], stdout=subprocess.PIPE, check=True, timeout=60
        ).stdout
        left = [g for g in GROUPS if g.exists()]
        if not left and b"control groups can be removed" not in text:
            return 0
        if time.monotonic() > until:
            print(f"not ok {len(CASES) + 1} - control groups are left: {left}")
            return 1
        time.sleep(0.1)


def report(results: list[tuple[str, float, str]]) -> int:
    """TAP of all rounds, and the exit status."""
    failed = 0
    for n, case in enumerate(CASES, 1):
        mine = [r for r in results if r[0] == case]
        limit, what = (ENDS_S, "all ended") if CASES[case].ends else (LIMIT_S, "all run")
        wrong = [r[2] for r in mine if r[2]]
        worst = max(r[1] for r in mine)
        late = sum(r[1] > limit for r in mine)
        lateness = f" ({late} after more than {limit:.0f} s)" if late else ""
        print(
            f"{'not ok' if wrong else 'ok'} {n} - {case}: {len(mine)} times, "
            f"{what} after {worst:.2f} s at most{lateness}"
        )
        for text in wrong:
            print(f"# {text}")
        failed += bool(wrong)
    print(f"1..{len(CASES)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
