#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""supervise.py --limit S -- COMMAND…: run COMMAND, and end it with all that it started.

COMMAND runs in a session of its own, with default signal dispositions, whatever the caller
ignores. It is ended, and the exit status is 124, when it exceeded its limit: S seconds of CPU
time of all its processes, and of time in which all of them wait. Time in which one is ready to
run, or waits for a disk, does not count, because it depends on what else the machine does; but
after 20 * S seconds COMMAND is ended in any case. It is also ended when the caller dies, and by
SIGTERM, SIGINT and SIGHUP. What COMMAND leaves running is ended with it. Otherwise, the exit
status is that of COMMAND, or 128 + signal.
"""

import argparse
import ctypes
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

STARVED = 20  # so many times the limit, however busy the machine is
GRACE_S = 20  # from SIGTERM to SIGKILL
LOOK_EACH_S = 1
TIMED_OUT = 124  # as timeout(1)
STOPPED_BY = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
TICKS_PER_S = os.sysconf("SC_CLK_TCK")

prctl = ctypes.CDLL(None).prctl


@dataclass
class Usage:
    """What a command has used, or a part of it, in seconds."""

    cpu: float
    waited: float
    real: float

    def since(self, start: "Usage") -> "Usage":
        """Return what was used from start on."""
        return Usage(self.cpu - start.cpu, self.waited - start.waited, self.real - start.real)

    def exceeds(self, limit: float) -> bool:
        """Tell whether this is more than limit."""
        return self.cpu + self.waited > limit or self.real > STARVED * limit

    def __str__(self) -> str:
        return f"{self.cpu:.0f} s of CPU time, {self.waited:.0f} s of waiting, in {self.real:.0f} s"


@dataclass
class Process:
    """The fields of /proc/PID/stat that are used here."""

    pid: int
    name: str
    state: str
    parent: int
    cpu: float  # with that of the children it has waited for

    @classmethod
    def read(cls, pid: int) -> "Process":
        """Read the file; raises OSError if the process has gone."""
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        name, _, rest = text.partition("(")[2].rpartition(") ")
        field = rest.split()
        return cls(pid, name, field[0], int(field[1]), sum(map(int, field[11:15])) / TICKS_PER_S)

    def waits(self) -> bool:
        """Tell whether none of its threads is ready to run, or waits for a disk."""
        try:
            for task in Path(f"/proc/{self.pid}/task").iterdir():
                if (task / "stat").read_text(errors="replace").rpartition(") ")[2][0] in "RD":
                    return False
        except OSError:
            pass
        return True

    def __str__(self) -> str:
        try:
            words = Path(f"/proc/{self.pid}/cmdline").read_bytes().replace(b"\0", b" ")
        except OSError:
            words = b""
        return f"{self.pid} {self.state} {words.decode(errors='replace')[:160] or self.name}"


def descendants(root: int) -> list[Process]:
    """Return the processes that descend from root, parents first."""
    children: dict[int, list[Process]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                process = Process.read(int(entry))
            except OSError:
                continue
            children.setdefault(process.parent, []).append(process)
    found = list(children.get(root, []))
    for process in found:  # grows on the way
        found += children.get(process.pid, [])
    return found


class Command:
    """A command that runs. All of its processes descend from this one until their end."""

    def __init__(self, argv: list[str], log: str | None = None) -> None:
        self.status: int | None = None
        self.used = Usage(0, 0, 0)
        self.began = time.monotonic()
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        # Wait for these, do not handle them. Signals that the caller ignores stay ignored here.
        signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGCHLD, *STOPPED_BY))
        self.pid = os.fork()
        if self.pid == 0:
            self._become(argv, log)

    @staticmethod
    def _become(argv: list[str], log: str | None) -> None:
        """In the child: be the command."""
        try:
            os.setsid()
            prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            if log:
                fd = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
                os.dup2(fd, 1)
                os.dup2(fd, 2)
            os.closerange(3, 1 + max(map(int, os.listdir("/proc/self/fd"))))
            os.execvp(argv[0], argv)
        except OSError as e:
            print(f"{argv[0]}: {e.strerror}", file=sys.stderr, flush=True)
        os._exit(127)  # pylint: disable=protected-access

    def reap(self) -> bool:
        """Wait for processes that have ended; return whether any process is left."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return True
                if pid == self.pid:
                    code = os.waitstatus_to_exitcode(status)
                    self.status = code if code >= 0 else 128 - code
        except ChildProcessError:
            return False

    def usage(self) -> Usage:
        """Return what all have used so far. If all wait now, they have since the last call."""
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        processes = descendants(os.getpid())
        cpu = ended.ru_utime + ended.ru_stime + sum(process.cpu for process in processes)
        real = time.monotonic() - self.began
        waited = self.used.waited
        if all(process.waits() for process in processes):
            waited += real - self.used.real
        self.used = Usage(cpu, waited, real)
        return self.used

    @staticmethod
    def _signal(number: signal.Signals) -> None:
        """Signal all processes."""
        for process in descendants(os.getpid()):
            try:
                os.kill(process.pid, number)
            except ProcessLookupError:
                pass

    def end(self) -> None:
        """End all processes. If the command has not ended yet, they may clean up first."""
        deadline = time.monotonic() + GRACE_S
        if self.status is None:
            self._signal(signal.SIGTERM)
            while self.reap() and time.monotonic() < deadline:
                signal.sigtimedwait((signal.SIGCHLD,), 0.2)
        while self.reap():
            self._signal(signal.SIGKILL)
            signal.sigtimedwait((signal.SIGCHLD,), 0.2)


def supervise(command: Command, look: Callable[[Usage], str | None]) -> int:
    """Wait for the command's end. It is ended when look() returns a reason to do so."""
    reason: str | None = None
    looked = -float(LOOK_EACH_S)
    while command.reap() and command.status is None and not reason:
        event = signal.sigtimedwait((signal.SIGCHLD, *STOPPED_BY), LOOK_EACH_S)
        if event and event.si_signo != signal.SIGCHLD:
            command.end()
            return 128 + event.si_signo
        if time.monotonic() - looked >= LOOK_EACH_S:
            looked = time.monotonic()
            reason = look(command.usage())
    if command.status is None:
        print(f"[supervise] {reason}", file=sys.stderr)
        for process in descendants(os.getpid()):
            print(f"#   {process}", file=sys.stderr, flush=True)
        command.end()
        return TIMED_OUT
    status = command.status
    command.end()
    return status


def arguments() -> argparse.ArgumentParser:
    """Return the parser of what all supervisors have on their command lines."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", type=float, required=True)
    parser.add_argument("command", nargs="+")
    # A supervisor ends with its caller.
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    return parser


def main() -> int:
    """Supervise one command."""
    args = arguments().parse_args()

    def look(usage: Usage) -> str | None:
        if usage.exceeds(args.limit):
            return f"exceeded its limit of {args.limit:.0f} s: {usage}"
        return None

    return supervise(Command(args.command), look)


if __name__ == "__main__":
    sys.exit(main())
