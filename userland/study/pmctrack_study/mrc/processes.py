# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs with all that they start, and signals that end this one."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import suppress
from typing import IO, Callable, Sequence

from ..command_line import ENDINGS

LOOK_S = 0.02
PATIENCE_S = 5.0


class Ending:
    """Signals that end this program wait until somebody looks for them.

    So nothing is left half done: no child that nobody knows, no cleanup that is broken off.
    """

    def __init__(self) -> None:
        self._signals = {s for s in ENDINGS if signal.getsignal(s) != signal.SIG_IGN}
        signal.pthread_sigmask(signal.SIG_BLOCK, self._signals)

    def wait(self, seconds: float) -> bool:
        """True: one has come."""
        return signal.sigtimedwait(self._signals, seconds) is not None

    def release(self) -> None:
        """They come at once again: in a child, or after the cleanup."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, self._signals)


class Session:
    """A program that leads a session of its own.

    It is reaped at the end only: nobody else can have its number before, nor its session's.
    """

    def __init__(self, arguments: Sequence[str], prepare: Callable[[], None],
                 output: int | IO[str]) -> None:
        # Nothing of this process runs in threads.
        # pylint: disable-next=subprocess-popen-preexec-fn,consider-using-with
        self._leader = subprocess.Popen(arguments, stdout=output, start_new_session=True,
                                        preexec_fn=prepare)
        self.pid = self._leader.pid

    def ended(self) -> bool:
        """Has the program itself?"""
        return self._leader.returncode is not None or os.waitid(
            os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def send(self, number: signal.Signals) -> None:
        """To all of the session."""
        if self._leader.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, number)

    def send_leader(self, number: signal.Signals) -> None:
        """To the program alone."""
        if not self.ended():
            os.kill(self.pid, number)

    def wait(self, seconds: float) -> bool:
        """True: it has ended by then."""
        end = time.monotonic() + seconds
        while not self.ended():
            if time.monotonic() >= end:
                return False
            time.sleep(LOOK_S)
        return True

    def reap(self) -> int:
        """The program's status, when it ends; what it has started may go on."""
        return self._leader.wait()

    def kill(self) -> int:
        """Nobody of the session goes on. Returns the program's status."""
        self.send(signal.SIGKILL)
        return self.reap()

    def end(self) -> int:
        """All of them; they have some seconds for it."""
        self.send(signal.SIGCONT)
        self.send(signal.SIGTERM)
        self.wait(PATIENCE_S)
        return self.kill()
