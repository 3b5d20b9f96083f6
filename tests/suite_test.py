#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/run itself: signals, limits, and results of suites that were killed. TAP.

In a tree of its own, with parts of its own, which write the PIDs of processes to a file.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
PATIENCE_S = 300  # with what takes some seconds, on a busy machine
IGNORED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGTERM)
# Ends by no signal but SIGKILL, as its children; one of these has a session of its own.
STUBBORN = """part stubborn bash -c '
	trap "" HUP INT TERM
	setsid sleep 1000 & echo $! $$ >pids
	sleep 1000
	sleep 1000'
"""


class Tree:
    """A source tree that has the suite's scripts, and nothing to test."""

    def __init__(self, top: Path) -> None:
        self.top = top
        (top / "tests/vm").mkdir(parents=True)
        for name in "run", "vm/lib.sh", "vm/supervise.py":
            shutil.copy(HERE / name, top / "tests" / name)

    def start(self, parts: str, ignored: tuple[signal.Signals, ...] = ()) -> subprocess.Popen[str]:
        """Run these parts, in a process group as a terminal has it."""
        (self.top / "parts").write_text(f"limit=100\n{parts}\n", encoding="utf-8")

        def prepare() -> None:
            for number in IGNORED:
                signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

        return subprocess.Popen(  # pylint: disable=subprocess-popen-preexec-fn
            [self.top / "tests/run", "--parts", self.top / "parts"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=prepare,
        )

    def run(self, parts: str, ignored: tuple[signal.Signals, ...] = ()) -> str:
        """Run these parts to the end; return what is printed."""
        with self.start(parts, ignored) as suite:
            return suite.communicate(timeout=PATIENCE_S)[0]

    def pids(self) -> list[int]:
        """Wait for the file with the PIDs of a part's processes."""
        until((self.top / "pids").exists)
        until(lambda: (self.top / "pids").read_text(encoding="utf-8").endswith("\n"))
        return list(map(int, (self.top / "pids").read_text(encoding="utf-8").split()))


def until(condition: Callable[[], bool], seconds: float = PATIENCE_S) -> None:
    """Wait, but not for ever."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "this does not happen"
        time.sleep(0.1)


def gone(pid: int) -> bool:
    """Tell whether a process has ended."""
    return not os.path.exists(f"/proc/{pid}")


def last_line(text: str, expected: str) -> None:
    """The totals."""
    assert text.endswith(f"\n{expected}\n"), text


def test_default_signals(tree: Tree) -> None:
    """Parts have default signals, as under nohup, or in the background of a script."""
    # Signals 32 and 33 are the C library's: what a caller with another one (musl) left
    # ignored cannot be changed through it, and no program notices.
    parts = "part ignored grep -x 'SigIgn:.0000000[01][08]0000000' /proc/self/status\n"
    parts += "part hangup bash -c 'sleep 1000 & kill -HUP $!; wait $!; [ $? = 129 ]'\n"
    last_line(tree.run(parts, IGNORED), "2 passed, 0 failed, 0 skipped")


def stopped_by(tree: Tree, number: signal.Signals, group: bool) -> None:
    """Nothing is left when the suite gets this signal."""
    with tree.start(STUBBORN) as suite:
        pids = tree.pids()
        assert not any(map(gone, pids))
        (os.killpg if group else os.kill)(suite.pid, number)
        suite.wait(PATIENCE_S)
        until(lambda: all(map(gone, pids)))
        expected = -number if number == signal.SIGKILL else 128 + number
        assert suite.returncode == expected, suite.returncode


def test_ctrl_c(tree: Tree) -> None:
    """Ctrl-C, which the terminal sends to the whole group."""
    stopped_by(tree, signal.SIGINT, True)


def test_sigterm(tree: Tree) -> None:
    """SIGTERM, as make passes it on."""
    stopped_by(tree, signal.SIGTERM, False)


def test_killed(tree: Tree) -> None:
    """SIGKILL: then the next suite has its own results only, and builds anew."""
    (tree.top / "build/half").mkdir(parents=True)
    with tree.start("part before true\npart fails false\n" + STUBBORN) as suite:
        pids = tree.pids()
        suite.kill()
        last_line(tree.run("part after true"), "1 passed, 0 failed, 0 skipped")
        assert all(map(gone, pids)), "the next suite began before the end of the one before"
        assert not (tree.top / "build/half").exists()


def test_limit(tree: Tree) -> None:
    """A part that exceeds its limit fails by name, says what it did, and the others run."""
    parts = "limit=1\npart spins bash -c 'while :; do :; done'\npart waits sleep 1000\n"
    text = tree.run(parts + "part other true")
    last_line(text, "1 passed, 2 failed, 0 skipped")
    assert "spins: 0 passed, 1 failed" in text and "S sleep 1000" in text, text


def test_lost_supervisor(tree: Tree) -> None:
    """A part that is not heard of again has failed."""
    lost = "part lost bash -c 'echo \"ok 1 - fine\"; kill -KILL $PPID; sleep 1000'\n"
    text = tree.run(lost + "part other true")
    last_line(text, "2 passed, 1 failed, 0 skipped")


def test_leftovers(tree: Tree) -> None:
    """What a part leaves running ends with it."""
    text = tree.run("part leaves bash -c 'setsid sleep 1000 & echo $! >pids'")
    last_line(text, "1 passed, 0 failed, 0 skipped")
    assert all(map(gone, tree.pids()))


def test_two_suites(tree: Tree) -> None:
    """Two suites of the same tree, one after the other."""
    with tree.start("part slow sleep 3\npart other true") as first:
        time.sleep(1)
        text = tree.run("part single true")
        assert "waiting for the suite" in text, text
        last_line(text, "1 passed, 0 failed, 0 skipped")
        last_line(first.communicate()[0], "2 passed, 0 failed, 0 skipped")


def main() -> int:
    """Run all tests."""
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_")]
    print(f"1..{len(tests)}")
    status = 0
    for number, (name, test) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as top:
            try:
                test(Tree(Path(top)))
                print(f"ok {number} - suite: {name[5:]}", flush=True)
            except (AssertionError, OSError, subprocess.SubprocessError):
                print(f"not ok {number} - suite: {name[5:]}")
                print("# " + traceback.format_exc().replace("\n", "\n# "), flush=True)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
