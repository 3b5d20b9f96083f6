# SPDX-License-Identifier: LGPL-2.1-or-later
"""A program that is monitored from its exec to its end."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, Final

from . import _library
from ._control import Control, EventSet
from ._library import unsigned
from ._session import Session, _flags

_PID_SIZE = 4
# Exit status of a child that is never allowed to execute its program. No user sees it.
_ABANDONED = 125


class ProgramSession(Session):
    """A session that monitors a program; see Session.run().

    At the end of its "with" block, the session is closed. Then the program is waited for,
    as at the end of a "with" block of subprocess.Popen. Iteration ends when the program
    and the processes that it created have ended.
    """

    def __init__(
        self,
        ctl: Control,
        sets: str | EventSet | Sequence[EventSet],
        command: Sequence[str | os.PathLike[str]],
        *,
        popen: dict[str, Any],
        period_ns: int,
        ring_size: int,
        virtual: str | Iterable[str],
        threads: bool,
        children: bool,
    ) -> None:
        """Internal: programs call Session.run()."""
        # pylint: disable=super-init-not-called
        self._own_thread = False
        self._prepare(ctl, sets, virtual)
        options = {
            "flags": _library.SESSION_ON_EXEC | _flags(threads, children, True),
            "period_ns": unsigned("period_ns", period_ns, 64),
            "ring_size": unsigned("ring_size", ring_size, 32),
        }
        launch = _Launch(lambda pid: self._open(ctl, pid=pid, **options))
        try:
            process = launch.popen(command, popen)
        except BaseException:
            if hasattr(self, "_handle"):
                self.close()
            raise
        #: the program: pid, streams, and, after process.wait(), returncode
        self.process: Final[subprocess.Popen[Any]] = process

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
        self.process.__exit__(exc_type, exc, traceback)


class _Launch:
    """A child that is held back before its exec until the session monitors it.

    Popen() returns, or fails, only after the exec. Therefore, another thread opens the
    session meanwhile. The caller's thread forks the child, because the program may ask
    for a signal when the thread that forked it ends (PR_SET_PDEATHSIG).
    """

    def __init__(self, open_session: Callable[[int], None]) -> None:
        self._open_session = open_session
        self._error: BaseException | None = None
        self._pid = 0
        self._ready = os.pipe()
        self._go = os.pipe()

    def popen(
        self, command: Sequence[str | os.PathLike[str]], options: dict[str, Any]
    ) -> subprocess.Popen[Any]:
        """Start the program, monitored. On failure, raise the reason, and leave no child."""
        users: Callable[[], Any] | None = options.pop("preexec_fn", None)

        def hold() -> None:
            if users:
                users()
            self._hold()

        opener = threading.Thread(target=self._open, name="pmctrack-launch")
        opener.start()
        try:
            # The child takes no lock, so locks that other threads hold do not matter.
            # pylint: disable=consider-using-with,subprocess-popen-preexec-fn
            process: subprocess.Popen[Any] = subprocess.Popen(
                command, preexec_fn=hold, **options
            )
        except BaseException:
            self._finish(opener)
            _end(self._pid)
            raise
        self._finish(opener)
        if self._error:
            with process:
                pass
            raise self._error
        return process

    def _hold(self) -> None:
        """In the child: send the pid to the parent, and wait until the session is open."""
        # Close the child's copy of the write end: read() must see end of file if the parent ends.
        os.close(self._go[1])
        os.write(self._ready[1], os.getpid().to_bytes(_PID_SIZE, "little"))
        if not os.read(self._go[0], 1):
            os._exit(_ABANDONED)  # pylint: disable=protected-access

    def _open(self) -> None:
        """In the other thread: wait for the child, open its session, and allow the exec."""
        self._pid = int.from_bytes(os.read(self._ready[0], _PID_SIZE), "little")
        if not self._pid:
            return
        try:
            self._open_session(self._pid)
        except BaseException as e:  # pylint: disable=broad-exception-caught
            self._error = e
            # Closing our end of the pipe is not enough: other children may have it, too.
            os.kill(self._pid, signal.SIGKILL)
        else:
            os.write(self._go[1], b"\0")

    def _finish(self, opener: threading.Thread) -> None:
        """Clean up, after the child's exec or failure. The pid 0 ends a thread that still waits."""
        os.write(self._ready[1], bytes(_PID_SIZE))
        opener.join()
        for fd in self._ready + self._go:
            os.close(fd)


def _end(pid: int) -> None:
    """Kill and reap a child, unless pid is 0 or the child was reaped already."""
    try:
        if pid:
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    except ChildProcessError:
        pass
