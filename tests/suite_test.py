#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Test tests/run itself: its table, signals, limits, and suites that were killed. Prints TAP.

Each test has a tree of its own, and a table of parts of its own. The parts write the PIDs of
their processes to a file.
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
PATIENCE_S = 300  # for what takes some seconds if the machine is not busy
IGNORED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGTERM)
# A command that only SIGKILL ends, as its children; one of them has a session of its own.
STUBBORN = (
    """stubborn bash -c 'trap "" HUP INT TERM; """
    """setsid sleep 1000 & echo $! $$ >pids; sleep 1000; sleep 1000'"""
)


def table(*parts: str, limit: int = 100) -> str:
    """Return rows for parts "NAME COMMAND", which have the same limit everywhere."""
    rows = (part.split(" ", 1) for part in parts)
    return "".join(f"{name}  {limit} {limit}  {command}\n" for name, command in rows)


class Tree:
    """A source tree that has the suite's scripts, and nothing to test."""

    def __init__(self, top: Path) -> None:
        self.top = top
        (top / "tests/vm").mkdir(parents=True)
        for name in "run", "vm/lib.sh", "vm/supervise.py":
            shutil.copy(HERE / name, top / "tests" / name)

    def start(
        self, parts: str, *args: str, ignored: tuple[signal.Signals, ...] = ()
    ) -> subprocess.Popen[str]:
        """Run the suite with this table, in a process group of its own as from a terminal."""
        (self.top / "parts").write_text(parts, encoding="utf-8")

        def prepare() -> None:
            for number in IGNORED:
                signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

        return subprocess.Popen(  # pylint: disable=subprocess-popen-preexec-fn
            [self.top / "tests/run", "--parts", self.top / "parts", *args],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=prepare,
        )

    def run(self, parts: str, *args: str, ignored: tuple[signal.Signals, ...] = ()) -> str:
        """Run the suite to its end; return what it prints."""
        with self.start(parts, *args, ignored=ignored) as suite:
            return suite.communicate(timeout=PATIENCE_S)[0]

    def pids(self) -> list[int]:
        """Wait for the file that has the PIDs of a part's processes, and return them."""
        until((self.top / "pids").exists)
        until(lambda: (self.top / "pids").read_text(encoding="utf-8").endswith("\n"))
        return list(map(int, (self.top / "pids").read_text(encoding="utf-8").split()))


def until(condition: Callable[[], bool], seconds: float = PATIENCE_S) -> None:
    """Wait for a condition; fail if it takes too long."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "this does not happen"
        time.sleep(0.1)


def gone(pid: int) -> bool:
    """Tell whether a process has ended."""
    return not os.path.exists(f"/proc/{pid}")


def last_line(text: str, expected: str) -> None:
    """Check the totals, which are the last line."""
    assert text.endswith(f"\n{expected}\n"), text


def test_default_signals(tree: Tree) -> None:
    """Parts have default signals, as under nohup, or in the background of a script."""
    # Signals 32 and 33 belong to the C library. If a caller with another library (musl) ignores
    # them, ours cannot change that, and no program notices.
    parts = table(
        "ignored grep -x 'SigIgn:.0000000[01][08]0000000' /proc/self/status",
        "hangup bash -c 'sleep 1000 & kill -HUP $!; wait $!; [ $? = 129 ]'",
    )
    last_line(tree.run(parts, ignored=IGNORED), "2 passed, 0 failed, 0 skipped")


def stopped_by(tree: Tree, number: signal.Signals, group: bool) -> None:
    """Check that nothing is left when the suite gets this signal."""
    with tree.start(table(STUBBORN)) as suite:
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
    with tree.start(table("before true", "fails false", STUBBORN)) as suite:
        pids = tree.pids()
        suite.kill()
        last_line(tree.run(table("after true")), "1 passed, 0 failed, 0 skipped")
        assert all(map(gone, pids)), "the next suite began before the end of the one before"
        assert not (tree.top / "build/half").exists()


def test_limit(tree: Tree) -> None:
    """A part that exceeds its limit fails by name, says what it did, and the others run."""
    parts = table("spins bash -c 'while :; do :; done'", "waits sleep 1000", limit=1)
    text = tree.run(parts + table("other true"))
    last_line(text, "1 passed, 2 failed, 0 skipped")
    assert "spins: 0 passed, 1 failed" in text and "S sleep 1000" in text, text


def test_lost_supervisor(tree: Tree) -> None:
    """A part whose supervisor is killed has failed."""
    lost = "lost bash -c 'echo \"ok 1 - fine\"; kill -KILL $PPID; sleep 1000'"
    text = tree.run(table(lost, "other true"))
    last_line(text, "2 passed, 1 failed, 0 skipped")


def test_leftovers(tree: Tree) -> None:
    """The processes that a part leaves behind end with it."""
    text = tree.run(table("leaves bash -c 'setsid sleep 1000 & echo $! >pids'"))
    last_line(text, "1 passed, 0 failed, 0 skipped")
    assert all(map(gone, tree.pids()))


def test_two_suites(tree: Tree) -> None:
    """Two suites of the same tree run one after the other."""
    with tree.start(table("slow sleep 3", "other true")) as first:
        time.sleep(1)
        text = tree.run(table("single true"))
        assert "waiting for the suite" in text, text
        last_line(text, "1 passed, 0 failed, 0 skipped")
        last_line(first.communicate()[0], "2 passed, 0 failed, 0 skipped")


def test_table(tree: Tree) -> None:
    """Comments and blank lines are ignored; "-" is for the matrix only; words are a shell's."""
    parts = "# a comment\n\nalways 100 100 true\n\tmatrix - 100 bash -c 'exit 1'\n"
    parts += """words 100 100 bash -c '[ "$*" = "a  b *" ]' - 'a  b' "*"\n"""
    last_line(tree.run(parts), "2 passed, 0 failed, 0 skipped")
    last_line(tree.run(parts, "--matrix"), "2 passed, 1 failed, 0 skipped")


