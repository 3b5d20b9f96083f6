#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Kill parts of showstopper at random moments: nothing may stay stopped.

Usage: kill_matrix.py SHOWSTOPPER [ROUNDS [OPTION...]]

Each round does all cases, some at a time. A case starts programs that have a
child each, waits for a random time, sends its signals, and looks how long it
takes until no process of the programs is stopped, or frozen (OPTION: --freezer).
Prints TAP; the seed of the random times is printed, and may be given in SEED.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

GROUPS: set[Path] = set()  # control groups of programs
LIMIT_S = 1.0  # what is promised
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


def children(pid: int) -> list[int]:
    """Processes whose parent it is."""
    return [
        int(p.name)
        for p in Path("/proc").iterdir()
        if p.name.isdigit() and (s := stat(int(p.name))) and s[1] == pid
    ]


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
    """The control group that was made for it."""
    for line in read(pid, "cgroup").decode().splitlines():
        if line.startswith("0::") and "/showstopper." in line:
            return Path(CGROUPS + line[3:])
    return None


def frozen(pid: int) -> bool:
    """Is its control group frozen?"""
    group = group_of(pid)
    try:
        return group is not None and b"frozen 1" in (group / "cgroup.events").read_bytes()
    except OSError:
        return False


def stopped(pids: list[int]) -> list[int]:
    """Those that are stopped."""
    return [p for p in pids if (s := stat(p)) and (s[0] == "T" or frozen(p))]


def find_tree(guardian: int) -> Tree:
    """Wait until all of a run is there."""
    tree = Tree(guardian)
    until = time.monotonic() + 30
    while time.monotonic() < until:
        names = {read(p, "comm"): p for p in children(guardian)}
        tree.master, tree.warden = (names.get(n, 0) for n in (b"showstopper\n", b"warden\n"))
        tree.executors = children(tree.master) if tree.master and tree.warden else []
        tree.programs = [p for e in tree.executors for p in children(e)]
        if len(tree.programs) >= COPIES and all(children(p) for p in tree.programs):
            return tree
        time.sleep(0.02)
    raise RuntimeError(f"showstopper did not start: {tree}")


Signals = list[tuple[int, signal.Signals]]


def each(sig: signal.Signals, *pids: int) -> Signals:
    """The same signal to all."""
    return [(pid, sig) for pid in pids]


KILL, STOP = signal.SIGKILL, signal.SIGSTOP
# Who gets which signal.
CASES: dict[str, Callable[[Tree], Signals]] = {
    "interrupt": lambda t: each(signal.SIGINT, t.guardian, t.master),
    "terminate": lambda t: each(signal.SIGTERM, t.guardian),
    "terminal closes": lambda t: each(signal.SIGHUP, t.guardian, t.master, *t.executors),
    "kill the master": lambda t: each(KILL, t.master),
    "kill an executor": lambda t: each(KILL, t.executors[0]),
    "kill all executors": lambda t: each(KILL, *t.executors),
    "kill master and executor": lambda t: each(KILL, t.master, t.executors[1]),
    "kill master and all executors": lambda t: each(KILL, t.master, *t.executors),
    "kill the guardian": lambda t: each(KILL, t.guardian),
    "kill guardian and master": lambda t: each(KILL, t.guardian, t.master),
    "kill the warden": lambda t: each(KILL, t.warden),
    "kill all": lambda t: each(KILL, t.guardian, t.master, *t.executors),
    "kill the warden and all": lambda t: each(
        KILL, t.warden, t.guardian, t.master, *t.executors
    ),
    "stop an executor": lambda t: each(STOP, t.executors[0]),
    "stop master and executors": lambda t: each(STOP, t.master, *t.executors),
    "stop all": lambda t: each(STOP, t.guardian, t.master, *t.executors),
    "segmentation fault of an executor": lambda t: each(signal.SIGSEGV, t.executors[2]),
    "suspend from the terminal": lambda t: each(
        signal.SIGTSTP, t.guardian, t.master, *t.executors
    ),
}
# The kernel continues what has stopped when the last of us dies, but not a child of a program
# that is on its way to that: it is for "showstopper rescue", as the manual says.
NEEDS_RESCUE = {"kill the warden and all"}
# Afterwards control goes on: units are stopped again, but by executors that are alive.
GOES_ON = {
    "kill an executor",
    "kill the warden",
    "stop an executor",
    "segmentation fault of an executor",
}