def test_summary(tree: Tree) -> None:
    """The last lines say what failed, and what took longest."""
    results = "echo ok 1 - a; echo not ok 2 - b; echo '# why'; echo not ok 3 - c"
    late = "end bash -c 'sleep 1; echo late; exit 3'"
    parts = table(f'bad bash -c "{results}"', late, "slow sleep 3")
    lines = tree.run(parts).splitlines()[-5:]
    assert lines[0].startswith("[run] slowest: slow "), lines
    assert lines[1:3] == ["[run] failed: bad not ok 2 - b;not ok 3 - c", "# why"], lines
    assert lines[3] == "[run] failed: end late", lines
    assert lines[4] == "2 passed, 3 failed, 0 skipped", lines


def test_limits_of_the_matrix(tree: Tree) -> None:
    """A part can have more time in the matrix."""
    parts = "slow 1 100 sleep 8\n"
    last_line(tree.run(parts), "0 passed, 1 failed, 0 skipped")
    last_line(tree.run(parts, "--matrix"), "1 passed, 0 failed, 0 skipped")


def test_names(tree: Tree) -> None:
    """Only the parts whose names match run, without "prepare"."""
    parts = table("prepare touch prepared", "one false", "guest-1 true", "guest-2 true")
    last_line(tree.run(parts, "^guest", "no-such"), "2 passed, 0 failed, 0 skipped")
    assert not (tree.top / "prepared").exists()
    assert "no part is called so: no-such" in tree.run(parts, "no-such")
    last_line(tree.run(parts), "2 passed, 1 failed, 0 skipped")
    assert (tree.top / "prepared").exists()


def test_rest(tree: Tree) -> None:
    """A suite that was ended is continued: what has passed is not run again."""
    git = ["git", "-C", str(tree.top), "-c", "user.name=x", "-c", "user.email=x"]
    (tree.top / ".gitignore").write_text("build\nparts\nran\n", encoding="utf-8")
    for command in ["init", "-q"], ["add", "."], ["commit", "-qm", "x"]:
        subprocess.run([*git, *command], check=True)
    ran = f"bash -c 'echo ran >>{tree.top}/ran'"
    parts = table(f"good {ran}", "bad false")
    last_line(tree.run(parts), "1 passed, 1 failed, 0 skipped")
    parts = table(f"good {ran}", "bad true", f"new {ran}")
    last_line(tree.run(parts, "--rest"), "3 passed, 0 failed, 0 skipped")
    assert (tree.top / "ran").read_text(encoding="utf-8") == "ran\nran\n"
    # Nothing has passed on a tree with changes, and what runs there does not count later.
    (tree.top / "changed").touch()
    last_line(tree.run(parts, "--rest"), "3 passed, 0 failed, 0 skipped")
    (tree.top / "changed").unlink()
    last_line(tree.run(parts, "--rest"), "3 passed, 0 failed, 0 skipped")
    assert (tree.top / "ran").read_text(encoding="utf-8") == 6 * "ran\n"
    # Only parts that were asked for count.
    last_line(tree.run(parts, "--rest", "new"), "1 passed, 0 failed, 0 skipped")
    assert "no part is called so" in tree.run(parts, "--rest", "other")


def test_prepare_fails(tree: Tree) -> None:
    """Nothing runs if "prepare" fails."""
    text = tree.run(table("prepare false", "ran touch ran"))
    last_line(text, "0 passed, 1 failed, 0 skipped")
    assert not (tree.top / "ran").exists()


def test_wrong_tables(tree: Tree) -> None:
    """A row that is wrong ends the suite before a part runs."""
    wrong = {
        "few 100 true": "a row is not NAME TEST MATRIX COMMAND: few 100 true",
        "long ten 100 true": "a row is not",
        "none 100 100 no-such-command": "none: there is no command 'no-such-command'",
        "ran 100 100 true": "there are two parts 'ran'",
    }
    for row, message in wrong.items():
        text = tree.run(table("ran touch ran") + row + "\n")
        assert message in text, text
        assert not (tree.top / "ran").exists()


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