def longest_stop(pids: list[int], seconds: float) -> float:
    """How long one of them was stopped without a break, at most, while we watched."""
    since: dict[int, float] = {}
    longest = 0.0
    end = time.monotonic() + seconds
    while (now := time.monotonic()) < end:
        now_stopped = set(stopped(pids))
        for pid in pids:
            if pid in now_stopped:
                longest = max(longest, now - since.setdefault(pid, now))
            else:
                since.pop(pid, None)
        time.sleep(0.01)
    return longest


def find_guardian(shell: int) -> int:
    """The showstopper process that a shell has started."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        for pid in children(shell):
            if read(pid, "comm") == b"showstopper\n":
                return pid
        time.sleep(0.01)
    raise RuntimeError("showstopper did not start")


def attack(
    case: str, tree: Tree, programs: list[int], wait_s: float, binary: str
) -> tuple[float, str]:
    """Send the signals; how long did programs stay stopped, and which still are?"""
    until = time.monotonic() + 30
    while not stopped(programs):
        if time.monotonic() > until:
            return 0, "no program was ever stopped"
        time.sleep(0.01)
    time.sleep(wait_s)
    began = time.monotonic()
    for pid, sig in CASES[case](tree):
        try:
            os.kill(pid, sig)
        except ProcessLookupError:
            pass
    if case in GOES_ON:
        took = longest_stop(programs, 1.5)
    else:
        # Stopped for the last time: a stop may come after the signal.
        last = began
        while (now := time.monotonic()) - began < 1.5 or (
            stopped(programs) and now - began < PATIENCE_S
        ):
            if stopped(programs):
                last = now
                if case in NEEDS_RESCUE and now - began > LIMIT_S:
                    subprocess.run([binary, "rescue"], stdout=subprocess.DEVNULL, check=True)
            time.sleep(0.01)
        took = last - began
    return took, f"still stopped: {stopped(programs)}" if took > PATIENCE_S - 1 else ""


def clean_up(run: subprocess.Popen[bytes], tree: Tree, mark: str) -> None:
    """End all that is left."""
    for pid in [tree.master, *tree.executors, tree.guardian, *marked(mark), run.pid]:
        try:
            if pid:
                os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    run.wait()


def one(
    binary: str, options: list[str], case: str, wait_s: float, number: int
) -> tuple[str, float, str]:
    """Returns case, seconds until all ran, and what is wrong."""
    mark = f"SHOWSTOPPER_KILL_MATRIX={os.getpid()}.{number:06}"
    env = dict(os.environ, **dict([mark.split("=")]))
    program = ["sh", "-c", "sleep 1000 & sleep 1000"]
    # A shell with job control stays, as that of a terminal.
    with subprocess.Popen(
        ["bash", "-c", 'set -m; "$@" & wait $!', "bash", binary, "-q", "-m", "cdc", "-l", "30",
         "-n", str(COPIES), *options, "--", *program],
        env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    ) as run:
        tree = Tree(0)
        try:
            tree = find_tree(find_guardian(run.pid))
            programs = marked(mark)
            GROUPS.update(filter(None, map(group_of, programs)))
            took, wrong = attack(case, tree, programs, wait_s, binary)
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
    # What we ignore (nohup, a shell's background), showstopper does, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    jobs = [(case, rng.uniform(0, 0.3)) for _ in range(rounds) for case in CASES]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = list(
            pool.map(lambda j: one(binary, options, j[1][0], j[1][1], j[0]), enumerate(jobs))
        )
    return report(results) or not_left(binary)


def not_left(binary: str) -> int:
    """Files of runs whose guardians were killed, and control groups, go by rescue."""
    until = time.monotonic() + PATIENCE_S
    while True:
        text = subprocess.run([binary, "rescue"], stdout=subprocess.PIPE, check=True).stdout
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
        wrong = [r[2] for r in mine if r[2]]
        worst = max(r[1] for r in mine)
        late = sum(r[1] > LIMIT_S for r in mine)
        lateness = f" ({late} after more than {LIMIT_S:.0f} s)" if late else ""
        print(
            f"{'not ok' if wrong else 'ok'} {n} - {case}: {len(mine)} times, "
            f"all run after {worst:.2f} s at most{lateness}"
        )
        for text in wrong:
            print(f"# {text}")
        failed += bool(wrong)
    print(f"1..{len(CASES)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
